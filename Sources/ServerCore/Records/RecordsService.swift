package import Records
internal import SyncAPI

/// Plain REST access to the same records, for clients that don't sync (SyncAPI.docc/Protocol.md, "Plain REST").
///
/// A write becomes a mutation on top of the stored record, so that both interfaces obey the same rules.
struct RecordsService: Sendable {
    let store: any ServerStore
    let environment: ServerEnvironment
    let configuration: ServerConfiguration
    let events: EventHub
    let turns: ReadTurns

    /// The kinds of writes.
    enum Write: Sendable {
        /// Replaces the fields of the record.
        case replace(JSONObject)
        /// Changes the fields by a merge patch.
        case patch(JSONObject)
        case delete
    }

    /// The result of a write.
    enum Written: Sendable {
        case created(RawRecord)
        case changed(RawRecord)
    }

    // MARK: Reading

    /// Returns live records of a collection in order of id.
    ///
    /// - Throws: `Problem`: 404, 503 if there is no room for a page.
    func list(
        _ caller: Caller, space: String, collection: String, after: String?, limit: Int, hold: RequestHold
    ) async throws -> RecordPage {
        try await read(for: caller) { tx in
            _ = try Access.role(of: caller, in: space, tx)
            return try hold.part(atMost: Limits.largestPage, bytes: \.records.bytes.count) {
                try RecordPage(limit: limit) { visit in
                    try tx.visitLive(collection: collection, in: space, after: after, visit: visit)
                }
            }
        }
    }

    /// Returns a live record.
    ///
    /// - Throws: `Problem` 404.
    func record(_ caller: Caller, space: String, key: RecordKey) async throws -> RawRecord {
        let record = try await store.lookUp { tx in
            try tx.willReadRecord(key, in: space, by: caller.account)
            _ = try Access.role(of: caller, in: space, tx)
            return try tx.records([key], in: space)[key]
        }
        guard let record, !record.deleted else { throw Problem.notFound }
        return record
    }

    /// Returns the last states of a record, the newest first, also of a deleted one.
    ///
    /// - Parameter version: Only states before this version are returned.
    /// - Throws: `Problem`: 404 if the record is unknown, 503 if there is no room for a page.
    func revisions(
        _ caller: Caller, space: String, key: RecordKey, before version: Int64, limit: Int, hold: RequestHold
    ) async throws -> RecordPage {
        try await read(for: caller) { tx in
            _ = try Access.role(of: caller, in: space, tx)
            _ = try Access.found(try tx.records([key], in: space)[key])
            return try hold.part(atMost: Limits.largestPage, bytes: \.records.bytes.count) {
                var page = try RecordPage(limit: limit) { visit in
                    try tx.visitRevisions(of: key, in: space, before: version, visit: visit)
                }
                page.kept = configuration.retention.revisions
                return page
            }
        }
    }

    private func read<Value: Sendable>(
        for caller: Caller, _ body: @escaping @Sendable (any StoreReading) throws -> Value
    ) async throws -> Value {
        try await turns.read(for: caller.account) { try await store.read(body) }
    }

    // MARK: Writing

    /// Writes a record, if the precondition holds.
    ///
    /// - Throws: `Problem`: 403, 404, 412 with the current record, 413, 503 if other writers keep changing the record.
    func write(
        _ write: Write, _ caller: Caller, space: String, key: RecordKey, precondition: Precondition
    ) async throws -> Written {
        try await planningAgain {
            switch try await plan(write, caller, space: space, key: key, precondition: precondition) {
            case .unchanged(let record): return Written.changed(record)
            case .change(let plan, let isNew):
                let record = try await apply(plan, caller, space: space)
                events.changed(space, version: record.version)
                return isNew ? .created(record) : .changed(record)
            }
        }
    }

    /// The effect of a write on the records of a snapshot.
    private enum Planned {
        case unchanged(RawRecord)
        case change(PushPlan, isNew: Bool)
    }

