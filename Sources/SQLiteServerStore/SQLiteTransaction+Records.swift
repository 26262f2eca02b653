internal import GRDB
internal import Records
internal import ServerCore
internal import SyncAPI

extension SQLiteTransaction {
    static let number = "(SELECT number FROM spaces WHERE id = ?)"
    static let columns = "collection, id, version, deleted, modified_at, modified_by, fields, clock"

    func version(of key: RecordKey, in space: String) throws -> Int64? {
        try first(
            "SELECT version FROM records WHERE space = \(Self.number) AND collection = ? AND id = ?",
            [space, key.collection, key.id]
        ) { row in row[0] }
    }

    func records(_ keys: [RecordKey], in space: String) throws -> [RecordKey: RawRecord] {
        var records: [RecordKey: RawRecord] = [:]
        let sql = "SELECT \(Self.columns) FROM records WHERE space = \(Self.number) AND collection = ? AND id = ?"
        for key in keys {
            records[key] = try first(sql, [space, key.collection, key.id], RawRecord.init)
        }
        return records
    }

    func visitChanges(_ range: ChangeRange, in space: String, visit: (RawRecord) -> Bool) throws {
        // Without versions to leave out, a range that holds none.
        let (first, last) = range.excluding.map { ($0.lowerBound, $0.upperBound) } ?? (1, 0)
        try visitAll(
            """
            SELECT \(Self.columns) FROM records
            WHERE space = \(Self.number) AND version > ? AND (deleted = 0 OR version > ?)
              AND version NOT BETWEEN ? AND ?
            ORDER BY version
            """,
            [space, range.after, range.tombstonesAfter, first, last], visit)
    }

    func visitLive(
        collection: String, in space: String, after: String?, visit: (RawRecord) -> Bool
    ) throws {
        try visitAll(
            """
            SELECT \(Self.columns) FROM records
            WHERE space = \(Self.number) AND collection = ? AND id > ? AND deleted = 0 ORDER BY id
            """,
            [space, collection, after ?? ""], visit)
    }

    func visitAll(
        _ sql: String, _ arguments: StatementArguments, _ visit: (RawRecord) -> Bool
    ) throws {
        let rows = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: arguments)
        while let row = try rows.next(), visit(RawRecord(row)) {}
    }

    func put(_ records: [RawRecord], in space: String) throws {
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO records (space, \(Self.columns)) VALUES (\(Self.number), ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (space, collection, id) DO UPDATE SET version = excluded.version,
                  deleted = excluded.deleted, modified_at = excluded.modified_at, modified_by = excluded.modified_by,
                  fields = excluded.fields, clock = excluded.clock
                """)
        for record in records {
            try statement.execute(arguments: [
                space, record.key.collection, record.key.id, record.version, record.deleted, record.modifiedAt,
                record.modifiedBy, record.fields, record.clock,
            ])
        }
    }
}

extension RawRecord {
    /// A row of `SQLiteTransaction.columns`.
    init(_ row: Row) {
        self.init(
            key: RecordKey(collection: row[0], id: row[1]), version: row[2], deleted: row[3], modifiedAt: row[4],
            modifiedBy: row[5], fields: row[6], clock: row[7])
    }
}
