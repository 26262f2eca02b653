public import ControllerKit
internal import LocalStore
internal import Records

/// What merges could not keep: both values, until somebody has looked.
public enum ConflictsScreen: Screen {
    public static let name = "conflicts"
    public static let summary = "Edits of two devices that couldn't both stay, with both values."

    /// What a view shows.
    public struct State: ScreenState {
        /// The conflicts shown, oldest edit first.
        public var rows: [Row] = []
        /// How many there are in all.
        public var total = 0
        public var notice: String?

        /// One conflict.
        public struct Row: Codable, Equatable, Sendable {
            /// Its number in this list.
            public var number: Int
            /// The id of the conflict's own record.
            public var id: String
            /// The record's id and title.
            public var record: String
            /// The title of the record that has the conflict.
            public var title: String
            /// The field whose two values these are.
            public var field: String
            /// The edit that was made first, by the field's clocks.
            public var earlier: Edit
            /// The edit that was made last.
            public var later: Edit
            /// What stands in the record now: `later`, or `both` where a text has both versions between markers.
            public var kept: String
        }

        /// One of the two edits.
        public struct Edit: Codable, Equatable, Sendable {
            /// The value: a text as it is, anything else as JSON; nil where the field was removed.
            public var value: String?
            /// When it was made: RFC 3339 in UTC.
            public var at: String?
            /// The device that made it.
            public var device: String?
            /// Whether this device made it.
            public var isMine: Bool
        }

        public init() {}
    }

    /// Which value shall stand.
    public enum Choice: String, CaseIterable, Sendable {
        /// That of this device, or of the other one.
        case mine, theirs
        /// The earlier or the later one.
        case earlier, later
        /// Both, one after the other; for texts.
        case both
        /// What stands there now.
        case keep
    }

    /// What a person can do.
    public enum Intent: Sendable {
        /// Show the conflicts that nobody has settled.
        case list
        /// Settle a conflict, named by its number in the list or the beginning of its id.
        case resolve(String, Choice)
    }

    public static let verbs: [Verb<Intent>] = [
        Verb("conflicts", help: "List the conflicts, with both values.") { .list },
        Verb(
            "resolve", .text("conflict", help: "Its number in `conflicts`, or the beginning of its id."),
            .choice("choice", Choice.allCases.map(\.rawValue), help: "Which value shall stand."), answer: .notice,
            help: "Settle a conflict: the value chosen becomes a new edit, and the conflict goes."
        ) { .resolve($0, Choice(rawValue: $1) ?? .keep) },
    ]
}

/// Lists conflicts and settles them.
public final class ConflictsController: Controller {
    public typealias Screen = ConflictsScreen
    public let model = Model(ConflictsScreen.State())
    private let services: Services
    /// The ids of the last list, in its order: number 1 is the first.
    private var listed: [String] = []
    private var isShown = false

    /// Takes its services.
    public init(_ services: Services) { self.services = services }

    /// How many conflicts a state holds at most.
    public nonisolated static let windowSize = 200

    public func didLoad() { notifyingOfChanges(in: services.store) }

    public func handle(_ intent: ConflictsScreen.Intent) async throws {
        state.notice = nil
        switch intent {
        case .list: try await list()
        case .resolve(let reference, let choice):
            try await resolve(reference, choice)
            try await refresh()
        }
    }

    public func refresh() async throws {
        guard isShown else { return }
        let before = listed
        let inbox = try await services.store.read { try Inbox($0, listed: before) }
        // Another list may have been asked for meanwhile; its rows are newer.
        guard before == listed else { return }
        (state.rows, state.total) = (inbox.rows, inbox.total)
    }

    private func list() async throws {
        let listing = listing
        let inbox = try await services.store.write { cache in
            let inbox = try Inbox(cache, listed: nil)
            let ids = inbox.rows.map { RecordKey(collection: ConflictRecord.type.collection, id: $0.id) }
            try cache.remember(ids, terminal: listing)
            return inbox
        }
        isShown = true
        listed = inbox.rows.map(\.id)
        (state.rows, state.total) = (inbox.rows, inbox.total)
    }

    /// Conflicts have a numbered list of their own.
    private var listing: String { services.terminal + "#conflicts" }

    private func resolve(_ reference: String, _ choice: ConflictsScreen.Choice) async throws {
        let listing = listing
        let title = try await services.store.write { cache in
            let conflict = try cache.conflict(reference, listing: listing)
            try cache.settle(conflict, choice)
            return try cache.title(of: conflict.record)
        }
        state.notice = "Settled: “\(title)”."
    }
}

/// The inbox as a state shows it.
private struct Inbox: Sendable {
    var rows: [ConflictsScreen.State.Row]
    var total: Int

    /// - Parameter listed: The ids of the list whose numbers stay: what came since has none until the next list. Nil: a
    ///   new list, in the order of the edits.
    init(_ cache: Cache, listed: [String]?) throws {
        let device = try cache.device()
        let all = try cache.records(in: [ConflictRecord.type.collection])
            .compactMap { ConflictRecord(id: $0.key.id, fields: $0.fields) }
            .sorted { ($0.clock.latest?.description ?? "", $0.id) < ($1.clock.latest?.description ?? "", $1.id) }
        let byID = Dictionary(all.map { ($0.id, $0) }) { first, _ in first }
        total = all.count
        rows = try zip(1..., listed ?? all.prefix(ConflictsController.windowSize).map(\.id)).compactMap { number, id in
            try byID[id].map { try .init(number: number, $0, title: cache.title(of: $0.record), device: device) }
        }
    }
}

extension ConflictsScreen.State.Row {
    fileprivate init(number: Int, _ conflict: ConflictRecord, title: String, device: String) {
        let found = conflict.conflict
        self.init(
            number: number, id: conflict.id, record: conflict.record.id, title: title, field: found.field,
            earlier: .init(found.earlier, device: device), later: .init(found.later, device: device),
            kept: found.kept.rawValue)
    }
}

extension ConflictsScreen.State.Edit {
    fileprivate init(_ edit: FieldEdit, device: String) {
        value = edit.value.map { $0.string ?? $0.text }
        at = edit.moment.map { Timestamp(seconds: Int64($0.milliseconds / 1_000)).description }
        self.device = edit.moment?.device
        isMine = edit.moment?.device == device
    }
}
