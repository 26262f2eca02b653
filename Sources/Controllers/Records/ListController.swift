public import ControllerKit
internal import LocalStore
internal import Records
internal import struct Records.Record

/// Finds tasks and notes, and does things to several of them at once.
///
/// Numbers belong to the last list: what changes meanwhile is shown in place, what is new comes at the end, and nothing
/// moves until the next `list`.
public final class ListController: Controller {
    public typealias Screen = ListScreen
    public let model = Model(ListScreen.State())
    private let services: Services
    /// The window of the last list.
    private var shown: [Numbered] = []
    /// How many records that list had.
    private var listed = 0
    /// Its filter, to find what is new; nil for a search.
    private var query: Query?
    /// Counts the lists: a refresh that one has overtaken changes nothing.
    private var generation = 0

    private struct Numbered {
        let number: Int
        let key: RecordKey
    }

    /// Takes its services.
    public init(_ services: Services) { self.services = services }

    public func didLoad() { notifyingOfChanges(in: services.store) }

    public func handle(_ intent: ListScreen.Intent) async throws {
        state.notice = nil
        state.changed = []
        switch intent {
        case .list(let filter, let limit, let offset): try await list(filter, limit: limit, offset: offset)
        case .search(let words, let limit): try await search(words, limit: limit)
        case .add(let words, let body):
            let task = TaskRecord(title: "", entry: services.timestamp)
            try await add(task.fields, TaskRecord.type, "task", words, body)
        case .note(let words, let body):
            let note = NoteRecord(title: "", entry: services.timestamp)
            try await add(note.fields, NoteRecord.type, "note", words, body)
        case .complete(let references):
            try await changeTasks("done", references, "Done") { [services] in $0.complete(at: services.timestamp) }
            try await tellNext()
        case .reopen(let references): try await changeTasks("undone", references, "To be done again") { $0.reopen() }
        case .remove(let references): try await remove(references)
        case .tag(let words): try await tag(words)
        }
    }

    public func refresh() async throws {
        let asked = generation
        try await appendNew()
        guard asked == generation, !shown.isEmpty else { return }
        let rows = try await services.store.read(rows(of: shown))
        guard asked == generation else { return }
        state.rows = rows
        state.total = listed - (shown.count - rows.count)
    }

    /// Numbers what fits the filter by now and isn't shown yet, where the window is the whole list.
    private func appendNew() async throws {
        guard let query, state.offset == 0, shown.count == listed else { return }
        let asked = generation
        let found = try await found(query)
        let known = Set(shown.map(\.key))
        let new = found.filter { !known.contains($0) }
        guard asked == generation, !new.isEmpty, listed + new.count <= ListScreen.windowMaximum else { return }
        shown += zip((listed + 1)..., new).map { Numbered(number: $0, key: $1) }
        listed = shown.count
        let (keys, terminal) = (shown.map(\.key), services.terminal)
        try await services.store.write { try $0.remember(keys, terminal: terminal) }
    }

    // MARK: Finding

    private func list(_ filter: [String], limit: Int?, offset: Int?) async throws {
        let range = try Self.range(limit: limit, offset: offset)
        let query = try Query(filter, dates: services.dates, scope: .open)
        try await show(found(query), filter: filter, range, query)
    }

    private func found(_ query: Query) async throws -> [RecordKey] {
        let collections = [TaskRecord.type.collection, NoteRecord.type.collection]
        return try await services.store.read { cache in
            query.select(from: try cache.rows(in: collections)).map { RecordKey(collection: $0.collection, id: $0.id) }
        }
    }

    private func search(_ words: [String], limit: Int?) async throws {
        let range = try Self.range(limit: limit, offset: nil)
        let found = try await services.store.write { try $0.search(words, limit: ListScreen.windowMaximum) }
        try await show(found, filter: words, range, nil)
    }

    private static func range(limit: Int?, offset: Int?) throws(Failure) -> Range<Int> {
        let limit = limit ?? ListScreen.windowDefault
        let offset = offset ?? 0
        guard (1...ListScreen.windowMaximum).contains(limit) else {
            throw Failure(.usage, "--limit must be 1 to \(ListScreen.windowMaximum), not \(limit).")
        }
        guard (0...Int(Int32.max)).contains(offset) else {
            throw Failure(.usage, "--offset must be 0 or more, not \(offset).")
        }
        return offset..<offset + limit
    }

    /// Shows a window of what was found, and keeps its numbers for this terminal.
    private func show(
        _ found: [RecordKey], filter: [String], _ range: Range<Int>, _ query: Query?
    ) async throws {
        let window = zip(1..., found).dropFirst(range.lowerBound).prefix(range.count)
            .map { Numbered(number: $0, key: $1) }
        let numbered = Array(found.prefix(range.upperBound))
        let (terminal, rowsOfWindow) = (services.terminal, rows(of: window))
        let rows = try await services.store.write { cache in
            try cache.remember(numbered, terminal: terminal)
            return try rowsOfWindow(cache)
        }
        // All at once, after the last wait: lists of two views never mix.
        generation += 1
        shown = window
        listed = found.count
        self.query = query
        state.filter = filter.joined(separator: " ")
        state.offset = range.lowerBound
        state.total = listed - (window.count - rows.count)
        state.rows = rows
    }

