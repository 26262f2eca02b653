public import ControllerKit
public import Notebook
internal import Records

/// Finds records, adds them, and changes several of them at once.
///
/// The numbers belong to the last list. Until the next `list`, changes are shown in place, new records are appended,
/// and no number changes.
public final class ListController: Controller {
    public typealias Screen = ListScreen
    public let model: Model<ListScreen.State>
    private let notebook: Notebook
    private let settings: Settings
    private let notices: ListNotices
    /// The last list.
    private var listing = Listing()
    /// The groups of its records, which don't change until the next list; empty if it isn't grouped.
    private var groups: [RecordKey: ListScreen.State.Group] = [:]
    /// The number of lists so far. A refresh that began before the last list changes nothing.
    private var generation = 0

    /// Creates a controller on a notebook.
    public init(_ notebook: Notebook, settings: Settings = Settings()) {
        (self.notebook, self.settings) = (notebook, settings)
        notices = ListNotices(notebook)
        model = Model(ListScreen.State(types: notebook.types, columns: settings.columns))
    }

    public func didLoad() { notifyingOfChanges(in: notebook.store) }

    public func handle(_ intent: ListScreen.Intent) async throws {
        state.notice = nil
        state.changed = []
        switch intent {
        case .list(let typed, let limit, let offset):
            let filter = typed.isEmpty ? settings.defaultList : typed
            let window = try Self.window(limit, offset)
            show(try await notebook.list(filter, window: window, isFixed: limit != nil), filter)
        case .search(let words, let limit):
            let window = try Self.window(limit, nil)
            show(try await notebook.search(words, window: window, isFixed: limit != nil), words)
        case .next(let conditions, let limit):
            let filter = ListScreen.conditions(ListScreen.nextFilter, and: conditions)
            let window = try Self.window(limit ?? ListScreen.nextDefault, nil)
            show(try await notebook.list(filter, window: window, isFixed: limit != nil), filter)
        case .add(let words, let body, let type, let command):
            try await add(words, body, to: try self.type(named: type), command: command)
        case .complete(let words, let confirmed):
            let completed = try await notebook.complete(
                .words(words), approving: BulkChange.complete.approval(notebook.types, settings, confirmed: confirmed))
            try await report(completed.changed, "Done", unchanged: notices.already("done", completed.unchanged))
            state.changed += completed.next.map(\.key.id)
            let open = notices.open(completed.openParts, of: completed.changed)
            state.notice = [state.notice, notices.next(completed.next), open].compactMap(\.self).joined(separator: " ")
        case .reopen(let words, let confirmed):
            let reopened = try await notebook.reopen(
                .words(words), approving: BulkChange.reopen.approval(notebook.types, settings, confirmed: confirmed))
            try await report(reopened.changed, "Reopened", unchanged: notices.already("open", reopened.unchanged))
        case .start(let words, let confirmed):
            let started = try await notebook.start(
                .words(words), approving: BulkChange.start.approval(notebook.types, settings, confirmed: confirmed))
            try await report(started.changed, "Started", unchanged: notices.already("started", started.unchanged))
        case .stop(let words, let confirmed):
            let stopped = try await notebook.stop(
                .words(words), approving: BulkChange.stop.approval(notebook.types, settings, confirmed: confirmed))
            try await report(stopped.changed, "Stopped", unchanged: notices.notStarted(stopped.unchanged))
            state.notice = [state.notice, notices.timeSpent(stopped.changed)].compactMap(\.self).joined(separator: " ")
        case .remove(let words, let confirmed):
            let deleted = try await notebook.delete(
                .words(words), approving: BulkChange.delete.approval(notebook.types, settings, confirmed: confirmed))
            try await report(deleted, "Deleted")
        case .tag(let typed, let confirmed):
            let words = try TagWords(typed, notebook)
            let tagged = try await words.tag(
                in: notebook, approving: BulkChange.tag.approval(notebook.types, settings, confirmed: confirmed))
            try await report(tagged.changed, "Tagged", unchanged: notices.unchanged(tagged.unchanged, by: words.tags))
        }
    }

    public func refresh() async throws {
        let asked = generation
        let refreshed = try await notebook.refreshed(listing)
        // A new list was shown during the wait; `refreshed` is about the former one.
        guard asked == generation else { return }
        showRows(of: refreshed)
    }

    // MARK: Lists

    private static func window(_ limit: Int?, _ offset: Int?) throws(Failure) -> Range<Int> {
        let limit = limit ?? ListScreen.windowDefault
        let offset = offset ?? 0
        guard (1...ListScreen.windowMaximum).contains(limit) else {
            throw Failure(.usage, "The limit must be 1 to \(ListScreen.windowMaximum), not \(limit).")
        }
        // The bound keeps `offset + limit` from overflowing.
        guard (0...Int(Int32.max)).contains(offset) else {
            throw Failure(.usage, "The offset must be 0 to \(Int32.max), not \(offset).")
        }
        return offset..<offset + limit
    }

    /// Shows a new list. The whole state is set after the last `await`, so that the lists of two views never mix.
    private func show(_ listing: Listing, _ words: [String]) {
        generation += 1
        groups = [:]
        // In any other order, the records of a group aren't adjacent.
        if listing.isInDefaultOrder {
            let horizon = Horizon(notebook.dates)
            for row in listing.rows {
                groups[row.record.key] = .init(row.record, of: notebook.types[row.record.key.collection], horizon)
            }
        }
        state.filter = CommandWords.joined(words)
        state.context = ActiveContext(listing.context)
        state.offset = listing.offset
        state.notice = notices.unstoredNumbers
        showRows(of: listing)
    }

    private func showRows(of listing: Listing) {
        self.listing = listing
        let context = RowContext(types: state.types, dates: notebook.dates, sought: listing.sought)
        state.total = listing.total
        state.rows = listing.rows.map { row in
            let group = listing.isInDefaultOrder && row.isNew ? .new : groups[row.record.key]
            return .init(row, group: group, context)
        }
    }

    // MARK: Changes

    /// The type with this name; nil: the first type that lists show.
    private func type(named name: String?) throws(Failure) -> RecordType {
        let listed = notebook.types.listedTypes
        if let type = name == nil ? listed.first : notebook.types.type(named: name ?? "") { return type }
        throw Failure(
            .usage, "Unknown type “\(name ?? "")”. Known types: \(listed.map(\.noun).joined(separator: ", ")).")
    }

    private func add(_ typed: [String], _ body: String?, to type: RecordType, command: String) async throws {
        let words = settings.titleDates == .use ? notebook.usingTitleDate(in: typed, type) : typed
        let added = try await notebook.add(words, to: type, body: body, command: command)
        state.changed = [added.key.id]
        state.notice = notices.added(added, type, words)
        // Shown now, so that the record isn't reported later as a change of another process.
        try await refresh()
    }

    /// Reports the changed records; if there are none, the reason.
    private func report(_ changed: [Record], _ done: String, unchanged reason: String? = nil) async throws {
        state.changed = changed.map(\.key.id)
        state.notice =
            changed.isEmpty
            ? "Nothing to change" + (reason.map { ": " + $0 } ?? "") + "." : "\(done): \(notices.name(of: changed))."
        try await refresh()
    }
}
