internal import Backend
public import ControllerKit
internal import Foundation
internal import LocalStore
public import Notebook
internal import Records
internal import SyncAPI
internal import SyncEngine

/// Runs the sync engine and shows its state, during an automatic sync as well (ControllerKit.docc/Checklist.md, E3: a
/// service in the background, paired with a controller like a screen).
public final class SyncController: Controller {
    public typealias Screen = SyncScreen
    public let model = Model(SyncScreen.State())
    private let notebook: Notebook
    private let home: HomeSync
    /// The record whose status is shown; nil: the overall status.
    private var key: RecordKey?
    /// Whether a requested sync is under way.
    private var isAsked = false
    /// The activity of the automatic sync of this view session.
    private var live = AutoSync.Activity()

    /// Creates a controller.
    public init(_ notebook: Notebook, _ home: HomeSync) { (self.notebook, self.home) = (notebook, home) }

    /// The maximum number of refused records in a state.
    public nonisolated static let listedRejections = 50

    public func didLoad() {
        notifyingOfChanges(in: notebook.store)
        guard case .live(let automatic) = home.automatic else { return }
        run { [weak self] in
            for await live in await automatic.activities() {
                self?.live = live
                self?.notifyDataChanged()
            }
        }
    }

    public func handle(_ intent: SyncScreen.Intent) async throws {
        (state.notice, state.news) = (nil, nil)
        switch intent {
        case .status(let reference):
            try await look(at: reference)
            try await refresh()
            // After `refresh`: if that fails, the messages stay in the cache.
            let sentences = try await home.newSentences()
            if !sentences.isEmpty { state.news = sentences.joined(separator: " ") }
        case .set(let automatic, let background): try await set(automatic, background)
        case .sync: try await sync()
        }
    }

    public func refresh() async throws {
        show(try await home.session())
        let wanted = key
        let facts = try await notebook.read { try StoredSyncFacts($0, record: wanted) }
        // Another record may have been requested during the wait.
        guard wanted == key else { return }
        // The gate's holder decides: a sync that waits for another process's sync isn't under way.
        let holder = home.gate.holder()
        state.isSyncingElsewhere = holder?.isThisProcess == false
        state.isSyncing = !state.isSyncingElsewhere && (isAsked || live.isSyncing)
        (state.syncingProcess, state.syncingSince) = (holder.map { Int($0.process) }, holder?.since?.date)
        state.isLive = live.isLive
        show(facts)
    }

    private func look(at reference: String?) async throws {
        guard let reference else { return key = nil }
        key = try await notebook.resolve(reference)
    }

    private func show(_ status: SessionStatus) {
        state.username = status.identity?.account.username
        state.server = status.identity?.server.description
        switch status {
        case .neverSignedIn: (state.isSignedIn, state.ended) = (false, nil)
        case .active: (state.isSignedIn, state.ended) = (true, nil)
        case .ended(_, let reason): (state.isSignedIn, state.ended) = (false, EndedSession(reason))
        }
    }

    private func show(_ facts: StoredSyncFacts) {
        let now = notebook.timestamp
        (state.unsent, state.refused) = (facts.unsent.records, facts.unsent.refused)
        (state.conflicts, state.resolvedElsewhere) = (facts.conflicts, facts.resolvedElsewhere)
        (state.rejected, state.rebuilt) = (facts.rejected, facts.rebuilt)
        state.oversized = facts.oversized
        state.obstacle = notebook.store.obstacle.map { obstacle in
            [obstacle.obstacle, obstacle.remedy].compactMap(\.self).joined(separator: ". ")
        }
        (state.isAutomatic, state.isInBackground) = (facts.settings.isAutomatic, facts.settings.isInBackground)
        (state.lastAttemptAt, state.lastSyncedAt) = (
            facts.status.attemptedAt.flatMap { Date(rfc3339: $0) }, facts.status.syncedAt.flatMap { Date(rfc3339: $0) }
        )
        (state.lastProblem, state.offlineSince) = (
            facts.status.failure?.message, facts.status.offlineSince.flatMap { Date(rfc3339: $0) }
        )
        state.retryAt = facts.status.retryAt.flatMap { Timestamp($0) }.flatMap { $0 > now ? $0.date : nil }
        let why = UnsentReason(
            UnsentFacts(
                hasAccount: state.username != nil, isSignedIn: state.isSignedIn, isSyncing: state.isSyncing,
                isSyncingElsewhere: state.isSyncingElsewhere, isAutomatic: facts.settings.isAutomatic,
                hasRunningSync: home.automatic.isActive(with: facts.settings), problem: facts.status.failure?.kind))
        state.why = state.unsent > state.refused ? why : state.unsent > 0 ? .rejected : nil
        state.record = facts.record.map { RecordSyncStatus($0, conflicts: facts.conflictsOfRecord, why: why) }
    }
}

