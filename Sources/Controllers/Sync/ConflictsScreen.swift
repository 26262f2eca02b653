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
    private var isShown = false

    /// Takes its services.
    public init(_ services: Services) { self.services = services }

    /// How many conflicts a state holds at most.
    public nonisolated static let windowSize = 200

    public func didLoad() { notifyingOfChanges(in: services.store) }

    public func handle(_ intent: ConflictsScreen.Intent) async throws {
        state.notice = nil
        switch intent {
        case .list:
            isShown = true
            try await refresh()
            let keys = state.rows.map { RecordKey(collection: ConflictRecord.type.collection, id: $0.id) }
            let terminal = listing
            try await services.store.write { try $0.remember(keys, terminal: terminal) }
        case .resolve(let reference, let choice):
            try await resolve(reference, choice)
            try await refresh()
        }
    }

    public func refresh() async throws {
        guard isShown else { return }
        let loaded = try await services.store.read { cache in try Conflicts(cache) }
        state.rows = loaded.rows
        state.total = loaded.total
    }

    /// Conflicts have a numbered list of their own.
    private var listing: String { services.terminal + "#conflicts" }

    private func resolve(_ reference: String, _ choice: ConflictsScreen.Choice) async throws {
        let listing = listing
        let title = try await services.store.write { cache in
            let conflict = try cache.conflict(reference, listing: listing)
            try cache.settle(conflict, choice)
            return try cache.cached(conflict.record)?.record.fields["title"]?.string ?? conflict.record.id
        }
        state.notice = "Settled: “\(title)”."
    }
}

/// The inbox as a state shows it.
private struct Conflicts: Sendable {
    var rows: [ConflictsScreen.State.Row]
    var total: Int

    init(_ cache: Cache) throws {
        let device = try cache.device()
        let all = try cache.records(in: [ConflictRecord.type.collection])
            .compactMap { ConflictRecord(id: $0.key.id, fields: $0.fields) }
            .sorted { ($0.clock.latest?.description ?? "", $0.id) < ($1.clock.latest?.description ?? "", $1.id) }
        total = all.count
        rows = try all.prefix(ConflictsController.windowSize).enumerated().map { index, conflict in
            let record = try cache.cached(conflict.record)?.record
            return .init(
                number: index + 1, id: conflict.id, record: conflict.record.id,
                title: record?.fields["title"]?.string ?? conflict.record.id, field: conflict.conflict.field,
                earlier: .init(conflict.conflict.earlier, device: device),
                later: .init(conflict.conflict.later, device: device), kept: conflict.conflict.kept.rawValue)
        }
    }
}

extension ConflictsScreen.State.Edit {
    init(_ edit: FieldEdit, device: String) {
        value = edit.value.map { $0.string ?? $0.text }
        at = edit.moment.map { Timestamp(seconds: Int64($0.milliseconds / 1_000)).description }
        self.device = edit.moment?.device
        isMine = edit.moment?.device == device
    }
}

extension Cache {
    /// The conflict of this number or prefix.
    fileprivate func conflict(_ reference: String, listing: String) throws -> ConflictRecord {
        let shown = try self.listing(terminal: listing)
        let all = try records(in: [ConflictRecord.type.collection])
        let numbered = Int(reference).flatMap {
            (1...max(1, shown.count)).contains($0) && !shown.isEmpty ? shown[$0 - 1].id : nil
        }
        let matches = all.filter { numbered.map { [id = $0.key.id] in id == $0 } ?? $0.key.id.hasPrefix(reference) }
        guard matches.count == 1, let conflict = ConflictRecord(id: matches[0].key.id, fields: matches[0].fields) else {
            throw Failure(.notFound, "There is no one conflict “\(reference)”. See `conflicts` for their numbers.")
        }
        return conflict
    }

    /// Makes the choice a new edit, and takes the conflict away.
    fileprivate func settle(_ conflict: ConflictRecord, _ choice: ConflictsScreen.Choice) throws {
        if let value = try Self.value(of: choice, in: conflict.conflict, device: device()) {
            try edit(conflict.record, [conflict.conflict.field: value])
        }
        try delete(conflict.key)
    }

    /// The chosen value; null removes the field, nil leaves it.
    private static func value(
        of choice: ConflictsScreen.Choice, in conflict: FieldConflict, device: String
    ) throws -> JSONValue? {
        let isEarlierMine = conflict.earlier.moment?.device == device
        let isLaterMine = conflict.later.moment?.device == device
        switch choice {
        case .keep: return nil
        case .earlier: return conflict.earlier.value ?? .null
        case .later: return conflict.later.value ?? .null
        case .mine, .theirs:
            guard isEarlierMine != isLaterMine else {
                throw Failure(.usage, "Neither or both of these edits are this device's. Say `earlier` or `later`.")
            }
            return ((choice == .mine) == isEarlierMine ? conflict.earlier.value : conflict.later.value) ?? .null
        case .both:
            guard let first = conflict.earlier.value?.string, let second = conflict.later.value?.string else {
                throw Failure(.usage, "Only texts can be kept both. Say `earlier` or `later`.")
            }
            return .string(first + (conflict.field == "body" ? "\n" : " / ") + second)
        }
    }
}
