internal import NIOConcurrencyHelpers

/// Notifies many streams of the same news, a few at once: the next ones only after these have run. In between, the
/// event loops serve other connections, so that no answer waits until all streams have sent their events.
///
/// A stream that waits for its reader isn't waited for: it finds the news when it continues.
final class FanOut: Sendable {
    /// The number of streams that are notified at once.
    static let batchSize = 8

    private let news: Wakeup.News
    private let executor: (any TaskExecutor)?
    private let state = NIOLockedValueBox(State())

    private let streams: @Sendable () -> [Wakeup]

    private struct State {
        /// The streams that are still to be notified.
        var waiting: [Wakeup] = []
        /// The number of notified streams that haven't run since.
        var running = 0
        /// Whether all streams are to be notified after those, since there was more news.
        var isRepeated = false
    }

    /// - Parameters:
    ///   - executor: Runs the tasks that notify all streams but the first ones; nil: the global one.
    ///   - streams: Returns the present streams.
    init(_ news: Wakeup.News, executor: (any TaskExecutor)?, streams: @escaping @Sendable () -> [Wakeup]) {
        self.news = news
        self.executor = executor
        self.streams = streams
    }

    /// Notifies all streams, without waiting. During an earlier call's fan-out, they are notified after it, once for any
    /// number of calls.
    func notify() {
        let first = state.withLockedValue { state in
            state.isRepeated = true
            return state.waiting.isEmpty && state.running == 0 ? nextBatch(&state) : []
        }
        notify(batch: first)
    }

    /// Reports that a notified stream has run.
    func streamHasRun() {
        let batch = batch(after: 1)
        guard !batch.isEmpty else { return }
        // By a task: an event loop looks for requests only once it has no work left.
        Task(executorPreference: executor) { self.notify(batch: batch) }
    }

    /// Notifies a batch, and the next ones as long as none of their streams is waiting.
    private func notify(batch: [Wakeup]) {
        var batch = batch
        while !batch.isEmpty {
            let count = batch.filter { !$0.notify(of: news, by: self) }.count
            batch = self.batch(after: count)
        }
    }

    /// Counts streams that have run, or need not.
    ///
    /// - Returns: The next streams to notify, once no notified one has to run any more.
    private func batch(after count: Int) -> [Wakeup] {
        guard count > 0 else { return [] }
        return state.withLockedValue { state in
            state.running -= count
            return state.running == 0 ? nextBatch(&state) : []
        }
    }

    /// Removes the streams that are notified at once; none once all are notified.
    private func nextBatch(_ state: inout State) -> [Wakeup] {
        if state.waiting.isEmpty, state.isRepeated {
            state.isRepeated = false
            // Only now: a stream that opened since the news was reported may need it, too.
            state.waiting = streams()
        }
        let batch = Array(state.waiting.suffix(Self.batchSize))
        state.waiting.removeLast(batch.count)
        // Counted before the first of them can run.
        state.running = batch.count
        return batch
    }
}
