internal import GRDB
internal import Records
internal import SQLiteRows
internal import ServerCore

/// A transaction in SQL. Every statement is prepared once for each connection.
struct SQLiteTransaction: StoreWriting {
    let db: Database
    /// Whether the disk is full and the transaction uses the reserve. It keeps no revisions then, so that deleting
    /// needs as little space as possible.
    let usesReserve: Bool

    init(_ db: Database, usesReserve: Bool = false) {
        self.db = db
        self.usesReserve = usesReserve
    }

    /// Runs a statement that returns no rows.
    func run(_ sql: String, _ arguments: StatementArguments) throws {
        try db.cachedStatement(sql: sql).execute(arguments: arguments)
    }

    /// Returns a value made from the first row of a query; nil if there is none.
    func first<Value>(
        _ sql: String, _ arguments: StatementArguments, _ make: (ColumnRow) throws -> Value
    ) throws -> Value? { try ColumnRows.first(of: db.cachedStatement(sql: sql), arguments, make) }

    /// Deletes rows up to a limit, and subtracts them from it.
    ///
    /// - Parameters:
    ///   - key: The column that identifies a row.
    ///   - bytes: The expression for the size of a row.
    ///   - condition: The condition for the rows.
    /// - Returns: Whether none is left.
    func delete(
        from table: String, key: String = "rowid", bytes: String, where condition: String,
        _ arguments: StatementArguments, limit: inout RemovalLimit
    ) throws -> Bool {
        var keys: [DatabaseValue] = []
        var isOver = true
        let rows = try Row.fetchCursor(
            db.cachedStatement(sql: "SELECT \(key), \(bytes) FROM \(table) WHERE \(condition)"), arguments: arguments)
        // The rows after the limit are not read.
        while isOver, let row = try rows.next() {
            if limit.count(row[1]) { keys.append(row[0]) } else { isOver = false }
        }
        // After reading: SQLite doesn't define what a query returns if its rows are deleted meanwhile
        // (sqlite.org/isolation.html).
        let delete = try db.cachedStatement(sql: "DELETE FROM \(table) WHERE \(key) = ?")
        for key in keys { try delete.execute(arguments: [key]) }
        return isOver
    }

    /// Returns the values made from all rows of a query.
    func all<Value>(
        _ sql: String, _ arguments: StatementArguments, _ make: (ColumnRow) throws -> Value
    ) throws -> [Value] { try ColumnRows.all(of: db.cachedStatement(sql: sql), arguments, make) }
}

/// The error for a file that isn't a database of this server, or into which another program wrote.
struct DamagedDatabase: Error {
    let what: String
}

extension SQLiteTransaction {
    /// Returns a single value by its name.
    func meta(_ name: String) throws -> String? {
        try first("SELECT value FROM meta WHERE name = ?", [name]) { $0[0] as String }
    }

