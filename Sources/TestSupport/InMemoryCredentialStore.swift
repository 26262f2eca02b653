public import Backend

/// A credential store without a disk. Several clients on one store are several processes of one home.
public final class InMemoryCredentialStore: CredentialStore {
    private let state: Locked<State>
    private let turn = AsyncLock()

    private struct State {
        var credentials: Credentials?
        var saves: [Credentials?] = []
        var turns = 0
        var failure: (any Error)?
    }

    /// A store that holds these credentials.
    public init(_ credentials: Credentials? = nil) { state = Locked(State(credentials: credentials)) }

    /// What is kept now.
    public var credentials: Credentials? { state.withLock(\.credentials) }

    /// All that was saved, in order.
    public var saves: [Credentials?] { state.withLock(\.saves) }

    /// How often the store was locked.
    public var turns: Int { state.withLock(\.turns) }

    /// Makes each later save fail, as a full disk does; nil ends that.
    public func failSaving(with error: (any Error)?) { state.withLock { $0.failure = error } }

    public func load() throws -> Credentials? { credentials }

    public func save(_ credentials: Credentials?) throws {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
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

/// A lock that tasks wait for in the order in which they came.
private final class AsyncLock: Sendable {
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

    /// Steps out of the queue; if it was one's turn already, hands it on.
    private func leave(_ gate: Gate) {
        let isTurn = queue.withLock { queue in
            let isTurn = queue.first === gate
            if !isTurn { queue.removeAll { $0 === gate } }
            return isTurn
        }
        if isTurn { giveBack() }
    }
}
