internal import ServerCore

// Rows as stores exchange them, for a move. The statements are made of the definitions of tables alone.
extension PostgreSQLTransaction {
    func rows(of table: StoreTable, after key: [StoredValue]?, limit: Int) throws -> [StoredRow] {
        let condition = key.map { _ in "WHERE (\(table.keyNames)) > (\(Self.places(table.keyLength)))" } ?? ""
        // The sizes of large values are known without reading them, so the rows beyond the bytes cost little.
        let sql = """
            SELECT \(table.names) FROM (
              SELECT *, sum(\(table.size)) OVER (ORDER BY \(table.keyNames)
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
              FROM (SELECT \(table.names) FROM \(table.name) \(condition)
                ORDER BY \(table.keyNames) LIMIT $\((key?.count ?? 0) + 1)) AS batch
            ) AS measured WHERE coalesce(bytes_before, 0) < \(StoreTable.batchBytes) ORDER BY \(table.keyNames)
            """
        let values = zip(table.key, key ?? []).map { SQLValue($1, of: $0.kind) }
        return try all(sql, values + [.int(Int64(limit))]) { row in
            StoredRow(table.columns.enumerated().map { index, column in StoredValue(row, index, of: column.kind) })
        }
    }

    func insert(_ rows: [StoredRow], into table: StoreTable) throws {
        // One array for each column. Triggers count what a counter adds up.
        let columns = table.columns.enumerated().map { index, column in
            let values = rows.map { column.isCounter ? .int(0) : SQLValue($0.values[index], of: column.kind) }
            return SQLValue.array(column.kind.elementType, values)
        }
        let arrays = table.columns.enumerated().map { "$\($0 + 1)::\($1.kind.name)[]" }.joined(separator: ", ")
        try run(
            "INSERT INTO \(table.name) (\(table.names)) OVERRIDING SYSTEM VALUE SELECT * FROM unnest(\(arrays))",
            columns)
    }

    func deleteRows(of table: StoreTable, through key: [StoredValue]) throws {
        try run(
            "DELETE FROM \(table.name) WHERE (\(table.keyNames)) <= (\(Self.places(table.keyLength)))",
            zip(table.key, key).map { SQLValue($1, of: $0.kind) })
    }

    func finishImport(epoch: String) throws {
        try setEpoch(epoch)
        for table in StoreTable.all where table.isNumbered {
            let number = table.keyNames
            _ = try first(
                """
                SELECT setval(pg_get_serial_sequence('\(table.name)', '\(number)'), max(\(number))) FROM \(table.name)
                HAVING max(\(number)) IS NOT NULL
                """
            ) { $0.int(0) }
        }
    }

    func moveMark() throws -> MoveMark? { try meta("move").map { MoveMark(stored: $0) } }

    func setMoveMark(_ mark: MoveMark?) throws { try setMeta("move", mark?.text) }

    private static func places(_ count: Int) -> String { (1...count).map { "$\($0)" }.joined(separator: ", ") }
}

extension StoreTable {
    fileprivate var names: String { columns.map(\.name).joined(separator: ", ") }
    fileprivate var keyNames: String { key.map(\.name).joined(separator: ", ") }

    /// The expression for the bytes of a row's texts.
    fileprivate var size: String {
        let sizes = columns.filter { $0.kind == .text || $0.kind == .bytes }.map {
            "coalesce(octet_length(\($0.name)), 0)"
        }
        return sizes.isEmpty ? "0" : sizes.joined(separator: " + ")
    }
}

extension StoreTable.Column.Kind {
    fileprivate var elementType: SQLValue.ElementType {
        switch self {
        case .number: .int
        case .flag: .bool
        case .text: .text
        case .bytes: .bytes
        }
    }

    /// The name of the type in PostgreSQL.
    fileprivate var name: String {
        switch self {
        case .number: "bigint"
        case .flag: "boolean"
        case .text: "text"
        case .bytes: "bytea"
        }
    }
}

extension SQLValue {
    fileprivate init(_ value: StoredValue, of kind: StoreTable.Column.Kind) {
        self =
            switch value {
            case .null: .null
            case .number(let number): kind == .flag ? .bool(number != 0) : .int(number)
            case .text(let text): .text(text)
            case .bytes(let bytes): .bytes(bytes)
            }
    }
}

extension StoredValue {
    fileprivate init(_ row: SQLRow, _ column: Int, of kind: StoreTable.Column.Kind) {
        if row.isNull(column) {
            self = .null
            return
        }
        self =
            switch kind {
            case .number: .number(row.int(column))
            case .flag: .number(row.bool(column) ? 1 : 0)
            case .text: .text(row.text(column))
            case .bytes: .bytes(row.bytes(column))
            }
    }
}
