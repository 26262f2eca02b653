internal import NIOConcurrencyHelpers

/// What one waiting task is told by others: that there is something to look at, or that all is over. Telling never
/// waits, and telling twice is telling once.
final class Wakeup: Sendable {
    private let state = NIOLockedValueBox(State())

    private struct State {
        var isTold = false
        var isOver = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    /// Tells that there is something to look at.
    func tell() { change { $0.isTold = true } }

    /// Tells that all is over.
    func end() { change { $0.isOver = true } }

    var isOver: Bool { state.withLockedValue { $0.isOver } }

    /// Whether it was told since the last time that somebody took it.
    func take() -> Bool {
        state.withLockedValue { state in
            defer { state.isTold = false }
            return state.isTold
        }
    }

    /// Waits until it was told something, or the task is cancelled.
    func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let isDue = state.withLockedValue { state in
                    // Looked at under the lock: a cancellation before this finds no waiter to wake.
                    if state.isTold || state.isOver || Task.isCancelled { return true }
                    state.waiter = waiter
                    return false
                }
                if isDue { waiter.resume() }
            }
        } onCancel: {
            change { _ in }
        }
    }

    private func change(_ change: (inout State) -> Void) {
        let waiter = state.withLockedValue { state in
            change(&state)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }
}
