internal import Records
internal import SyncAPI

/// The effect of a request's mutations on the stored records.
///
/// It is made from a snapshot, before the write transaction, so that nothing is parsed while other writers wait. A
/// version identifies one state of a record, so the plan is valid while the records that it changes have the versions
/// for which it was made; `carryOut` checks that.
struct PushPlan: Sendable {
    /// The decision on each mutation, in their order.
    private(set) var steps: [Step] = []

    /// The decision on a mutation. The server's record of a conflict isn't part of it: it is read for the answer.
    enum Step: Sendable, Equatable {
        case write(Write)
        case conflict
        case rejected(Problem)
    }

    /// A record's new state, which has no version yet.
    struct Write: Sendable, Equatable {
        /// Which record.
        var key: RecordKey
        /// The state that it replaces; nil if the space has no such record.
        var replaced: Replaced?
        /// A JSON object as text; nil for a tombstone.
        var fields: String?
        /// A JSON object as text.
        var clock: String
    }

    /// The properties of a stored record that are needed to replace it.
    struct Replaced: Sendable, Equatable {
        var version: Int64
        var deleted: Bool
    }

    /// The records that a space has, as a snapshot shows them.
    struct Stored {
        /// A record's version; nil if the space doesn't have it.
        var version: (RecordKey) throws -> Int64?
        /// The whole record.
        var record: (RecordKey) throws -> RawRecord?
    }

    /// Plans mutations of different records. Only one stored record at a time is in memory.
    ///
    /// - Throws: `JSONError` if a stored record is damaged; what `stored` throws.
    /// - Throws: `Problem` 413 if the records that it reads and their new states are larger than `Limits.changedBytes`
    ///   together, also where a new state is rejected; a client sends its mutations in several requests then.
    init(_ mutations: [Mutation], on stored: Stored, decider: MutationDecider) throws {
        steps.reserveCapacity(mutations.count)
        var total = 0
        func add(_ bytes: Int) throws(Problem) {
            total += bytes
            if total > Limits.changedBytes { throw .changesTooLarge(limit: Limits.changedBytes) }
        }
        for mutation in mutations {
            var before: RawRecord?
            let decision = try decider.decide(mutation, version: try stored.version(mutation.key)) {
                before = try stored.record(mutation.key)
                // Before it is parsed: rejecting a mutation costs as much as a change.
                try add(Int(before?.bytes ?? 0))
                return before
            }
            switch decision {
            case .write(let state):
                let replaced = before.map { Replaced(version: $0.version, deleted: $0.deleted) }
                try add((state.fields?.utf8.count ?? 0) + state.clock.utf8.count)
                steps.append(
                    .write(Write(key: mutation.key, replaced: replaced, fields: state.fields, clock: state.clock)))
            case .conflict: steps.append(.conflict)
            case .rejected(let problem): steps.append(.rejected(problem))
            }
        }
    }

    /// Deletions may use the reserve on a full disk, and so may repeating a request that was already executed.
    var spaceUse: SpaceUse { writes.allSatisfy { $0.fields == nil } ? .reserve : .ordinary }

    /// The records that it changes.
    var writes: [Write] {
        steps.compactMap { step in
            if case .write(let write) = step { write } else { nil }
        }
    }
}

/// A plan with the versions that its changes get, ready to be stored.
struct NumberedPlan: Sendable {
    /// The space's row afterwards.
    private(set) var space: SpaceRow
    /// The change of each collection's digest.
    private(set) var digestChanges: [String: SpaceDigest] = [:]
    /// The records to store.
    private(set) var writes: [RawRecord] = []
    /// Those that replace another state of their record.
    private(set) var replaced: [RecordKey] = []
    /// The result of each mutation.
    private(set) var results: [StoredResult] = []

    /// Gives each change of a plan the next version of the space.
    ///
    /// - Parameters:
    ///   - now: the server's time, in milliseconds since 1970.
    ///   - device: the id of the requesting device.
    init(_ plan: PushPlan, on space: SpaceRow, now: Int64, by device: String) {
        self.space = space
        let modifiedAt = Timestamp.text(milliseconds: now)
        results.reserveCapacity(plan.steps.count)
        for step in plan.steps {
            switch step {
            case .write(let write): append(write, at: modifiedAt, by: device)
            case .conflict: results.append(.conflict)
            case .rejected(let problem): results.append(.rejected(problem: problem.json.text))
            }
        }
    }

    /// The versions that were assigned; nil if none.
    var versions: ClosedRange<Int64>? {
        guard let first = writes.first?.version, let last = writes.last?.version else { return nil }
        return first...last
    }

    private mutating func append(_ write: PushPlan.Write, at modifiedAt: String, by device: String) {
        let record = RawRecord(
            key: write.key, version: space.version + 1, deleted: write.fields == nil, modifiedAt: modifiedAt,
            modifiedBy: device, fields: write.fields ?? "", clock: write.clock)
        let change = space.count(record, replacing: write.replaced)
        digestChanges[record.key.collection, default: SpaceDigest()].add(change)
        writes.append(record)
        if write.replaced != nil { replaced.append(write.key) }
        results.append(.applied(version: record.version, clock: write.clock))
    }
}

extension SpaceRow {
    /// Counts a change: the space's version is now the record's.
    ///
    /// - Returns: the change of the digest.
    fileprivate mutating func count(_ record: RawRecord, replacing before: PushPlan.Replaced?) -> SpaceDigest {
        version = record.version
        var change = SpaceDigest()
        if let before, !before.deleted {
            change.remove(collection: record.key.collection, id: record.key.id, version: before.version)
            records -= 1
        }
        if !record.deleted {
            change.add(collection: record.key.collection, id: record.key.id, version: record.version)
            records += 1
        }
        digest.add(change)
        return change
    }
}

// MARK: - Carrying out

/// A record that a plan changes has another version than the one that the plan was made for. Another plan is needed.
struct StalePlan: Error {}

extension StoreWriting {
    /// Stores a plan's changes.
    ///
    /// - Parameters:
    ///   - space: its row, locked by this transaction.
    ///   - now: the server's time, in milliseconds since 1970.
    ///   - revisions: how many states of a record are kept, the present one included.
    /// - Throws: `StalePlan`; what the store throws.
    func carryOut(
        _ plan: PushPlan, on space: SpaceRow, now: Int64, by device: String, revisions: Int
    ) throws -> NumberedPlan {
        for write in plan.writes where try version(of: write.key, in: space.id) != write.replaced?.version {
            throw StalePlan()
        }
        let numbered = NumberedPlan(plan, on: space, now: now, by: device)
        guard !numbered.writes.isEmpty else { return numbered }
        if revisions > 1, !numbered.replaced.isEmpty {
            try keepRevisions(of: numbered.replaced, in: space.id, limit: revisions - 1)
        }
        try put(numbered.writes, in: space.id)
        try update(numbered.space)
        try addToDigests(numbered.digestChanges, in: space.id)
        return numbered
    }
}

/// How often a plan is remade after another writer changed the same records before it was stored.
private let planAttempts = 5

/// Makes a plan and stores its changes; if the plan was stale, repeats that with a new plan, a few times at most.
///
/// - Throws: `Problem` 503 if the plan was stale each time; else what `body` throws.
func planningAgain<Result>(_ body: () async throws -> Result) async throws -> Result {
    for _ in 0..<planAttempts {
        do { return try await body() } catch is StalePlan { continue }
    }
    throw Problem.storageBusy
}
