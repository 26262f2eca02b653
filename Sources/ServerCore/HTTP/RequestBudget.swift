internal import NIOConcurrencyHelpers
internal import SyncAPI

/// Limits of the requests that are processed at the same time.
public struct RequestRules: Sendable {
    /// How many requests of one session are answered at once, event streams not counted.
    public var perSession: Int
    /// The bytes of the bodies and answers of all requests that are under way.
    public var bytes: Int
    /// The bytes of one account's requests, so that one account can't use up the whole budget.
    public var bytesPerAccount: Int

    /// Bodies and answers of so many bytes are not counted: log-ins, health checks and small requests are answered however
    /// much others hold. How many there are at once is bounded by the connections.
    static let uncounted = 64 << 10

    /// By default 8 requests, 64 MiB and 16 MiB.
    public init(perSession: Int = 8, bytes: Int = 64 << 20, bytesPerAccount: Int = 16 << 20) {
        self.perSession = perSession
        self.bytes = bytes
        self.bytesPerAccount = bytesPerAccount
    }
}

/// The memory held by all requests under way. A request that exceeds the rules is refused with 503 and `Retry-After`.
final class RequestBudget: Sendable {
    private let rules: RequestRules
    private let state = NIOLockedValueBox(State())

    private struct State {
        /// Requests under way by session.
        var requests: [String: Int] = [:]
        var bytes = 0
        /// Bytes held by account.
        var accountBytes: [String: Int] = [:]
    }

    init(_ rules: RequestRules) { self.rules = rules }

    /// The bytes that are held now.
    var bytes: Int { state.withLockedValue(\.bytes) }

    /// The requests of a session that are under way now.
    func requests(session: String) -> Int { state.withLockedValue { $0.requests[session] ?? 0 } }

    fileprivate func enter(_ session: String) throws(Problem) {
        let hasRoom = state.withLockedValue { state in
            guard state.requests[session, default: 0] < rules.perSession else { return false }
            state.requests[session, default: 0] += 1
            return true
        }
        if !hasRoom { throw Problem.tooManyRequests(limit: rules.perSession) }
    }

    /// Whether an account could hold this many bytes more.
    fileprivate func hasRoom(for wanted: Int, of account: String) -> Bool {
        state.withLockedValue { state in
            fits(wanted, beside: state.accountBytes[account, default: 0], of: account, all: state.bytes)
        }
    }

    /// Whether a request may hold so many bytes. The only request of an account that holds any may hold more than the account's
    /// share, or the largest answer of a push could never be sent.
    ///
    /// - Parameters:
    ///   - others: what the other requests of the account hold.
    ///   - all: what all other requests hold.
    private func fits(_ wanted: Int, beside others: Int, of account: String, all: Int) -> Bool {
        all + wanted <= rules.bytes
            && (account.isEmpty || others == 0 || others + wanted <= rules.bytesPerAccount)
    }

    fileprivate func leave(_ session: String) {
        state.withLockedValue { state in
            let left = (state.requests[session] ?? 0) - 1
            state.requests[session] = left > 0 ? left : nil
        }
    }

    /// Changes how much a request holds.
    fileprivate func exchange(_ held: Int, for wanted: Int, of account: String?) throws(Problem) {
        let isPossible = state.withLockedValue { state in
            let account = account ?? ""
            let others = state.accountBytes[account, default: 0] - held
            let (bytes, accountBytes) = (state.bytes - held + wanted, others + wanted)
            // Holding less is always possible.
            guard wanted <= held || fits(wanted, beside: others, of: account, all: state.bytes - held) else {
                return false
            }
            state.bytes = bytes
            state.accountBytes[account] = accountBytes > 0 ? accountBytes : nil
            return true
        }
        if !isPossible { throw Problem.overloaded }
    }
}

/// One request's share of a budget, from its authentication until its answer was written; returned when the object is
/// deallocated.
final class RequestHold: Sendable {
    private let budget: RequestBudget?
    private let state = NIOLockedValueBox(State())

    private struct State {
        var caller: Caller?
        var bytes = 0
    }

    /// - Parameter budget: nil: without bounds.
    init(_ budget: RequestBudget?) { self.budget = budget }

    deinit {
        let state = state.withLockedValue { $0 }
        try? budget?.exchange(state.bytes, for: 0, of: state.caller?.account)  // to hold less never fails
        if let caller = state.caller { budget?.leave(caller.session) }
    }

    /// Counts the request as one of the caller's session; a second call does nothing.
    ///
    /// - Throws: `Problem` 503.
    func admit(_ caller: Caller) throws {
        try state.withLockedValue { state in
            if state.caller != nil { return }
            try budget?.exchange(state.bytes, for: 0, of: nil)
            state.bytes = 0
            try budget?.enter(caller.session)
            state.caller = caller
        }
    }

    /// Makes a part of the answer if the budget has room for a page, and holds its bytes from then on.
    ///
    /// Call it within a read of the store. Then only as many parts are made at once as the store has readers, and requests
    /// that wait for a reader see what the parts hold that were made before.
    ///
    /// - Throws: `Problem` 503; what `make` throws.
    func part<Part>(bytes: (Part) -> Int, _ make: () throws -> Part) throws -> Part {
        if let budget, let caller = state.withLockedValue(\.caller),
            !budget.hasRoom(for: Limits.pageBytes, of: caller.account)
        {
            throw Problem.overloaded
        }
        let part = try make()
        try hold(bytes(part))
        return part
    }

    /// Replaces the number of bytes that the request holds.
    ///
    /// - Throws: `Problem` 503; the bytes held are unchanged then.
    func hold(_ bytes: Int) throws {
        let bytes = bytes <= RequestRules.uncounted ? 0 : bytes
        try state.withLockedValue { state in
            try budget?.exchange(state.bytes, for: bytes, of: state.caller?.account)
            state.bytes = bytes
        }
    }
}
