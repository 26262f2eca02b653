public import Backend
internal import Locking

/// A credential store in memory. Several clients with one store represent several processes with one home.
public final class InMemoryCredentialStore: CredentialStore {
    private let state: Locked<State>
    private let turn = AsyncLock()

    private struct State {
        var credentials: Credentials?
        var saves: [Credentials?] = []
        var turns = 0
        var failure: (any Error)?
        var savesBeforeFailure = 0
    }

    /// Creates a store with these credentials.
    public init(_ credentials: Credentials? = nil) { state = Locked(State(credentials: credentials)) }

    /// The stored credentials.
    public var credentials: Credentials? { state.withLock(\.credentials) }

    /// All values that were saved, in order.
    public var saves: [Credentials?] { state.withLock(\.saves) }

    /// The number of times that the store was locked.
    public var turns: Int { state.withLock(\.turns) }

    /// Makes each later save fail, as on a full disk, except for the next `saves`; nil: saving works again. A save that
    /// fails with `TokensLeft` stores the credentials.
    public func failSaving(with error: (any Error)?, after saves: Int = 0) {
        state.withLock { ($0.failure, $0.savesBeforeFailure) = (error, saves) }
    }

    public func load() throws -> Credentials? { credentials }

    public func save(_ credentials: Credentials?) throws {
        try state.withLock { state in
            if let failure = state.failure {
                guard state.savesBeforeFailure > 0 else {
                    if failure is TokensLeft { state.credentials = credentials }
                    throw failure
                }
                state.savesBeforeFailure -= 1
            }
            state.credentials = credentials
            state.saves.append(credentials)
        }
    }

    public func exclusively<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        try await turn.enter()
        defer { turn.giveBack() }
        state.withLock { $0.turns += 1 }
        return try await body()
    }
}

/// A lock that tasks acquire in the order of their calls.
private final class AsyncLock: Sendable {
    // The first gate belongs to the holder of the lock.
    private let queue = Locked<[Gate]>([])

    func enter() async throws {
        let mine = Gate()
        let before = queue.withLock { queue in
            queue.append(mine)
            return queue.count > 1
        }
        guard before else { return }
        do {
            try await mine.pass()
        } catch {
            // Otherwise the lock would be passed to a gate without a waiter.
            leave(mine)
            throw error
        }
    }

    func giveBack() {
        queue.withLock { queue in
            queue.removeFirst()
            return queue.first
        }?.open()
    }

    /// Removes a gate from the queue. If its turn has come at the same time, passes the lock on.
    private func leave(_ gate: Gate) {
        let isTurn = queue.withLock { queue in
            let isTurn = queue.first === gate
            if !isTurn { queue.removeAll { $0 === gate } }
            return isTurn
        }
        if isTurn { giveBack() }
    }
}
