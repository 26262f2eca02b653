internal import GRDB
internal import Records
internal import struct Records.Record

/// The last commands of the person and what they changed. `Cache` adds to it in the transaction of each edit; what a sync brings
/// is not in it.
public struct CommandJournal: CacheFacet {
    let cache: Cache
}

extension CommandJournal {
    /// How many commands the journal keeps.
    public static let limit = 100
    /// How many bytes the changes of the kept commands may have in all, besides those of the last one, which is always kept
    /// whole.
    public static let byteLimit = 64 << 20

    /// The last commands, the newest first.
    public func entries(limit: Int = CommandJournal.limit) throws -> [JournalEntry] {
        let statement = try db.cachedStatement(sql: Self.select + "ORDER BY j.number DESC LIMIT ?")
        return try Row.fetchAll(statement, arguments: [limit]).map(Self.entry)
    }

    /// The command that `undo` takes back: the newest that isn't taken back yet.
    public func undoable() throws -> JournalEntry? {
        let statement = try db.cachedStatement(sql: Self.select + "WHERE NOT undone ORDER BY j.number DESC LIMIT 1")
        return try Row.fetchOne(statement).map(Self.entry)
    }

    /// The command that `redo` makes again: the one taken back last. A new command forgets those that were taken back.
    public func redoable() throws -> JournalEntry? {
        let statement = try db.cachedStatement(sql: Self.select + "WHERE undone ORDER BY j.number LIMIT 1")
        return try Row.fetchOne(statement).map(Self.entry)
    }

    /// What a command changed, in the order in which it did.
    public func changes(of entry: JournalEntry, limit: Int = .max) throws -> [JournalChange] {
        let statement = try db.cachedStatement(
            sql: "SELECT * FROM journal_changes WHERE entry = ? ORDER BY number LIMIT ?")
        return try Row.fetchAll(statement, arguments: [entry.number, limit]).map(Self.change)
    }

    /// Undoes or redoes a command: what `body` changes replaces what the entry held, so that the same can be
    /// turned round once more. An entry of which nothing is left goes.
    public func turn(_ entry: JournalEntry, _ body: () throws -> Void) throws {
        try execute("DELETE FROM journal_changes WHERE entry = ?", [entry.number])
        try execute("UPDATE journal SET undone = NOT undone, bytes = 0 WHERE number = ?", [entry.number])
        cache.command.entry = entry.number
        try body()
        try execute(
            """
            DELETE FROM journal WHERE number = ?
                AND NOT EXISTS (SELECT 1 FROM journal_changes WHERE entry = journal.number)
            """, [entry.number])
    }

    private static let select = """
        SELECT j.*, (SELECT count(*) FROM journal_changes WHERE entry = j.number) AS records FROM journal j

        """

    private static func entry(_ row: Row) -> JournalEntry {
        JournalEntry(
            number: row["number"], command: row["command"], at: row["at"], isUndone: row["undone"],
            records: row["records"], actor: row["actor"])
    }

    static func change(_ row: Row) throws -> JournalChange {
        let fields = { (name: String) throws -> JSONObject in
            guard let fields = try JSONValue(parsing: row[name] as String).object else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a change in the journal isn't an object")
            }
            return fields
        }
        return JournalChange(
            key: RecordKey(collection: row["collection"], id: row["id"]), space: row["space"],
            wasLive: row["was_live"], isLive: row["is_live"], before: try fields("before"), after: try fields("after"))
    }
}

// MARK: - Noting

extension Cache {
    /// Changes a record as `change` does, for the person, and notes it in the journal.
    func changeNoting(
        _ key: RecordKey, _ decide: (CachedRecord?) throws -> CachedRecord?
    ) throws {
        var before: Record?
        log?.isPersonal()
        let next = try change(key) { cached in
            before = cached?.record
            return try decide(cached)
        }
        guard let change = JournalChange(key, space: space, from: before, to: next?.record) else { return }
        try note(change, in: command.entry ?? openEntry())
    }

    private func openEntry() throws -> Int64 {
        try execute("DELETE FROM journal WHERE undone")
        try execute(
            "INSERT INTO journal (command, at, actor) VALUES (?, ?, ?)",
            [command.name, Int64(clamping: wall()), command.actor])
        let entry = db.lastInsertedRowID
        command.entry = entry
        try forgetOldEntries()
        return entry
    }

    private func forgetOldEntries() throws {
        try execute(
            """
            DELETE FROM journal WHERE number IN (
                SELECT number FROM (
                    SELECT number, row_number() OVER newest AS place, sum(bytes) OVER newest AS size
                    FROM journal WINDOW newest AS (ORDER BY number DESC))
                WHERE place > ? OR size > ?)
            """, [CommandJournal.limit, CommandJournal.byteLimit])
    }

    private func note(_ change: JournalChange, in entry: Int64) throws {
        let place = [entry, change.space, change.key.collection, change.key.id] as [any DatabaseValueConvertible]
        let same = "entry = ? AND space = ? AND collection = ? AND id = ?"
        let former = try Row.fetchOne(
            db.cachedStatement(sql: "SELECT * FROM journal_changes WHERE " + same), arguments: StatementArguments(place)
        ).map(CommandJournal.change)
        let whole = former.map { $0.followed(by: change) } ?? change
        if former != nil { try execute("DELETE FROM journal_changes WHERE " + same, place) }
        guard let whole else { return }
        let (before, after) = (whole.before.text, whole.after.text)
        try execute(
            """
            INSERT INTO journal_changes (entry, space, collection, id, was_live, is_live, before, after)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """, place + [whole.wasLive, whole.isLive, before, after])
        try execute(
            "UPDATE journal SET bytes = bytes + ? WHERE number = ?", [before.utf8.count + after.utf8.count, entry])
    }
}
