internal import NIOConcurrencyHelpers

/// Notifies one waiting task that there is something to do, or that the stream ends. Notifying never waits, and repeated
/// notifications count as one.
final class Wakeup: Sendable {
    /// The reasons for which a stream is notified.
    struct News: OptionSet {
        let rawValue: UInt8

        /// Records of a followed space have changed.
        static let commit = News(rawValue: 1)
        /// The session may have ended, or the account's spaces may have changed.
        static let recheck = News(rawValue: 2)
        /// A heartbeat is due.
        static let heartbeat = News(rawValue: 4)
    }

    private let state = NIOLockedValueBox(State())

    private struct State {
        var news: News = []
        var isOver = false
        var waiter: CheckedContinuation<Void, Never>?
        /// The fan-out that resumed the waiter, which hasn't run since.
        var fanOut: FanOut?
    }

    /// Notifies the task of a reason.
    ///
    /// - Parameter fanOut: The fan-out that waits until the task has run, if it is resumed.
    /// - Returns: Whether the task was waiting and is resumed.
    @discardableResult
    func notify(of news: News, by fanOut: FanOut? = nil) -> Bool {
        change { state in
            state.news.formUnion(news)
            if state.waiter != nil { state.fanOut = fanOut }
        }
    }

    /// Notifies the task of the end.
    func end() { change { $0.isOver = true } }

    var isOver: Bool { state.withLockedValue { $0.isOver } }

    /// Waits for a notification, for the end, or until the task is cancelled.
    ///
    /// - Returns: The reasons of all notifications since the last call; nil after the end or a cancellation.
    func next() async -> News? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let isDue = state.withLockedValue { state in
                    // Checked under the lock: a cancellation before this finds no waiter to resume.
                    if !state.news.isEmpty || state.isOver || Task.isCancelled { return true }
                    state.waiter = waiter
                    return false
                }
                if isDue { waiter.resume() }
            }
        } onCancel: {
            change { _ in }
        }
        let (news, fanOut) = state.withLockedValue { state in
            defer { (state.news, state.fanOut) = ([], nil) }
            return (state.isOver || Task.isCancelled ? nil : state.news, state.fanOut)
        }
        fanOut?.streamHasRun()
        return news
    }

    /// Changes the state and resumes the waiter.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    private func change(_ change: (inout State) -> Void) -> Bool {
        let waiter = state.withLockedValue { state in
            change(&state)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
        return waiter != nil
    }
}
