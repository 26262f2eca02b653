internal import Backend
public import LocalStore
public import Records

/// The engine's sync, whose outcome the home remembers: the one way in which the person's `sync`, the automatic sync and
/// the detached one sync.
public struct NotedSync: Sendable {
    /// The home's cache.
    public let store: LocalStore
    private let engine: SyncEngine
    private let now: @Sendable () -> Timestamp
    private let problem: @Sendable (any Error) -> SyncNote.Problem
    /// Runs the tasks that outlive their caller; nil: the default one.
    let executor: (any TaskExecutor)?
    /// Told after each sync, also one that failed on its way: it may have brought changes before that.
    public var ended: @Sendable () -> Void = {}

    /// - Parameters:
    ///   - now: this device's clock.
    ///   - problem: what the person is told of an error.
    ///   - executor: runs the tasks that outlive their caller; nil: the default one.
    public init(
        _ engine: SyncEngine, store: LocalStore, now: @escaping @Sendable () -> Timestamp,
        problem: @escaping @Sendable (any Error) -> SyncNote.Problem, executor: (any TaskExecutor)? = nil
    ) {
        (self.engine, self.store, self.now) = (engine, store, now)
        (self.problem, self.executor) = (problem, executor)
    }

    /// Syncs once, see `SyncEngine.sync`, for somebody who tells the person what the report says. An outcome that can't be
    /// kept changes nothing of it.
    ///
    /// - Parameters:
    ///   - waiting: whether to wait while another process of this home syncs.
    ///   - tell: told how far it is, see `SyncEngine.sync`.
    /// - Throws: what the engine throws; `LocalStoreError.otherAccount` if the cache isn't the signed-in account's.
    public func sync(
        waiting: Bool, telling tell: (@Sendable (SyncProgress) -> Void)? = nil
    ) async throws -> SyncReport { try await sync(waiting: waiting, isHeard: true, telling: tell) }

    /// - Parameter isHeard: whether somebody is there to tell what the report says; if not, the home keeps what is news.
    private func sync(
        waiting: Bool, isHeard: Bool, telling tell: (@Sendable (SyncProgress) -> Void)? = nil
    ) async throws -> SyncReport {
        defer { ended() }
        let report: SyncReport
        do {
            try await engine.requireOwnCache()
            report = try await engine.sync(waiting: waiting, telling: tell)
        } catch {
            await keep(error, isHeard: isHeard)
            throw error
        }
        let moment = now()
        try? await store.write { cache in
            try cache.updateNote { note in
                note.succeeded(at: moment)
                if !isHeard { note.news.add(SyncNews(report)) }
            }
        }
        return report
    }

    /// Syncs once, unless another process is at it, and tells what it has come to. What the person must hear of is kept
    /// for the next process that talks, since nobody waits for this one.
    func attempt() async -> SyncOutcome {
        do { _ = try await sync(waiting: false, isHeard: false) } catch { return SyncOutcome(error) }
        let state = try? await store.read { try $0.state() }
        return .done(cursor: state?.cursor)
    }

    /// Lets any process tell until when the next try waits; nil: nobody waits any more.
    func noteRetry(in time: Duration?) async {
        let retryAt = time.map { timestamp(in: $0).description }
        // Also for somebody who was interrupted, whose own writes are refused: nobody waits then, and that must be told.
        _ = await Task(executorPreference: executor) { [store] in
            try? await store.write { try $0.updateNote { $0.retryAt = retryAt } }
        }.value
    }

    /// The moment that comes so much later than now, in whole seconds.
    func timestamp(in time: Duration) -> Timestamp {
        let (seconds, attoseconds) = time.components
        return Timestamp(seconds: now().seconds + seconds + (attoseconds > 0 ? 1 : 0))
    }

    /// Stores the problem of a failed sync. A missing account, a sync of another process and a cancellation are not
    /// stored.
    func keep(_ error: any Error, isHeard: Bool) async {
        if error is CancellationError || Task.isCancelled { return }
        switch error as? SyncFailure {
        case .noAccount, .busyElsewhere: return
        case .digestMismatch, .noProgress, nil: break
        }
        let (problem, moment) = (problem(error), now())
        // The caller of the sync sees the error itself, so it counts as reported.
        var reported: SessionEnd?
        if isHeard, case .signedOut(let end)? = error as? BackendError { reported = end }
        try? await store.write { [reported] cache in
            try cache.updateNote { note in
                note.failed(problem, at: moment)
                note.reportedEnd = reported ?? note.reportedEnd
            }
        }
    }
}
