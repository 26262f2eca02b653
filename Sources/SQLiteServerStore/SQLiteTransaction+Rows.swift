internal import Foundation
internal import GRDB
internal import ServerCore

// Rows as stores exchange them, for a move. The statements are made of the definitions of tables alone.
extension SQLiteTransaction {
    func rows(of table: StoreTable, after key: [StoredValue]?, limit: Int) throws -> [StoredRow] {
        let condition = key.map { _ in "WHERE (\(table.keyNames)) > (\(Self.places(table.keyLength)))" } ?? ""
        let statement = try db.cachedStatement(
            sql: "SELECT \(table.names) FROM \(table.name) \(condition) ORDER BY \(table.keyNames) LIMIT ?")
        let values = (key ?? []).map(\.databaseValue) + [Int64(limit).databaseValue]
        let found = try Row.fetchCursor(statement, arguments: StatementArguments(values))
        var rows: [StoredRow] = []
        var bytes = 0
        while bytes < StoreTable.batchBytes, let row = try found.next() {
            rows.append(
                StoredRow(
                    try zip(table.columns, row.databaseValues).map { column, value in
                        guard let stored = StoredValue(value, of: column.kind) else {
                            throw DamagedDatabase(what: "a value of \(column.name) in \(table.name)")
                        }
                        return stored
                    }))
            bytes += rows.last?.bytes ?? 0
        }
        return rows
    }

    func insert(_ rows: [StoredRow], into table: StoreTable) throws {
        let statement = try db.cachedStatement(
            sql: "INSERT INTO \(table.name) (\(table.names)) VALUES (\(Self.places(table.columns.count)))")
        for row in rows {
            // Triggers count what a counter adds up.
            let values = zip(table.columns, row.values).map { $0.isCounter ? Int64(0).databaseValue : $1.databaseValue }
            try statement.execute(arguments: StatementArguments(values))
        }
    }

    func deleteRows(of table: StoreTable, through key: [StoredValue]) throws {
        let statement = try db.cachedStatement(
            sql: "DELETE FROM \(table.name) WHERE (\(table.keyNames)) <= (\(Self.places(table.keyLength)))")
        try statement.execute(arguments: StatementArguments(key.map(\.databaseValue)))
    }

    func finishImport(epoch: String) throws {
        // SQLite numbers new rows after the largest number of all.
        try setMeta("epoch", epoch)
    }

    func moveMark() throws -> MoveMark? { try meta("move").map { MoveMark(stored: $0) } }

    func setMoveMark(_ mark: MoveMark?) throws { try setMeta("move", mark?.text) }

    private static func places(_ count: Int) -> String { Array(repeating: "?", count: count).joined(separator: ", ") }
}

extension StoreTable {
    fileprivate var names: String { columns.map(\.name).joined(separator: ", ") }
    fileprivate var keyNames: String { key.map(\.name).joined(separator: ", ") }
}

extension StoredValue {
    /// Creates a value of a column; nil if its type isn't the column's.
    fileprivate init?(_ value: DatabaseValue, of kind: StoreTable.Column.Kind) {
        switch (value.storage, kind) {
        case (.null, _): self = .null
        case (.int64(let number), .number), (.int64(let number), .flag): self = .number(number)
        case (.string(let text), .text): self = .text(text)
        case (.blob(let data), .bytes): self = .bytes(Array(data))
        default: return nil
        }
    }

    fileprivate var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .number(let number): number.databaseValue
        case .text(let text): text.databaseValue
        case .bytes(let bytes): bytes.databaseBytes.databaseValue
        }
    }
}
