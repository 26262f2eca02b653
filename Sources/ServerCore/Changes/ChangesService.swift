internal import Crypto
internal import NIOConcurrencyHelpers
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

    /// Returns the page of changes after a cursor; nil begins a first sync.
    ///
    /// - Parameters:
    ///   - collections: The collections to receive: the page and its digest cover only their records.
    ///   - hold: The request's share of the server's budget.
    /// - Throws: `Problem`: 400 for an invalid cursor, 404, 410, 503 if there is no room for a page.
    func pull(
        _ caller: Caller, space: String, collections: CollectionSet, since: String?, limit: Int, hold: RequestHold
    ) async throws -> ChangesPage {
        let cursor = try since.map(Self.cursor)
        return try await turns.read(for: caller.account) {
            try await store.read { tx in
                try tx.willReadSpace(space, by: caller.account)
                _ = try Access.role(of: caller, in: space, tx)
                let state = try Access.found(try tx.space(space))
                switch try cursor?.validity(in: state, tx) {
                case .valid, nil:
                    return try hold.part(atMost: Limits.largestPage, bytes: \.records.bytes.count) {
                        try ChangesPage.read(after: cursor, of: collections, limit: limit, space: state, from: tx)
                    }
                case .expired: throw Problem.cursorExpired
                case .epochChanged(let shared): throw Problem.epochChanged(shared: shared)
                }
            }
        }
    }

    // MARK: Writing

    /// Carries out a push in two transactions: a read that plans the changes, so that nothing is parsed while other
    /// writers wait, and a write that applies them and reads the answer. A repeated request gets the results of the
    /// first one.
    ///
    /// - Parameters:
    ///   - collections: The collections whose changes the answer contains; mutations may be of any collection.
    ///   - body: The request's bytes, to detect another request with the same key.
    ///   - hold: The request's share of the server's budget.
    /// - Returns: The answer as JSON.
    /// - Throws: `Problem`: 400 for an invalid cursor, 403, 404, 409, 410, 422, 503.
    func push(
        _ caller: Caller, space: String, collections: CollectionSet, key: String, body: [UInt8], request: PushRequest,
        hold: RequestHold
    ) async throws -> [UInt8] {
        let push = Push(
            request: request, since: try request.since.map(Self.cursor), caller: caller, space: space,
            collections: collections, key: OutcomeKey(account: caller.account, device: caller.device, key: key),
            // With the space: the same body for another space is another request.
            hash: Array(SHA256.hash(data: Array("\(space)\n".utf8) + body)), hold: hold)
        let answer = try await inFlight.exclusively(push.key) {
            try await planningAgain {
                switch try await prepare(push) {
                case .known(let answer): answer
                case .plan(let plan): try await finish(push, after: execute(plan, push))
                }
            }
        }
        // A repeated request notifies again, which is harmless: a stream sends only versions that are new for its
        // reader.
        if let version = answer.lastWritten { events.changed(space, version: version) }
        return PushAnswer.body(results: answer.results, changes: answer.changes)
    }

    /// A push with its parsed cursor.
    private struct Push: Sendable {
        let request: PushRequest
        let since: Cursor?
        let caller: Caller
        let space: String
        let collections: CollectionSet
        let key: OutcomeKey
        let hash: [UInt8]
        let hold: RequestHold

        /// Returns the outcome of an earlier request with the same key; nil if there was none.
        ///
        /// - Throws: `Problem` 422 if that was another request.
        func knownOutcome(in tx: any StoreReading) throws -> StoredOutcome? {
            guard let known = try tx.outcome(of: key) else { return nil }
            guard known.requestHash == hash else { throw Problem.keyReused }
            return known
        }
    }

    private enum Prepared: Sendable {
        /// The request was carried out before.
        case known(Answer)
        case plan(PushPlan)
    }

    /// The parts of an answer.
    private struct Answer: Sendable {
        let results: MutationResultList
        let changes: PushAnswer.Changes
        /// The last version that the request wrote, now or when it was carried out; nil if it changed no record.
        let lastWritten: Int64?
    }

    /// Plans the mutations against a snapshot, unless the results of the request are stored.
    private func prepare(_ push: Push) async throws -> Prepared {
        let decider = MutationDecider(now: environment.now(), fieldsBytes: configuration.limits.fieldsBytes)
        return try await turns.read(for: push.caller.account) {
            try await store.read { tx in
                if let known = try push.knownOutcome(in: tx) {
                    try Access.checkWritable(push.space, by: push.caller, tx)
                    let state = try Access.found(try tx.space(push.space))
                    return .known(try Self.answer(known, to: push, state, tx))
                }
                let stored = try PushPlan.Stored(push.space, in: tx)
                try tx.willReadRecords(of: push.request.mutations.map(\.key), in: push.space)
                return .plan(try PushPlan(push.request.mutations, on: stored, decider: decider))
            }
        }
    }

    private enum Executed: Sendable {
        case answered(Answer)
        /// The changes are to be read in another transaction.
        case written(StoredOutcome)
    }

    /// Applies a plan and reads the answer, in one transaction.
    private func execute(_ plan: PushPlan, _ push: Push) async throws -> Executed {
        try await store.write(
            as: push.caller, using: plan.spaceUse, changing: plan.writes.map(\.key), in: push.space
        ) { [environment, configuration] tx in
            let state = try Access.writable(push.space, by: push.caller, tx)
            // Another server over the same store may have carried it out since the plan was made.
            if let known = try push.knownOutcome(in: tx) { return .written(known) }
            // After the key: a known request is answered even after a restore. An expired cursor doesn't prevent a
            // push.
            if case .epochChanged(let shared) = try push.since?.validity(in: state, tx) {
                throw Problem.epochChanged(shared: shared)
            }
            let now = environment.now()
            let quota = try QuotaCheck(of: push.caller, changing: state, defaults: configuration.quota, tx)
            let changes = try tx.apply(
                plan, on: state, now: now, by: push.caller.device, revisions: configuration.retention.revisions,
                dropping: quota?.isTight ?? false)
            let outcome = StoredOutcome(
                requestHash: push.hash, results: changes.results, versions: changes.versions, storedAt: now)
            try tx.insert(outcome, for: push.key)
            // After the outcome, whose results count, too.
            try quota?.check(plan, changes, outcome: outcome, tx)
            // Within a first sync the reading passes over all former tombstones, however many there are, so it must not
            // occupy the writer.
            if push.since?.isWithinFirstSync == true { return .written(outcome) }
            return .answered(try Self.answer(outcome, to: push, changes.space, tx))
        }
    }

    private func finish(_ push: Push, after executed: Executed) async throws -> Answer {
        switch executed {
        case .answered(let answer): return answer
        case .written(let outcome):
            // Even if the reading fails, other devices must receive what was written.
            if let versions = outcome.versions { events.changed(push.space, version: versions.upperBound) }
            return try await turns.read(for: push.caller.account) {
                try await store.read { tx in
                    try tx.willReadSpace(push.space, by: push.caller.account)
                    try Access.checkWritable(push.space, by: push.caller, tx)
                    return try Self.answer(outcome, to: push, Access.found(try tx.space(push.space)), tx)
                }
            }
        }
    }

    /// Returns the results of a push and the changes of others.
    private static func answer(
        _ outcome: StoredOutcome, to push: Push, _ space: SpaceRow, _ tx: any StoreReading
    ) throws -> Answer {
        let largest = (push.since == nil ? 0 : Limits.largestPage) + MutationResultList.largest(outcome)
        return try push.hold.part(
            atMost: largest, bytes: { (answer: Answer) in answer.changes.bytes + answer.results.bytes.count }
        ) {
            Answer(
                results: try MutationResultList(
                    outcome, of: push.request.mutations.map(\.key), space: space.id, from: tx),
                changes: try changes(for: push, excluding: outcome.versions, space: space, tx),
                lastWritten: outcome.versions?.upperBound)
        }
    }

    private static func changes(
        for push: Push, excluding own: ClosedRange<Int64>?, space: SpaceRow, _ tx: any StoreReading
    ) throws -> PushAnswer.Changes {
        switch try push.since?.validity(in: space, tx) {
        case nil: .none
        case .expired: .resync(.cursorExpired)
        case .epochChanged: .resync(.epochChanged)
        case .valid:
            .page(
                try ChangesPage.read(
                    after: push.since, of: push.collections, limit: Limits.pageDefault, excluding: own, space: space,
                    from: tx))
        }
    }

    private static func cursor(_ text: String) throws(Problem) -> Cursor {
        guard let cursor = Cursor(text) else { throw .invalidCursor }
        return cursor
    }
}

