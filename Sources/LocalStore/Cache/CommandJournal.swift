internal import GRDB
internal import Locking
package import Records
package import struct Records.Record
internal import SQLiteRows

/// The last commands of the user and what they changed. `Cache` adds to it in the transaction of each edit; changes
/// that a sync receives are not included (record 0001 of this module).
package struct CommandJournal: CacheFacet {
    let cache: Cache
}

extension CommandJournal {
    /// The number of commands that the journal keeps.
    package static let limit = 100
    /// The largest size of the changes of the kept commands, in bytes, without those of the last one, which is always
    /// kept whole.
    package static let byteLimit = 64 << 20

    /// Returns the last commands, newest first.
    package func entries(limit: Int = CommandJournal.limit) throws -> [JournalEntry] {
        let statement = try db.cachedStatement(sql: Self.select + "ORDER BY j.number DESC LIMIT ?")
        return try Row.fetchAll(statement, arguments: [limit]).map(Self.entry)
    }

    /// Returns the command that `undo` undoes: the newest one that isn't undone.
    package func undoable() throws -> JournalEntry? {
        let statement = try db.cachedStatement(sql: Self.select + "WHERE NOT undone ORDER BY j.number DESC LIMIT 1")
        return try Row.fetchOne(statement).map(Self.entry)
    }

    /// Returns the command that `redo` redoes: the one that was undone last.
    package func redoable() throws -> JournalEntry? {
        // Commands are undone from the newest to the oldest, so the one undone last has the lowest number.
        let statement = try db.cachedStatement(sql: Self.select + "WHERE undone ORDER BY j.number LIMIT 1")
        return try Row.fetchOne(statement).map(Self.entry)
    }

    /// Returns the keys of the records that are deleted because the command that created them is undone.
    package func undoneCreations() throws -> Set<RecordKey> {
        // An undone entry holds the changes of its undoing.
        let statement = try db.cachedStatement(
            sql: """
                SELECT c.collection, c.id FROM journal j CROSS JOIN journal_changes c
                WHERE c.entry = j.number AND j.undone AND c.space = ? AND c.was_live AND NOT c.is_live
                """)
        let rows = try Row.fetchAll(statement, arguments: [space])
        return Set(rows.map { RecordKey(collection: $0[0], id: $0[1]) })
    }

    /// Returns what a command changed, in order.
    package func changes(of entry: JournalEntry, limit: Int = .max) throws -> [JournalChange] {
        let statement = try db.cachedStatement(
            sql: "SELECT \(Self.columns) FROM journal_changes WHERE entry = ? ORDER BY number LIMIT ?")
        return try ColumnRows.all(of: statement, [entry.number, limit], Self.change)
    }

