internal import Crypto
public import Foundation

/// The key of a record: its collection and its id, which is unique in the collection.
public struct RecordKey: Hashable, Sendable {
    /// The collection: `[a-z][a-z0-9-]{0,63}`.
    public let collection: String
    /// The id, chosen by the device that created the record: a UUID of version 4 in lower case, or any
    /// `[A-Za-z0-9_-]{1,64}`.
    public let id: String

    /// Creates a key without checking it; see `isValid` for what a server accepts.
    public init(collection: String, id: String) {
        self.collection = collection
        self.id = id
    }

    /// Whether both parts have the form of the protocol (SyncAPI.docc/Protocol.md, "Data").
    public var isValid: Bool { Self.isCollection(collection) && Self.isIdentifier(id) }

    /// Returns whether `text` is the name of a collection: `[a-z][a-z0-9-]{0,63}`.
    public static func isCollection(_ text: some StringProtocol) -> Bool {
        let bytes = text.utf8
        guard let first = bytes.first, bytes.count <= 64 else { return false }
        return isLower(first) && bytes.allSatisfy { isLower($0) || isDigit($0) || $0 == UInt8(ascii: "-") }
    }

    /// Returns whether `text` is an id: `[A-Za-z0-9_-]{1,64}`.
    public static func isIdentifier(_ text: some StringProtocol) -> Bool {
        let bytes = text.utf8
        return (1...64).contains(bytes.count)
            && bytes.allSatisfy {
                // Setting bit 0x20 maps capital letters to small ones, and no other ASCII character to a letter.
                isLower($0 | 0x20) || isDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
            }
    }

    private static func isLower(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

/// A state of a record, in its wire format (SyncAPI.docc/Protocol.md, "Data").
public struct Record: Sendable, Equatable {
    /// The record's key.
    public var key: RecordKey
    /// The number of its last change in its space; 0 if no server has stored it.
    public var version: Int64
    /// Whether this is a tombstone: it has no fields, and the clocks that the deletion had seen.
    public var deleted: Bool
    /// The time at which the server stored the change: RFC 3339 in UTC with milliseconds; empty if no server has stored
    /// it. The text stays as the server wrote it; `modificationDate` is the time.
    public var modifiedAt: String
    /// The device that made the change.
    public var modifiedBy: String
    /// The fields; empty for a tombstone.
    public var fields: JSONObject
    /// The time of the last edit of each field.
    public var clock: FieldClocks

    /// Creates a record in this state.
    public init(
        key: RecordKey, version: Int64 = 0, deleted: Bool = false, modifiedAt: String = "", modifiedBy: String = "",
        fields: JSONObject = [:], clock: FieldClocks = FieldClocks()
    ) {
        self.key = key
        self.version = version
        self.deleted = deleted
        self.modifiedAt = modifiedAt
        self.modifiedBy = modifiedBy
        self.fields = fields
        self.clock = clock
    }
}

extension Record {
    /// The time of `modifiedAt`; nil if no server has stored the record, or if the text isn't RFC 3339.
    public var modificationDate: Date? { Date(rfc3339: modifiedAt) }
}

extension Record {
    /// The field with the mark of the last import; it isn't displayed.
    public static let importMarkField = "taskwarrior"

    /// Whether an import created or changed the record. For a tombstone this is known only where its fields are stored,
    /// as in a cache.
    public var isImported: Bool { fields[Self.importMarkField] != nil }
}

extension Record {
    /// Parses a record from the wire; nil if a member is missing or has the wrong shape. Unknown members are ignored.
    public init?(json: JSONValue) {
        guard let members = json.object,
            let collection = members["collection"]?.string, let id = members["id"]?.string,
            let version = members["version"]?.integer, let deleted = members["deleted"]?.bool,
            let modifiedAt = members["modifiedAt"]?.string, let modifiedBy = members["modifiedBy"]?.string,
            let clock = members["clock"].flatMap(FieldClocks.init(json:))
        else { return nil }
        let fields = members["fields"]?.object
        // Only a tombstone may lack the fields.
        if fields == nil, !deleted { return nil }
        self.init(
            key: RecordKey(collection: collection, id: id), version: version, deleted: deleted, modifiedAt: modifiedAt,
            modifiedBy: modifiedBy, fields: fields ?? [:], clock: clock)
    }
}

/// The text form of UUIDs (RFC 9562 section 4): 32 lower-case hex digits in groups of 8-4-4-4-12.
public enum UUIDText {
    /// Returns a new random UUID, of version 4.
    public static func random() -> String { UUID().uuidString.lowercased() }

    /// Returns the UUID that is derived from these texts: a hash of them, of version 8. For objects without an id of
    /// their own, which must get the same id again.
    public static func derived(from parts: [String]) -> String {
        // As a JSON array: joined texts would be ambiguous ("a" and "bc", "ab" and "c").
        let canonical = JSONValue.array(parts.map(JSONValue.string)).canonical
        return text(SHA256.hash(data: Array(canonical.utf8)).prefix(16), version: 8)
    }

    /// Returns a UUID with the given bits, except those of version and variant.
    ///
    /// - Parameters:
    ///   - bytes: 16 bytes.
    ///   - version: 4 for random bits, 8 for a hash (RFC 9562 sections 5.4 and 5.8).
    package static func text(_ bytes: some Sequence<UInt8>, version: UInt8) -> String {
        String(unsafeUninitializedCapacity: 36) { text in
            var count = 0
            func append(_ character: UInt8) {
                text.initializeElement(at: count, to: character)
                count += 1
            }
            // The bound keeps a caller's further bytes from being written past the end.
            for (index, byte) in bytes.prefix(16).enumerated() {
                if (4...10).contains(index), index.isMultiple(of: 2) { append(UInt8(ascii: "-")) }
                let marked =
                    switch index {
                    // The version is in the high half of byte 6, the variant in the two high bits of byte 8.
                    case 6: byte & 0x0F | version << 4
                    case 8: byte & 0x3F | 0x80
                    default: byte
                    }
                append(HexDigits.digit(marked >> 4))
                append(HexDigits.digit(marked & 0x0F))
            }
            return count
        }
    }

    /// Returns whether a text is a UUID of any version, with digits of either case.
    package static func isValid(_ text: String) -> Bool {
        // Not `UUID(uuidString:)`, which also accepts signs, spaces and `0x` in place of digits.
        text.withBytes { bytes in
            bytes.count == 36
                && bytes.indices.allSatisfy { index in
                    switch index {
                    case 8, 13, 18, 23: bytes[index] == UInt8(ascii: "-")
                    default: HexDigits.isDigit(bytes[index])
                    }
                }
        }
    }
}
