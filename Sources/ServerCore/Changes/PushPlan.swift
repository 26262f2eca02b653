internal import Records
internal import SyncAPI

/// What a request's mutations come to, as a value: the store has only to carry it out.
struct PushPlan: Sendable {
    /// The space's row afterwards.
    private(set) var space: SpaceState
    /// The records to store.
    private(set) var writes: [StoredRecord] = []
    /// Which of them take the place of another state of the record.
    private(set) var replaced: [RecordKey] = []
    /// What became of each mutation, in their order.
    private(set) var results: [Result] = []

    /// What became of a mutation, with stored texts in place of parsed ones. What the server has in place of what
    /// conflicts is no part of it: `PushResults` reads that when it answers.
    enum Result: Sendable, Equatable {
        case applied(version: Int64, modifiedAt: String, clock: String)
        case conflict
        case rejected(Problem)
    }

    /// Plans mutations of different records.
    ///
    /// - Parameter stored: what the space has of the records that the mutations name.
    /// - Throws: `JSONError` if a stored record is damaged.
    init(
        _ mutations: [Mutation], on space: SpaceState, stored: [RecordKey: StoredRecord], by device: String,
        decider: MutationDecider
    ) throws(JSONError) {
        self.space = space
        let modifiedAt = Timestamp.text(milliseconds: decider.now)
        results.reserveCapacity(mutations.count)
        for mutation in mutations {
            let before = stored[mutation.key]
            switch try decider.decide(mutation, stored: before) {
            case .write(let state): write(state, mutation.key, over: before, at: modifiedAt, by: device)
            case .conflict: results.append(.conflict)
            case .rejected(let problem): results.append(.rejected(problem))
            }
        }
    }

    /// The versions that the plan gives out; nil if none.
    var versions: ClosedRange<Int64>? {
        guard let first = writes.first?.version, let last = writes.last?.version else { return nil }
        return first...last
    }

    private mutating func write(
        _ state: MutationDecision.NewState, _ key: RecordKey, over before: StoredRecord?, at modifiedAt: String,
        by device: String
    ) {
        let record = StoredRecord(
            key: key, version: space.version + 1, deleted: state.fields == nil, modifiedAt: modifiedAt,
            modifiedBy: device, fields: state.fields ?? "", clock: state.clock.json.text)
        space.take(record, over: before)
        writes.append(record)
        if before != nil { replaced.append(key) }
        results.append(.applied(version: record.version, modifiedAt: modifiedAt, clock: record.clock))
    }
}

extension SpaceState {
    /// Counts a change: the next version is the record's.
    fileprivate mutating func take(_ record: StoredRecord, over before: StoredRecord?) {
        version = record.version
        if let before, !before.deleted {
            digest.remove(collection: before.key.collection, id: before.key.id, version: before.version)
            records -= 1
            bytes -= before.fieldsBytes
        }
        if !record.deleted {
            digest.add(collection: record.key.collection, id: record.key.id, version: record.version)
            records += 1
            bytes += record.fieldsBytes
        }
    }
}

extension PushPlan.Result {
    /// The result as on the wire, but for a conflict's `current`.
    var text: String {
        switch self {
        case .applied(let version, let modifiedAt, let clock):
            #"{"clock":\#(clock),"modifiedAt":"\#(modifiedAt)","status":"applied","version":\#(version)}"#
        case .conflict: Self.conflictText
        case .rejected(let problem): #"{"problem":\#(problem.json.text),"status":"rejected"}"#
        }
    }

    /// The text of a conflict, the same for each.
    static let conflictText = #"{"status":"conflict"}"#
}
