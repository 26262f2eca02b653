public import Backend

/// Suspends its callers until a test opens it; the explicit step in a test of a race.
public final class Gate: Sendable {
    private let state: Locked<State>

    private struct State {
        var isOpen: Bool
        var lastID = 0
        var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
    }

    /// A gate, closed unless said otherwise.
    public init(open: Bool = false) { state = Locked(State(isOpen: open)) }

    /// Whether it is closed.
    public var isClosed: Bool { !state.withLock(\.isOpen) }

    /// How many wait now.
    public var waiting: Int { state.withLock { $0.waiting.count } }

    /// Lets all pass that wait and all that come later.
    public func open() {
        let released = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for waiter in released { waiter.resume(returning: true) }
    }

    /// Waits until the gate is open.
    ///
    /// - Throws: `.cancelled` when the calling task is cancelled.
    public func pass() async throws(TransportError) {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let passed = await withTaskCancellationHandler {
            await withCheckedContinuation { wait(id, $0) }
        } onCancel: {
            release(id)
        }
        guard passed else { throw TransportError(.cancelled) }
    }

    private func wait(_ id: Int, _ waiter: CheckedContinuation<Bool, Never>) {
        let isOpen = state.withLock { state in
            if !state.isOpen { state.waiting[id] = waiter }
            return state.isOpen
        }
        if isOpen { return waiter.resume(returning: true) }
        // A cancellation before the waiter was stored had nothing to release.
        if Task.isCancelled { release(id) }
    }

    private func release(_ id: Int) {
        state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(returning: false)
    }
}

/// Waits for a condition, with a bound: looks each millisecond.
///
/// On a busy machine a test may hardly run within the limit: the condition has also been looked at 5,000 times before it
/// counts as never met.
///
/// - Throws: `ConditionNeverMet` after `limit`; `CancellationError`.
public func eventually(
    within limit: Duration = .seconds(120), _ what: String, isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async throws {
    let clock = ContinuousClock()
    let end = clock.now + limit
    var looks = 0
    while try await !condition() {
        guard clock.now < end || looks < 5_000 else { throw ConditionNeverMet(what: what) }
        looks += 1
        try await Task.sleep(for: .milliseconds(1))
    }
}

/// A condition that a test waited for in vain.
public struct ConditionNeverMet: Error, CustomStringConvertible {
    /// The condition, in words.
    public let what: String
    public var description: String { "never came true: \(what)" }
}
