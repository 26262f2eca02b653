internal import Records
internal import SyncAPI

/// The effect of a request's mutations on the stored records.
///
/// The plan is made from a snapshot, before the write transaction, so that nothing is parsed while other writers wait.
/// A version identifies one state of a record, so the plan is valid while the records that it changes have the versions
/// for which it was made; `apply` checks that. Each change of a record also changes the row of its space: while that is the
/// same, so are all records, and none is read again.
struct PushPlan: Sendable {
    /// The row of the space in the snapshot; nil if it isn't known.
    private(set) var space: SpaceRow?
    /// The decision on each mutation, in their order.
    private(set) var steps: [Step] = []

    /// The decision on a mutation. The server's record of a conflict isn't part of it: that is read for the answer.
    enum Step: Sendable, Equatable {
        case write(Write)
        case conflict
        case rejected(Problem)
    }

    /// A record's new state, which has no version yet.
    struct Write: Sendable, Equatable {
        /// The record's key.
        var key: RecordKey
        /// The replaced state; nil if the space has no such record.
        var replaced: Replaced?
        /// The fields, a JSON object as text; nil for a tombstone.
        var fields: String?
        /// The clocks, a JSON object as text.
        var clock: String
    }

    /// The properties of a stored record that are needed to replace it.
    struct Replaced: Sendable, Equatable {
        var version: Int64
        var deleted: Bool
    }

    /// The records of a space in a snapshot.
    struct Stored {
        /// Returns a record's version; nil if the space doesn't have it.
        var version: (RecordKey) throws -> Int64?
        /// Returns the whole record.
        var record: (RecordKey) throws -> RawRecord?
        /// The space's row; nil if it isn't known.
        var space: SpaceRow?
    }

    /// Plans mutations of different records. Only one stored record at a time is in memory.
    ///
    /// - Throws: `JSONError` if a stored record is damaged; what `stored` throws.
    /// - Throws: `Problem` 413 if the records that it reads and their new states are larger than `Limits.changedBytes`
    ///   together, even if a new state is rejected. A client then sends its mutations in several requests.
    init(_ mutations: [Mutation], on stored: Stored, decider: MutationDecider) throws {
        space = stored.space
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
                // Counted before it is parsed: rejecting a mutation costs as much as a change.
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

    /// The space that the plan may use on a full disk: deletions may use the reserve, and so may repeating a request
    /// that was already carried out.
    var spaceUse: SpaceUse { writes.allSatisfy { $0.fields == nil } ? .reserve : .ordinary }

    /// The changes of records.
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
    /// The keys of the records of which another state is replaced.
    private(set) var replaced: [RecordKey] = []
    /// The result of each mutation.
    private(set) var results: [StoredResult] = []

    /// Assigns the next version of the space to each change of a plan.
    ///
    /// - Parameters:
    ///   - now: The server's time, in milliseconds since 1970.
    ///   - device: The id of the requesting device.
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

    /// The assigned versions; nil if there are none.
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
    /// Counts a change. The space's version is now the record's.
    ///
    /// - Returns: The change of the digest.
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

// MARK: - Applying

/// The error for a plan that is out of date: a record that it changes has another version. Another plan is needed.
struct StalePlan: Error {}

extension StoreWriting {
    /// Stores a plan's changes.
    ///
    /// - Parameters:
    ///   - space: The space's row, locked by this transaction.
    ///   - now: The server's time, in milliseconds since 1970.
    ///   - revisions: The number of states of a record that are kept, the present one included.
    ///   - dropping: Whether a record that is deleted keeps no revisions.
    /// - Throws: `StalePlan`; what the store throws.
    func apply(
        _ plan: PushPlan, on space: SpaceRow, now: Int64, by device: String, revisions: Int, dropping: Bool = false
    ) throws -> NumberedPlan {
        if plan.space != space {
            try willReadVersions(of: plan.writes.map(\.key), in: space.id)
            for write in plan.writes where try version(of: write.key, in: space.id) != write.replaced?.version {
                throw StalePlan()
            }
        }
        let numbered = NumberedPlan(plan, on: space, now: now, by: device)
        guard !numbered.writes.isEmpty else { return numbered }
        // Before the records are replaced, whose present states become the revisions.
        let dropped = dropping ? Set(plan.deletedKeys) : []
        let kept = numbered.replaced.filter { !dropped.contains($0) }
        if revisions > 1, !kept.isEmpty { try keepRevisions(of: kept, in: space.id, limit: revisions - 1) }
        if !dropped.isEmpty { try keepRevisions(of: plan.deletedKeys, in: space.id, limit: 0) }
        try put(numbered.writes, in: space.id)
        try update(numbered.space)
        try addToDigests(numbered.digestChanges, in: space.id)
        return numbered
    }
}

/// Number of times that a plan is made, if other writers change the same records before it is stored.
private let planAttempts = 5

/// Makes a plan and stores its changes. If the plan is stale, repeats both, a few times at most.
///
/// - Throws: `Problem` 503 if the plan was stale each time; else what `body` throws.
func planningAgain<Result>(_ body: () async throws -> Result) async throws -> Result {
    for _ in 0..<planAttempts {
        do { return try await body() } catch is StalePlan { continue }
    }
    throw Problem.storageBusy
}
