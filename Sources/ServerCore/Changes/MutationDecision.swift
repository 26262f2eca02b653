internal import Records
internal import SyncAPI

/// The decision on one mutation, made without access to the storage.
enum MutationDecision: Sendable, Equatable {
    /// The record's new state.
    case write(NewState)
    /// The stored version is not the base.
    case conflict
    /// The mutation can never succeed in this form.
    case rejected(Problem)

    /// A record's state before it has a version.
    struct NewState: Sendable, Equatable {
        /// The fields, a JSON object as text; nil for a tombstone.
        var fields: String?
        /// The clocks, a JSON object as text. Those of a live record have entries only for `*` and the record's fields;
        /// those of a tombstone are the clocks that the deletion had seen.
        var clock: String
    }
}

/// Decides on mutations. A pure value (SyncAPI.docc/Protocol.md, "Changes").
struct MutationDecider: Sendable {
    /// The server's time, in milliseconds since 1970.
    let now: Int64
    /// The maximum size of a record's fields, in bytes.
    let fieldsBytes: Int
    /// The maximum size of a record's fields and clocks together, in bytes.
    var recordBytes = Limits.recordBytes

    /// Returns the decision on a mutation of the stored record.
    ///
    /// - Parameters:
    ///   - version: The stored record's version; nil if there is none.
    ///   - stored: Reads the record; called only if the mutation is based on that version.
    /// - Throws: `JSONError` if the stored record is damaged; what `stored` throws.
    func decide(
        _ mutation: Mutation, version: Int64?, stored: () throws -> RawRecord?
    ) throws -> MutationDecision {
        if let problem = Self.flaw(of: mutation) { return .rejected(problem) }
        // Before the record is read: a conflict costs no parsing.
        guard mutation.base == version ?? 0 else { return .conflict }
        let record = version == nil ? nil : try stored()
        let clock = try record.flatMap { FieldClocks(json: try JSONValue(parsing: $0.clock)) } ?? FieldClocks()
        switch mutation.action {
        case .delete: return write(nil, deletionClocks(mutation, before: clock))
        case .set(let changes):
            let live = record.flatMap { $0.deleted ? nil : $0 }
            let fields = try live.flatMap { try JSONValue(parsing: $0.fields).object }
            return set(changes, mutation, before: fields, clock)
        }
    }

    /// - Parameter before: The stored fields; nil if there is no live record.
    private func set(
        _ changes: JSONObject, _ mutation: Mutation, before: JSONObject?, _ stored: FieldClocks
    ) -> MutationDecision {
        let fields = (before ?? [:]).applying(changes)
        let text = fields.text
        guard text.utf8.count <= fieldsBytes else { return .rejected(.fieldsTooLarge(limit: fieldsBytes)) }
        let clock =
            before == nil
            ? creationClocks(mutation, before: stored) : editClocks(changes, mutation, before: stored)
        return write(text, clock.only(of: fields))
    }

    private func write(_ fields: String?, _ clock: FieldClocks) -> MutationDecision {
        let clock = clock.json.text
        guard (fields?.utf8.count ?? 0) + clock.utf8.count <= recordBytes else {
            return .rejected(.clocksTooLarge(limit: recordBytes))
        }
        return .write(.init(fields: fields, clock: clock))
    }

    private static func flaw(of mutation: Mutation) -> Problem? {
        if !RecordKey.isCollection(mutation.key.collection) { return .badCollection(mutation.key.collection) }
        if !RecordKey.isIdentifier(mutation.key.id) { return .badRecordID(mutation.key.id) }
        // Clocks use `*` for all fields without an entry.
        if case .set(let changes) = mutation.action, changes["*"] != nil { return .badField("*") }
        return nil
    }
}

// MARK: - Clocks

extension MutationDecider {
    /// Time by which a client's clock may be ahead, in milliseconds.
    static let tolerance: Int64 = 60_000

    /// Returns the clocks of a new record: `*`, and what else the mutation names.
    private func creationClocks(_ mutation: Mutation, before: FieldClocks) -> FieldClocks {
        var moments = mutation.clock?.moments ?? [:]
        if moments["*"] == nil { moments["*"] = mutation.at }
        return lowered(moments, before: before)
    }

    /// Returns the clocks after an edit: each field that it names gets an entry. A merge also brings entries of its
    /// own.
    private func editClocks(_ changes: JSONObject, _ mutation: Mutation, before: FieldClocks) -> FieldClocks {
        var given = mutation.clock?.moments ?? [:]
        for name in changes.names where given[name] == nil { given[name] = mutation.at ?? given["*"] }
        return FieldClocks(before.moments.merging(lowered(given, before: before).moments) { $1 })
    }

    /// Returns the clocks of a tombstone, those that the deletion had seen: those that it sends, else those of its
    /// base.
    private func deletionClocks(_ mutation: Mutation, before: FieldClocks) -> FieldClocks {
        guard let given = mutation.clock else {
            return before.moments.isEmpty ? creationClocks(mutation, before: before) : before
        }
        return lowered(given.moments, before: before)
    }

    private func lowered(_ moments: [JSONName: HLC], before: FieldClocks) -> FieldClocks {
        var lowered = FieldClocks()
        for (name, moment) in moments { lowered.moments[name] = self.lowered(moment, replacing: before[name.text]) }
        return lowered
    }

    /// Lowers a clock that is more than a minute ahead to max(now, the replaced entry + 1), so that an edit from a
    /// device with a wrong clock doesn't win all later merges.
    private func lowered(_ moment: HLC, replacing entry: HLC?) -> HLC {
        // An entry that is stored already was accepted before, so it is not lowered again.
        guard moment.milliseconds > UInt64(max(0, now + Self.tolerance)), moment != entry else { return moment }
        let present = HLC(milliseconds: UInt64(max(0, now)), device: moment.device)
        return max(present, entry?.next.by(moment.device) ?? present)
    }
}

/// The results of a push in its answer: an outcome, and for each conflict the record that the server has now.
///
/// An outcome contains no copies of records, or one small request could fill the disk. The record in the answer to a
/// repeated request may be newer than the first answer's, but never wrong.
extension MutationResultList {
    /// Creates the results of an outcome. Adds `current` to conflicts until it has about `Limits.pageBytes`; the client
    /// receives the records of later conflicts with the changes after its cursor. An unknown record is always reported
    /// as such, since no page contains it.
    ///
    /// - Parameter keys: The records of the request's mutations, in their order.
    init(_ outcome: StoredOutcome, of keys: [RecordKey], space: String, from store: any StoreReading) throws {
        self.init()
        let modifiedAt = Timestamp.text(milliseconds: outcome.storedAt)
        var room = Limits.pageBytes
        for (key, result) in zip(keys, outcome.results) {
            switch result {
            case .applied(let version, let clock):
                append(.applied(version: version, modifiedAt: modifiedAt, clock: clock))
            case .rejected(let problem): append(.rejected(problem: problem))
            case .conflict where room > 0:
                let before = bytes.count
                let current = try store.records([key], in: space)[key]
                append(.conflict(current: current))
                if current != nil { room -= bytes.count - before }
            case .conflict:
                let isKnown = try store.version(of: key, in: space) != nil
                append(isKnown ? .conflictWithoutCurrent : .conflict(current: nil))
            }
        }
    }

    /// Returns the most bytes that the results of an outcome may have.
    static func largest(_ outcome: StoredOutcome) -> Int {
        let conflicts = outcome.results.count { $0 == .conflict }
        return outcome.results.reduce(0) { $0 + $1.bytes + overhead }
            + min(conflicts * Limits.recordOnWire, Limits.largestConflicts)
    }
}
