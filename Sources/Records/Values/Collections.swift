internal import Crypto

/// The collections of a space that a program uses: all of them, or named ones.
public enum CollectionSet: Sendable, Equatable {
    /// All collections, also those that the program doesn't know.
    case all
    /// Only these collections: 1 to `maximum` valid names (`RecordKey.isCollection`).
    case named(Set<String>)

    /// The largest number of collections that can be named.
    public static let maximum = 64

    /// Creates a set of these valid names; `.all` if there are none, or more than `maximum`.
    public init(_ names: some Sequence<String>) {
        let names = Set(names)
        self = (1...Self.maximum).contains(names.count) ? .named(names) : .all
    }

    /// Parses names that are separated by commas; nil if there are none or too many, or if one isn't a valid name.
    public init?(text: String) {
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard names.count <= Self.maximum, names.allSatisfy({ RecordKey.isCollection($0) }) else { return nil }
        self = .named(Set(names))
    }

    /// The names in order, separated by commas; nil: all collections.
    public var text: String? { names?.joined(separator: ",") }

    /// The names in order; nil: all collections.
    public var names: [String]? {
        switch self {
        case .all: nil
        case .named(let names): names.sorted()
        }
    }

    /// Returns whether the set contains this collection.
    public func contains(_ collection: String) -> Bool {
        switch self {
        case .all: true
        case .named(let names): names.contains(collection)
        }
    }

    /// Returns whether the set contains every collection of another set.
    public func isSuperset(of other: CollectionSet) -> Bool {
        switch (self, other) {
        case (.all, _): true
        case (.named, .all): false
        case (.named(let names), .named(let others)): names.isSuperset(of: others)
        }
    }

    /// Returns the collections of both sets.
    public func union(_ other: CollectionSet) -> CollectionSet {
        switch (self, other) {
        case (.all, _), (_, .all): .all
        case (.named(let names), .named(let others)): CollectionSet(names.union(others))
        }
    }
}

/// The sum, modulo 2^128, of the first 16 bytes of SHA-256 of `collection/id@version` over the live records of a space,
/// or of some of its collections.
///
/// Both sides update it by adding and subtracting single records; equal digests mean that the same versions are stored
/// (SyncAPI.docc/Protocol.md, "Data").
public struct SpaceDigest: Sendable, Hashable {
    private var sum: UInt128

    /// Creates the digest of an empty space.
    public init() { sum = 0 }

    /// Parses 32 lower-case hex digits; nil for any other text.
    public init?(_ text: String) {
        let sum = text.withBytes { bytes -> UInt128? in
            guard bytes.count == 32, let high = HexDigits.number(bytes[..<16]), let low = HexDigits.number(bytes[16...])
            else { return nil }
            return UInt128(high) << 64 | UInt128(low)
        }
        guard let sum else { return nil }
        self.sum = sum
    }

    /// Adds a live record.
    public mutating func add(collection: String, id: String, version: Int64) {
        sum &+= Self.part(collection, id, version)
    }

    /// Removes a record that was live at `version`.
    public mutating func remove(collection: String, id: String, version: Int64) {
        sum &-= Self.part(collection, id, version)
    }

    /// Adds another digest modulo 2^128: that of further records, or a change made of additions and removals.
    public mutating func add(_ other: SpaceDigest) { sum &+= other.sum }

    private static func part(_ collection: String, _ id: String, _ version: Int64) -> UInt128 {
        // Unambiguous: neither a collection nor an id contains "/" or "@".
        let hash = SHA256.hash(data: Array("\(collection)/\(id)@\(version)".utf8))
        return hash.prefix(16).reduce(0) { $0 << 8 | UInt128($1) }
    }
}

extension SpaceDigest: CustomStringConvertible {
    /// 32 lower-case hex digits, as on the wire.
    public var description: String {
        var writer = DigitWriter()
        writer.append(hexadecimal: UInt64(truncatingIfNeeded: sum >> 64), digits: 16)
        writer.append(hexadecimal: UInt64(truncatingIfNeeded: sum), digits: 16)
        return writer.text
    }
}