    private func plan(
        _ write: Write, _ caller: Caller, space: String, key: RecordKey, precondition: Precondition
    ) async throws -> Planned {
        let decider = MutationDecider(now: environment.now(), fieldsBytes: configuration.limits.fieldsBytes)
        let (before, row) = try await store.lookUp { tx in
            try tx.willReadRecord(key, in: space, by: caller.account)
            try Access.checkWritable(space, by: caller, tx)
            return (try tx.records([key], in: space)[key], try tx.space(space))
        }
        // A tombstone isn't a record for preconditions: `If-None-Match: *` may create the record again.
        let live = before.flatMap { $0.deleted ? nil : $0 }
        // Not checked again by the write: a plan is stale if the record's version has changed.
        guard precondition.holds(for: live?.version) else { throw try Problem.preconditionFailed(current: live) }
        guard let mutation = try Self.mutation(write, key, on: before, at: decider.now, device: caller.device)
        else { return .unchanged(try Access.found(live)) }
        let stored = PushPlan.Stored(version: { _ in before?.version }, record: { _ in before }, space: row)
        let plan = try PushPlan([mutation], on: stored, decider: decider)
        if case .rejected(let problem)? = plan.steps.first { throw problem }
        return .change(plan, isNew: live == nil)
    }

    private func apply(_ plan: PushPlan, _ caller: Caller, space: String) async throws -> RawRecord {
        try await store.write(
            as: caller, using: plan.spaceUse, changing: plan.writes.map(\.key), in: space
        ) { [environment, configuration] tx in
            let state = try Access.writable(space, by: caller, tx)
            let quota = try QuotaCheck(of: caller, changing: state, defaults: configuration.quota, tx)
            let changes = try tx.apply(
                plan, on: state, now: environment.now(), by: caller.device,
                revisions: configuration.retention.revisions, dropping: quota?.isTight ?? false)
            try quota?.check(plan, changes, tx)
            return try Access.found(changes.writes.first)
        }
    }

    /// Returns the mutation of a write; nil if nothing would change.
    ///
    /// - Throws: `Problem` 404 if there is nothing to patch or delete.
    private static func mutation(
        _ write: Write, _ key: RecordKey, on before: RawRecord?, at now: Int64, device: String
    ) throws -> Mutation? {
        let fields = try before.flatMap { try $0.deleted ? nil : JSONValue(parsing: $0.fields).object }
        let changes: JSONObject
        switch write {
        case .replace(let wanted):
            // In a mutation, null removes a field, so a record has none.
            let wanted = wanted.withoutNulls
            changes = fields.map { difference($0, wanted) } ?? wanted
        case .patch(let patch):
            let fields = try Access.found(fields)
            changes = difference(fields, MergePatch.apply(patch, to: fields))
        case .delete:
            _ = try Access.found(fields)
            return Mutation(key: key, base: before?.version ?? 0, at: nil, action: .delete)
        }
        // An unchanged record keeps its version: otherwise a repeated PUT would be a change for every device.
        if fields != nil, changes.isEmpty { return nil }
        // Later than every clock of the record, so that devices merge the write as the latest edit.
        let seen = try before.flatMap { FieldClocks(json: try JSONValue(parsing: $0.clock))?.latest }
        let at = HLC.now(wall: UInt64(max(0, now)), after: seen, device: device)
        return Mutation(key: key, base: before?.version ?? 0, at: at, action: .set(changes))
    }

    /// Returns the fields to set, and with null to remove, that change one object into another.
    private static func difference(_ from: JSONObject, _ to: JSONObject) -> JSONObject {
        var changes: JSONObject = [:]
        for (name, value) in to where from[name] != value { changes[name] = value }
        for name in from.names where to[name] == nil { changes[name] = .null }
        return changes
    }
}

/// JSON Merge Patch (RFC 7396 section 2).
package enum MergePatch {
    /// Returns `target` changed by `patch`. Recursion is bounded by the depth that the parser allows.
    static func apply(_ patch: JSONValue, to target: JSONValue?) -> JSONValue {
        guard case .object(let changes) = patch else { return patch }
        return .object(apply(changes, to: target?.object ?? [:]))
    }

    /// Returns an object changed by a patch.
    package static func apply(_ changes: JSONObject, to target: JSONObject) -> JSONObject {
        StepCounter.count(target.count + changes.count)
        var result = target
        for (name, value) in changes {
            result[name] = value.isNull ? Optional.none : apply(value, to: result[name])
        }
        return result
    }
}
