public import ControllerKit
internal import Foundation
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
    /// The last list.
    private var listing = Listing()
    /// The groups of its records, which don't change until the next list; empty if it isn't grouped.
    private var groups: [RecordKey: ListScreen.State.Group] = [:]
    /// The number of lists so far. A refresh that began before the last list changes nothing.
    private var generation = 0

    /// Creates a controller on a notebook.
    public init(_ notebook: Notebook) {
        self.notebook = notebook
        model = Model(ListScreen.State(types: notebook.types))
    }

    public func didLoad() { notifyingOfChanges(in: notebook.store) }

    public func handle(_ intent: ListScreen.Intent) async throws {
        state.notice = nil
        state.changed = []
        switch intent {
        case .list(let filter, let limit, let offset):
            show(try await notebook.list(filter, window: Self.window(limit, offset)), filter)
        case .search(let words, let limit):
            show(try await notebook.search(words, window: Self.window(limit, nil)), words)
        case .add(let words, let body, let type, let command):
            try await add(words, body, to: try self.type(named: type), command: command)
        case .complete(let references):
            let completed = try await notebook.complete(references)
            try await report(completed.changed, "Done", unchanged: Self.already("done", completed.unchanged))
            report(next: completed.next)
        case .reopen(let references):
            let reopened = try await notebook.reopen(references)
            try await report(reopened.changed, "Reopened", unchanged: Self.already("open", reopened.unchanged))
        case .remove(let references): try await report(try await notebook.delete(references), "Deleted")
        case .tag(let words):
            let tagged = try await tag(words)
            let have = tagged.unchanged.count == 1 ? "has" : "have"
            let reason = "\(Self.name(of: tagged.unchanged)) already \(have) the requested tags"
            try await report(tagged.changed, "Tagged", unchanged: reason)
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
            throw Failure(.usage, "--limit must be 1 to \(ListScreen.windowMaximum), not \(limit).")
        }
        // The bound keeps `offset + limit` from overflowing.
        guard (0...Int(Int32.max)).contains(offset) else {
            throw Failure(.usage, "--offset must be 0 or more, not \(offset).")
        }
        return offset..<offset + limit
    }

    /// Shows a new list. The whole state is set after the last `await`, so that the lists of two views never mix.
    private func show(_ listing: Listing, _ words: [String]) {
        generation += 1
        groups = [:]
        // In any other order, the records of a group aren't adjacent.
        if listing.isInUsualOrder {
            let horizon = Horizon(notebook.dates)
            for row in listing.rows {
                groups[row.record.key] = .init(row.record, of: notebook.types[row.record.key.collection], horizon)
            }
        }
        state.filter = CommandWords.joined(words)
        state.offset = listing.offset
        showRows(of: listing)
    }

    private func showRows(of listing: Listing) {
        self.listing = listing
        let context = RowContext(types: notebook.types, dates: notebook.dates, sought: listing.sought)
        state.total = listing.total
        state.rows = listing.rows.map { row in
            let group = listing.isInUsualOrder && row.isNew ? .new : groups[row.record.key]
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

    private func add(_ words: [String], _ body: String?, to type: RecordType, command: String) async throws {
        let added = try await notebook.add(words, to: type, body: body, command: command)
        state.changed = [added.key.id]
        state.notice = "Added \(type.noun) \(added.prefix) “\(added.title)”\(deadlineText(of: added.fields, type))."
        // Shown now, so that the record isn't reported later as a change of another process.
        try await refresh()
    }

    /// Adds and removes tags: `3 4 +shop -later`.
    private func tag(_ words: [String]) async throws -> EditedRecords {
        let isTag = { (word: String) in word.hasPrefix("+") || word.hasPrefix("-") }
        let tags = try Edit(words.filter(isTag), dates: notebook.dates, catalog: notebook.types.catalog)
        if let other = tags.fields[.title] {
            throw Failure(.usage, "“\(other)” isn't a tag. Write + or - and a word that begins with a letter: +shop")
        }
        let references = words.filter { !isTag($0) }
        do {
            return try await notebook.tag(references, adding: tags.addedTags, removing: tags.removedTags)
        } catch NotebookError.recordsOrTagsMissing {
            throw Failure(.usage, "Which records and tags? Example: tag 3 4 +shop -later")
        }
    }

    /// How a deadline was parsed: `, due today 15:00 (in the past)`; empty: none was given.
    private func deadlineText(of fields: JSONObject, _ type: RecordType) -> String {
        guard let field = type.deadline, let due = fields[FieldKey<Timestamp>(field.name)] else { return "" }
        let words = ", \(field.label.lowercased()) " + DateWords(notebook.dates).words(for: due)
        return Horizon(notebook.dates).isOverdue(due) ? words + " (in the past)" : words
    }

    /// Reports the changed records; if there are none, the reason.
    private func report(_ changed: [Record], _ done: String, unchanged reason: String? = nil) async throws {
        state.changed = changed.map(\.key.id)
        state.notice =
            changed.isEmpty
            ? "Nothing to change" + (reason.map { ": " + $0 } ?? "") + "." : "\(done): \(Self.name(of: changed))."
        try await refresh()
    }

    /// The reason why nothing changed: `“Buy milk” is already done`.
    private static func already(_ state: String, _ records: [Record]) -> String {
        "\(name(of: records)) \(records.count == 1 ? "is" : "are") already \(state)"
    }

    /// The title of one record, or the number of several.
    private static func name(of records: [Record]) -> String {
        records.count == 1 ? "“\(records[0].titleOrID)”" : "\(records.count) records"
    }

    /// Reports the next instances of repeating tasks.
    private func report(next records: [Record]) {
        guard let first = records.first, let field = notebook.types[first.key.collection].deadline,
            let due = first.fields[FieldKey<Timestamp>(field.name)]
        else { return }
        let next = LocalTime.short(due.date, in: LocalTime.calendar(in: notebook.calendar.timeZone))
        let sentence = records.count == 1 ? "Next: \(next)." : "\(records.count) of them repeat."
        state.changed += records.map(\.key.id)
        state.notice = [state.notice, sentence].compactMap(\.self).joined(separator: " ")
    }
}
