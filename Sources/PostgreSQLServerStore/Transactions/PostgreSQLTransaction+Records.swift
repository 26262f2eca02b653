internal import Records
internal import ServerCore
internal import SyncAPI

extension PostgreSQLTransaction {
    private static let columns = RecordStatement.columns

    func willReadVersions(of keys: [RecordKey], in space: String) throws {
        guard keys.count > 1 else { return }
        let found = try all(
            RecordStatement.versions.sql, [try numberValue(of: space)] + Self.columns(of: keys)
        ) { (key: RecordKey(collection: $0.text(0), id: $0.text(1)), version: $0.int(2)) }
        announced = Self.announced(keys, in: space)
        for record in found { announced?.versions.updateValue(record.version, forKey: record.key) }
    }

    func willReadRecords(of keys: [RecordKey], in space: String) throws {
        if keys.isEmpty { return }
        var read = Self.announced(keys, in: space)
        let rows = try connection.execute(
            RecordStatement.announced.sql, [try numberValue(of: space)] + Self.columns(of: keys))
        for index in 0..<rows.count {
            let record = RawRecord(rows[index])
            read.versions.updateValue(record.version, forKey: record.key)
            // Of records beyond the bytes, only the versions are known.
            if !rows[index].isNull(6) { read.records[record.key] = record }
        }
        announced = read
    }

    /// Returns announced keys of which no record is known.
    static func announced(_ keys: [RecordKey], in space: String) -> AnnouncedRecords {
        var read = AnnouncedRecords(space: space)
        for key in keys { read.versions.updateValue(nil, forKey: key) }
        return read
    }

    func version(of key: RecordKey, in space: String) throws -> Int64? {
        if let announced, announced.space == space, let known = announced.versions[key] { return known }
        return try first(
            RecordStatement.version.sql, [try numberValue(of: space), .text(key.collection), .text(key.id)]
        ) { $0.int(0) }
    }

    func records(_ keys: [RecordKey], in space: String) throws -> [RecordKey: RawRecord] {
        if let known = announced?.records(keys, in: space) { return known }
        let found = try all(
            RecordStatement.records.sql, [try numberValue(of: space)] + Self.columns(of: keys), RawRecord.init)
        return Dictionary(found.map { ($0.key, $0) }) { first, _ in first }
    }

    /// The collections and the ids of keys, as two arrays.
    private static func columns(of keys: [RecordKey]) -> [SQLValue] {
        [.texts(keys.map(\.collection)), .texts(keys.map(\.id))]
    }

    // MARK: Visits

    /// Number of rows that one statement of a visit returns at most: a page, and the row that shows that there are more.
    private static let batch = 1_001
    /// Number of bytes after which a statement of a visit returns no further row.
    private static let batchBytes: Int64 = 5 << 20

    /// Visits rows in batches, so that a bounded part of them is in memory, until `visit` returns false.
    ///
    /// - Parameters:
    ///   - rows: The query of one batch in its order. `$1` is the key after which it begins, `$2` and so on are `values`.
    ///   - order: The column of the order, and whether it descends.
    ///   - start: The key before the first row.
    ///   - next: Returns the key of a row.
    private func visitBatches(
        of rows: String, by order: String, _ values: [SQLValue], from start: SQLValue, next: (RawRecord) -> SQLValue,
        _ visit: (RawRecord) -> Bool
    ) throws {
        // The sizes of large values are known without reading them, so the rows beyond the bytes cost little.
        let sql = """
            SELECT \(Self.columns) FROM (
              SELECT *, sum(octet_length(fields) + octet_length(clock)) OVER (ORDER BY \(order)
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
              FROM (\(rows) ORDER BY \(order) LIMIT \(Self.batch)) AS batch
            ) AS measured WHERE coalesce(bytes_before, 0) < \(Self.batchBytes) ORDER BY \(order)
            """
        var after = start
        while true {
            let found = try connection.execute(sql, [after] + values)
            var bytes: Int64 = 0
            for index in 0..<found.count {
                let record = RawRecord(found[index])
                guard visit(record) else { return }
                after = next(record)
                bytes += record.bytes
            }
            // Neither the number of rows nor their bytes ended the batch, so none is left.
            if found.count < Self.batch, bytes < Self.batchBytes { return }
        }
    }

    func visitChanges(_ range: ChangeRange, in space: String, visit: (RawRecord) -> Bool) throws {
        // Without versions to omit: a range that contains none.
        let (first, last) = range.excluding.map { ($0.lowerBound, $0.upperBound) } ?? (1, 0)
        let condition = """
            space = $2 AND version > $1 AND (NOT deleted OR version > $3) AND version NOT BETWEEN $4 AND $5
            """
        let values: [SQLValue] = [
            try numberValue(of: space), .int(range.tombstonesAfter), .int(first), .int(last),
        ]
        guard let collections = range.collections.names else {
            return try visitBatches(
                of: "SELECT \(Self.columns) FROM records WHERE \(condition)", by: "version", values,
                from: .int(range.after), next: { .int($0.version) }, visit)
        }
        // One part for each collection in the order of its index, so that records of others aren't read.
        try visitBatches(
            of: """
                SELECT part.* FROM unnest($6::text[]) AS wanted (name) CROSS JOIN LATERAL (
                  SELECT \(Self.columns) FROM records WHERE collection || '' = wanted.name AND \(condition)
                  ORDER BY version LIMIT \(Self.batch)) AS part
                """, by: "version", values + [.texts(collections)], from: .int(range.after),
            next: { .int($0.version) }, visit)
    }

