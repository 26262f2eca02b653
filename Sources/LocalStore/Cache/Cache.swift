internal import GRDB
package import Records
package import struct Records.Record
internal import SQLiteRows

/// A space of the cache as one transaction sees it. Valid only inside the closure that received it.
package struct Cache {
    let db: Database
    /// The space that the methods read and write.
    package private(set) var space = Cache.personal
    let wall: @Sendable () -> UInt64
    /// The record types, whose rules local edits follow.
    package let types: RecordTypes
    /// The error that a change of a record throws; nil: records can be changed.
    var refusal: LocalStoreError?
    /// Whether the next process sees what is stored here, such as the numbers of a list.
    package var remembers: Bool { refusal == nil }
    /// Collects the changes of records; nil: they aren't watched.
    var log: ChangeLog?
    /// The command under which the journal records the edits of this transaction.
    var command: Command

    /// The number of the personal space, the only one until spaces can be shared.
    package static let personal: Int64 = 1

    init(
        db: Database, wall: @escaping @Sendable () -> UInt64, types: RecordTypes,
        refusal: LocalStoreError? = nil, log: ChangeLog? = nil, command: Command = Command(actor: nil)
    ) {
        (self.db, self.wall, self.types, self.refusal, self.log) = (db, wall, types, refusal, log)
        self.command = command
    }

    /// Returns the same transaction in another space.
    package func `in`(space: Int64) -> Cache {
        var other = self
        other.space = space
        return other
    }
}

// MARK: - Records

extension Cache {
    /// Returns the cached state of a record, which may be a tombstone; nil: the record isn't in the cache.
    package func cached(_ key: RecordKey) throws -> CachedRecord? { try entry(key).cached }

    /// Reads what the cache has of a record. A change that depends on it receives it, so that it isn't read twice.
    package func entry(_ key: RecordKey) throws -> CacheEntry { try recordTable.entry(key) }

    /// Stores the state of a record and updates the space's digest; nil removes the record with its mirror and its
    /// entry in the outbox.
    package func store(_ next: CachedRecord?, for key: RecordKey) throws {
        try change(key) { _ in next }
    }

    /// Replaces the cached state of a record by the result of `decide`, and updates the space's digest.
    ///
    /// - Parameter decide: Receives the cached state; nil: the record isn't in the cache. If it returns nil, the record
    ///   is removed with its mirror and its entry in the outbox.
    /// - Returns: The result of `decide`.
    @discardableResult
    package func change(
        _ key: RecordKey, _ decide: (CachedRecord?) throws -> CachedRecord?
    ) throws -> CachedRecord? { try change(entry(key), decide) }

    /// Replaces the cached state of a record that this transaction has read and not changed since, as the method above
    /// does.
    @discardableResult
    package func change(
        _ entry: CacheEntry, _ decide: (CachedRecord?) throws -> CachedRecord?
    ) throws -> CachedRecord? {
        let (key, before, next) = (entry.key, entry.cached, try decide(entry.cached))
        // Before the refusal: a record that stays the same needs no write, so a read-only cache accepts it.
        if before == next { return next }
        if let refusal { throw refusal }
        log?.note(key, from: before?.record, to: next?.record)
        try countInDigest(next?.seen, insteadOf: before?.seen)
        guard let next else {
            // The rows that refer to the record are deleted with it (ON DELETE CASCADE).
            if let number = entry.number { try execute("DELETE FROM records WHERE number = ?", [number]) }
            return nil
        }
        try recordTable.write(next, over: entry)
        return next
    }

    private func countInDigest(_ next: Record?, insteadOf before: Record?) throws {
        let (old, new) = (before.flatMap { $0.isLive ? $0 : nil }, next.flatMap { $0.isLive ? $0 : nil })
        // The digest covers keys and versions only.
        if old?.version == new?.version { return }
        try replica.updateDigest { digest in
            if let old { digest.remove(old) }
            if let new { digest.add(new) }
        }
    }

