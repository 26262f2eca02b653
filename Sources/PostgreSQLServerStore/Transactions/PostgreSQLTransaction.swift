internal import Records
internal import ServerCore
internal import SyncAPI

/// A transaction in SQL, on a connection. Every statement is prepared once for each connection.
final class PostgreSQLTransaction: StoreWriting {
    let connection: PostgreSQLConnection
    /// The space that the transaction has locked or tried to lock, last.
    var lockedSpace: String?
    /// The records that were read together, until records are changed.
    var announced: AnnouncedRecords?
    /// What was read together for a request, until something is changed.
    var announcement = Announcement()
    /// The epoch that was read, until it is changed.
    var knownEpoch: String?
    /// The digests that were read together, until they are changed.
    var announcedDigests: AnnouncedDigests?
    /// The numbers of spaces that were looked up.
    private var numbers: [String: Int64] = [:]

    init(_ connection: PostgreSQLConnection) { self.connection = connection }

    /// Runs a statement that returns no rows. It is sent with the next one, or with the commit, which throws its error.
    func run(_ sql: String, _ values: [SQLValue] = []) throws {
        announcement = Announcement()
        try connection.enqueue(sql, values)
    }

    /// Runs a statement that returns no rows.
    ///
    /// - Returns: The number of rows that it has changed.
    func changes(_ sql: String, _ values: [SQLValue] = []) throws -> Int {
        announcement = Announcement()
        return try connection.execute(sql, values).changes
    }

    /// Returns a value made from the first row of a query; nil if there is none.
    func first<Value>(_ sql: String, _ values: [SQLValue] = [], _ make: (SQLRow) throws -> Value) throws -> Value? {
        try connection.execute(sql, values).first.map(make)
    }

    /// Returns the values made from all rows of a query.
    func all<Value>(_ sql: String, _ values: [SQLValue] = [], _ make: (SQLRow) throws -> Value) throws -> [Value] {
        try connection.execute(sql, values).map(make)
    }

    /// Deletes rows up to a limit, and subtracts them from it.
    ///
    /// - Parameters:
    ///   - bytes: The expression for the size of a row.
    ///   - condition: The condition for the rows.
    /// - Returns: Whether none is left.
    func delete(
        from table: String, bytes: String, where condition: String, _ values: [SQLValue], limit: inout RemovalLimit
    ) throws -> Bool {
        // One row more than may be removed shows whether that was all.
        let found = try connection.execute(
            "SELECT ctid::text, (\(bytes))::bigint FROM \(table) WHERE \(condition) LIMIT $\(values.count + 1)",
            values + [.int(Int64(limit.rows) + 1)])
        var places: [String] = []
        while places.count < found.count, limit.count(Int(found[places.count].int(1))) {
            places.append(found[places.count].text(0))
        }
        // A row's place doesn't change while this transaction reads: another one that moves it is a conflict.
        if !places.isEmpty { try run("DELETE FROM \(table) WHERE ctid = ANY($1::text[]::tid[])", [.texts(places)]) }
        return places.count == found.count
    }

    /// Returns the number of a space in the tables; nil if there is no such space.
    func number(of space: String) throws -> Int64? {
        if let known = numbers[space] { return known }
        let number = try first("SELECT number FROM spaces WHERE id = $1", [.text(space)]) { $0.int(0) }
        numbers[space] = number
        return number
    }

    /// Returns the number of a space as a value; without such a space, one that no row has.
    func numberValue(of space: String) throws -> SQLValue { .int(try number(of: space) ?? -1) }

    /// Keeps the number of a space that another query has found.
    func note(number: Int64?, of space: String) { numbers[space] = number }

    func forgetNumber(of space: String) { numbers[space] = nil }

    func lockSpace(_ id: String) throws -> SpaceRow? {
        lockedSpace = id
        let row: SpaceRow?
        if let lock = announcement.lock, lock.space == id {
            row = lock.row
        } else {
            row = try first(Self.lockQuery, Self.lockValues(of: id)) { try spaceRow($0, of: id) }
        }
        if row == nil, try number(of: id) != nil { throw SpaceIsLocked() }
        return row
    }

    /// Locks a space. The advisory lock is its queue: who finds it held begins again behind it, since the snapshot of this
    /// transaction will be too old once the holder has committed.
    static let lockQuery = """
        SELECT \(SpaceRow.columns), number FROM spaces
        WHERE id = $1 AND pg_try_advisory_xact_lock($2) FOR UPDATE
        """

    static func lockValues(of space: String) -> [SQLValue] { [.text(space), .int(SpaceLock.key(of: space))] }