// MARK: - Setting and syncing

extension SyncController {
    private func set(_ automatic: SyncScreen.Switch?, _ background: SyncScreen.Switch?) async throws {
        try await home.changeSettings { settings in
            if let automatic { settings.isAutomatic = automatic == .on }
            if let background { settings.isInBackground = background == .on }
        }
        try await refresh()
        state.notice = [automatic.map(Self.notice(automatic:)), background.map(Self.notice(background:))]
            .compactMap(\.self).joined(separator: " ")
    }

    private static func notice(automatic: SyncScreen.Switch) -> String {
        switch automatic {
        case .on: "Automatic sync is on."
        case .off: "Automatic sync is off; `sync` still syncs."
        }
    }

    private static func notice(background: SyncScreen.Switch) -> String {
        switch background {
        case .on: "Single commands send their edits in the background."
        case .off: "Single commands keep their edits here until a prompt is open or you run `sync`."
        }
    }

    private func sync() async throws {
        // `refresh` runs after each write to the cache, also during the sync, and would reset `isSyncing`.
        isAsked = true
        state.isSyncing = true
        // Shown until the first report of the engine: a server may take long to answer.
        state.progress = WorkProgress("Syncing")
        defer {
            isAsked = false
            state.isSyncing = live.isSyncing
        }
        let report: SyncResult
        do { report = try await showing(\.progress, during: home.sync) } catch {
            // Before the refresh, which would otherwise show a sync under way.
            isAsked = false
            // An error of the refresh is ignored: that of the sync is the one to report.
            try? await refresh()
            throw error
        }
        await home.devices.fetchIfConflictsNeedThem()
        isAsked = false
        try await refresh()
        // Errors of both are ignored: the sync succeeded, and the next one shows what was not shown.
        let news = try? await home.removeNews()
        let notice = report.summary(
            refused: state.refused, oversized: state.oversized.count, open: state.conflicts,
            resolvedElsewhere: (try? await home.countNewlyResolvedElsewhere()) ?? 0,
            news: news ?? SyncStatus.News())
        state.notice = notice
        // The rest is in sync. But as long as a record can't be sent or received, the exit status must not signal
        // success.
        if state.refused > 0 || !state.oversized.isEmpty { throw Failure(.rejected, notice) }
    }
}

/// The facts in the cache about syncing, read in one transaction so that the counts agree.
private struct StoredSyncFacts: Sendable {
    var unsent: UnsentCounts
    var conflicts: Int
    var resolvedElsewhere: Int
    var rejected: [SyncScreen.State.Rejected]
    var oversized: [SyncScreen.State.Oversized]
    var status: SyncStatus
    var settings: SyncSettings
    var record: CachedRecord?
    var conflictsOfRecord = 0
    var rebuilt: String?

    init(_ records: Notebook.Transaction, record key: RecordKey?) throws {
        let cache = records.cache
        unsent = try cache.outbox.unsent()
        (conflicts, resolvedElsewhere) = (
            try records.openConflictCount(), try cache.conflicts.conflictsResolvedElsewhere()
        )
        rejected = try cache.outbox.refused(limit: SyncController.listedRejections).map { try .init($0, in: records) }
        oversized = try cache.replica.oversized().map { record, bytes in
            .init(
                collection: record.key.collection, id: record.key.id, title: record[.title] ?? "",
                bytes: bytes)
        }
        status = try SyncStatus.stored(in: cache)
        settings = try cache.settings.syncSettings()
        rebuilt = try cache.replica.rebuilt()
        guard let key else { return }
        record = try cache.cached(key)
        conflictsOfRecord = try records.openConflictCount(of: key)
    }
}