    /// Stores a single value in place of an earlier one, or removes it (nil).
    func setMeta(_ name: String, _ value: String?) throws {
        guard let value else { return try run("DELETE FROM meta WHERE name = ?", [name]) }
        try run(
            "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            [name, value])
    }

    func epoch() throws -> String {
        guard let epoch = try meta("epoch") else { throw DamagedDatabase(what: "it has no epoch") }
        return epoch
    }

    func lastMaintenance() throws -> Int64? {
        if let stored = try meta("maintenance").flatMap({ Int64($0) }) { return stored }
        return try first(
            """
            SELECT max(moment) FROM (
              SELECT max(last_seen_at) AS moment FROM sessions UNION ALL SELECT max(created_at) FROM accounts
              UNION ALL SELECT max(created_at) FROM invites)
            """, []
        ) { $0[0] as Int64? } ?? nil
    }

    func setLastMaintenance(_ moment: Int64) throws { try setMeta("maintenance", "\(moment)") }

    func clockDoubt() throws -> ClockDoubt? { try meta("clock-doubt").flatMap { ClockDoubt(text: $0) } }

    func setClockDoubt(_ doubt: ClockDoubt?) throws { try setMeta("clock-doubt", doubt?.text) }

    func shared(since epoch: String, in space: String) throws -> Int64? {
        try first(
            """
            SELECT coalesce(version, 0) FROM restores
            LEFT JOIN marks ON restore = sequence AND space = (SELECT number FROM spaces WHERE id = ?)
            WHERE epoch = ?
            """,
            [space, epoch]
        ) { row in row[0] as Int64 }
    }

    /// Returns the epochs that the database knows, with their versions.
    func lineage() throws -> Lineage {
        var epochs: [String: [String: Int64]] = [:]
        for epoch in try all("SELECT epoch FROM restores", [], { $0[0] as String }) { epochs[epoch] = [:] }
        let marks = try all(
            """
            SELECT epoch, id, marks.version FROM marks
            JOIN restores ON restore = sequence JOIN spaces ON space = number
            """, []
        ) { row in (epoch: row[0] as String, space: row[1] as String, version: row[2] as Int64) }
        for mark in marks { epochs[mark.epoch]?[mark.space] = mark.version }
        let present = try all("SELECT id, version FROM spaces", []) { row in (row[0] as String, row[1] as Int64) }
        epochs[try epoch()] = Dictionary(uniqueKeysWithValues: present)
        return Lineage(epochs: epochs)
    }

    /// Stores epochs of another database.
    func remember(_ epochs: [String: [String: Int64]], now: Int64) throws {
        for (epoch, versions) in epochs.sorted(by: { $0.key < $1.key }) {
            try run("INSERT INTO restores (epoch, restored_at) VALUES (?, ?)", [epoch, now])
            let restore = db.lastInsertedRowID
            for (space, version) in versions {
                try run(
                    "INSERT INTO marks (space, restore, version) SELECT number, ?, ? FROM spaces WHERE id = ?",
                    [restore, version, space])
            }
        }
    }

    func markRestored(epoch: String, now: Int64) throws {
        try run("INSERT INTO restores (epoch, restored_at) VALUES (?, ?)", [try self.epoch(), now])
        try run(
            "INSERT INTO marks (space, restore, version) SELECT number, ?, version FROM spaces", [db.lastInsertedRowID])
        try run(
            "UPDATE spaces SET version = max(version + ?, ?)", [RestoredVersion.step, RestoredVersion.least(now: now)])
        try setMeta("epoch", epoch)
        if case .moved = try moveMark() { try setMoveMark(nil) }
    }
}

/// The epochs that a database knows, its own included, with the version up to which each space was then as it is now.
///
/// A pure value.
struct Lineage: Equatable {
    /// The versions by epoch, then by the space's id. A space that is missing in an epoch has nothing in common with
    /// it.
    var epochs: [String: [String: Int64]]

    /// Returns what must be added to this lineage of a backup when it replaces `other`: the epochs that only `other`
    /// knows, with what each has in common with the backup, so that devices of those epochs know how much to compare.
    ///
    /// Databases that are equal up to some version are equal up to that version with every database that is equal to
    /// one of them. So of three databases, two have at least in common what both have in common with the third.
    func additions(from other: Lineage) -> [String: [String: Int64]] {
        let common = common(with: other)
        return other.epochs.filter { epochs[$0.key] == nil }.mapValues { former in
            former.merging(common) { min($0, $1) }.filter { former[$0.key] != nil && common[$0.key] != nil }
        }
    }

    /// Returns the version up to which each space is the same in both, as far as a common epoch shows it.
    private func common(with other: Lineage) -> [String: Int64] {
        var common: [String: Int64] = [:]
        for (epoch, versions) in epochs {
            guard let others = other.epochs[epoch] else { continue }
            for (space, version) in versions {
                guard let theirs = others[space] else { continue }
                // The smaller one holds for both databases; of several common epochs, the one that shows most.
                common[space] = max(common[space] ?? 0, min(version, theirs))
            }
        }
        return common
    }
}
