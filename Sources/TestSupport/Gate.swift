public import Backend
internal import Locking

/// Suspends its callers until a test opens it: the explicit step in the test of a race.
public final class Gate: Sendable {
    private let state: Locked<State>

    private struct State {
        var isOpen: Bool
        var lastID = 0
        var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
    }

    /// Creates a gate, closed by default.
    public init(open: Bool = false) { state = Locked(State(isOpen: open)) }

    /// Whether the gate is closed.
    public var isClosed: Bool { !state.withLock(\.isOpen) }

    /// The number of callers that wait.
    public var waiting: Int { state.withLock { $0.waiting.count } }

    /// Resumes all callers that wait, and lets later ones pass.
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
    /// - Throws: `.cancelled` if the calling task is cancelled.
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
        // A cancellation before the waiter was stored found nothing to release.
        if Task.isCancelled { release(id) }
    }

    private func release(_ id: Int) {
        state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(returning: false)
    }
}

/// Waits for a condition, which is checked each millisecond, with a time limit.
///
/// On a busy machine, a test may hardly run within the limit. So it fails only after at least 5,000 checks.
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

/// The error if a condition isn't met in time.
public struct ConditionNeverMet: Error, CustomStringConvertible {
    /// The description of the condition.
    public let what: String
    public var description: String { "never came true: \(what)" }
}