    /// Returns the live records of these collections as a query sees them, in no particular order.
    ///
    /// - Parameters:
    ///   - condition: Only records that satisfy it; nil: all. The fields of the others are not parsed.
    ///   - withEdits: Whether to read the times of their last edits.
    package func rows(
        in collections: [String], where condition: RowCondition? = nil, withEdits: Bool = false
    ) throws -> [QueryRow] {
        let (sql, arguments) = condition?.sql ?? ("", [])
        // In the order of the table: an index would be followed by a read at a random place for each record.
        let index = condition?.usesIndex == true ? "" : "NOT INDEXED"
        let statement = try db.cachedStatement(
            sql: """
                SELECT collection, id, fields, number\(withEdits ? ", clock" : "") FROM records \(index)
                WHERE space = ? AND deleted = 0 AND collection IN (\(SQLList.placeholders(collections.count)))
                    \(sql)
                """)
        let values = [space.databaseValue] + collections.map(\.databaseValue) + arguments.map(\.databaseValue)
        let rows = try ColumnRows(statement, StatementArguments(values))
        let table = recordTable
        var found: [QueryRow] = []
        while let row = try rows.next() {
            let edited = withEdits ? try table.clock(row[4]).latest : nil
            found.append(
                QueryRow(
                    collection: row[0], id: row[1], fields: try table.fields(row[2]), edited: edited, position: row[3]))
        }
        return found
    }

    /// Returns the live records of these collections (nil: of all), in no particular order.
    package func records(in collections: [String]? = nil) throws -> [Record] {
        let filter = collections.map { " AND collection IN (\(SQLList.placeholders($0.count)))" } ?? ""
        let rows = try Row.fetchCursor(
            db.cachedStatement(sql: "SELECT * FROM records WHERE space = ? AND deleted = 0" + filter),
            arguments: StatementArguments([space.databaseValue] + (collections ?? []).map(\.databaseValue)))
        let table = recordTable
        var records: [Record] = []
        while let row = try rows.next() { records.append(try table.record(row)) }
        return records
    }

    /// Returns the records that are stored under these keys, in the order of the keys; missing ones are omitted.
    package func records(_ keys: [RecordKey]) throws -> [Record] {
        try keys.compactMap { try cached($0)?.record }
    }

    /// Returns the tombstones of a collection, in no particular order.
    package func tombstones(in collection: String) throws -> [Record] {
        let statement = try db.cachedStatement(
            sql: "SELECT * FROM records WHERE space = ? AND deleted = 1 AND collection = ?")
        return try Row.fetchAll(statement, arguments: [space, collection]).map { try recordTable.record($0) }
    }

    func execute(_ sql: String, _ arguments: [(any DatabaseValueConvertible)?] = []) throws {
        try db.cachedStatement(sql: sql).execute(arguments: StatementArguments(arguments))
    }
}

/// What the cache has of a record, as a transaction has read it. It is outdated as soon as the record changes.
package struct CacheEntry {
    /// The key of the record.
    package let key: RecordKey
    /// The state in the cache; nil: the record isn't in the cache.
    package let cached: CachedRecord?
    /// The number of its row; nil: it has none.
    let number: Int64?

    /// The record as the user sees it, also a tombstone; nil: the cache has nothing of it.
    package var record: Record? { cached?.record }
}

// MARK: - Rows

/// The rows of records, with those of their mirrors and their entries in the outbox.
struct RecordTable: CacheFacet {
    let cache: Cache
}

extension RecordTable {
    private static let columns = """
        SELECT r.number, r.collection, r.id, r.version, r.deleted, r.modified_at, r.modified_by, r.fields, r.clock,
            m.record AS mirrored, m.version AS m_version, m.deleted AS m_deleted, m.modified_at AS m_modified_at,
            m.modified_by AS m_modified_by, m.fields AS m_fields, m.clock AS m_clock,
            o.record AS pending, o.at, o.edits, o.sent, o.rejection, o.reason

        """
    private static let fromRecords =
        columns + """
            FROM records r LEFT JOIN mirrors m ON m.record = r.number LEFT JOIN outbox o ON o.record = r.number

            """
    /// CROSS JOIN makes SQLite scan the outbox in its order and stop at the limit, however many records there are
    /// (sqlite.org/optoverview.html, "Manual Control Of Query Plans Using CROSS JOIN").
    private static let fromOutbox =
        columns + """
            FROM outbox o CROSS JOIN records r ON r.number = o.record LEFT JOIN mirrors m ON m.record = r.number

            """

