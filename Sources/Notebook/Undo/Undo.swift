internal import LocalStore
public import Records

/// The result of undoing or redoing a command.
public struct RevertedCommand: Sendable, Equatable {
    /// The command, as the journal shows it.
    public let command: String
    /// The number of records that were changed.
    public internal(set) var changed = 0
    /// The title of one of these records.
    public internal(set) var title = ""
    /// The parts that were not reverted, because they were changed after the command.
    public internal(set) var kept: [Kept] = []

    /// A part of a record that was not reverted.
    public struct Kept: Sendable, Equatable {
        /// The id of the record.
        public let id: String
        /// Its title.
        public let title: String
        /// The part that was kept.
        public let part: Part

        /// The parts that can be kept. New cases may be added.
        public enum Part: Equatable, Sendable {
            /// These fields, which were changed later.
            case fields([String])
            /// The record, which was deleted later.
            case deleted
            /// The record, which the command created and which was edited later.
            case edited
        }
    }
}

/// A command in the journal.
public struct JournalCommand: Sendable, Equatable {
    /// The command: `done`, `import`.
    public let name: String
    /// When it was carried out.
    public let at: Timestamp
    /// The number of records that it changed. A conflict that it resolved counts as its record.
    public let records: Int
    /// The titles of the first of these records.
    public let titles: [String]
    /// The fields that the command changed, sorted by name. For several records, only changes that all of the first 20
    /// have in common. Without the status.
    public let fields: [ChangedField]
    /// Whether it is undone, so that it can be redone.
    public let isUndone: Bool
    /// Its actor, see `CommandActor`; nil: the user of this device.
    public let actor: String?
    /// Its name for ``Notebook/undo(only:)``, unique in the journal.
    public let entry: String

    /// A field that a command changed.
    public struct ChangedField: Sendable, Equatable {
        /// The collection of the record.
        public let collection: String
        /// The name of the field.
        public let name: String
        /// The value before the command; nil: it was not set, or it differed among several records. Of a set in several
        /// records, the elements that were removed from all.
        public let before: JSONValue?
        /// The value after the command; nil: it was removed. Of a set in several records, the elements that were added to
        /// all.
        public let after: JSONValue?
    }
}

extension Notebook {
    /// The maximum number of commands in the journal.
    public static var journalCommands: Int { CommandJournal.limit }

    /// Undoes the last command, as one new edit of all the records that it changed.
    ///
    /// - Parameter entry: The ``JournalCommand/entry`` of the command, which must be the last one; nil: the last one,
    ///   whichever it is.
    /// - Returns: The result; nil: there is no command to undo.
    /// - Throws: ``NotebookError/changedSince(command:title:)``, ``NotebookError/alreadyUndone(command:)``.
    public func undo(only entry: String? = nil) async throws -> RevertedCommand? {
        // Not `command`: undoing isn't a new entry of the journal, it replaces the one that is undone.
        try await store.write { cache -> RevertedCommand? in
            let records = Transaction(cache, in: self)
            let last = try cache.journal.undoable()
            if let entry, last?.reference != entry { try records.refuseToUndo(entry, before: last) }
            return try last.map { try records.revert($0) }
        }
    }

    /// Redoes the command that was undone last.
    ///
    /// - Returns: The result; nil: no command was undone since the last new one.
    public func redo() async throws -> RevertedCommand? {
        try await store.write { cache in
            try cache.journal.redoable().map { try Transaction(cache, in: self).revert($0) }
        }
    }

    /// Returns the last commands, the newest first.
    ///
    /// - Parameter titles: The maximum number of titles of each command.
    public func journal(titles: Int = 3) async throws -> [JournalCommand] {
        try await read { records in
            try records.cache.journal.entries().map { entry in
                let subjects = try records.subjects(of: entry, limit: titles)
                return JournalCommand(
                    name: entry.command, at: Timestamp(milliseconds: entry.at), records: subjects.count,
                    titles: subjects.titles, fields: try records.changedFields(by: entry),
                    isUndone: entry.isUndone, actor: entry.actor, entry: entry.reference)
            }
        }
    }
}

extension Notebook.Transaction {
    /// Throws the reason why a command can't be undone.
    ///
    /// - Parameters:
    ///   - entry: The ``JournalCommand/entry`` of the command.
    ///   - last: Another command, which would be undone first; nil: there is none.
    fileprivate func refuseToUndo(_ entry: String, before last: JournalEntry?) throws {
        if let undone = try cache.journal.entries().first(where: { $0.isUndone && $0.reference == entry }) {
            throw NotebookError.alreadyUndone(command: undone.command)
        }
        guard let last else { return }
        let title = try subjects(of: last, limit: 1).titles.first ?? ""
        throw NotebookError.changedSince(command: last.command, title: title)
    }

    /// Undoes or redoes a command.
    fileprivate func revert(_ entry: JournalEntry) throws -> RevertedCommand {
        let (changes, device) = (try cache.journal.changes(of: entry), try cache.device())
        var reverted = RevertedCommand(command: entry.command)
        // A conflict counts as its record, which the same command may have changed, too.
        var subjects: Set<RecordKey> = []
        try cache.journal.turn(entry) {
            // The last change first, since a change may depend on those before it.
            for change in changes.reversed() {
                let held = try cache.in(space: change.space).cached(change.key)
                let plan = UndoPlan(
                    change, now: held?.record, isDeletedElsewhere: held?.isDeleted(elsewhereThan: device) ?? false,
                    types: types)
                let (title, subject) = (try title(of: change), try subject(of: change))
                try apply(plan, on: change)
                if plan.action != .nothing {
                    subjects.insert(subject)
                    reverted.title = title
                }
                if let left = plan.left {
                    reverted.kept.append(.init(id: change.key.id, title: title, part: left))
                }
            }
        }
        reverted.changed = subjects.count
        return reverted
    }

