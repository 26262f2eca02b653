internal import Backend
public import ControllerKit
internal import Foundation
internal import LocalStore
public import Notebook
internal import Records
internal import SyncAPI
internal import SyncEngine

/// Runs the sync engine and publishes its state; while a session syncs automatically, it shows that live
/// (ControllerKit.docc/Checklist.md, E3: a service in the background, paired with a controller like a screen).
public final class SyncController: Controller {
    public typealias Screen = SyncScreen
    public let model = Model(SyncScreen.State())
    private let notebook: Notebook
    private let home: HomeSync
    /// The record that was asked for; nil: the whole.
    private var key: RecordKey?
    /// Whether a requested sync is under way.
    private var isAsked = false
    /// What the automatic sync of this session does.
    private var live = AutoSync.Activity()

    /// Creates a controller.
    public init(_ notebook: Notebook, _ home: HomeSync) { (self.notebook, self.home) = (notebook, home) }

    /// How many refused records a state lists.
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
            let sentences = try await home.newSentences()
            if !sentences.isEmpty { state.news = sentences.joined(separator: " ") }
        case .set(let automatic, let background): try await set(automatic, background)
        case .sync: try await sync()
        }
    }

    public func refresh() async throws {
        show(try await home.session())
        let wanted = key
        let facts = try await notebook.read { try SyncFacts($0, record: wanted) }
        // Another record may have been asked for meanwhile.
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

    private func show(_ facts: SyncFacts) {
        let now = notebook.timestamp
        (state.unsent, state.refused) = (facts.unsent.records, facts.unsent.rejected)
        (state.conflicts, state.settledElsewhere) = (facts.conflicts, facts.settledElsewhere)
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
                hasRunningSync: home.automatic.isThere(facts.settings), problem: facts.status.failure?.kind))
        state.why = state.unsent > state.refused ? why : state.unsent > 0 ? .rejected : nil
        state.record = facts.record.map { RecordSyncStatus($0, conflicts: facts.conflictsOfRecord, why: why) }
    }
}

// MARK: - Setting and syncing

extension SyncController {
    private func set(_ automatic: SyncScreen.Switch?, _ background: SyncScreen.Switch?) async throws {
        try await notebook.store.write { cache in
            var settings = try cache.settings.syncSettings()
            if let automatic { settings.isAutomatic = automatic == .on }
            if let background { settings.isInBackground = background == .on }
            try cache.settings.setSyncSettings(settings)
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
        isAsked = true
        state.isSyncing = true
        // Shown until the engine reports how far it is: a server may take long to answer.
        state.progress = WorkProgress("Syncing")
        defer {
            isAsked = false
            state.isSyncing = live.isSyncing
        }
        let report: SyncResult
        do { report = try await showing(\.progress, during: home.sync) } catch {
            // The error is shown in any case, also if it can't be shown together with the rest.
            isAsked = false
            try? await refresh()
            throw error
        }
        await home.devices.fetchIfConflictsNeedThem()
        isAsked = false
        try await refresh()
        let news = try? await home.removeNews()
        let notice = report.summary(
            refused: state.refused, oversized: state.oversized.count, open: state.conflicts,
            settledElsewhere: (try? await notebook.store.write { try $0.conflicts.removeConflictsResolvedElsewhere() })
                ?? 0,
            news: news ?? SyncStatus.News())
        state.notice = notice
        // The rest is in sync, but while a record can't be sent or received, the exit code must not signal success.
        if state.refused > 0 || !state.oversized.isEmpty { throw Failure(.rejected, notice) }
    }
}

/// What the cache knows about syncing, read in one transaction.
private struct SyncFacts: Sendable {
    var unsent: Unsent
    var conflicts: Int
    var settledElsewhere: Int
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
        (conflicts, settledElsewhere) = (
            try cache.conflicts.openConflicts(), try cache.conflicts.conflictsSettledElsewhere()
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
        conflictsOfRecord = try records.openConflicts(of: key)
    }
}

extension SyncScreen.State.Rejected {
    /// A refused conflict is shown by the record that it concerns, and by what helps: it can't be edited.
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
    /// What was done, in plain words.
    ///
    /// - Parameters:
    ///   - refused: how many records the server refused, now or in a former sync.
    ///   - oversized: how many records are too large on the server to be received here.
    ///   - open: how many conflicts are open.
    ///   - settledElsewhere: how many with an edit of this device another one has settled, reported by no sync before.
    ///   - news: messages of earlier syncs that were not shown yet.
    func summary(
        refused: Int, oversized: Int, open: Int, settledElsewhere: Int, news: SyncStatus.News = SyncStatus.News()
    ) -> String {
        var parts: [String] = []
        if pushed > 0 { parts.append("sent \(pushed)") }
        if pulled > 0 { parts.append("received \(pulled)") }
        if merged > 0 { parts.append("merged \(merged)") }
        let whole = refused + oversized == 0 ? "Everything is in sync." : "Everything else is in sync."
        let done = parts.isEmpty ? whole : "In sync: " + parts.joined(separator: ", ") + "."
        var fresh = SyncStatus.News(self)
        // What another device had settled already is met and merged in the same sync.
        fresh.conflicts = min(conflicts, open)
        var all = news
        all.add(fresh)
        all.refused = refused
        let rest = [Self.message(oversized: oversized), Self.message(settledElsewhere: settledElsewhere)]
        return ([done] + all.sentences + rest.compactMap(\.self)).joined(separator: " ")
    }

    private static func message(oversized: Int) -> String? {
        oversized == 0 ? nil : "\(oversized) not received, too large on the server: see `status`."
    }

    private static func message(settledElsewhere: Int) -> String? {
        settledElsewhere == 0 ? nil : "\(settledElsewhere) resolved on another device: see `conflicts --settled`."
    }
}

extension SyncStatus.News {
    /// What the person must know, in plain words.
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
    /// Why everything was read again, for the person; nil for a first read and for additional collections, where nothing
    /// went wrong.
    fileprivate var reason: String? {
        switch self {
        case .first, .resync(.additionalCollections): nil
        case .resync(.cursorExpired): "This device was offline for so long that everything was read again."
        case .resync(.digestMismatch):
            "This device and the server held different records, so everything was read again."
        // The server doesn't know of a restore: its database is another one, or a new one.
        case .restored(shared: 0):
            "The server has lost everything that was synced before; all records were sent to it again."
        case .restored: "The server was restored from a backup; the records that it had lost were sent to it again."
        }
    }
}
