internal import NIOConcurrencyHelpers
internal import SyncAPI

/// Notifies the open event streams after a commit. It keeps the newest version of each space that a stream follows, and
/// no changes: a stream compares the versions when its reader requests more, so writers never wait for readers, and
/// nothing accumulates.
final class EventHub: Sendable {
    private let state = NIOLockedValueBox(State())
    /// Number of streams that may be open, of all accounts together.
    private let streams: Int

    fileprivate struct State {
        var lastID = 0
        var accounts: [String: Listeners] = [:]
        /// All streams by their ids, which ascend.
        var streams: [Int: Stream] = [:]
        /// The ids of an address's streams.
        var addresses: [String: Set<Int>] = [:]
        /// The spaces that streams follow.
        var spaces: [String: FollowedSpace] = [:]

        func streams(of account: String) -> [Wakeup] { accounts[account].map { Array($0.streams.values) } ?? [] }
    }

    fileprivate struct Stream {
        var account: String
        var address: String
        var wakeup: Wakeup
    }

    fileprivate struct FollowedSpace {
        let fanOut: FanOut
        /// The accounts whose streams follow the space.
        var accounts: Set<String> = []
        /// The newest version that was committed since the first of them followed it.
        var version: Int64 = 0
    }

    /// The streams of an account.
    fileprivate struct Listeners {
        var streams: [Int: Wakeup] = [:]
        var spaces: Set<String> = []
    }

    private let executor: (any TaskExecutor)?
    private let rechecks: FanOut
    private let announce: @Sendable (StoreNews) -> Void

    /// - Parameters:
    ///   - streams: The number of streams that may be open, of all accounts together.
    ///   - executor: Runs the tasks that notify many streams; nil for the global one.
    ///   - announce: Reports news to other processes over the same store, without waiting.
    init(
        streams: Int, executor: (any TaskExecutor)? = nil, announce: @escaping @Sendable (StoreNews) -> Void = { _ in }
    ) {
        self.streams = streams
        self.executor = executor
        rechecks = FanOut(.recheck, executor: executor) { [state] in
            state.withLockedValue { $0.streams.values.map(\.wakeup) }
        }
        self.announce = announce
    }

    /// Number of open streams.
    var count: Int { state.withLockedValue(\.streams.count) }

    /// Returns the number of open streams of an account.
    func count(account: String) -> Int { state.withLockedValue { $0.accounts[account]?.streams.count ?? 0 } }

    /// Adds a stream of an account, until the returned object is released. If the server has reached its limit, the
    /// newest stream of the address with the most streams ends, unless the caller's address would then have as many.
    ///
    /// - Parameter limit: The number of streams that the account may have open.
    /// - Throws: `Problem` 403 if the account has reached its limit, 503 if the server has.
    func listen(account: String, address: String, limit: Int64) throws(Problem) -> Listening {
        var displaced: Stream?
        let result = state.withLockedValue { state -> Result<Listening, Problem> in
            guard Int64(state.accounts[account]?.streams.count ?? 0) < limit else {
                return .failure(.tooManyStreams(limit: limit))
            }
            if state.streams.count >= streams {
                guard let id = state.displaceable(for: address) else {
                    return .failure(.tooManyStreamsInAll(limit: streams))
                }
                displaced = state.remove(id)
            }
            state.lastID += 1
            let listening = Listening(hub: self, id: state.lastID)
            state.add(Stream(account: account, address: address, wakeup: listening.wakeup), id: state.lastID)
            return .success(listening)
        }
        displaced?.wakeup.end()
        return try result.get()
    }

    /// Makes the account's streams follow these spaces.
    ///
    /// - Returns: Whether they did not follow all of them before, so that a commit may have been missed.
    func follow(_ spaces: some Sequence<String>, account: String) -> Bool {
        state.withLockedValue { state in
            let new = Set(spaces).subtracting(state.accounts[account]?.spaces ?? [])
            // Without a stream of the account, nothing would remove the subscription.
            guard !new.isEmpty, state.accounts[account] != nil else { return false }
            state.accounts[account]?.spaces.formUnion(new)
            for space in new {
                state.spaces[space, default: FollowedSpace(fanOut: fanOut(to: space))].accounts.insert(account)
            }
            return true
        }
    }

