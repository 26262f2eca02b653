internal import Crypto
internal import Records
internal import SyncAPI

/// Reads and writes the changes of a space (SyncAPI.docc/Protocol.md, "Changes").
struct ChangesService: Sendable {
    let store: any ServerStore
    let environment: ServerEnvironment
    let configuration: ServerConfiguration
    let events: EventHub
    private let turns: ReadTurns
    private let inFlight = InFlightKeys()

    init(
        store: any ServerStore, environment: ServerEnvironment, configuration: ServerConfiguration, events: EventHub,
        turns: ReadTurns
    ) {
        self.store = store
        self.turns = turns
        self.environment = environment
        self.configuration = configuration
        self.events = events
    }

    // MARK: Reading

    /// The answer of `GET …/changes` as JSON.
    ///
    /// - Parameter hold: the request's share of the server's budget.
    /// - Throws: `Problem`: 400 for an invalid cursor, 404, 410, 503 if there is no room for a page.
    func pull(
        _ caller: Caller, space: String, since: String?, limit: Int, hold: RequestHold
    ) async throws -> [UInt8] {
        let cursor = try since.map(Self.cursor)
        let page = try await read(for: caller) { tx in
            _ = try Access.role(of: caller, in: space, tx)
            let state = try Access.found(try tx.space(space))
            switch try cursor?.standing(in: state, tx) {
            case .valid, nil:
                return try hold.part(atMost: Limits.largestPage, bytes: \.records.count) {
                    try ChangesPage.read(after: cursor, limit: limit, space: state, from: tx)
                }
            case .expired: throw Problem.cursorExpired
            case .epochChanged(let shared): throw Problem.epochChanged(shared: shared)
            }
        }
        return Self.object(page.records.count) { page.append(to: &$0) }
    }

    // MARK: Writing

    /// The answer of `POST …/changes` as JSON.
    ///
    /// - Parameters:
    ///   - body: the request's bytes, to tell another request with the same key.
    ///   - request: what they say.
    ///   - hold: what the request holds of the server's budget.
    /// - Throws: `Problem`: 400 for a cursor that is none, 403, 404, 409, 410, 422.
    func push(
        _ caller: Caller, space: String, key: String, body: [UInt8], request: PushRequest, hold: RequestHold
    ) async throws -> [UInt8] {
        let since = try request.since.map(Self.cursor)
        let key = OutcomeKey(account: caller.account, device: caller.device, key: key)
        let hash = Array(SHA256.hash(data: Array("\(space)\n".utf8) + body))
        let outcome = try await inFlight.exclusively(key) {
            try await planningAgain {
                let plan = try await plan(request.mutations, caller, space: space, key: key)
                return try await store.write(as: caller, using: plan.spaceUse) { [environment, configuration] tx in
                    let state = try Access.writable(space, by: caller, tx)
                    if let known = try tx.outcome(of: key) {
                        guard known.requestHash == hash else { throw Problem.keyReused }
                        return known
                    }
                    if case .epochChanged(let shared) = try since?.standing(in: state, tx) {
                        throw Problem.epochChanged(shared: shared)
                    }
                    let now = environment.now()
                    let changes = try tx.carryOut(
                        plan, on: state, now: now, by: caller.device,
                        revisions: configuration.retention.revisions)
                    let outcome = StoredOutcome(
                        requestHash: hash, results: changes.results, versions: changes.versions, storedAt: now)
                    try tx.insert(outcome, for: key)
                    return outcome
                }
            }
        }
        if outcome.versions != nil { events.changed(space) }
        return try await answer(outcome, to: request, caller, space: space, since: since, hold: hold)
    }

    /// Plans the mutations against a snapshot; the plan is empty if the request was already executed, since its results
    /// are known then.
    private func plan(
        _ mutations: [Mutation], _ caller: Caller, space: String, key: OutcomeKey
    ) async throws -> PushPlan {
        let decider = MutationDecider(now: environment.now(), fieldsBytes: configuration.limits.fieldsBytes)
        return try await read(for: caller) { tx in
            try Access.checkWritable(space, by: caller, tx)
            let isKnown = try tx.outcome(of: key) != nil
            return try PushPlan(isKnown ? [] : mutations, on: .init(space, in: tx), decider: decider)
        }
    }

    /// The results, and beside them what others changed, read afresh from one snapshot.
    private func answer(
        _ outcome: StoredOutcome, to request: PushRequest, _ caller: Caller, space: String, since: Cursor?,
        hold: RequestHold
    ) async throws -> [UInt8] {
        let (rest, results) = try await read(for: caller) { tx in
            _ = try Access.role(of: caller, in: space, tx)
            let state = try Access.found(try tx.space(space))
            let largest = (since == nil ? 0 : Limits.largestPage) + PushResults.largest(outcome)
            return try hold.part(
                atMost: largest, bytes: { (part: (Rest, PushResults)) in part.0.bytes + part.1.bytes.count }
            ) {
                let rest = try Self.rest(since: since, excluding: outcome.versions, space: state, tx)
                return (rest, try PushResults(outcome, of: request.mutations.map(\.key), space: space, from: tx))
            }
        }
        return Self.object(rest.bytes + results.bytes.count) { bytes in
            switch rest {
            case .nothing: break
            case .resync(let code): bytes.append(contentsOf: #""resync":"\#(code.rawValue)","#.utf8)
            case .page(let page):
                page.append(to: &bytes)
                bytes.append(UInt8(ascii: ","))
            }
            bytes.append(contentsOf: #""results":"#.utf8)
            bytes.append(contentsOf: results.bytes)
        }
    }

    private static func rest(
        since: Cursor?, excluding own: ClosedRange<Int64>?, space: SpaceState, _ tx: any StoreReading
    ) throws -> Rest {
        switch try since?.standing(in: space, tx) {
        case nil: .nothing
        case .expired: .resync(.cursorExpired)
        case .epochChanged: .resync(.epochChanged)
        case .valid:
            .page(
                try ChangesPage.read(
                    after: since, limit: Limits.pageDefault, excluding: own, space: space, from: tx))
        }
    }

    /// What stands beside the results.
    private enum Rest: Sendable {
        case nothing
        case resync(Problem.Code)
        case page(ChangesPage)

        /// The bytes of its records.
        var bytes: Int {
            switch self {
            case .nothing, .resync: 0
            case .page(let page): page.records.count
            }
        }
    }

    private func read<Value: Sendable>(
        for caller: Caller, _ body: @escaping @Sendable (any StoreReading) throws -> Value
    ) async throws -> Value {
        try await turns.read(for: caller.account) { try await store.read(body) }
    }

    private static func cursor(_ text: String) throws(Problem) -> Cursor {
        guard let cursor = Cursor(text) else { throw .invalidCursor }
        return cursor
    }

    /// - Parameter size: about how many bytes the members have.
    private static func object(_ size: Int, _ members: (inout [UInt8]) -> Void) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size + 1_024)
        bytes.append(UInt8(ascii: "{"))
        members(&bytes)
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }
}

extension PushPlan.Stored {
    /// Reads the records of a space.
    init(_ space: String, in tx: any StoreReading) {
        self.init(
            version: { try tx.version(of: $0, in: space) }, record: { try tx.records([$0], in: space)[$0] })
    }
}
