internal import GRDB
internal import Records
internal import SQLiteRows
internal import ServerCore
internal import SyncAPI

extension SQLiteTransaction {
    // Clients name a space by its id; the tables use its number.
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
        // Without versions to omit: a range that contains none.
        let (first, last) = range.excluding.map { ($0.lowerBound, $0.upperBound) } ?? (1, 0)
        func query(_ condition: String) -> String {
            """
            SELECT \(Self.columns) FROM records
            WHERE space = \(Self.number) AND \(condition) version > ? AND (deleted = 0 OR version > ?)
              AND version NOT BETWEEN ? AND ?
            """
        }
        let versions: StatementArguments = [range.after, range.tombstonesAfter, first, last]
        guard let collections = range.collections.names else {
            return try visitAll(query("") + " ORDER BY version", [space] + versions, visit)
        }
        // One query for each collection, each in index order. SQLite merges the rows, and doesn't read records of other
        // collections.
        let queries = collections.map { _ in query("collection = ? AND") }
        try visitAll(
            queries.joined(separator: " UNION ALL ") + " ORDER BY version",
            collections.reduce(into: []) { $0 += [space, $1] + versions }, visit)
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
        // A cursor, so that one record at a time is in memory and none after the last visited one is read.
        let rows = try ColumnRows(db.cachedStatement(sql: sql), arguments)
        while let row = try rows.next(), visit(RawRecord(row)) {}
    }

    func put(_ records: [RawRecord], in space: String) throws {
        // Not REPLACE, which deletes the old row without firing its trigger, so that its bytes would stay counted.
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
    /// Creates a record from a row of `SQLiteTransaction.columns`.
    init(_ row: ColumnRow) {
        self.init(
            key: RecordKey(collection: row[0], id: row[1]), version: row[2], deleted: row[3], modifiedAt: row[4],
            modifiedBy: row[5], fields: row[6], clock: row[7])
    }
}

extension SQLiteTransaction {
    func keepRevisions(of keys: [RecordKey], in space: String, limit: Int) throws {
        let keep = try db.cachedStatement(
            sql: """
                INSERT INTO revisions (space, \(Self.columns)) SELECT space, \(Self.columns) FROM records
                WHERE space = \(Self.number) AND collection = ? AND id = ?
                """)
        // If there are no more than `limit` revisions, the inner query is NULL and nothing is deleted.
        let trim = try db.cachedStatement(
            sql: """
                DELETE FROM revisions WHERE space = (SELECT number FROM spaces WHERE id = ?1) AND collection = ?2 AND id = ?3
                  AND version <= (
                    SELECT version FROM revisions
                    WHERE space = (SELECT number FROM spaces WHERE id = ?1) AND collection = ?2 AND id = ?3
                    ORDER BY version DESC LIMIT 1 OFFSET ?4)
                """)
        for key in keys {
            if !usesReserve { try keep.execute(arguments: [space, key.collection, key.id]) }
            try trim.execute(arguments: [space, key.collection, key.id, limit])
        }
    }

    func visitRevisions(
        of key: RecordKey, in space: String, before version: Int64, visit: (RawRecord) -> Bool
    ) throws {
        try visitAll(
            """
            SELECT \(Self.columns) FROM records
            WHERE space = \(Self.number) AND collection = ? AND id = ? AND version < ?
            UNION ALL
            SELECT \(Self.columns) FROM revisions
            WHERE space = \(Self.number) AND collection = ? AND id = ? AND version < ?
            ORDER BY version DESC
            """,
            [space, key.collection, key.id, version, space, key.collection, key.id, version], visit)
    }

    func tombstones(before moment: String, limit: Int) throws -> [StoredTombstone] {
        try all(
            """
            SELECT spaces.id, collection, records.id, records.version FROM records JOIN spaces ON number = space
            WHERE deleted = 1 AND modified_at < ? ORDER BY modified_at LIMIT ?
            """,
            [moment, limit]
        ) { row in
            StoredTombstone(space: row[0], key: RecordKey(collection: row[1], id: row[2]), version: row[3])
        }
    }

    func remove(_ tombstones: [StoredTombstone], in space: String) throws {
        for tombstone in tombstones {
            let (collection, id) = (tombstone.key.collection, tombstone.key.id)
            try run(
                """
                DELETE FROM records WHERE space = \(Self.number) AND collection = ? AND id = ? AND version = ? AND deleted = 1
                """,
                [space, collection, id, tombstone.version])
            // A record that was revived since keeps its revisions.
            guard db.changesCount == 1 else { continue }
            try run(
                "DELETE FROM revisions WHERE space = \(Self.number) AND collection = ? AND id = ?",
                [space, collection, id])
        }
    }

    func removeRevisions(of key: RecordKey, in space: String, limit: inout RemovalLimit) throws -> Bool {
        let isOver = try delete(
            from: "revisions", bytes: ServerSchema.bytes("revisions"),
            where: "space = \(Self.number) AND collection = ? AND id = ?", [space, key.collection, key.id],
            limit: &limit)
        // The record is removed in the same transaction, so its size counts, too.
        let own = try first(
            "SELECT \(ServerSchema.bytes("records")) FROM records WHERE space = \(Self.number) AND collection = ? AND id = ?",
            [space, key.collection, key.id]
        ) { $0[0] as Int }
        return isOver && limit.count(own ?? 0)
    }

    func deleteSessions(
        lastSeenBefore seen: Int64, createdBefore created: Int64, expiredBefore expired: Int64, limit: RemovalLimit
    ) throws -> Bool {
        var limit = limit
        // At most as many as rows may be removed: each session is a row.
        let sessions = try all(
            """
            SELECT id FROM sessions WHERE ended = 1 OR (expires_at IS NULL AND (last_seen_at < ? OR created_at < ?))
              OR expires_at < ? LIMIT ?
            """,
            [seen, created, expired, limit.rows]
        ) { $0[0] as String }
        for session in sessions {
            guard
                try delete(from: "tokens", key: "hash", bytes: "0", where: "session = ?", [session], limit: &limit),
                limit.count(0)
            else { return false }
            try run("DELETE FROM sessions WHERE id = ?", [session])
        }
        return sessions.isEmpty
    }
}
