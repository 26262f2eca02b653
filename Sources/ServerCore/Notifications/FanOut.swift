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

    private struct State {
        /// The streams that are still to be notified.
        var waiting: [Wakeup] = []
        /// The streams to be notified after those, since there was more news.
        var next: [Wakeup] = []
        /// The number of notified streams that haven't run since.
        var running = 0

        /// Removes the streams that are notified at once; none once all are notified.
        mutating func nextBatch() -> [Wakeup] {
            if waiting.isEmpty { swap(&waiting, &next) }
            let batch = Array(waiting.suffix(FanOut.batchSize))
            waiting.removeLast(batch.count)
            // Counted before the first of them can run.
            running = batch.count
            return batch
        }

        /// Counts streams that have run, or need not.
        ///
        /// - Returns: The next streams to notify, once no notified one has to run any more.
        mutating func haveRun(_ count: Int) -> [Wakeup] {
            guard count > 0 else { return [] }
            running -= count
            return running == 0 ? nextBatch() : []
        }
    }

    /// - Parameter executor: Runs the tasks that notify all streams but the first ones; nil: the global one.
    init(_ news: Wakeup.News, executor: (any TaskExecutor)?) {
        self.news = news
        self.executor = executor
    }

    /// Notifies the streams, without waiting. During an earlier call's fan-out, they are notified after it, once for any
    /// number of calls.
    func notify(_ streams: [Wakeup]) {
        let first = state.withLockedValue { state in
            state.next = streams
            return state.waiting.isEmpty && state.running == 0 ? state.nextBatch() : []
        }
        notify(batch: first)
    }

    /// Reports that a notified stream has run.
    func streamHasRun() {
        let batch = state.withLockedValue { $0.haveRun(1) }
        guard !batch.isEmpty else { return }
        // By a task: an event loop looks for requests only once it has no work left.
        Task(executorPreference: executor) { self.notify(batch: batch) }
    }

    /// Notifies a batch, and the next ones as long as none of their streams is waiting.
    private func notify(batch: [Wakeup]) {
        var batch = batch
        while !batch.isEmpty {
            let count = batch.filter { !$0.notify(of: news, by: self) }.count
            batch = state.withLockedValue { $0.haveRun(count) }
        }
    }
}
