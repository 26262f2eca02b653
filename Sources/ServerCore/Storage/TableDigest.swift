internal import Crypto

/// The content of a table, for a comparison of two stores.
public struct TableDigest: Sendable, Equatable {
    /// The name of the table.
    public let table: String
    /// Number of its rows.
    public private(set) var rows: Int64 = 0
    /// SHA-256 of the rows in the order of their keys: of each value its kind, the length of its bytes (8 bytes, the most
    /// significant first) and its bytes; a number has 8.
    public var hash: [UInt8] { Array(sha256.finalize()) }

    private var sha256 = SHA256()

    init(of table: StoreTable) { self.table = table.name }

    /// Adds the next row.
    mutating func add(_ row: StoredRow) {
        rows += 1
        for value in row.values {
            switch value {
            case .null: update(0, [])
            case .number(let number): update(1, Self.bytes(UInt64(bitPattern: number)))
            case .text(let text): update(2, Array(text.utf8))
            case .bytes(let bytes): update(3, bytes)
            }
        }
    }

    private mutating func update(_ kind: UInt8, _ bytes: [UInt8]) {
        sha256.update(data: [kind] + Self.bytes(UInt64(bytes.count)))
        sha256.update(data: bytes)
    }

    private static func bytes(_ number: UInt64) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    public static func == (left: Self, right: Self) -> Bool {
        left.table == right.table && left.rows == right.rows && left.hash == right.hash
    }
}
