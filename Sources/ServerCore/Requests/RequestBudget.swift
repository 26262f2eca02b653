internal import NIOConcurrencyHelpers
internal import SyncAPI

/// The budget of memory for all requests under way.
///
/// A request that exceeds the rules is refused with 503 and `Retry-After`. When the bytes of all requests are used up,
/// the largest request of the client that holds the most is displaced, provided that this client holds more than the
/// requesting client would hold afterwards. With n active clients, each can therefore hold 1/n of the bytes whatever
/// the others do, and no two clients displace each other in turn. A request without an account displaces none.
final class RequestBudget: Sendable {
    private let rules: RequestBounds
    private let state = NIOLockedValueBox(State())

    /// Requests that share one part of the budget.
    enum Client: Hashable, Sendable {
        /// All requests from one address, see `IPAddress.subscriber`.
        case subscriber(String)
        /// All requests of one account, if the address is shared by clients that can't be distinguished.
        case account(String)
    }

    /// A request that holds bytes.
    private struct Holder {
        var account = ""
        var client = Client.account("")
        var bytes = 0
        /// The position in the order in which the requests began to hold bytes.
        var number = 0
        var isDisplaced = false
        var displace: @Sendable () -> Void = {}
    }

    private struct State {
        /// Requests under way by session.
        var requests: [String: Int] = [:]
        /// Only requests that hold bytes or were displaced.
        var holders: [ObjectIdentifier: Holder] = [:]
        var bytes = Sums()
        /// The bytes of parts of answers that are being made.
        var reserved = 0
        /// Number of requests that have held bytes.
        var count = 0
    }

    /// Sums of the held bytes: of all requests, by account and by client.
    private struct Sums {
        var all = 0
        var accounts: [String: Int] = [:]
        var clients: [Client: Int] = [:]

        mutating func add(_ bytes: Int, of holder: Holder) {
            all += bytes
            accounts[holder.account] = (accounts[holder.account] ?? 0) + bytes
            clients[holder.client] = (clients[holder.client] ?? 0) + bytes
            if accounts[holder.account] == 0 { accounts[holder.account] = nil }
            if clients[holder.client] == 0 { clients[holder.client] = nil }
        }
    }

    init(_ rules: RequestBounds) { self.rules = rules }

    /// The bytes that are held now.
    var bytes: Int { state.withLockedValue(\.bytes.all) }

    /// Returns the number of requests of a session that are under way.
    func requests(session: String) -> Int { state.withLockedValue { $0.requests[session] ?? 0 } }

    // MARK: Requests

    fileprivate func enter(_ session: String) throws(Problem) {
        let hasRoom = state.withLockedValue { state in
            guard state.requests[session, default: 0] < rules.perSession else { return false }
            state.requests[session, default: 0] += 1
            return true
        }
        if !hasRoom { throw Problem.tooManyRequests(limit: rules.perSession) }
    }

    fileprivate func leave(_ session: String) {
        state.withLockedValue { state in
            let left = (state.requests[session] ?? 0) - 1
            state.requests[session] = left > 0 ? left : nil
        }
    }

    // MARK: Bytes

    /// Changes the number of bytes that a request holds, and displaces others if necessary.
    ///
    /// - Parameter request: The request's properties, read when it begins to hold bytes.
    /// - Throws: `Problem` 503 if the rules don't allow it, or the request was displaced.
    fileprivate func hold(_ wanted: Int, _ id: ObjectIdentifier, _ request: RequestHold.Request) throws(Problem) {
        let displaced: [Holder]? = state.withLockedValue { state in
            var holder = state.holders[id] ?? Self.holder(request)
            // Holding less is always allowed.
            if wanted > holder.bytes {
                guard !holder.isDisplaced, let victims = victims(for: wanted, by: holder, state) else { return nil }
                if state.holders[id] == nil {
                    state.count += 1
                    holder.number = state.count
                }
                let displaced = victims.compactMap { state.holders[$0] }
                for id in victims { Self.displace(id, &state) }
                Self.set(wanted, id, holder, &state)
                return displaced
            }
            Self.set(wanted, id, holder, &state)
            return []
        }
        guard let displaced else { throw .overloaded }
        // Outside the lock: closing a connection runs code of the connection.
        for holder in displaced { holder.displace() }
    }

    /// Reserves bytes that a request is about to hold, if it could hold them. Nothing is displaced yet.
    ///
    /// - Throws: `Problem` 503.
    fileprivate func reserve(_ wanted: Int, _ id: ObjectIdentifier, _ request: RequestHold.Request) throws(Problem) {
        let hasRoom = state.withLockedValue { state in
            let holder = state.holders[id] ?? Self.holder(request)
            guard !holder.isDisplaced, victims(for: holder.bytes + wanted, by: holder, state) != nil else {
                return false
            }
            state.reserved += wanted
            return true
        }
        if !hasRoom { throw Problem.overloaded }
    }

    fileprivate func release(_ reserved: Int) { state.withLockedValue { $0.reserved -= reserved } }

    fileprivate func remove(_ id: ObjectIdentifier) {
        state.withLockedValue { state in
            guard let holder = state.holders.removeValue(forKey: id) else { return }
            state.bytes.add(-holder.bytes, of: holder)
        }
    }

    fileprivate func isDisplaced(_ id: ObjectIdentifier) -> Bool {
        state.withLockedValue { $0.holders[id]?.isDisplaced ?? false }
    }