extension SyncScreen.State.Rejected {
    /// Creates the row of a refused record. A conflict can't be edited, so its row names its record and the command
    /// that resolves it.
    fileprivate init(_ cached: CachedRecord, in records: Notebook.Transaction) throws {
        let reason = cached.pending?.rejection?.reason ?? ""
        let (id, fields) = (cached.record.key.id, cached.record.fields)
        guard let conflict = ConflictRecord(id: id, fields: fields) else {
            self.init(id: id, title: fields[.title] ?? "", reason: reason)
            return
        }
        self.init(
            id: id,
            title: "conflict about the \(conflict.conflict.field) of “\(try records.title(of: conflict.record))”",
            reason: reason + " It stays on this device; `resolve \(id.prefix(8)) …` resolves it.")
    }
}

extension SyncResult {
    /// Returns a message about what the sync did.
    ///
    /// - Parameters:
    ///   - refused: The number of records that the server refused, in this sync or an earlier one.
    ///   - oversized: The number of records that are too large on the server to be received here.
    ///   - open: The number of open conflicts.
    ///   - resolvedElsewhere: The number of conflicts with an edit of this device that another device resolved, without
    ///     those that an earlier sync reported.
    ///   - news: Messages of earlier syncs that were not shown yet.
    func summary(
        refused: Int, oversized: Int, open: Int, resolvedElsewhere: Int, news: SyncStatus.News = SyncStatus.News()
    ) -> String {
        var parts: [String] = []
        if pushed > 0 { parts.append("sent \(pushed)") }
        if pulled > 0 { parts.append("received \(pulled)") }
        if merged > 0 { parts.append("merged \(merged)") }
        let whole = refused + oversized == 0 ? "Everything is in sync." : "Everything else is in sync."
        let done = parts.isEmpty ? whole : "In sync: " + parts.joined(separator: ", ") + "."
        var fresh = SyncStatus.News(self)
        // A conflict that another device has already resolved is created and closed in the same sync.
        fresh.conflicts = min(conflicts, open)
        var all = news
        all.add(fresh)
        // The total already includes the refused records in the news.
        all.refused = refused
        let rest = [Self.message(oversized: oversized), Self.message(resolvedElsewhere: resolvedElsewhere)]
        return ([done] + all.sentences + rest.compactMap(\.self)).joined(separator: " ")
    }

    private static func message(oversized: Int) -> String? {
        oversized == 0 ? nil : "\(oversized) not received, too large on the server: see `status`."
    }

    private static func message(resolvedElsewhere: Int) -> String? {
        resolvedElsewhere == 0 ? nil : "\(resolvedElsewhere) resolved on another device: see `conflicts --resolved`."
    }
}

extension SyncStatus.News {
    /// The messages for the user.
    var sentences: [String] {
        var sentences: [String] = []
        if conflicts > 0 { sentences.append("\(conflicts) new conflict\(conflicts == 1 ? "" : "s"): see `conflicts`.") }
        if revived > 0 {
            sentences.append(
                "Restored \(revived) record\(revived == 1 ? "" : "s") that you deleted: edited on another device.")
        }
        if refused > 0 { sentences.append("The server refused \(refused): see `status`.") }
        for reason in fullReads.compactMap(\.reason) where !sentences.contains(reason) { sentences.append(reason) }
        return sentences
    }
}

extension FullRead {
    /// The reason of a full read, for the user; nil for a first read and for additional collections, since nothing went
    /// wrong.
    fileprivate var reason: String? {
        switch self {
        case .first, .resync(.additionalCollections): nil
        case .resync(.cursorExpired): "This device was offline for so long that everything was read again."
        case .resync(.digestMismatch):
            "This device and the server held different records, so everything was read again."
        // No restored backup: the server's database is another one, or a new one.
        case .restored(shared: 0):
            "The server has lost everything that was synced before; all records were sent to it again."
        case .restored: "The server was restored from a backup; the records that it had lost were sent to it again."
        }
    }
}