    /// How to read the rows of a window; records that are gone have none.
    private func rows(of window: [Numbered]) -> @Sendable (Cache) throws -> [ListScreen.State.Row] {
        let now = services.timestamp
        return { cache in
            try window.compactMap { shown in
                guard let cached = try cache.cached(shown.key), !cached.record.deleted else { return nil }
                let prefix = try cache.shortPrefix(of: shown.key.id)
                return .init(number: shown.number, cached, prefix: prefix, now: now)
            }
        }
    }

    // MARK: Changing

    private func add(
        _ fields: JSONObject, _ type: RecordType, _ kind: String, _ words: [String], _ body: String?
    ) async throws {
        let (key, title) = try await services.create(
            fields, in: type, services.edit(words, body: body), command: kind == "task" ? "add" : kind)
        let prefix = try await services.store.read { try $0.shortPrefix(of: key.id) }
        state.changed = [key.id]
        state.notice = "Added \(kind) \(prefix) “\(title)”."
    }

    private func changeTasks(
        _ command: String, _ references: [String], _ done: String,
        _ change: @escaping @Sendable (inout TaskRecord) -> Void
    ) async throws {
        try await edit(command, references, done) { record in
            guard record.key.collection == TaskRecord.type.collection else {
                throw Failure(.usage, "“\(record.title)” is a note; only tasks can be done.")
            }
            var task = TaskRecord(fields: record.fields)
            let status = task.status
            change(&task)
            return status == task.status ? [:] : task.fields.patch(from: record.fields)
        }
    }

    /// Tells of what comes after the tasks that were done.
    private func tellNext() async throws {
        guard let next = try await services.nextOnes(after: state.changed) else { return }
        state.changed += next.ids
        state.notice = [state.notice, next.sentence].compactMap(\.self).joined(separator: " ")
    }

    private func tag(_ words: [String]) async throws {
        let isTag = { (word: String) in word.hasPrefix("+") || word.hasPrefix("-") }
        let references = words.filter { !isTag($0) }
        let edit = try Edit(words.filter(isTag), dates: services.dates)
        if let other = edit.fields["title"]?.string {
            throw Failure(.usage, "“\(other)” is no tag. A tag is + or - and a word that begins with a letter: +shop")
        }
        guard !references.isEmpty, !edit.isEmpty else {
            throw Failure(.usage, "Name records and tags, for instance: tag 3 4 +shop -later")
        }
        try await self.edit("tag", references, "Tagged") { edit.patch(for: $0.fields) }
    }

    /// Edits records in one transaction; `patch` gives the changed fields, none where a record is so already.
    private func edit(
        _ command: String, _ references: [String], _ done: String,
        _ patch: @escaping @Sendable (Record) throws -> JSONObject
    ) async throws {
        let terminal = services.terminal
        let changed: [Record] = try await services.store.command(command) { cache in
            try cache.resolve(references, terminal: terminal).compactMap { key in
                guard let record = try cache.cached(key)?.record else { return nil }
                let patch = try patch(record)
                return patch.isEmpty ? nil : try cache.checkedEdit(key, patch)
            }
        }
        try await tell(done, changed)
    }

    private func remove(_ references: [String]) async throws {
        let terminal = services.terminal
        let removed: [Record] = try await services.store.command("rm") { cache in
            try cache.resolve(references, terminal: terminal).compactMap { key in
                let record = try cache.cached(key)?.record
                try cache.delete(key)
                return record
            }
        }
        try await tell("Deleted", removed)
    }

    private func tell(_ done: String, _ records: [Record]) async throws {
        state.changed = records.map(\.key.id)
        state.notice =
            switch records.count {
            case 0: "Nothing changed: it was so already."
            case 1: "\(done): “\(records[0].title)”."
            default: "\(done): \(records.count) records."
            }
        try await refresh()
    }
}

extension Record {
    /// The title, or the id of a record without one.
    fileprivate var title: String { fields["title"]?.string ?? key.id }
}

extension ListScreen.State.Row {
    fileprivate init(number: Int, _ cached: CachedRecord, prefix: String, now: Timestamp) {
        let record = cached.record
        let task = TaskRecord(fields: record.fields)
        let isTask = record.key.collection == TaskRecord.type.collection
        self.init(
            number: number, id: record.key.id, prefix: prefix, collection: record.key.collection, title: record.title,
            project: task.project, tags: task.tags, due: task.due?.description,
            isOverdue: task.due.map { $0 < now && task.status != .completed } ?? false,
            priority: task.priority?.rawValue,
            status: isTask ? task.status.rawValue : nil, repeat: task.rule?.description,
            hasMore: task.body != nil || !task.annotations.isEmpty,
            isUnsent: cached.pending != nil)
    }
}
