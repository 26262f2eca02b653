internal import GRDB
internal import Locking

// Notifications of writes.
extension LocalStore {
    /// Yields an element after each write, by this process or within `interval` by another one. Several writes may be
    /// combined. What this process stores only for a view, such as the numbers of a list, isn't reported.
    ///
    /// - Parameters:
    ///   - beginsAtOnce: Whether the first element is yielded without a write. Otherwise it is yielded at once only if
    ///     another process has written since the cache was opened.
    ///   - interval: The time between two checks for writes of other processes.
    ///   - sleep: Waits for the given duration, or throws when the calling task is cancelled.
    ///   - executor: Runs the polling task; nil: the default executor.
    public func changes(
        beginsAtOnce: Bool = true, interval: Duration = LocalStore.watchInterval,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        executor: (any TaskExecutor)? = nil
    ) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let subscription = broadcast.subscribe { continuation.yield() }
        // Weak, so that the stream ends with the store.
        let poll = Task(executorPreference: executor) { [weak self, firstDataVersion] in
            var last = beginsAtOnce ? nil : firstDataVersion
            while !Task.isCancelled {
                guard let self else { break }
                // A check that fails is repeated after the interval.
                let now = await dataVersion()
                if let now, now != last { continuation.yield() }
                last = now ?? last
                // Throws only when the task is cancelled, which ends the loop.
                try? await sleep(interval)
            }
            continuation.finish()
        }
        continuation.onTermination = { [broadcast] _ in
            poll.cancel()
            broadcast.unsubscribe(subscription)
        }
        return stream
    }

    /// The time between two checks of a watch for writes of other processes.
    public static let watchInterval = Duration.milliseconds(500)

    /// Reads SQLite's data version; nil: it can't be read now.
    private func dataVersion() async -> Int? {
        let queue = queue
        if scheduling == .inline { return try? queue.inDatabase(CacheFile.Connection.dataVersion) }
        return try? await queue.read(CacheFile.Connection.dataVersion)
    }
}

extension LocalStore {
    /// Reports every later transaction of this process that changes records, after its commit, in order, on the thread
    /// that wrote; `notify` must return quickly. There is one watch at a time; nil ends it. Without a watch, changes
    /// aren't collected.
    package func watchRecords(_ notify: (@Sendable (CommittedChanges) -> Void)?) { watcher.withLock { $0 = notify } }

    /// Returns a collector for the changes of a transaction that begins now; nil: they aren't watched.
    func changeLog() -> ChangeLog? { watcher.withLock { $0 == nil } ? nil : ChangeLog() }

    /// Reports the changes of a transaction.
    func notify(_ log: ChangeLog?) { notify(log?.committed) }

    func notify(_ committed: CommittedChanges?) {
        guard let committed, !committed.changes.isEmpty else { return }
        watcher.withLock { $0 }?(committed)
    }
}

/// The subscribers to writes.
final class ChangeBroadcast: Sendable {
    private let subscribers = Locked<[UInt64: @Sendable () -> Void]>([:])

    func subscribe(_ notify: @escaping @Sendable () -> Void) -> UInt64 {
        subscribers.withLock { all in
            let token = (all.keys.max() ?? 0) + 1
            all[token] = notify
            return token
        }
    }

    func unsubscribe(_ token: UInt64) { subscribers.withLock { $0[token] = nil } }

    // Notified outside the lock, since a subscriber may call back.
    func announce() { for notify in subscribers.withLock({ Array($0.values) }) { notify() } }
}
