internal import Crypto

/// The sum, modulo 2^128, of the first 16 bytes of SHA-256 of `collection/id@version` over the live records of a space.
///
/// Kept up to date by adding and subtracting single records, on both sides; equal digests mean that the same versions
/// are held (SyncAPI.docc/Protocol.md, "Data").
public struct SpaceDigest: Sendable, Hashable {
    private var sum: UInt128

    /// The digest of an empty space.
    public init() { sum = 0 }

    /// Parses 32 hex digits; nil if they aren't.
    public init?(_ text: String) {
        // The standard library would accept a sign, too.
        guard text.utf8.count == 32, text.allSatisfy(\.isHexDigit), let sum = UInt128(text, radix: 16) else {
            return nil
        }
        self.sum = sum
    }

    /// Counts a live record in.
    public mutating func add(collection: String, id: String, version: Int64) {
        sum &+= Self.part(collection, id, version)
    }

    /// Counts a record out that was live at `version`.
    public mutating func remove(collection: String, id: String, version: Int64) {
        sum &-= Self.part(collection, id, version)
    }

    private static func part(_ collection: String, _ id: String, _ version: Int64) -> UInt128 {
        let hash = SHA256.hash(data: Array("\(collection)/\(id)@\(version)".utf8))
        return hash.prefix(16).reduce(0) { $0 << 8 | UInt128($1) }
    }
}

extension SpaceDigest: CustomStringConvertible {
    /// 32 hex digits, as on the wire.
    public var description: String { sum.zeroPadded(to: 32, radix: 16) }
}
