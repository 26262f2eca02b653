public import Foundation
internal import LocalStore
public import Records
internal import TextMerge

/// The value to keep of a conflict. New cases may be added.
public enum ConflictChoice: Sendable, Equatable {
    /// The version of this device, or of the other one.
    case mine, theirs
    /// The earlier or the later version.
    case earlier, later
    /// Both versions, one after the other, of a title or a body. If a merge kept both versions of some lines, this and
    /// the choices above apply to these lines only.
    case both
    /// The value that the record has now.
    case keep
    /// A text that the user typed.
    case text(String)
}

/// A conflict in a list, with its record.
public struct ListedConflict: Sendable {
    /// Its number in the list of conflicts.
    public let number: Int
    /// The conflict, with both versions.
    public let conflict: ConflictRecord
    /// The title of the record; its id if it has none.
    public let title: String
    /// The present record; nil: the cache has nothing of it.
    public let record: Record?
    /// When and on which device it was resolved; nil: it is open, or that is unknown.
    public let resolution: Resolution?

    /// When and where a conflict was resolved.
    public struct Resolution: Sendable {
        /// The time; nil: it can't be read.
        public let at: Date?
        /// The id of the device.
        public let device: String
    }

    /// Whether the record is deleted.
    public var isRecordDeleted: Bool { record?.deleted ?? true }
    /// Whether the field was changed again after the merge.
    public var hasChangedSince: Bool {
        record.map { !$0.deleted && conflict.conflict.isOvertaken(in: $0) } ?? false
    }
}

/// The conflicts that a view shows. The numbers stay the same until the next list.
public struct ConflictList: Sendable {
    /// The conflicts.
    public let rows: [ListedConflict]
    /// The number of conflicts, in the list or not.
    public let total: Int
    /// Whether the list contains resolved conflicts.
    public let areResolved: Bool
    /// The id of this device.
    public let device: String
    /// The names of other devices, by id.
    public let deviceNames: [String: String]

    fileprivate let numbers: [Numbered]

    fileprivate struct Numbered: Sendable, Equatable {
        let number: Int
        let id: String
    }

    /// Whether this list and another one number the same conflicts.
    public func hasSameNumbers(as other: ConflictList) -> Bool {
        numbers == other.numbers && areResolved == other.areResolved
    }
}

/// The result of resolving a conflict.
public struct ResolvedConflict: Sendable, Equatable {
    /// The title of the record.
    public let title: String
    /// Whether the conflict had been resolved before.
    public let wasResolved: Bool
    /// Whether a text with lines of both versions, the result of a merge, was replaced as a whole.
    public let replacedMerge: Bool
}

/// The text of a conflict, to be edited.
public struct ConflictText: Sendable, Equatable {
    /// The id of the conflict.
    public let conflict: String
    /// The field.
    public let field: String
    /// Whether the field is the body of the record.
    public let isBody: Bool
    /// The text, with both versions of the lines in conflict.
    public let text: String
}

extension Notebook {
    /// Lists conflicts and numbers them.
    ///
    /// - Parameters:
    ///   - resolved: Whether to list the resolved ones, the newest first; else the open ones, those of a record
    ///     together and the oldest first.
    ///   - limit: The maximum number of conflicts.
    public func conflicts(resolved: Bool = false, limit: Int = 200) async throws -> ConflictList {
        let (list, isChanged) = try await view { records in
            // The first device that notices deletes conflicts resolved 90 days ago, for all devices
            // (Records.docc/0002).
            var isChanged = try records.cache.conflicts.forgetOldConflicts()
            // From now on, `sync` and `status` don't report these resolutions of other devices.
            if resolved { isChanged = try records.cache.conflicts.noteResolvedShown() || isChanged }
            let ids = try records.conflictIDs(resolved: resolved).prefix(limit)
            try records.cache.index.remember(ids.map(ConflictRecord.key), terminal: records.conflictListing)
            let numbers = zip(1..., ids).map { ConflictList.Numbered(number: $0, id: $1) }
            return (try records.list(numbers, areResolved: resolved), isChanged)
        }
        // Other views show the numbers of conflicts, and the deletions are to be sent.
        if isChanged { store.announceWrite() }
        return list
    }

