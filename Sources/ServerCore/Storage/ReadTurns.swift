internal import NIOConcurrencyHelpers

/// Lets the requests of accounts read records in turn.
///
/// A store has a few readers, and a read of many records can take a second or more. Without turns, the requests of one
/// account would occupy all readers, and no other account could even be authenticated. So an account has
/// `readsPerAccount` of `reads` at once. Log-in reads without a turn, with the readers that are left (`SQLiteServerStore`
/// has 8). Authentication, requests for one record and event streams are look-ups (`ServerStore.lookUp`), which are short
/// and use connections of their own.
final class ReadTurns: Sendable {
    /// Number of reads at once: as few as keep the processors busy, since each reserves the largest page.
    static let reads = 4
    /// Number of reads of one account at once.
    static let readsPerAccount = 2
    /// Number of reads of one account that may wait or be under way; a further one is refused with 429.
    static let perAccount = 64
    /// Number of reads that may wait. Beyond that, the newest one of the account with the most is refused with 503.
    static let waiting = 1_024

    private struct Account: FairQueueKey {
        let id: String
        var crowd: String { id }
    }

    private struct State {
        var queue = FairQueue<Account, CheckedContinuation<Void, any Error>>(
            perKey: ReadTurns.perAccount, runningPerKey: ReadTurns.readsPerAccount, limit: ReadTurns.waiting)
        var running = 0

        /// Removes and returns the reads whose turn it is.
        mutating func start() -> [CheckedContinuation<Void, any Error>] {
            var started: [CheckedContinuation<Void, any Error>] = []
            while running < ReadTurns.reads, let (_, next) = queue.next() {
                running += 1
                started.append(next)
            }
            return started
        }
    }

    private let state = NIOLockedValueBox(State())

    /// Runs `body` when it is the account's turn.
    ///
    /// - Throws: `QueueRefusal`; `CancellationError` if the task was cancelled meanwhile; what `body` throws.
    func read<Value>(
        for account: String, _ body: () async throws -> Value
    ) async throws -> Value {
        let key = Account(id: account)
        try await enter(key)
        defer { leave(key) }
        // A waiting read isn't cancellable: it keeps its place and ends at its turn, before it uses the store.
        try Task.checkCancellation()
        return try await body()
    }

    private func enter(_ key: Account) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            do {
                let (displaced, started) = try state.withLockedValue { state in
                    (try state.queue.add(continuation, for: key), state.start())
                }
                displaced?.resume(throwing: QueueRefusal.full)
                for next in started { next.resume() }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    private func leave(_ key: Account) {
        let started = state.withLockedValue { state in
            state.queue.finished(key)
            state.running -= 1
            return state.start()
        }
        for next in started { next.resume() }
    }
}
