package import LocalStore
internal import Records
package import SyncAPI

/// A page of changes that is too large to be received whole. It is read piece by piece; records that are too large are
/// omitted, and the rest is an ordinary page.
///
/// A server of an older version may hold such records. Only a record's identifying members are kept, at any position in
/// the record, so that memory is bounded for all input.
package struct LargePage {
    /// The page without the omitted records.
    package private(set) var bytes: [UInt8] = []
    /// The omitted records.
    package private(set) var oversized: [OversizedRecord] = []
    private let recordLimit: Int
    private let pageLimit: Int
    private var keptRecords = 0

    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    /// The last string that can be the name of a member, and the last name that a colon followed, at depth 1 and in a
    /// record.
    private var string: [UInt8] = []
    private var pageMember = ""
    private var record: Element?

    /// A record that is being read.
    private struct Element {
        /// Where it begins in `bytes`, with the comma before it.
        let start: Int
        /// Its bytes so far.
        var count = 0
        /// Its members that are neither objects nor arrays, as JSON.
        var scalars: [String: [UInt8]] = [:]
        var member = ""
        /// The value of `member` so far; nil before the colon, and if it is not a short scalar.
        var scalar: [UInt8]?
    }

    /// Creates a page of which nothing was read.
    ///
    /// - Parameters:
    ///   - recordLimit: The largest record that is kept, in bytes.
    ///   - pageLimit: The most that is kept in all, in bytes.
    package init(recordLimit: Int, pageLimit: Int) {
        (self.recordLimit, self.pageLimit) = (recordLimit, pageLimit)
    }

    /// Reads the next bytes.
    ///
    /// - Throws: `MalformedAnswer` if it can't be a page, or too much of it would have to be kept.
    package mutating func append(_ piece: [UInt8]) throws(MalformedAnswer) {
        for byte in piece { append(byte) }
        if bytes.count > pageLimit { throw MalformedAnswer("a page of more than \(pageLimit) bytes") }
        if let problem { throw problem }
    }

    /// Returns the page, once all of it was read.
    ///
    /// - Throws: `MalformedAnswer` if it isn't complete.
    package func whole() throws(MalformedAnswer) -> [UInt8] {
        guard depth == 0, !bytes.isEmpty else { throw MalformedAnswer("a page that isn't whole") }
        return bytes
    }

    private var problem: MalformedAnswer?

    private mutating func append(_ byte: UInt8) {
        // Decided first: the quote that ends a string is a part of it.
        let isStructural = !isInString
        if isInString {
            readString(byte)
        } else if byte == UInt8(ascii: "\"") {
            isInString = true
            string = []
        }
        let isBetweenRecords = isStructural && record == nil && depth == 2 && pageMember == "records"
        if isBetweenRecords, byte == UInt8(ascii: "{") { begin() }
        // Commas between records are added with the records that are kept.
        if !(isBetweenRecords && byte == UInt8(ascii: ",")) { keep(byte) }
        if isStructural { structure(byte) }
    }

    private mutating func readString(_ byte: UInt8) {
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            isInString = false
            return
        }
        if string.count < Self.shortBytes { string.append(byte) }
    }

    private mutating func structure(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            depth += 1
            if depth > Self.recordDepth { record?.scalar = nil }
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            if depth == Self.recordDepth { endMember() }
            depth -= 1
            if depth == Self.recordDepth - 1, record != nil { end() }
        case UInt8(ascii: ":"):
            if depth == 1 { pageMember = String(decoding: string, as: UTF8.self) }
            if depth == Self.recordDepth, record != nil {
                record?.member = String(decoding: string, as: UTF8.self)
                record?.scalar = []
            }
        case UInt8(ascii: ","): if depth == Self.recordDepth { endMember() }
        default: break
        }
    }

    // MARK: Records

    private mutating func begin() {
        record = Element(start: bytes.count)
        if keptRecords > 0 { bytes.append(UInt8(ascii: ",")) }
    }

    private mutating func keep(_ byte: UInt8) {
        guard record != nil else { return bytes.append(byte) }
        record?.count += 1
        if let count = record?.scalar?.count, depth == Self.recordDepth {
            if count < Self.shortBytes { record?.scalar?.append(byte) } else { record?.scalar = nil }
        }
        guard let element = record else { return }
        if element.count <= recordLimit {
            bytes.append(byte)
        } else if element.count == recordLimit + 1 {
            // The record has just exceeded the limit: what was kept of it is removed, with the comma before it.
            bytes.removeLast(bytes.count - element.start)
        }
    }

    private mutating func endMember() {
        guard let element = record, var scalar = element.scalar else { return }
        // The comma or the bracket that ends the member was added to it.
        scalar.removeLast(min(1, scalar.count))
        record?.scalars[element.member] = scalar
        record?.scalar = nil
    }

    private mutating func end() {
        guard let element = record else { return }
        record = nil
        guard element.count > recordLimit else { return keptRecords += 1 }
        // A member that isn't JSON counts as missing.
        let members = element.scalars.compactMapValues { try? JSONValue(parsing: $0) }
        guard let collection = members["collection"]?.string, let id = members["id"]?.string,
            let version = members["version"]?.integer, let deleted = members["deleted"]?.bool,
            RecordKey(collection: collection, id: id).isValid
        else { return problem = MalformedAnswer("a large record without a name") }
        oversized.append(
            OversizedRecord(
                key: RecordKey(collection: collection, id: id), version: version, deleted: deleted,
                modifiedAt: members["modifiedAt"]?.string ?? "", modifiedBy: members["modifiedBy"]?.string ?? "",
                bytes: element.count))
    }

    /// The depth of a record's members: in the page, in its records, in the record.
    private static let recordDepth = 3
    /// The longest name or scalar that is kept, in bytes. What identifies a record is shorter.
    private static let shortBytes = 256
}
