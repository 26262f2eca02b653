internal import LocalStore
internal import Records
internal import struct Records.Record
internal import SyncAPI

// What to send: a pure function of what the cache holds.
extension CachedRecord {
    /// The change that brings the server from what it was seen to have to what the person sees; nil if there is none.
    var mutation: Mutation? {
        guard let pending else { return nil }
        if record.deleted {
            if seen?.deleted == true { return nil }
            return Mutation(
                key: record.key, base: mirror?.version ?? 0, at: pending.at, clock: record.clock, action: .delete)
        }
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
    /// One moment for all fields travels as `at`, several as `clock`.
    ///
    /// - Parameter last: the moment of fields that have none of their own (both sides of a merge knew none): a server
    ///   takes no field without.
    fileprivate init(key: RecordKey, base: Int64, clocks: FieldClocks, otherwise last: HLC, set fields: JSONObject) {
        let moments = Set(clocks.moments.values)
        if moments.count < 2 {
            self.init(key: key, base: base, at: moments.first ?? last, action: .set(fields))
        } else {
            // A record that is made needs `*`, too.
            let isWhole = clocks["*"] != nil || (base != 0 && fields.names.allSatisfy { clocks[$0] != nil })
            self.init(key: key, base: base, at: isWhole ? nil : last, clock: clocks, action: .set(fields))
        }
    }
}

/// The records of a batch and its body.
struct Outgoing {
    let keys: [RecordKey]
    let body: String
    /// Records of which nothing is left to send.
    let settled: [RecordKey]

    /// How large a body may get before the rest waits for the next batch, in bytes; half of what a server accepts.
    static let bodyBytes = Limits.bodyBytes / 2

    /// Puts as many of `records` into one request as may go: at most `limit`, at most about `bodyBytes`.
    init(_ records: [CachedRecord], since cursor: String?, limit: Int) {
        var keys: [RecordKey] = []
        var settled: [RecordKey] = []
        var request = PushRequest.Writer(since: cursor)
        for record in records {
            guard let mutation = record.mutation else {
                settled.append(record.record.key)
                continue
            }
            if keys.count == limit || !request.append(mutation, maximumBytes: Self.bodyBytes) { break }
            keys.append(mutation.key)
        }
        self.keys = keys
        self.settled = settled
        body = request.body
    }
}