    /// Returns all fields of a record from the newest entry whose command created or deleted it; nil: there is none.
    package func wholeFields(of key: RecordKey, space: Int64) throws -> JSONObject? {
        // `CROSS JOIN` makes SQLite read `journal` first and find the changes by their index, which begins with the
        // entry. There are few entries, while a scan of `journal_changes` may read the many changes of an import.
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(Self.columns) FROM journal j CROSS JOIN journal_changes c
                WHERE c.entry = j.number AND c.space = ? AND c.collection = ? AND c.id = ? AND c.was_live <> c.is_live
                ORDER BY j.number DESC LIMIT 1
                """)
        return try ColumnRows.first(of: statement, [space, key.collection, key.id], Self.change).map {
            $0.before.applying($0.after)
        }
    }

    /// Undoes or redoes a command: the changes that `body` makes replace those of the entry, so that it can be reversed
    /// again. An entry without changes is removed.
    package func turn(_ entry: JournalEntry, _ body: () throws -> Void) throws {
        try execute("DELETE FROM journal_changes WHERE entry = ?", [entry.number])
        try execute("UPDATE journal SET undone = NOT undone, bytes = 0 WHERE number = ?", [entry.number])
        // The edits of `body` are recorded in this entry, not in a new one.
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

    private static let columns = "space, collection, id, was_live, is_live, before, after"

    private static func change(_ row: ColumnRow) throws -> JournalChange {
        let fields = { (column: Int) throws -> JSONObject in
            guard let fields = try JSONValue(parsing: row[column] as String).object else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a change in the journal isn't an object")
            }
            return fields
        }
        return JournalChange(
            key: RecordKey(collection: row[1], id: row[2]), space: row[0], wasLive: row[3], isLive: row[4],
            before: try fields(5), after: try fields(6))
    }
}

// MARK: - Recording

extension CommandJournal {
    /// Changes a record like `Cache.change`, as an edit of this device, and adds the change to the journal.
    func change(
        _ key: RecordKey, _ decide: (CachedRecord?) throws -> CachedRecord?
    ) throws { try change(cache.entry(key), decide) }

    /// Changes a record that this transaction has read and not changed since, as the method above does.
    func change(_ cacheEntry: CacheEntry, _ decide: (CachedRecord?) throws -> CachedRecord?) throws {
        cache.log?.markAsPersonal()
        let next = try cache.change(cacheEntry, decide)
        guard let change = JournalChange(cacheEntry.key, space: space, from: cacheEntry.record, to: next?.record),
            !change.isImportMark
        else { return }
        try note(change, in: cache.command.entry ?? openEntry())
    }

    private func openEntry() throws -> Int64 {
        // After a new command, the commands that were undone can't be redone any more.
        try execute("DELETE FROM journal WHERE undone")
        let at = Int64(clamping: cache.wall())
        try execute(
            "INSERT INTO journal (command, at, actor) VALUES (?, ?, ?)", [cache.command.name, at, cache.command.actor])
        let entry = db.lastInsertedRowID
        cache.command.entry = entry
        if let receipt = cache.command.receipt {
            let reference = JournalEntry.reference(entry, at: at)
            // Not before the commit: a command that is rolled back, such as a dry run, has no entry.
            db.afterNextTransaction(onCommit: { _ in receipt.withLock { $0 = reference } })
        }
        // The new entry has no bytes yet, so it doesn't count against the limit.
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
        let place = [entry, change.space, change.key.collection, change.key.id] as [(any DatabaseValueConvertible)?]
        let same = "entry = ? AND space = ? AND collection = ? AND id = ?"
        // Several edits of a record by one command are one change, so that `undo` restores the state before the first.
        let former = try ColumnRows.first(
            of: db.cachedStatement(sql: "DELETE FROM journal_changes WHERE \(same) RETURNING \(Self.columns)"),
            StatementArguments(place), Self.change)
        guard let whole = former.map({ $0.followed(by: change) }) ?? change else { return }
        let (before, after) = (whole.before.text, whole.after.text)
        try execute(
            """
            INSERT INTO journal_changes (entry, space, collection, id, was_live, is_live, before, after)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """, place + [whole.wasLive, whole.isLive, before, after])
        // The size of `former` isn't subtracted, so `bytes` is an upper bound.
        try execute(
            "UPDATE journal SET bytes = bytes + ? WHERE number = ?", [before.utf8.count + after.utf8.count, entry])
    }
}

/// A command of this device in the journal, with the changes of the last time that it was done, undone or
/// redone.
package struct JournalEntry: Sendable, Equatable {
    /// The position: a later command has a higher number.
    package let number: Int64
    /// The name of the command, for example `done` or `import`.
    package let command: String
    /// The time of the command, in milliseconds since 1970.
    package let at: UInt64
    /// Whether the command is undone, and can be redone.
    package let isUndone: Bool
    /// The number of records that it changed.
    package let records: Int
    /// Who gave the command, see `CommandActor`; nil: the user of this device.
    package let actor: String?

    /// The text by which users and views name the entry.
    package var reference: String { Self.reference(number, at: Int64(clamping: at)) }

    /// With the time, since SQLite assigns the highest number again after its entry was deleted.
    fileprivate static func reference(_ number: Int64, at: Int64) -> String { "\(number)-\(at)" }
}

/// A change of one record by a command.
package struct JournalChange: Sendable, Equatable {
    /// The key of the record.
    package let key: RecordKey
    /// The number of its space in the cache.
    package let space: Int64
    /// Whether the record existed before the command.
    package let wasLive: Bool
    /// Whether the record existed after the command.
    package let isLive: Bool
    /// The values of the changed fields before the command; a field that is missing here was absent.
    package let before: JSONObject
    /// The values of the changed fields after the command; a field that is missing here was removed.
    package let after: JSONObject

    init(key: RecordKey, space: Int64, wasLive: Bool, isLive: Bool, before: JSONObject, after: JSONObject) {
        (self.key, self.space, self.wasLive, self.isLive) = (key, space, wasLive, isLive)
        (self.before, self.after) = (before, after)
    }

    /// Creates the change from one state of a record to another; nil: no user sees a difference.
    ///
    /// - Parameters:
    ///   - old: The former state; nil: the record didn't exist.
    ///   - new: The new state; nil: the record doesn't exist any more.
    package init?(_ key: RecordKey, space: Int64, from old: Record?, to new: Record?) {
        let old = old.flatMap { $0.deleted ? nil : $0.fields }
        let new = new.flatMap { $0.deleted ? nil : $0.fields }
        self.init(
            key: key, space: space, wasLive: old != nil, isLive: new != nil, before: old ?? [:], after: new ?? [:])
        guard let changed = tidied() else { return nil }
        self = changed
    }

    /// Whether only the mark of an import was changed, which no user sees.
    var isImportMark: Bool { wasLive && isLive && names == [Record.importMarkField] }

    /// The names of the changed fields, sorted.
    package var names: [String] { before.applying(after).sortedNames }

    /// Returns this change and a later one of the same command as one; nil: together they change nothing.
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

    /// Returns the change without the fields that are equal before and after; nil: nothing is left.
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

/// The command that a transaction performs; its first edit creates an entry of the journal.
///
/// It is a class, since all copies of the transaction's `Cache` add to the same entry.
final class Command {
    let name: String
    let actor: String?
    /// Receives the entry, see `CommandReceipt`.
    let receipt: Locked<String?>?
    var entry: Int64?
    /// The clock of the last edit of this transaction, so that the next one doesn't read it from the table.
    var lastClock: HLC?

    init(_ name: String = "edit", actor: String?, receipt: Locked<String?>? = nil) {
        (self.name, self.actor, self.receipt) = (name, actor, receipt)
    }

    /// Returns a command with another name that has no entry yet.
    func named(_ name: String) -> Command { Command(name, actor: actor, receipt: receipt) }
}

/// The actor of the commands that a Swift task performs, for example an assistant; the journal names it. A front end
/// that performs commands for another program names that program here.
public enum CommandActor {
    /// The actor of the current task; nil: the user of this device.
    @TaskLocal static var current: String?

    /// Runs `body`; the journal names `actor` with each command of it and of its child tasks.
    ///
    /// - Parameter actor: The name for users, for example `mcp (Claude)`.
    public static func named<Result>(
        _ actor: String, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await $current.withValue(actor, operation: body, isolation: isolation)
    }
}

/// Finds out which entry of the journal the commands of a Swift task make. A view can then offer to undo this command
/// and no later one, such as one of another process.
public enum CommandReceipt {
    /// Receives the entry of each command of the current task; nil: it isn't asked for.
    @TaskLocal static var current: Locked<String?>?

    /// Runs `body`; returns the entry of its last command that changed something, as `JournalCommand.entry` of the
    /// module Notebook names it. Nil: nothing was changed.
    public static func entry(
        isolation: isolated (any Actor)? = #isolation, madeBy body: () async throws -> Void
    ) async rethrows -> String? {
        let receipt = Locked<String?>(nil)
        try await $current.withValue(receipt, operation: body, isolation: isolation)
        return receipt.withLock { $0 }
    }
}
