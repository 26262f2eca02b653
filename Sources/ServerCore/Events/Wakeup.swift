internal import NIOConcurrencyHelpers

/// Notifies one waiting task: that there is something to read, or that the stream ends. Notifying never waits, and
/// repeated notifications count as one.
final class Wakeup: Sendable {
    private let state = NIOLockedValueBox(State())

    private struct State {
        var isTold = false
        var isOver = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    /// Notifies the task that there is something to read.
    func tell() { change { $0.isTold = true } }

    /// Notifies the task of the end.
    func end() { change { $0.isOver = true } }

    var isOver: Bool { state.withLockedValue { $0.isOver } }

    /// Whether there was a notification since the last call.
    func take() -> Bool {
        state.withLockedValue { state in
            defer { state.isTold = false }
            return state.isTold
        }
    }

    /// Waits for a notification, or until the task is cancelled.
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
