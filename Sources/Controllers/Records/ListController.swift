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
    let services: Services
    /// The last list.
    var last = ListWindow()
    /// Counts the lists: a refresh that one has overtaken changes nothing.
    var generation = 0

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
        guard asked == generation, !last.shown.isEmpty else { return }
        let rows = try await services.store.read(rows(of: last))
        guard asked == generation else { return }
        state.rows = rows
        state.total = last.total - (last.shown.count - rows.count)
    }

    // MARK: Changing

    private func add(
        _ fields: JSONObject, _ type: RecordType, _ kind: String, _ words: [String], _ body: String?
    ) async throws {
        let edit = try services.edit(words, body: body)
        let (key, title) = try await services.create(
            fields, in: type, edit, command: kind == "task" ? "add" : kind)
        let prefix = try await services.store.read { try $0.shortPrefix(of: key.id) }
        state.changed = [key.id]
        state.notice = "Added \(kind) \(prefix) “\(title)”\(services.dueTold(in: edit.words))."
        // So that what the person made isn't taken for somebody else's change later.
        try await refresh()
    }

    private func changeTasks(
        _ command: String, _ references: [String], _ done: String,
        _ change: @escaping @Sendable (inout TaskRecord) -> Void
    ) async throws {
        try await edit(command, references, done) { record in
            guard record.key.collection == TaskRecord.type.collection else {
                throw Failure(.usage, "“\(record.titleOrID)” is a note; only tasks can be done.")
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
        let edit = try Edit(words.filter(isTag), dates: services.dates, catalog: services.types.catalog)
        if let other = edit.fields[.title] {
            throw Failure(.usage, "“\(other)” is no tag. A tag is + or - and a word that begins with a letter: +shop")
        }
        guard !references.isEmpty, !edit.isEmpty else {
            throw Failure(.usage, "Name records and tags, for instance: tag 3 4 +shop -later")
        }
        try await self.edit("tag", references, "Tagged") { try edit.patch(for: $0.fields) }
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
            case 0: "Nothing to change."
            case 1: "\(done): “\(records[0].titleOrID)”."
            default: "\(done): \(records.count) records."
            }
        try await refresh()
    }
}

extension Record {
    /// The title, or the id of a record without one.
    var titleOrID: String { self[.title] ?? key.id }
}
