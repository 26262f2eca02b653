internal import NIOConcurrencyHelpers

/// Lets the tasks of this process that wait for the lock of the same space run in turn.
final class SpaceTurns: Sendable {
    private typealias Waiter = CheckedContinuation<Void, Never>

    /// The tasks that wait for each space that is in use.
    private let waiting = NIOLockedValueBox<[String: [Waiter]]>([:])

    /// Runs `body` when it is its turn. A waiting task isn't cancellable: its turn comes within the deadlines of
    /// connections.
    func inTurn<Result: Sendable>(
        for space: String, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        await withCheckedContinuation { (waiter: Waiter) in
            let isFree = waiting.withLockedValue { waiting in
                if waiting[space]?.append(waiter) != nil { return false }
                waiting[space] = []
                return true
            }
            if isFree { waiter.resume() }
        }
        defer { leave(space) }
        return try await body()
    }

    private func leave(_ space: String) {
        let next = waiting.withLockedValue { waiting -> Waiter? in
            if waiting[space]?.isEmpty ?? true {
                waiting[space] = nil
                return nil
            }
            return waiting[space]?.removeFirst()
        }
        next?.resume()
    }
}