    /// Creates a space from its columns and its number, which is kept.
    func spaceRow(_ row: SQLRow, of space: String) throws -> SpaceRow {
        note(number: row.int(SpaceRow.columnCount), of: space)
        return try SpaceRow(id: space, row)
    }
}

/// Records of a space that were announced.
struct AnnouncedRecords {
    let space: String
    /// The versions of all announced records; nil: the space doesn't have the record.
    var versions: [RecordKey: Int64?] = [:]
    /// Those of the records that were read, too.
    var records: [RecordKey: RawRecord] = [:]

    /// Returns those of the named records that the space has; nil if that isn't known of each.
    func records(_ keys: [RecordKey], in space: String) -> [RecordKey: RawRecord]? {
        guard space == self.space else { return nil }
        var found: [RecordKey: RawRecord] = [:]
        for key in keys {
            guard let version = versions[key] else { return nil }
            if version == nil { continue }
            guard let record = records[key] else { return nil }
            found[key] = record
        }
        return found
    }
}

/// The error for a space that another transaction has locked.
struct SpaceIsLocked: Error {}

/// The advisory lock of a space.
enum SpaceLock {
    /// Returns the lock's key: FNV-1a of the id. Two spaces with the same key only wait for each other.
    static func key(of space: String) -> Int64 {
        Int64(bitPattern: space.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 })
    }
}

/// The error for a database into which another program wrote.
struct DamagedStore: Error {
    let what: String
}

extension PostgreSQLTransaction {
    /// Returns a single value by its name.
    func meta(_ name: String) throws -> String? {
        try first("SELECT value FROM meta WHERE name = $1", [.text(name)]) { $0.text(0) }
    }

    /// Stores a single value in place of an earlier one, or removes it (nil).
    func setMeta(_ name: String, _ value: String?) throws {
        guard let value else { return try run("DELETE FROM meta WHERE name = $1", [.text(name)]) }
        try run(
            "INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            [.text(name), .text(value)])
    }

    func epoch() throws -> String {
        if let knownEpoch { return knownEpoch }
        guard let epoch = try meta("epoch") else { throw DamagedStore(what: "it has no epoch") }
        knownEpoch = epoch
        return epoch
    }

    func setEpoch(_ epoch: String) throws {
        knownEpoch = nil
        try setMeta("epoch", epoch)
    }

    func lastMaintenance() throws -> Int64? {
        if let stored = try meta("maintenance").flatMap({ Int64($0) }) { return stored }
        return try first(
            """
            SELECT max(moment) FROM (
              SELECT max(last_seen_at) AS moment FROM sessions UNION ALL SELECT max(created_at) FROM accounts
              UNION ALL SELECT max(created_at) FROM invites) AS moments
            """
        ) { $0.optionalInt(0) } ?? nil
    }

    func setLastMaintenance(_ moment: Int64) throws { try setMeta("maintenance", "\(moment)") }

    func clockDoubt() throws -> ClockDoubt? { try meta("clock-doubt").flatMap { ClockDoubt(text: $0) } }

    func setClockDoubt(_ doubt: ClockDoubt?) throws { try setMeta("clock-doubt", doubt?.text) }

    func shared(since epoch: String, in space: String) throws -> Int64? {
        try first(
            """
            SELECT coalesce(version, 0) FROM restores LEFT JOIN marks ON restore = sequence AND space = $1
            WHERE epoch = $2
            """, [try numberValue(of: space), .text(epoch)]
        ) { $0.int(0) }
    }

    /// Waits for those who change a space, and keeps others from changing one until the end of the transaction. They read on.
    /// PostgreSQL takes a transaction's snapshot with the first statement that reads or writes rows, which this one doesn't.
    static let lockOfSpaces = "LOCK TABLE spaces IN EXCLUSIVE MODE"

    func markRestored(epoch: String, now: Int64) throws {
        // It changes every space. If nothing was read before in this transaction, it has no conflict with those for whom it
        // waits; otherwise it begins again.
        try connection.command(Self.lockOfSpaces)
        try connection.withLongStatements {
            let sequence = try first(
                "INSERT INTO restores (epoch, restored_at) VALUES ($1, $2) RETURNING sequence",
                [.text(try self.epoch()), .int(now)]
            ) { $0.int(0) }
            try run(
                "INSERT INTO marks (space, restore, version) SELECT number, $1, version FROM spaces",
                [SQLValue(sequence)])
            try run(
                "UPDATE spaces SET version = greatest(version + $1, $2)",
                [.int(RestoredVersion.step), .int(RestoredVersion.least(now: now))])
        }
        try setEpoch(epoch)
        if case .moved = try moveMark() { try setMoveMark(nil) }
    }
}