    /// Shows one conflict, named by its number or the beginning of its id.
    ///
    /// - Throws: ``NotebookError``.
    public func conflict(_ reference: String) async throws -> ConflictList {
        try await view { records in
            let (cache, terminal) = (records.cache, records.conflictListing)
            let found = try records.conflict(reference)
            let key = found.conflict.key
            // A conflict of the last list keeps its number. Any other one becomes the only one of a new list.
            if try !cache.index.listing(terminal: terminal).contains(key) {
                try cache.index.remember([key], terminal: terminal)
            }
            let index = try cache.index.listing(terminal: terminal).firstIndex(of: key) ?? 0
            return try records.list([.init(number: index + 1, id: key.id)], areResolved: found.isResolved)
        }
    }

    /// Returns the same list with the present state of its conflicts. New conflicts get no number before the next list.
    public func refreshed(_ list: ConflictList) async throws -> ConflictList {
        try await read { try $0.list(list.numbers, areResolved: list.areResolved) }
    }

    /// Returns the text of a conflict, to be edited.
    ///
    /// - Throws: ``NotebookError``.
    public func conflictText(_ reference: String) async throws -> ConflictText {
        try await read { try $0.text(of: $0.conflict(reference).conflict) }
    }

    /// Resolves a conflict, or chooses another value for a resolved one. The choice is an edit of the record.
    ///
    /// - Parameter revive: Whether a deleted record is revived, in its last state here.
    /// - Throws: ``NotebookError``; then the conflict stays open.
    public func resolve(
        _ reference: String, _ choice: ConflictChoice, revive: Bool = false
    ) async throws -> ResolvedConflict {
        try await command("resolve") { records in
            let found = try records.conflict(reference)
            let decision = try records.decision(choice, on: found.conflict)
            try records.resolve(found, decision, revive: revive)
            return ResolvedConflict(
                title: try records.title(of: found.conflict.record), wasResolved: found.isResolved,
                replacedMerge: decision.replacesMerged(found.conflict.conflict))
        }
    }
}

/// A conflict, and whether it is resolved.
struct FoundConflict: Sendable {
    let conflict: ConflictRecord
    let isResolved: Bool

    /// Nil for a record of another collection, and for a conflict that was deleted long after it was resolved.
    init?(_ record: Record) {
        guard record.key.collection == ConflictRecord.type.collection,
            let conflict = ConflictRecord(id: record.key.id, fields: record.fields),
            !(record.deleted && conflict.isResolved)
        else { return nil }
        self.conflict = conflict
        // Deleted without a resolution: dismissed by an older client, or refused by the server (Records.docc/0002).
        isResolved = record.deleted || conflict.isResolved
    }
}

extension Notebook.Transaction {
    /// Conflicts have a numbered list of their own.
    fileprivate var conflictListing: String { notebook.terminal + "#conflicts" }

    // MARK: Finding

    /// Returns the conflict with this number or beginning of an id. If no open conflict matches a beginning, resolved
    /// ones are searched.
    fileprivate func conflict(_ reference: String) throws -> FoundConflict {
        var found: [FoundConflict] = []
        switch Reference(reference) {
        case .number(let number):
            let key = try cache.index.listing(terminal: conflictListing).dropFirst(number - 1).first
            let numbered = try key.flatMap { try record($0) }.flatMap { FoundConflict($0) }
            guard let numbered else { throw NotebookError.unknownConflictNumber(reference) }
            found = [numbered]
        case .prefix(let prefix):
            found = try conflicts(beginningWith: prefix.lowercased())
        }
        guard let first = found.first else { throw NotebookError.unknownConflict(reference) }
        guard found.count == 1 else { throw NotebookError.ambiguousConflict(reference) }
        return first
    }

    private func conflicts(beginningWith prefix: String) throws -> [FoundConflict] {
        if prefix.isEmpty { return [] }
        let found = try allConflicts().filter { $0.conflict.id.hasPrefix(prefix) }
        let open = found.filter { !$0.isResolved }
        return open.isEmpty ? found : open
    }

    /// Returns all conflicts whose values are stored, open and resolved, in no particular order. They are limited to
    /// records whose types the program declares.
    private func allConflicts() throws -> [FoundConflict] {
        try (records(of: ConflictRecord.type) + cache.tombstones(in: ConflictRecord.type.collection))
            .compactMap { FoundConflict($0) }.filter { types.declares($0.conflict.record.collection) }
    }

    fileprivate func conflictIDs(resolved: Bool) throws -> [String] {
        // By the clocks of the conflicts, which are those of the later edits and the same on all devices.
        let all = try allConflicts().filter { $0.isResolved == resolved }.map(\.conflict)
            .sorted { ($0.clock.latest?.description ?? "", $0.id) < ($1.clock.latest?.description ?? "", $1.id) }
        if resolved { return all.reversed().map(\.id) }
        // The conflicts of a record get the place of its oldest one, so they are adjacent.
        var places: [RecordKey: Int] = [:]
        for (place, conflict) in all.enumerated() where places[conflict.record] == nil {
            places[conflict.record] = place
        }
        return all.enumerated().sorted {
            (places[$0.element.record] ?? 0, $0.offset) < (places[$1.element.record] ?? 0, $1.offset)
        }.map(\.element.id)
    }

