internal import NIOConcurrencyHelpers
internal import SyncAPI

/// Notifies the open event streams after a commit. It carries no changes itself: a stream reads what is new when its
/// reader asks for more, so writers never wait for readers, and nothing accumulates.
final class EventHub: Sendable {
    private let state = NIOLockedValueBox(State())
    private let streamsPerAccount: Int
    /// How many streams may be open, of all accounts together.
    private let streams: Int

    private struct State {
        var lastID = 0
        var count = 0
        var accounts: [String: Listeners] = [:]
        /// The accounts whose streams want to hear of a space.
        var followers: [String: Set<String>] = [:]

        func streams(of account: String) -> [Wakeup] { accounts[account].map { Array($0.streams.values) } ?? [] }
    }

    /// The streams of an account.
    private struct Listeners {
        var streams: [Int: Wakeup] = [:]
        var spaces: Set<String> = []
    }

    init(streamsPerAccount: Int, streams: Int) {
        self.streamsPerAccount = streamsPerAccount
        self.streams = streams
    }

    /// How many streams are open.
    var count: Int { state.withLockedValue(\.count) }

    /// Adds a stream of an account, until what is returned is released.
    ///
    /// - Throws: `Problem` 429 if the account has reached its limit of streams, 503 if the server has.
    func listen(account: String) throws(Problem) -> Listening {
        let result = state.withLockedValue { state -> Result<Listening, Problem> in
            guard state.accounts[account]?.streams.count ?? 0 < streamsPerAccount else {
                return .failure(.tooManyStreams(limit: streamsPerAccount))
            }
            guard state.count < streams else { return .failure(.tooManyStreamsInAll(limit: streams)) }
            state.lastID += 1
            state.count += 1
            let listening = Listening(hub: self, account: account, id: state.lastID)
            state.accounts[account, default: Listeners()].streams[state.lastID] = listening.wakeup
            return .success(listening)
        }
        return try result.get()
    }

    /// Lets the account's streams hear of these spaces from now on.
    ///
    /// - Returns: whether they didn't hear of all of them before, so that something may have been missed.
    func follow(_ spaces: some Sequence<String>, account: String) -> Bool {
        state.withLockedValue { state in
            let new = Set(spaces).subtracting(state.accounts[account]?.spaces ?? [])
            guard !new.isEmpty, state.accounts[account] != nil else { return false }
            state.accounts[account]?.spaces.formUnion(new)
            for space in new { state.followers[space, default: []].insert(account) }
            return true
        }
    }

    /// Something was committed in a space.
    func changed(_ space: String) {
        tell { state in (state.followers[space] ?? []).flatMap { state.streams(of: $0) } }
    }

    /// A session of the account may have ended, or its spaces changed.
    func recheck(account: String) {
        tell { state in state.streams(of: account) }
    }

    private func tell(_ streams: (State) -> [Wakeup]) {
        for stream in state.withLockedValue({ streams($0) }) { stream.tell() }
    }

    fileprivate func remove(_ id: Int, of account: String) {
        state.withLockedValue { state in
            if state.accounts[account]?.streams.removeValue(forKey: id) != nil { state.count -= 1 }
            guard let listeners = state.accounts[account], listeners.streams.isEmpty else { return }
            state.accounts[account] = nil
            for space in listeners.spaces {
                state.followers[space]?.remove(account)
                if state.followers[space]?.isEmpty == true { state.followers[space] = nil }
            }
        }
    }

    /// A stream's place in the hub; it is given free with the last reference.
    final class Listening: Sendable {
        let wakeup = Wakeup()
        private let hub: EventHub
        private let account: String
        private let id: Int

        fileprivate init(hub: EventHub, account: String, id: Int) {
            self.hub = hub
            self.account = account
            self.id = id
        }

        deinit { hub.remove(id, of: account) }
    }
}

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
