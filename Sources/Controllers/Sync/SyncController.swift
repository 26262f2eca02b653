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
    nonisolated static let listedRejections = 50

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
        key = try await notebook.key(of: reference)
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
        (state.lastAttemptAt, state.lastSyncedAt) = (facts.status.attemptedAt?.date, facts.status.syncedAt?.date)
        (state.lastProblem, state.offlineSince) = (facts.status.failure?.message, facts.status.offlineSince?.date)
        state.retryAt = facts.status.retryAt.flatMap { $0 > now ? $0.date : nil }
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
        let result: SyncResult
        do { result = try await showing(\.progress, during: home.sync) } catch {
            // Before the refresh, which would otherwise show a sync under way.
            isAsked = false
            // An error of the refresh is ignored: that of the sync is the one to report.
            try? await refresh()
            throw error
        }
        await home.devices.fetchForConflicts()
        isAsked = false
        try await refresh()
        let report = try await home.report(on: result)
        state.notice = report.message
        // The rest is in sync. But as long as a record can't be sent or received, the exit status must not signal
        // success.
        if !report.isComplete { throw Failure(.rejected, report.message) }
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
    var record: LocalRecord?
    var conflictsOfRecord = 0
    var rebuilt: String?

    init(_ records: Notebook.Transaction, record key: RecordKey?) throws {
        unsent = try records.unsentCounts()
        (conflicts, resolvedElsewhere) = (try records.openConflictCount(), try records.resolvedElsewhereCount())
        rejected = try records.refusedRecords(limit: SyncController.listedRejections).map {
            try .init($0, in: records)
        }
        oversized = try records.unreceivedRecords().map { unreceived in
            let (key, title) = (unreceived.record.key, unreceived.record[.title] ?? "")
            return .init(collection: key.collection, id: key.id, title: title, bytes: unreceived.bytes)
        }
        (status, settings) = (try records.syncStatus(), try records.syncSettings())
        rebuilt = try records.rebuildNotice()
        guard let key else { return }
        record = try records.localRecord(key)
        conflictsOfRecord = try records.openConflictCount(of: key)
    }
}

extension SyncScreen.State.Rejected {
    /// Creates the row of a refused record. A conflict can't be edited, so its row names its record and the command
    /// that resolves it.
    fileprivate init(_ refused: LocalRecord, in records: Notebook.Transaction) throws {
        let (id, fields, reason) = (refused.record.key.id, refused.record.fields, refused.rejection ?? "")
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