    private func fanOut(to space: String) -> FanOut {
        FanOut(.commit, executor: executor) { [weak self] in
            self?.state.withLockedValue { state in
                state.spaces[space]?.accounts.flatMap { state.streams(of: $0) }
            } ?? []
        }
    }

    /// Notifies the streams that follow a space of a commit, and the other processes.
    ///
    /// - Parameter version: The space's version after the commit.
    func changed(_ space: String, version: Int64) {
        announce(.changed(space: space, version: version))
        noteChange(of: space, version: version)
    }

    /// Notifies the streams of this process that follow a space of a commit.
    func noteChange(of space: String, version: Int64) {
        let fanOut = state.withLockedValue { state -> FanOut? in
            guard let followed = state.spaces[space] else { return nil }
            // Commits may be reported in another order than they were made.
            state.spaces[space]?.version = max(followed.version, version)
            return followed.fanOut
        }
        // Not under the lock, which the fan-out takes to find the streams.
        fanOut?.notify()
    }

    /// Returns the newest versions of spaces that were committed since they are followed. A space without a commit is
    /// missing.
    func committedVersions(of spaces: some Sequence<String>) -> [String: Int64] {
        state.withLockedValue { state in
            spaces.reduce(into: [:]) { versions, space in
                if let version = state.spaces[space]?.version, version > 0 { versions[space] = version }
            }
        }
    }

    /// Notifies the account's streams that a session may have ended or the account's spaces have changed, and the other
    /// processes.
    func recheck(account: String) {
        announce(.recheck(account: account))
        noteRecheck(of: account)
    }

    /// Notifies the account's streams of this process that a session may have ended or the account's spaces have changed.
    func noteRecheck(of account: String) {
        for stream in state.withLockedValue({ $0.streams(of: account) }) { stream.notify(of: .recheck) }
    }

    /// Notifies all streams that their sessions may have ended.
    func recheckAll() {
        rechecks.notify()
    }

    fileprivate func remove(_ id: Int) {
        state.withLockedValue { state in _ = state.remove(id) }
    }

    /// The place of a stream in the hub, released with the last reference.
    final class Listening: Sendable {
        let wakeup = Wakeup()
        private let hub: EventHub
        private let id: Int

        fileprivate init(hub: EventHub, id: Int) {
            self.hub = hub
            self.id = id
        }

        deinit { hub.remove(id) }
    }
}

extension EventHub.State {
    fileprivate mutating func add(_ stream: EventHub.Stream, id: Int) {
        streams[id] = stream
        addresses[stream.address, default: []].insert(id)
        accounts[stream.account, default: EventHub.Listeners()].streams[id] = stream.wakeup
    }

    /// Removes a stream, if it is still there. With the account's last stream, the account's subscriptions are removed,
    /// too.
    fileprivate mutating func remove(_ id: Int) -> EventHub.Stream? {
        guard let stream = streams.removeValue(forKey: id) else { return nil }
        addresses[stream.address]?.remove(id)
        if addresses[stream.address]?.isEmpty == true { addresses[stream.address] = nil }
        accounts[stream.account]?.streams[id] = nil
        guard let listeners = accounts[stream.account], listeners.streams.isEmpty else { return stream }
        accounts[stream.account] = nil
        for space in listeners.spaces {
            spaces[space]?.accounts.remove(stream.account)
            if spaces[space]?.accounts.isEmpty == true { spaces[space] = nil }
        }
        return stream
    }

    /// Returns the newest stream of the address with the most streams, if that has at least two more than this address.
    fileprivate func displaceable(for address: String) -> Int? {
        guard let most = addresses.values.max(by: { $0.count < $1.count }),
            // At least two more, so that no two addresses displace each other's streams in turn.
            most.count > (addresses[address]?.count ?? 0) + 1
        else { return nil }
        return most.max()
    }
}
