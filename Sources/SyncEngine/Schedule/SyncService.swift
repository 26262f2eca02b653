internal import Backend
public import LocalStore
public import Records

/// The service that syncs and stores the status in the home. The command `sync`, the automatic and the background sync
/// all use it.
public struct SyncService: Sendable {
    /// The home's cache.
    public let store: LocalStore
    private let engine: SyncEngine
    private let now: @Sendable () -> Timestamp
    private let failure: @Sendable (any Error) -> SyncStatus.Failure
    /// Runs the tasks that outlive their caller; nil: the default executor.
    let executor: (any TaskExecutor)?
    /// Called after each sync, also after one that failed, since it may have brought changes before that.
    public var ended: @Sendable () -> Void = {}

    /// - Parameters:
    ///   - now: This device's clock.
    ///   - failure: Returns the message to the user about an error.
    ///   - executor: Runs the tasks that outlive their caller; nil: the default executor.
    public init(
        _ engine: SyncEngine, store: LocalStore, now: @escaping @Sendable () -> Timestamp,
        failure: @escaping @Sendable (any Error) -> SyncStatus.Failure, executor: (any TaskExecutor)? = nil
    ) {
        (self.engine, self.store, self.now) = (engine, store, now)
        (self.failure, self.executor) = (failure, executor)
    }

    /// Syncs once, see `SyncEngine.sync`; the caller reports the result to the user. A status that can't be stored
    /// doesn't change the result.
    ///
    /// - Parameters:
    ///   - waiting: Whether to wait while another process of this home syncs.
    ///   - progress: See `SyncEngine.sync`.
    /// - Throws: What the engine throws, a full disk as `SyncFailure.diskFull`; `LocalStoreError.otherAccount` if the cache
    ///   isn't the signed-in account's.
    public func sync(
        waiting: Bool, progress: (@Sendable (SyncProgress) -> Void)? = nil
    ) async throws -> SyncResult {
        try await sync(waiting: waiting, isReported: true, progress: progress)
    }

    /// - Parameter isReported: Whether the caller reports the result to the user; otherwise its news are stored.
    private func sync(
        waiting: Bool, isReported: Bool, progress: (@Sendable (SyncProgress) -> Void)? = nil
    ) async throws -> SyncResult {
        defer { ended() }
        let result: SyncResult
        do {
            try await engine.requireOwnCache()
            result = try await engine.sync(waiting: waiting, progress: progress)
        } catch {
            let meaning = Self.meaning(of: error)
            await store(meaning, isReported: isReported)
            throw meaning
        }
        let (moment, refusal) = (now(), result.refusal.map { failure($0) })
        // If the status can't be stored, the result is still right.
        try? await store.write { cache in
            try SyncStatus.update(in: cache) { status in
                status.succeeded(at: moment)
                // Why edits stay unsent, although the home is in step otherwise.
                status.failure = refusal
                if !isReported { status.addNews(of: result) }
            }
        }
        await engine.fetchOfferIfDue()
        return result
    }

    /// Returns what an error means for a sync. That of a full disk says that nothing was changed, which is true of a
    /// single transaction, but not of a sync, which has several.
    static func meaning(of error: any Error) -> any Error {
        switch error {
        case LocalStoreError.diskFull(let path), BackendError.diskFull(let path): SyncFailure.diskFull(path: path)
        default: error
        }
    }

    /// Syncs once, unless another process of this home is syncing. The news are stored for the next process that shows
    /// messages.
    func attempt() async -> SyncSchedule.Outcome {
        let result: SyncResult
        do { result = try await sync(waiting: false, isReported: false) } catch { return SyncSchedule.Outcome(error) }
        // Without the cursor, an announced change leads to one more sync.
        let state = try? await store.read { try $0.replica.state() }
        return result.refusal == nil ? .done(cursor: state?.cursor) : .received(cursor: state?.cursor)
    }

    /// Stores when the next try is due, for every process of the home; nil: none is.
    func storeRetry(in time: Duration?) async {
        let retryAt = time.map { timestamp(in: $0) }
        // In a task of its own: a cancelled task can't write, and the end of the wait must be stored then, too. An
        // error is ignored, since the schedule keeps the time itself.
        _ = await Task(executorPreference: executor) { [store] in
            try? await store.write { try SyncStatus.update(in: $0) { $0.retryAt = retryAt } }
        }.value
    }

    /// Returns the moment that is this time after now, in whole seconds, rounded up.
    func timestamp(in time: Duration) -> Timestamp {
        let (seconds, attoseconds) = time.components
        return Timestamp(seconds: now().seconds + seconds + (attoseconds > 0 ? 1 : 0))
    }

    /// Stores the failure of a sync. A missing account, a sync of another process and a cancellation are not stored.
    func store(_ error: any Error, isReported: Bool) async {
        if error is CancellationError || Task.isCancelled { return }
        switch error as? SyncFailure {
        case .noAccount, .busyElsewhere: return
        case .digestMismatch, .noProgress, .diskFull, nil: break
        }
        let (failure, moment) = (failure(error), now())
        // The caller of the sync reports the error itself.
        var reported: SessionEnd?
        if isReported, case .signedOut(let end)? = error as? BackendError { reported = end }
        // If the status can't be stored, the caller still has the error.
        try? await store.write { [reported] cache in
            try SyncStatus.update(in: cache) { status in
                status.failed(failure, at: moment)
                status.reportedEnd = reported ?? status.reportedEnd
            }
        }
    }
}