    private static func holder(_ request: RequestHold.Request) -> Holder {
        Holder(
            account: request.caller?.account ?? "", client: request.client ?? .account(request.caller?.account ?? ""),
            displace: request.displace)
    }

    private static func set(_ bytes: Int, _ id: ObjectIdentifier, _ holder: Holder, _ state: inout State) {
        var holder = holder
        state.bytes.add(bytes - holder.bytes, of: holder)
        holder.bytes = bytes
        // A displaced request stays known until it ends, so that it can't hold bytes again.
        state.holders[id] = bytes > 0 || holder.isDisplaced ? holder : nil
    }

    private static func displace(_ id: ObjectIdentifier, _ state: inout State) {
        guard var holder = state.holders[id] else { return }
        holder.isDisplaced = true
        set(0, id, holder, &state)
    }

    /// Returns the requests that must be displaced so that a request can hold `wanted` bytes; nil if it can't hold
    /// them.
    ///
    /// The only request of an account that holds any bytes may hold more than the account's share. Otherwise the
    /// largest answer of a push could never be sent.
    private func victims(for wanted: Int, by holder: Holder, _ state: State) -> [ObjectIdentifier]? {
        let others = state.bytes.accounts[holder.account, default: 0] - holder.bytes
        guard holder.account.isEmpty || others == 0 || others + wanted <= rules.bytesPerAccount else { return nil }
        var victims: [ObjectIdentifier] = []
        var (sums, holders) = (state.bytes, state.holders)
        sums.add(wanted - holder.bytes, of: holder)
        let own = sums.clients[holder.client] ?? 0
        while sums.all + state.reserved > rules.bytes {
            let most = sums.clients.values.max() ?? 0
            guard most > own, !holder.account.isEmpty else { return nil }
            let largest = holders.filter { sums.clients[$0.value.client] == most }
                .max { ($0.value.bytes, $0.value.number) < ($1.value.bytes, $1.value.number) }
            guard let largest else { return nil }
            victims.append(largest.key)
            sums.add(-largest.value.bytes, of: largest.value)
            holders[largest.key] = nil
        }
        return victims
    }
}

/// The share of one request in a budget, from its authentication until its answer was written. Released when the object
/// is deallocated.
final class RequestHold: Sendable {
    private let budget: RequestBudget?
    private let request: NIOLockedValueBox<Request>

    /// The properties of a request that the budget depends on.
    struct Request: Sendable {
        var caller: Caller?
        var client: RequestBudget.Client?
        /// Ends the request's connection. Called once, if the request is displaced.
        var displace: @Sendable () -> Void
    }

    /// - Parameters:
    ///   - budget: The budget; nil: without bounds.
    ///   - displace: Ends the request's connection.
    init(_ budget: RequestBudget?, displace: @escaping @Sendable () -> Void = {}) {
        self.budget = budget
        request = NIOLockedValueBox(Request(displace: displace))
    }

    deinit {
        budget?.remove(ObjectIdentifier(self))
        if let caller = request.withLockedValue(\.caller) { budget?.leave(caller.session) }
    }

    /// Whether the request's bytes were released because other clients needed them.
    var isDisplaced: Bool { budget?.isDisplaced(ObjectIdentifier(self)) ?? false }

    /// The account of the caller; nil if the request wasn't authenticated.
    var account: String? { request.withLockedValue(\.caller)?.account }

    /// Counts the request as one of the caller's session. A second call has no effect.
    ///
    /// - Parameter address: The client's address; nil if it is shared by clients that can't be distinguished.
    /// - Throws: `Problem` 503.
    func admit(_ caller: Caller, address: IPAddress? = nil) throws {
        try request.withLockedValue { request in
            if request.caller != nil { return }
            try budget?.enter(caller.session)
            // Bytes that an extension read before it authenticated the caller are counted again, as the caller's.
            budget?.remove(ObjectIdentifier(self))
            request.caller = caller
            request.client = address.map { .subscriber($0.subscriber) }
        }
    }

    /// Makes a part of the answer and holds its bytes from then on. Meanwhile, bytes for the largest part are reserved.
    ///
    /// Call it within a read of the store, so that requests that wait for a reader reserve nothing.
    ///
    /// - Parameter largest: The most bytes that the part may have.
    /// - Throws: `Problem` 503 if the budget has no room; what `make` throws.
    func part<Part>(atMost largest: Int, bytes: (Part) -> Int, _ make: () throws -> Part) throws -> Part {
        let request = request.withLockedValue { $0 }
        // Before the caller is known nothing is reserved, since the part belongs to no account yet.
        let part = try reserving(request.caller == nil ? 0 : largest, for: request, make)
        try hold(bytes(part))
        return part
    }

    private func reserving<Part>(_ bytes: Int, for request: Request, _ make: () throws -> Part) throws -> Part {
        try budget?.reserve(bytes, ObjectIdentifier(self), request)
        defer { budget?.release(bytes) }
        return try make()
    }

    /// Replaces the number of bytes that the request holds.
    ///
    /// - Throws: `Problem` 503; then the held bytes are unchanged.
    func hold(_ bytes: Int) throws {
        let request = request.withLockedValue { $0 }
        try budget?.hold(bytes <= RequestBounds.uncounted ? 0 : bytes, ObjectIdentifier(self), request)
    }
}