    fileprivate func list(_ numbers: [ConflictList.Numbered], areResolved: Bool) throws -> ConflictList {
        let rows: [ListedConflict] = try numbers.compactMap { numbered in
            guard let held = try cache.cached(ConflictRecord.key(numbered.id)), let found = FoundConflict(held.record),
                found.isResolved == areResolved
            else { return nil }
            return ListedConflict(
                number: numbered.number, conflict: found.conflict, title: try title(of: found.conflict.record),
                record: try record(found.conflict.record), resolution: found.conflict.resolution(in: held))
        }
        return ConflictList(
            rows: rows, total: try conflictIDs(resolved: areResolved).count, areResolved: areResolved,
            device: try cache.device(), deviceNames: try cache.account.deviceNames(), numbers: numbers)
    }

    /// Returns the number of open conflicts.
    public func openConflictCount() throws -> Int { try cache.conflicts.openCount() }

    /// Returns the number of conflicts with an edit of this device that another device has resolved since the resolved
    /// conflicts were last listed here.
    public func resolvedElsewhereCount() throws -> Int { try cache.conflicts.conflictsResolvedElsewhere() }

    /// Returns the number of open conflicts of a record.
    public func openConflictCount(of key: RecordKey) throws -> Int {
        try records(of: ConflictRecord.type)
            .compactMap { ConflictRecord(id: $0.key.id, fields: $0.fields) }
            .count { $0.record == key && !$0.isResolved }
    }

    // MARK: Resolving

    /// Carries out the decision as an edit, and marks the conflict as resolved.
    fileprivate func resolve(_ found: FoundConflict, _ decision: ConflictDecision, revive: Bool) throws {
        let (key, field) = (found.conflict.record, found.conflict.conflict.field)
        let record = try record(key)
        let isGone = record?.deleted ?? true
        if decision == .keep, found.isResolved, !(revive && isGone) { throw NotebookError.alreadyResolved }
        // The server's tombstones have no fields, so there may be nothing to restore.
        if isGone, revive, record?.fields.isEmpty ?? true { throw NotebookError.nothingToRevive }
        switch decision {
        case .value(let value, let source):
            guard !isGone || revive else { throw NotebookError.recordDeleted(title: try title(of: key)) }
            // A value that the record had before is accepted again: the limits and the kinds are for typed values.
            let isFormer = value != nil && (source == .former || source == .lines)
            let patch: JSONObject = [field: value ?? .null]
            if source == .typed {
                try FieldLimits.checkKinds(of: patch, on: record?.fields ?? [:], types.catalog(for: key.collection))
            }
            try edit(key, patch, moments: [:], isFormer: isFormer)
        case .keep:
            if isGone, revive { try cache.edit(key, [:]) }
        }
        try markResolved(found.conflict.key)
    }

    /// Stores in the conflict that it is resolved, for all devices. A conflict that the server refused would be refused
    /// again, so it is deleted; its tombstone keeps the values here.
    private func markResolved(_ key: RecordKey) throws {
        guard let held = try cache.cached(key), !held.record.deleted else { return }
        if held.pending?.rejection != nil { return try delete(key) }
        try cache.edit(key, [ConflictRecord.resolvedField: .string(notebook.timestamp.description)])
    }
}

extension ConflictRecord {
    /// Returns when and on which device it was resolved. A deleted conflict was resolved by an older version of the
    /// client, at the time of the deletion.
    fileprivate func resolution(in held: CachedRecord) -> ListedConflict.Resolution? {
        if isResolved {
            return held.record.clock[Self.resolvedField].map { .init(at: resolvedAt?.date, device: $0.device) }
        }
        // Before the deletion is acknowledged, the server's time and device aren't those of the deletion.
        guard held.record.deleted, held.pending == nil else { return nil }
        return .init(at: held.record.modificationDate, device: held.record.modifiedBy)
    }
}

extension FieldConflict {
    /// Whether the field was changed again after the merge. A text with both versions has the clock after the later
    /// version's.
    func isOvertaken(in record: Record) -> Bool {
        switch kept {
        case .later: record.fields[field] != later.value
        case .both: record.clock[field] != later.moment?.next
        }
    }
}
