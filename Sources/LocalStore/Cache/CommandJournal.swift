internal import GRDB
package import Records
package import struct Records.Record

/// The last commands of the person and what they changed. `Cache` adds to it in the transaction of each edit; what a sync brings
/// is not in it.
package struct CommandJournal: CacheFacet {
    let cache: Cache
}

extension CommandJournal {
    /// How many commands the journal keeps.
    package static let limit = 100
    /// How many bytes the changes of the kept commands may have in all, besides those of the last one, which is always kept
    /// whole.
    package static let byteLimit = 64 << 20

    /// The last commands, the newest first.
    package func entries(limit: Int = CommandJournal.limit) throws -> [JournalEntry] {
        let statement = try db.cachedStatement(sql: Self.select + "ORDER BY j.number DESC LIMIT ?")
        return try Row.fetchAll(statement, arguments: [limit]).map(Self.entry)
    }

    /// The command that `undo` takes back: the newest that isn't taken back yet.
    package func undoable() throws -> JournalEntry? {
        let statement = try db.cachedStatement(sql: Self.select + "WHERE NOT undone ORDER BY j.number DESC LIMIT 1")
        return try Row.fetchOne(statement).map(Self.entry)
    }

    /// The command that `redo` makes again: the one taken back last. A new command forgets those that were taken back.
    package func redoable() throws -> JournalEntry? {
        let statement = try db.cachedStatement(sql: Self.select + "WHERE undone ORDER BY j.number LIMIT 1")
        return try Row.fetchOne(statement).map(Self.entry)
    }

    /// What a command changed, in the order in which it did.
    package func changes(of entry: JournalEntry, limit: Int = .max) throws -> [JournalChange] {
        let statement = try db.cachedStatement(
            sql: "SELECT * FROM journal_changes WHERE entry = ? ORDER BY number LIMIT ?")
        return try Row.fetchAll(statement, arguments: [entry.number, limit]).map(Self.change)
    }

    /// Undoes or redoes a command: what `body` changes replaces what the entry held, so that the same can be
    /// turned round once more. An entry of which nothing is left goes.
    package func turn(_ entry: JournalEntry, _ body: () throws -> Void) throws {
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
        guard let change = JournalChange(key, space: space, from: before, to: next?.record), !change.isImportMark
        else { return }
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

/// A command of the person on this device, as the journal keeps it: the last thing that it, its undoing or its redoing did.
package struct JournalEntry: Sendable, Equatable {
    /// Its place: a later command has a higher number.
    package let number: Int64
    /// What was said: `done`, `import`.
    package let command: String
    /// When, in milliseconds since 1970.
    package let at: UInt64
    /// Whether it has been taken back, and can be made again.
    package let isUndone: Bool
    /// How many records it changed.
    package let records: Int
    /// Who gave it, see `CommandActor`; nil: the person at this device.
    package let actor: String?
}

/// What a command changed in one record.
package struct JournalChange: Sendable, Equatable {
    /// Which record it is.
    package let key: RecordKey
    /// The number of its space in the cache.
    package let space: Int64
    /// Whether the record was there before the command.
    package let wasLive: Bool
    /// Whether the record was there after it.
    package let isLive: Bool
    /// The changed fields as they were before; one that is missing here was absent.
    package let before: JSONObject
    /// The changed fields as the command made them; one that is missing here was removed.
    package let after: JSONObject

    init(key: RecordKey, space: Int64, wasLive: Bool, isLive: Bool, before: JSONObject, after: JSONObject) {
        (self.key, self.space, self.wasLive, self.isLive) = (key, space, wasLive, isLive)
        (self.before, self.after) = (before, after)
    }

    /// The change from one state of a record to another (nil: it isn't there); nil if there is none to see.
    package init?(_ key: RecordKey, space: Int64 = Cache.personal, from old: Record?, to new: Record?) {
        let old = old.flatMap { $0.deleted ? nil : $0.fields }
        let new = new.flatMap { $0.deleted ? nil : $0.fields }
        self.init(
            key: key, space: space, wasLive: old != nil, isLive: new != nil, before: old ?? [:], after: new ?? [:])
        guard let changed = tidied() else { return nil }
        self = changed
    }

    /// Whether it is only the mark of an import, which no user sees.
    var isImportMark: Bool { wasLive && isLive && names == [Record.importMarkField] }

    /// The names of the changed fields, sorted.
    package var names: [String] { before.applying(after).sortedNames }

    /// This change and one that the same command made on top of it, as one; nil if nothing is left of both.
    func followed(by next: JournalChange) -> JournalChange? {
        let (first, second) = (Set(names), Set(next.names))
        var (before, after) = (JSONObject(), JSONObject())
        for name in first.union(second) {
            before[name] = first.contains(name) ? self.before[name] : next.before[name]
            after[name] = second.contains(name) ? next.after[name] : self.after[name]
        }
        return JournalChange(
            key: key, space: space, wasLive: wasLive, isLive: next.isLive, before: before, after: after
        ).tidied()
    }

    /// Without the fields of an edit that are the same on both sides; nil if nothing is left.
    private func tidied() -> JournalChange? {
        guard wasLive || isLive else { return nil }
        guard wasLive && isLive else { return self }
        var (before, after) = (before, after)
        for name in names where before[name] == after[name] { (before[name], after[name]) = (nil, nil) }
        if before.isEmpty, after.isEmpty { return nil }
        return JournalChange(
            key: key, space: space, wasLive: wasLive, isLive: isLive, before: before, after: after)
    }
}

/// The command that a transaction carries out; its first edit opens an entry of the journal.
final class Command {
    let name: String
    let actor: String?
    var entry: Int64?

    init(_ name: String = "edit", actor: String?) { (self.name, self.actor) = (name, actor) }
}

/// Who gives the commands of a task, so that the journal names it: an assistant, for instance.
package enum CommandActor {
    /// The actor of the current task; nil: the person at this device.
    @TaskLocal static var current: String?

    /// Runs `body`; the journal names `actor` with each of its commands, and with those of its child tasks.
    package static func named<Result>(
        _ actor: String, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await $current.withValue(actor, operation: body, isolation: isolation)
    }
}