    /// Reads a record.
    fileprivate func entry(_ key: RecordKey) throws -> CacheEntry {
        let statement = try db.cachedStatement(
            sql: Self.fromRecords + "WHERE r.space = ? AND r.collection = ? AND r.id = ?")
        return try ColumnRows.first(of: statement, [space, key.collection, key.id]) { row in
            CacheEntry(key: key, cached: try cached(row), number: row[0])
        } ?? CacheEntry(key: key, cached: nil, number: nil)
    }

    /// Returns the records of the outbox that match `condition`, an expression of SQL, in the order of their row
    /// numbers.
    func pending(where condition: String, limit: Int) throws -> [CachedRecord] {
        let statement = try db.cachedStatement(
            sql: Self.fromOutbox + "WHERE r.space = ? AND \(condition) ORDER BY o.record LIMIT ?")
        return try ColumnRows.all(of: statement, [space, limit], cached)
    }

    private func cached(_ row: ColumnRow) throws -> CachedRecord {
        var pending: CachedRecord.Pending?
        if (row[16] as Int64?) != nil {
            let code: String? = row[20]
            pending = .init(
                at: try required(HLC(row[17] as String)), edits: row[18], sent: row[19],
                rejection: code.map { Rejection(code: $0, reason: row[21]) })
        }
        let key = RecordKey(collection: row[1], id: row[2])
        return CachedRecord(
            record: try record(row, key, from: 3),
            mirror: (row[9] as Int64?) == nil ? nil : try record(row, key, from: 10),
            pending: pending)
    }

    /// Returns a record whose columns after the id begin at a position.
    private func record(_ row: ColumnRow, _ key: RecordKey, from first: Int) throws -> Record {
        Record(
            key: key, version: row[first], deleted: row[first + 1], modifiedAt: row[first + 2],
            modifiedBy: row[first + 3], fields: try fields(row[first + 4]), clock: try clock(row[first + 5]))
    }

    func record(_ row: Row) throws -> Record {
        Record(
            key: RecordKey(collection: row["collection"], id: row["id"]), version: row["version"],
            deleted: row["deleted"], modifiedAt: row["modified_at"], modifiedBy: row["modified_by"],
            fields: try fields(row["fields"]), clock: try clock(row["clock"]))
    }

    fileprivate func clock(_ text: String) throws -> FieldClocks { try required(FieldClocks(json: parsed(text))) }

    func fields(_ text: String) throws -> JSONObject { try required(parsed(text).object) }

    private func parsed(_ text: String) throws -> JSONValue {
        do { return try JSONValue(parsing: text) } catch { throw damaged("a record isn't JSON: \(error)") }
    }

