/// A table as every store has it: the form in which stores export and import all that they store (`StoreMove`).
///
/// Tables and columns have the same names and meanings in every store; only the engines' types differ. A test of each store
/// fails if a migration adds a column that is missing here.
public struct StoreTable: Sendable, Equatable {
    /// The name of the table.
    public let name: String
    /// The columns; the first `keyLength` ones identify a row, and order the table's rows.
    public let columns: [Column]
    /// Number of columns of the key.
    public let keyLength: Int
    /// Whether the store numbers new rows in the first column.
    public let isNumbered: Bool

    /// Number of rows that a move reads and writes at once.
    public static let batchRows = 500
    /// Number of bytes after which no further row is read at once.
    public static let batchBytes = 4 << 20

    /// A column.
    public struct Column: Sendable, Equatable {
        /// The name of the column.
        public let name: String
        /// The kind of its values.
        public let kind: Kind
        /// Whether the store itself adds up the values while the rows of other tables are inserted. It is imported as 0.
        public let isCounter: Bool

        /// The kind of a column's values. Each may be null.
        public enum Kind: Sendable {
            /// A number of 64 bits; 0 or 1; a text in UTF-8, ordered by its bytes; bytes.
            case number, flag, text, bytes
        }
    }

    /// The columns of the key.
    public var key: ArraySlice<Column> { columns.prefix(keyLength) }

    /// Returns the key of a row.
    public func key(of row: StoredRow) -> [StoredValue] { Array(row.values.prefix(keyLength)) }
}

/// A value of a column, as stores exchange it.
public enum StoredValue: Sendable, Equatable {
    /// No value.
    case null
    /// A number; of a flag, 0 or 1.
    case number(Int64)
    /// A text.
    case text(String)
    /// Bytes.
    case bytes([UInt8])

    /// The bytes of a text or of bytes.
    var size: Int {
        switch self {
        case .null, .number: 0
        case .text(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        }
    }
}

/// A row of a table, as stores exchange it.
public struct StoredRow: Sendable, Equatable {
    /// The values in the order of the table's columns.
    public let values: [StoredValue]
    /// The bytes of the texts.
    public let bytes: Int

    /// Creates a row of these values.
    public init(_ values: [StoredValue]) {
        self.values = values
        bytes = values.reduce(0) { $0 + $1.size }
    }
}

extension StoreTable.Column {
    fileprivate static func number(_ name: String) -> Self { Self(name: name, kind: .number, isCounter: false) }
    fileprivate static func flag(_ name: String) -> Self { Self(name: name, kind: .flag, isCounter: false) }
    fileprivate static func text(_ name: String) -> Self { Self(name: name, kind: .text, isCounter: false) }
    fileprivate static func bytes(_ name: String) -> Self { Self(name: name, kind: .bytes, isCounter: false) }
    fileprivate static func counter(_ name: String) -> Self { Self(name: name, kind: .number, isCounter: true) }
}

extension StoreTable {
    private init(_ name: String, isNumbered: Bool = false, key: [Column], _ others: [Column]) {
        self.init(name: name, columns: key + others, keyLength: key.count, isNumbered: isNumbered)
    }

    /// All tables, each after those to which its rows refer. The epoch isn't in a table.
    public static let all = accounts + spaces + outcomes + admission

    private static let accounts = [
        StoreTable(
            "accounts", key: [.text("id")],
            [
                .text("username"), .text("password_hash"), .text("personal_space"), .number("created_at"),
                .counter("outcome_bytes"), .number("disabled_at"), .number("quota_records"), .number("quota_bytes"),
                .number("quota_devices"), .number("quota_streams"),
            ]),
        StoreTable(
            "sessions", key: [.text("id")],
            [
                .text("account"), .text("device"), .text("device_name"), .number("created_at"),
                .number("last_seen_at"), .number("generation"), .flag("generation_used"), .text("scope"),
                .number("expires_at"), .flag("ended"),
            ]),
        StoreTable(
            "tokens", key: [.bytes("hash")],
            [
                .text("session"), .text("kind"), .number("generation"), .number("pair"), .number("expires_at"),
                .flag("withdrawn"),
            ]),
    ]

    /// The properties of a state of a record.
    private static let state: [Column] = [
        .flag("deleted"), .text("modified_at"), .text("modified_by"), .text("clock"), .text("fields"),
    ]

    private static let spaces = [
        StoreTable(
            "spaces", isNumbered: true, key: [.number("number")],
            [
                .text("id"), .number("version"), .number("tombstone_floor"), .text("digest"), .number("records"),
                .counter("bytes"),
            ]),
        StoreTable("members", key: [.text("account"), .number("space")], [.text("role")]),
        StoreTable("digests", key: [.number("space"), .text("collection")], [.text("digest")]),
        StoreTable(
            "records", key: [.number("space"), .text("collection"), .text("id")], [.number("version")] + state),
        StoreTable(
            "revisions", key: [.number("space"), .text("collection"), .text("id"), .number("version")], state),
        StoreTable(
            "restores", isNumbered: true, key: [.number("sequence")], [.text("epoch"), .number("restored_at")]),
        StoreTable("marks", key: [.number("space"), .number("restore")], [.number("version")]),
    ]

    private static let outcomes = [
        StoreTable(
            "outcomes", isNumbered: true, key: [.number("sequence")],
            [
                .text("account"), .text("device"), .text("key"), .bytes("request_hash"), .number("first_version"),
                .number("last_version"), .number("stored_at"), .number("bytes"),
            ]),
        StoreTable(
            "outcome_results", key: [.number("outcome"), .number("place")],
            [.text("status"), .number("version"), .text("clock"), .text("problem")]),
    ]

    private static let admission = [
        StoreTable(
            "invites", key: [.text("id")],
            [
                .bytes("code_hash"), .text("note"), .number("uses"), .number("used"), .number("created_at"),
                .number("expires_at"),
            ]),
        StoreTable("resets", key: [.text("account")], [.bytes("code_hash"), .number("expires_at")]),
        StoreTable(
            "attempts", key: [.text("name")],
            [.number("count"), .number("last_at"), .number("blocked_until"), .number("importance")]),
        StoreTable(
            "device_proofs", key: [.text("account"), .text("device")], [.bytes("hash"), .number("made_at")]),
        StoreTable(
            "audits", isNumbered: true, key: [.number("sequence")],
            [.number("at"), .text("event"), .text("fields")]),
    ]
}