    func visitLive(collection: String, in space: String, after: String?, visit: (RawRecord) -> Bool) throws {
        try visitBatches(
            of: """
                SELECT \(Self.columns) FROM records WHERE space = $2 AND collection = $3 AND id > $1 AND NOT deleted
                """, by: "id", [try numberValue(of: space), .text(collection)], from: .text(after ?? ""),
            next: { .text($0.key.id) }, visit)
    }

    func visitRevisions(
        of key: RecordKey, in space: String, before version: Int64, visit: (RawRecord) -> Bool
    ) throws {
        try visitBatches(
            of: """
                SELECT \(Self.columns) FROM records WHERE space = $2 AND collection = $3 AND id = $4 AND version < $1
                UNION ALL
                SELECT \(Self.columns) FROM revisions WHERE space = $2 AND collection = $3 AND id = $4 AND version < $1
                """, by: "version DESC", [try numberValue(of: space), .text(key.collection), .text(key.id)],
            from: .int(version), next: { .int($0.version) }, visit)
    }

    // MARK: Changes

    func put(_ records: [RawRecord], in space: String) throws {
        announced = nil
        let number = try numberValue(of: space)
        var part: [RawRecord] = []
        var keys: Set<RecordKey> = []
        // A statement can change a row only once, so a second state of a record begins another one.
        for record in records {
            if !keys.insert(record.key).inserted {
                try putOnce(part, in: number)
                (part, keys) = ([], [record.key])
            }
            part.append(record)
        }
        if !part.isEmpty { try putOnce(part, in: number) }
    }

    private func putOnce(_ records: [RawRecord], in number: SQLValue) throws {
        try run(
            """
            INSERT INTO records (space, \(Self.columns))
            SELECT $1, * FROM unnest($2::text[], $3::text[], $4::bigint[], $5::bool[], $6::text[], $7::text[], $8::text[],
              $9::text[])
            ON CONFLICT (space, collection, id) DO UPDATE SET version = excluded.version, deleted = excluded.deleted,
              modified_at = excluded.modified_at, modified_by = excluded.modified_by, fields = excluded.fields,
              clock = excluded.clock
            """,
            [number] + Self.columns(of: records.map(\.key)) + [
                .ints(records.map(\.version)), .array(.bool, records.map { .bool($0.deleted) }),
                .texts(records.map(\.modifiedAt)), .texts(records.map(\.modifiedBy)), .texts(records.map(\.fields)),
                .texts(records.map(\.clock)),
            ])
    }

    func keepRevisions(of keys: [RecordKey], in space: String, limit: Int) throws {
        let values = [try numberValue(of: space)] + Self.columns(of: keys)
        if limit > 0 { try run(RecordStatement.keep.sql, values) }
        try run(RecordStatement.trim.sql, values + [.int(Int64(limit))])
    }

    /// The condition and the order are those of the index `tombstones`.
    static let tombstonesQuery = """
        SELECT spaces.id, collection, records.id, records.version FROM records JOIN spaces ON number = space
        WHERE deleted AND modified_at < $1 ORDER BY modified_at LIMIT $2
        """

    func tombstones(before moment: String, limit: Int) throws -> [StoredTombstone] {
        try all(Self.tombstonesQuery, [.text(moment), .int(Int64(limit))]) { row in
            StoredTombstone(
                space: row.text(0), key: RecordKey(collection: row.text(1), id: row.text(2)), version: row.int(3))
        }
    }

    func remove(_ tombstones: [StoredTombstone], in space: String) throws {
        announced = nil
        try run(
            RecordStatement.remove.sql,
            [try numberValue(of: space)] + Self.columns(of: tombstones.map(\.key)) + [.ints(tombstones.map(\.version))])
    }

    func removeRevisions(of key: RecordKey, in space: String, limit: inout RemovalLimit) throws -> Bool {
        let values: [SQLValue] = [try numberValue(of: space), .text(key.collection), .text(key.id)]
        let isOver = try delete(
            from: "revisions", bytes: PostgreSQLSchema.bytes("revisions"),
            where: "space = $1 AND collection = $2 AND id = $3", values, limit: &limit)
        // The record is removed in the same transaction, so its size counts, too.
        let own = try first(
            """
            SELECT (\(PostgreSQLSchema.bytes("records")))::bigint FROM records
            WHERE space = $1 AND collection = $2 AND id = $3
            """, values
        ) { Int($0.int(0)) }
        return isOver && limit.count(own ?? 0)
    }
}

extension RawRecord {
    /// Creates a record from a row of `RecordStatement.columns`.
    init(_ row: SQLRow) {
        self.init(
            key: RecordKey(collection: row.text(0), id: row.text(1)), version: row.int(2), deleted: row.bool(3),
            modifiedAt: row.text(4), modifiedBy: row.text(5), fields: row.text(6), clock: row.text(7))
    }
}