extension PushPlan.Stored {
    /// Creates an access to the records of a space.
    init(_ space: String, in tx: any StoreReading) throws {
        self.init(
            version: { try tx.version(of: $0, in: space) }, record: { try tx.records([$0], in: space)[$0] },
            space: try tx.space(space))
    }
}

extension StoreReading {
    /// Returns the digest of the live records of some collections.
    fileprivate func digest(of collections: CollectionSet, in space: SpaceRow) throws -> SpaceDigest {
        try collections.names.map { try digest(of: $0, in: space.id) } ?? space.digest
    }
}

extension ChangesPage {
    /// Reads the page after `cursor`; nil begins a first sync.
    ///
    /// - Parameters:
    ///   - collections: The collections whose records the page contains.
    ///   - limit: The number of records at most; the page also ends at about `Limits.pageBytes`.
    ///   - excluding: The versions that the reader wrote itself.
    static func read(
        after cursor: Cursor?, of collections: CollectionSet, limit: Int, excluding: ClosedRange<Int64>? = nil,
        space: SpaceRow, from store: any StoreReading
    ) throws -> ChangesPage {
        let epoch = try store.epoch()
        let start = cursor ?? Cursor(epoch: epoch, position: 0, horizon: space.version)
        let range = ChangeRange(
            after: start.position, tombstonesAfter: start.horizon, excluding: excluding, collections: collections)
        let (list, more) = try RecordList.filled(limit: limit) { visit in
            try store.visitChanges(range, in: space.id, visit: visit)
        }
        // A complete page also covers the omitted versions, so its cursor is the space's version.
        let position = more ? list.lastVersion ?? start.position : space.version
        return ChangesPage(
            records: list, cursor: Cursor(epoch: epoch, position: position, horizon: start.horizon).text, more: more,
            digest: more ? nil : try store.digest(of: collections, in: space))
    }
}

/// The idempotency keys of the requests that are under way in this process.
final class InFlightKeys: Sendable {
    private let keys = NIOLockedValueBox<Set<OutcomeKey>>([])

    /// Runs `body` unless another call with the same key is under way.
    ///
    /// - Throws: `Problem` 409 if one is; else what `body` throws.
    func exclusively<Result>(_ key: OutcomeKey, _ body: () async throws -> Result) async throws -> Result {
        guard keys.withLockedValue({ $0.insert(key).inserted }) else { throw Problem.keyInUse }
        defer { keys.withLockedValue { _ = $0.remove(key) } }
        return try await body()
    }
}
