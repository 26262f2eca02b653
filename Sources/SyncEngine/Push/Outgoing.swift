internal import LocalStore
internal import Records
internal import struct Records.Record
internal import SyncAPI

// What to send: pure functions of what the cache holds.
extension CachedRecord {
    /// The change from the last known state on the server to what the user sees; nil: there is none.
    var mutation: Mutation? {
        guard let pending else { return nil }
        if record.deleted {
            if seen?.deleted == true { return nil }
            return Mutation(
                key: record.key, base: mirror?.version ?? 0, at: pending.at, clock: record.clock, action: .delete)
        }
        // For a tombstone or an unknown record, all fields must be named (SyncAPI.docc/Protocol.md, "Writing").
        guard let mirror, !mirror.deleted else {
            return Mutation(
                key: record.key, base: mirror?.version ?? 0, clocks: record.clock, otherwise: pending.at,
                set: record.fields)
        }
        let patch = record.fields.patch(from: mirror.fields)
        if patch.isEmpty { return nil }
        let moments = patch.names.compactMap { name in record.clock[name].map { (JSONName(name), $0) } }
        return Mutation(
            key: record.key, base: mirror.version,
            clocks: FieldClocks(Dictionary(moments) { $1 }), otherwise: pending.at, set: patch)
    }
}

extension Mutation {
    /// Creates a mutation that sends one clock for all fields as `at`, and several as `clock`.
    ///
    /// - Parameter last: The clock of fields that have none (a merge of which neither side had one): a server refuses a
    ///   field without a clock.
    fileprivate init(key: RecordKey, base: Int64, clocks: FieldClocks, otherwise last: HLC, set fields: JSONObject) {
        let moments = Set(clocks.moments.values)
        if moments.count < 2 {
            self.init(key: key, base: base, at: moments.first ?? last, action: .set(fields))
        } else {
            // A creation needs a clock for `*`, too.
            let isWhole = clocks["*"] != nil || (base != 0 && fields.names.allSatisfy { clocks[$0] != nil })
            self.init(key: key, base: base, at: isWhole ? nil : last, clock: clocks, action: .set(fields))
        }
    }
}

/// The records of a batch and its body.
struct Outgoing {
    let keys: [RecordKey]
    let body: String
    /// Records that have nothing left to send.
    let unchanged: [RecordKey]

    /// Adds as many of `records` as one request may have: at most `limit`, and at most about `bodyBytes`, but at least one.
    init(
        _ records: [CachedRecord], since cursor: String?, limit: Int, bodyBytes: Int = RequestLimits(nil).batchBytes
    ) {
        var keys: [RecordKey] = []
        var unchanged: [RecordKey] = []
        var request = PushRequest.Writer(since: cursor)
        for record in records {
            guard let mutation = record.mutation else {
                unchanged.append(record.record.key)
                continue
            }
            if keys.count == limit || !request.append(mutation, maximumBytes: bodyBytes) { break }
            keys.append(mutation.key)
        }
        self.keys = keys
        self.unchanged = unchanged
        body = request.body
    }
}