    /// Applies a plan to a record.
    private func apply(_ plan: UndoPlan, on change: JournalChange) throws {
        let cache = cache.in(space: change.space)
        switch plan.action {
        case .nothing: break
        case .edit(let patch): try cache.edit(change.key, patch)
        case .revive(let fields):
            let held = try cache.cached(change.key)?.record.fields ?? [:]
            try cache.edit(change.key, fields.patch(from: held))
        case .delete:
            let record = try cache.cached(change.key)?.record
            let wasDerived = record.map { types[change.key.collection].policy.mayComeAgain($0) } ?? false
            // Unlike `delete`, `revert` lets `redo` or another device create the derived record again.
            if wasDerived {
                try cache.revert(change.key)
            } else {
                try cache.delete(change.key)
            }
        }
    }

    /// Returns the titles of the first records that a command changed, and the number of all. A conflict that was
    /// resolved counts as its record.
    fileprivate func subjects(of entry: JournalEntry, limit: Int) throws -> (titles: [String], count: Int) {
        // Twice as many: resolving a conflict changes the conflict and its record, which share a title.
        let changes = try cache.journal.changes(of: entry, limit: limit * 2)
        var (seen, titles): (Set<RecordKey>, [String]) = ([], [])
        var repeated = 0
        for change in changes {
            if seen.insert(try subject(of: change)).inserted {
                titles.append(try title(of: change))
            } else {
                repeated += 1
            }
        }
        return (Array(titles.prefix(limit)), entry.records - repeated)
    }

    /// The maximum number of records of a command that are compared.
    private static var compared: Int { 20 }

    /// Returns the fields that a command changed, for several records only the changes that all have in common, without
    /// those that users don't see and the one that says whether a record is completed.
    fileprivate func changedFields(by entry: JournalEntry) throws -> [JournalCommand.ChangedField] {
        let changes = try cache.journal.changes(of: entry, limit: Self.compared)
        guard let first = changes.first, changes.allSatisfy({ $0.wasLive && $0.isLive }) else { return [] }
        if changes.count == 1 { return changedFields(of: first, by: entry) }
        let all = changes.map { change in
            Dictionary(uniqueKeysWithValues: changedFields(of: change, by: entry).map { ($0.name, $0) })
        }
        return changedFields(of: first, by: entry).compactMap { field in
            let same = all.compactMap { $0[field.name] }
            return same.count == all.count ? JournalCommand.ChangedField(common: same) : nil
        }
    }

    private func changedFields(of change: JournalChange, by entry: JournalEntry) -> [JournalCommand.ChangedField] {
        let catalog = types.catalog(for: change.key.collection)
        let status = types[change.key.collection].closing?.field
        // The changes of an undone command are those of its undoing.
        let (before, after) = entry.isUndone ? (change.after, change.before) : (change.before, change.after)
        return change.names.compactMap { name in
            guard let field = catalog[name], field.place != .hidden, name != status else { return nil }
            return .init(collection: change.key.collection, name: name, before: before[name], after: after[name])
        }
    }

    private func subject(of change: JournalChange) throws -> RecordKey {
        ConflictRecord(id: change.key.id, fields: try fields(of: change))?.record ?? change.key
    }

    /// Returns the title of a changed record; for a conflict, that of its record. It is `(deleted)` if the record is
    /// deleted and its title isn't stored any more.
    private func title(of change: JournalChange) throws -> String {
        let fields = try fields(of: change)
        if let conflict = ConflictRecord(id: change.key.id, fields: fields) { return try title(of: conflict.record) }
        if let title: String = fields[.title] ?? change.before[.title] { return title }
        if try cache.in(space: change.space).cached(change.key)?.record.deleted == false { return change.key.id }
        // Nothing remains of a record whose addition was undone, and a change of other fields doesn't have the title.
        return try cache.journal.wholeFields(of: change.key, space: change.space)?[.title] ?? "(deleted)"
    }

    private func fields(of change: JournalChange) throws -> JSONObject {
        try cache.in(space: change.space).cached(change.key)?.record.fields ?? change.before.applying(change.after)
    }
}

extension JournalCommand.ChangedField {
    /// Creates what changes of a field in several records have in common; nil: nothing.
    fileprivate init?(common fields: [Self]) {
        guard let first = fields.first else { return nil }
        let isSet = fields.allSatisfy { ($0.before ?? []).array != nil && ($0.after ?? []).array != nil }
        if isSet {
            let added = Self.common(fields.map { ($0.after, without: $0.before) })
            let removed = Self.common(fields.map { ($0.before, without: $0.after) })
            if added.isEmpty && removed.isEmpty { return nil }
            self.init(collection: first.collection, name: first.name, before: .array(removed), after: .array(added))
        } else {
            guard fields.allSatisfy({ $0.after == first.after }) else { return nil }
            let isSameBefore = fields.allSatisfy { $0.before == first.before }
            self.init(
                collection: first.collection, name: first.name,
                before: isSameBefore || first.after == nil ? first.before : nil, after: first.after)
        }
    }

    /// Returns the elements that are in all sets, without those of the other set of the pair.
    private static func common(_ sets: [(JSONValue?, without: JSONValue?)]) -> [JSONValue] {
        let differences = sets.map { set, other in (set?.array ?? []).filter { !(other?.array ?? []).contains($0) } }
        guard let first = differences.first else { return [] }
        return first.filter { element in differences.allSatisfy { $0.contains(element) } }
    }
}

extension CachedRecord {
    /// Whether it is the server's tombstone of a deletion that another device made.
    fileprivate func isDeleted(elsewhereThan device: String) -> Bool {
        record.deleted && pending == nil && record.modifiedBy != device
    }
}
