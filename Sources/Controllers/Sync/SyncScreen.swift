public import ControllerKit
internal import Backend
internal import LocalStore
internal import Records
internal import SyncAPI
internal import SyncEngine

/// Syncing, and why something isn't synced.
public enum SyncScreen: Screen {
    public static let name = "sync"
    public static let summary = "Sync with the server, and see what isn't synced and why."

    /// What a view shows.
    public struct State: ScreenState {
        /// The account; nil: nobody has signed in, which only syncing needs.
        public var username: String?
        /// The server's address.
        public var server: String?
        /// Whether the session can be used.
        public var isSignedIn = false
        /// Records with edits that the server hasn't acknowledged.
        public var unsent = 0
        /// Conflicts that nobody has looked at.
        public var conflicts = 0
        /// Of the unsent records, those that the server refused: no sync sends them before they are edited.
        public var refused = 0
        /// The first of the records that the server refused.
        public var rejected: [Rejected] = []
        /// When this home was last in step with the server: RFC 3339 in UTC.
        public var lastSyncedAt: String?
        /// What stopped the last sync, if something did.
        public var lastProblem: String?
        /// Whether a sync is under way here.
        public var isSyncing = false
        public var notice: String?

        /// A record that the server refused, and why.
        public struct Rejected: Codable, Equatable, Sendable {
            /// Its id, whole.
            public var id: String
            /// What it is about.
            public var title: String
            /// What the server said.
            public var reason: String
        }

        public init() {}
    }

    /// What a person can do.
    public enum Intent: Sendable {
        /// Sync now; wait if another process of this home is at it.
        case sync
        /// Show how things stand, without asking the server.
        case status
    }

    public static let verbs: [Verb<Intent>] = [
        Verb("sync", answer: .notice, help: "Send what is unsent, and bring what others changed.") { .sync },
        Verb("status", help: "Show what isn't synced, and why.") { .status },
    ]
}

/// Runs the sync engine, and says how things stand.
public final class SyncController: Controller {
    public typealias Screen = SyncScreen
    public let model = Model(SyncScreen.State())
    private let services: Services

    /// Takes its services.
    public init(_ services: Services) { self.services = services }

    /// How many refused records a state lists.
    public nonisolated static let listedRejections = 50

    public func didLoad() { notifyingOfChanges(in: services.store) }

    public func handle(_ intent: SyncScreen.Intent) async throws {
        state.notice = nil
        switch intent {
        case .status: try await refresh()
        case .sync: try await sync()
        }
    }

    public func refresh() async throws {
        // Another process may have signed in or out.
        try await services.backend.session.reload()
        let status = try await services.backend.session.status()
        let facts = try await services.store.read { cache in
            (
                unsent: try cache.unsent(), conflicts: try cache.counts()[ConflictRecord.type.collection] ?? 0,
                refused: try cache.refused(limit: Self.listedRejections),
                note: try cache.syncNote().flatMap(SyncNote.init)
            )
        }
        state.username = status.identity?.account.username
        state.server = status.identity?.server.description
        if case .active = status { state.isSignedIn = true } else { state.isSignedIn = false }
        state.unsent = facts.unsent.records
        state.refused = facts.unsent.rejected
        state.conflicts = facts.conflicts
        state.rejected = facts.refused.map {
            .init(
                id: $0.record.key.id, title: $0.record.fields["title"]?.string ?? "",
                reason: $0.pending?.rejection?.reason ?? "")
        }
        state.lastSyncedAt = facts.note?.syncedAt
        state.lastProblem = facts.note?.problem
    }

    private func sync() async throws {
        state.isSyncing = true
        defer { state.isSyncing = false }
        do {
            let report = try await services.engine.sync()
            await services.learnNamesInConflicts()
            try await keep(SyncNote(syncedAt: services.timestamp.description, problem: nil))
            try await refresh()
            state.notice = report.summary(refused: state.refused)
        } catch {
            // What went wrong is told in any case, also when it can't be kept.
            try? await keep(problem: error)
            try? await refresh()
            throw error
        }
        // The rest is in step; but as long as something can't be sent, a script mustn't take it for done.
        if state.refused > 0, let notice = state.notice { throw Failure(.rejected, notice) }
    }

    /// Keeps what stopped a sync for `status`. That nobody has signed in or that somebody interrupted it is no problem.
    private func keep(problem error: any Error) async throws {
        if error is CancellationError || Task.isCancelled || error as? SyncFailure == .noAccount { return }
        let problem = Failure(error).message
        let before = try await services.store.read { try $0.syncNote().flatMap(SyncNote.init) }
        try await keep(SyncNote(syncedAt: before?.syncedAt, problem: problem))
    }

    private func keep(_ note: SyncNote) async throws {
        let json = note.json
        try await services.store.write { try $0.setSyncNote(json) }
    }
}

extension SyncReport {
    /// What was done, in plain words.
    ///
    /// - Parameter refused: how many records the server refused, now or in a former sync.
    func summary(refused: Int) -> String {
        var parts: [String] = []
        if pushed > 0 { parts.append("sent \(pushed)") }
        if pulled > 0 { parts.append("received \(pulled)") }
        if merged > 0 { parts.append("merged \(merged)") }
        let whole = refused == 0 ? "Everything is in sync." : "Everything else is in sync."
        var text = parts.isEmpty ? whole : "In sync: " + parts.joined(separator: ", ") + "."
        if conflicts > 0 { text += " \(conflicts) new in `conflicts`." }
        if revived > 0 { text += " \(revived) that you deleted had been edited elsewhere, and came back." }
        if refused > 0 { text += " The server refused \(refused): see `status`." }
        for read in fullReads { if let reason = read.reason { text += " " + reason } }
        return text
    }
}

extension FullRead {
    /// Why everything was read again, for the person; nil for a device's first read.
    fileprivate var reason: String? {
        switch self {
        case .first: nil
        case .resync(.cursorExpired): "This device was away for so long that everything was read again."
        case .resync(.digestMismatch): "What was here differed from the server, so everything was read again."
        case .restored: "The server was restored from a backup; what it had lost was given back to it."
        }
    }
}