    private func required<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw damaged("a record is of the wrong shape") }
        return value
    }

    // The code of a damaged database: the message to the user names `doctor --repair`, which also repairs such values.
    private func damaged(_ reason: String) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_CORRUPT, message: reason)
    }

    /// Writes the state of a record over the one that was read.
    fileprivate func write(_ next: CachedRecord, over entry: CacheEntry) throws {
        let before = entry.cached
        let number = try write(next.record, over: before?.record, number: entry.number)
        try write(mirror: next.mirror, of: number, existed: before?.mirror != nil)
        try write(pending: next.pending, of: number, existed: before?.pending != nil)
    }

    private func write(_ record: Record, over before: Record?, number: Int64?) throws -> Int64 {
        let facts: [(any DatabaseValueConvertible)?] = [record.version, record.modifiedAt, record.modifiedBy]
        if let number, let before {
            try execute(
                "UPDATE records SET version = ?, modified_at = ?, modified_by = ? WHERE number = ?", facts + [number])
            if record.clock != before.clock {
                try execute("UPDATE records SET clock = ? WHERE number = ?", [record.clock.json.text, number])
            }
            // A statement of its own, because it also marks the record for indexing (the triggers in `Schema`).
            if record.deleted != before.deleted || record.fields != before.fields {
                try execute(
                    "UPDATE records SET deleted = ?, fields = ? WHERE number = ?",
                    [record.deleted, record.fields.text, number])
            }
            return number
        }
        try execute(
            """
            INSERT INTO records (space, collection, id, version, modified_at, modified_by, deleted, fields, clock)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [space, record.key.collection, record.key.id] + facts
                + [record.deleted, record.fields.text, record.clock.json.text])
        return db.lastInsertedRowID
    }

    private func write(mirror: Record?, of number: Int64, existed: Bool) throws {
        guard let mirror else {
            if existed { try execute("DELETE FROM mirrors WHERE record = ?", [number]) }
            return
        }
        try execute(
            "INSERT OR REPLACE INTO mirrors VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                number, mirror.version, mirror.deleted, mirror.modifiedAt, mirror.modifiedBy, mirror.fields.text,
                mirror.clock.json.text,
            ])
    }

    private func write(pending: CachedRecord.Pending?, of number: Int64, existed: Bool) throws {
        guard let pending else {
            if existed { try execute("DELETE FROM outbox WHERE record = ?", [number]) }
            return
        }
        try execute(
            "INSERT OR REPLACE INTO outbox VALUES (?, ?, ?, ?, ?, ?)",
            [
                number, pending.at.description, pending.edits, pending.sent, pending.rejection?.code,
                pending.rejection?.reason,
            ])
    }
}

extension Record {
    /// Whether the digest counts the record.
    var isLive: Bool { !deleted }
}

extension SpaceDigest {
    mutating func add(_ record: Record) {
        add(collection: record.key.collection, id: record.key.id, version: record.version)
    }

    mutating func remove(_ record: Record) {
        remove(collection: record.key.collection, id: record.key.id, version: record.version)
    }
}

/// Lists for SQL statements.
enum SQLList {
    /// Returns names of collections as literals; invalid names are omitted.
    static func literals(_ collections: [String]) -> String {
        // A valid name has only letters, digits and hyphens, so none can inject SQL.
        collections.filter { RecordKey.isCollection($0) }.map { "'\($0)'" }.joined(separator: ", ")
    }

    /// Returns placeholders for parameters: `?, ?, ?`.
    static func placeholders(_ count: Int) -> String { Array(repeating: "?", count: count).joined(separator: ", ") }
}

/// A part of the cache with methods of its own, in the same transaction.
protocol CacheFacet {
    var cache: Cache { get }
}

extension CacheFacet {
    var db: Database { cache.db }
    var space: Int64 { cache.space }
    var types: RecordTypes { cache.types }
    var refusal: LocalStoreError? { cache.refusal }

    func execute(_ sql: String, _ arguments: [(any DatabaseValueConvertible)?] = []) throws {
        try cache.execute(sql, arguments)
    }

    func meta<Value>(_ key: MetaKey<Value>) throws -> Value? { try cache.meta(key) }

    func setMeta<Value>(_ key: MetaKey<Value>, _ value: Value?) throws { try cache.setMeta(key, value) }
}

extension Cache {
    /// The edits that the server has not acknowledged.
    package var outbox: Outbox { Outbox(cache: self) }
    /// The state of the server's space, as far as this cache has received it.
    package var replica: Replica { Replica(cache: self) }
    /// The account and the devices that the home belongs to.
    package var account: CacheAccount { CacheAccount(cache: self) }
    /// The last commands of the user.
    package var journal: CommandJournal { CommandJournal(cache: self) }
    /// The lookup of records by id, by word or by the number in a list.
    package var index: RecordIndex { RecordIndex(cache: self) }
    /// The numbers of conflicts.
    package var conflicts: ConflictCounts { ConflictCounts(cache: self) }
    /// The settings of the home, its sync status and its pending notice.
    package var settings: HomeSettings { HomeSettings(cache: self) }
    /// The rows of the records.
    var recordTable: RecordTable { RecordTable(cache: self) }
}
