internal import LocalStore
internal import Records
internal import struct Records.Record
internal import SyncAPI

/// One answer of the server on its way into the cache, within one transaction.
struct Page {
    let cache: Cache
    let types: RecordTypes
    /// The server's clock, milliseconds since 1970, if its answer told.
    let serverTime: UInt64?
    private(set) var report = SyncReport()

    init(cache: Cache, types: RecordTypes, serverTime: UInt64?) {
        self.cache = cache
        self.types = types
        self.serverTime = serverTime
    }

    /// The mutations of a batch, from its body.
    static func mutations(of batch: Batch) throws -> [Mutation] {
        try PushRequest(stored: batch.body).mutations
    }

    /// Takes the records of a page.
    mutating func take(_ records: RecordList, in read: FullRead?) throws {
        if case .restored(let shared) = read { return try takeRestored(try records.records(), shared: shared) }
        let unclean: AppliedPage
        do {
            unclean = try cache.applyClean(records: records.text, marking: read.map { $0 != .first } ?? false)
        } catch let error as MalformedRecords {
            throw MalformedAnswer(error.reason)
        }
        report.pulled += unclean.taken
        report.revived += unclean.revived
        for record in unclean.pending { try take(record) { [types] in $0.taking(record, types: types) } }
    }

    private mutating func takeRestored(_ records: [Record], shared: Int64) throws {
        for record in records {
            let isFormer = try cache.isFormer(record.key)
            try take(record) { [types] cached in
                isFormer
                    ? cached.takingRestored(record, shared: shared, types: types) : cached.taking(record, types: types)
            }
            try cache.markSeen(record.key)
        }
    }

    /// Notes the records that were left out of a page.
    mutating func note(_ oversized: [OversizedRecord], in read: FullRead?) throws {
        for record in oversized {
            try cache.noteOversized(record, marking: read.map { $0 != .first } ?? false)
            report.oversized[record.key] = record.bytes
        }
    }

    /// Drops or keeps what a full read didn't meet, at its end.
    mutating func finish(_ read: FullRead) throws {
        if read == .first { return }
        for cached in try cache.unseen() {
            let key = cached.record.key
            try cache.store(cached.takingUnseen(in: read, isFormer: try cache.isFormer(key)), for: key)
        }
        try cache.endFullRead()
    }

    /// Takes in what became of a batch.
    mutating func settle(_ batch: Batch, _ results: [MutationResult]) throws {
        let mutations = try Self.mutations(of: batch)
        guard results.count == mutations.count else { throw MalformedAnswer("results don't match the mutations") }
        let device = try cache.device()
        for (mutation, result) in zip(mutations, results) {
            try take(in: mutation.key) { [types] cached in
                cached?.settling(result, of: mutation, device: device, types: types) ?? Taken(next: nil)
            }
            count(result, of: mutation)
        }
    }

    private mutating func take(_ theirs: Record, _ decide: (CachedRecord) -> Taken) throws {
        try take(in: theirs.key) { cached in
            cached.map(decide) ?? Taken(next: CachedRecord(record: theirs))
        }
        report.pulled += 1
    }

    private mutating func take(in key: RecordKey, _ decide: (CachedRecord?) -> Taken) throws {
        var taken = Taken()
        var wasDeletedHere = false
        let device = try cache.device()
        try cache.change(key) { [cache, serverTime] cached in
            wasDeletedHere = cached?.wasDeleted(by: device) ?? false
            taken = decide(try cached?.lowered(to: serverTime, by: cache.lowered))
            return taken.next
        }
        if taken.merged { report.merged += 1 }
        if wasDeletedHere, taken.next?.record.deleted == false { report.revived += 1 }
        for conflict in taken.conflicts where try cache.cached(conflict.key) == nil {
            report.conflicts += 1
            try cache.store(conflict.cached, for: conflict.key)
        }
    }

    private mutating func count(_ result: MutationResult, of mutation: Mutation) {
        switch result {
        case .applied: report.pushed += 1
        // A deletion of what the server doesn't know is done.
        case .conflict(current: nil): report.pushed += mutation.action == .delete ? 1 : 0
        case .conflict, .conflictWithoutCurrent: break
        case .rejected(let problem): report.rejected[mutation.key] = Rejection(problem)
        }
    }
}

extension CachedRecord {
    /// Whether it is a tombstone that the person at this device has made.
    fileprivate func wasDeleted(by device: String) -> Bool {
        record.deleted && (pending != nil || record.modifiedBy == device)
    }
}

extension ConflictRecord {
    /// The conflict as a new record that is still to be sent.
    var cached: CachedRecord {
        let at = clock.latest ?? HLC(milliseconds: 0, device: "unknown")
        let clock = clock.moments.isEmpty ? FieldClocks(["*": at]) : clock
        return CachedRecord(record: Record(key: key, fields: fields, clock: clock), pending: .init(at: at))
    }
}

extension Cache {
    /// A record of the outbox that turned out to be what the server has.
    func settleUnchanged(_ key: RecordKey) throws {
        guard let cached = try cached(key) else { return }
        try store(cached.mirror.map { CachedRecord(record: $0) }, for: key)
    }

    /// Keeps a record back until it is edited again.
    func refuse(_ key: RecordKey, _ rejection: Rejection) throws {
        guard var cached = try cached(key) else { return }
        cached.pending?.rejection = rejection
        try store(cached, for: key)
    }
}
