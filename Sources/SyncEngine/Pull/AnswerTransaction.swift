internal import LocalStore
internal import Records
internal import struct Records.Record
internal import SyncAPI

/// A page of changes as it was received.
struct ReceivedPage {
    var page: ChangesPage
    /// The records that were omitted from it.
    var oversized: [OversizedRecord] = []
    /// The server's clock, in milliseconds since 1970; nil: its answer had no `Date`.
    var serverTime: UInt64?
}

/// The result of applying an answer.
struct AppliedAnswer {
    /// The counts of what the answer changed.
    var result: SyncResult
    /// The digest of the records on the server, as far as the cache knows them.
    var digest: SpaceDigest
    /// By how many the answer to a batch has reduced the number of records that are still to be sent.
    var settled: Int
}

/// The application of one answer of the server to the cache, within one transaction.
struct AnswerTransaction {
    private let cache: Cache
    private let types: RecordTypes
    private let device: String
    /// The server's clock, in milliseconds since 1970; nil: its answer didn't have it.
    private let serverTime: UInt64?
    private var result = SyncResult()
    private var settled = 0

    private init(cache: Cache, types: RecordTypes, serverTime: UInt64?) throws {
        self.cache = cache
        device = try cache.device()
        self.types = types
        self.serverTime = serverTime
    }

    /// Applies a page.
    ///
    /// - Parameter read: The full read of which the page is a part; nil: none.
    static func apply(
        _ received: ReceivedPage, in read: FullRead?, to cache: Cache, types: RecordTypes, serverTime: UInt64?
    ) throws -> AppliedAnswer {
        var transaction = try AnswerTransaction(cache: cache, types: types, serverTime: serverTime)
        let page = received.page
        try transaction.apply(page.records, in: read)
        try transaction.store(received.oversized, in: read)
        if let read, !page.more { try transaction.finish(read) }
        try cache.replica.setCursor(page.cursor, reading: page.more ? (read?.json) : nil)
        return try transaction.applied()
    }

    /// Applies the answer to a batch.
    static func apply(
        _ answer: PushAnswer, to batch: Batch, of cache: Cache, types: RecordTypes, serverTime: UInt64?
    ) throws -> AppliedAnswer {
        var transaction = try AnswerTransaction(cache: cache, types: types, serverTime: serverTime)
        // Before `endSending`, which removes the marks of the batch; and before the records, among which the current states
        // of conflicts may be.
        try transaction.apply(answer.results, of: batch)
        try cache.outbox.endSending()
        if case .page(let page) = answer.changes {
            try transaction.apply(page.records, in: nil)
            try cache.replica.setCursor(page.cursor, reading: nil)
        }
        return try transaction.applied()
    }

    private func applied() throws -> AppliedAnswer {
        AppliedAnswer(result: result, digest: try cache.replica.state().digest, settled: settled)
    }

    // MARK: Records

    private mutating func apply(_ records: RecordList, in read: FullRead?) throws {
        if case .restored(let shared) = read { return try applyRestored(try records.records(), shared: shared) }
        let applied: AppliedPage
        do {
            // A first read drops nothing at its end, so it needs no marks.
            applied = try cache.replica.applyClean(records: records.text, marking: read.map { $0 != .first } ?? false)
        } catch let error as MalformedRecords {
            throw MalformedAnswer(error.reason)
        }
        result.pulled += applied.pulled
        result.pulledDerived += applied.derived
        result.revived += applied.revived
        for record in applied.pending { try merge(record) { [types] in $0.applyingRemote(record, types: types) } }
    }

    private mutating func applyRestored(_ records: [Record], shared: Int64) throws {
        for record in records {
            let isFormer = try cache.replica.isFormer(record.key)
            var isLost = false
            try merge(record) { [types] cached in
                guard isFormer else { return cached.applyingRemote(record, types: types) }
                isLost = cached.isLost(by: record, shared: shared)
                return cached.applyingRestored(record, shared: shared, types: types)
            }
            if isLost { result.lostByServer += 1 }
            try cache.replica.markSeen(record.key)
        }
    }

    /// Stores which records were omitted from a page.
    private mutating func store(_ oversized: [OversizedRecord], in read: FullRead?) throws {
        for record in oversized {
            try cache.replica.noteOversized(record, marking: read.map { $0 != .first } ?? false)
            result.oversized[record.key] = record.bytes
        }
    }

    /// Drops or keeps the records that a full read didn't bring, at its end.
    private mutating func finish(_ read: FullRead) throws {
        if read == .first { return }
        for cached in try cache.replica.unseen() {
            let key = cached.record.key
            let isFormer = try cache.replica.isFormer(key)
            if case .restored(let shared) = read, isFormer, cached.isLost(by: nil, shared: shared) {
                result.lostByServer += 1
            }
            try cache.store(cached.applyingAbsence(from: read, isFormer: isFormer), for: key)
        }
        try cache.replica.endFullRead()
    }

    // MARK: Results

    private mutating func apply(_ results: [MutationResult], of batch: Batch) throws {
        let mutations = try PushRequest(stored: batch.body).mutations
        guard results.count == mutations.count else { throw MalformedAnswer("results don't match the mutations") }
        for (mutation, result) in zip(mutations, results) {
            try merge(in: mutation.key) { [types, device] cached in
                cached?.applying(result, of: mutation, device: device, types: types) ?? MergeOutcome(next: nil)
            }
            count(result, of: mutation)
        }
    }

    // MARK: One record

    private mutating func merge(_ theirs: Record, _ decide: (CachedRecord) -> MergeOutcome) throws {
        try merge(in: theirs.key) { cached in
            cached.map(decide) ?? MergeOutcome(next: CachedRecord(record: theirs))
        }
        result.pulled += 1
        if types[theirs.key.collection].isDerived { result.pulledDerived += 1 }
    }

    private mutating func merge(in key: RecordKey, _ decide: (CachedRecord?) -> MergeOutcome) throws {
        var outcome = MergeOutcome()
        var (wasDeletedHere, wasUnsent) = (false, false)
        try cache.change(key) { [cache, device, serverTime] cached in
            wasDeletedHere = cached?.wasDeleted(by: device) ?? false
            wasUnsent = cached?.isUnsent ?? false
            // Clocks ahead of the server's are lowered before they are compared (SyncAPI.docc/Protocol.md, "Data").
            outcome = decide(try cached?.lowered(to: serverTime, by: cache.lowered))
            return outcome.next
        }
        if wasUnsent { settled += 1 }
        if outcome.next?.isUnsent == true { settled -= 1 }
        if outcome.merged { result.merged += 1 }
        if wasDeletedHere, outcome.next?.record.deleted == false { result.revived += 1 }
        // An existing conflict may be resolved, or dismissed: then it isn't created again.
        for conflict in outcome.conflicts where try cache.cached(conflict.key) == nil {
            result.conflicts += 1
            settled -= 1
            try cache.store(conflict.cached, for: conflict.key)
        }
    }

    private mutating func count(_ outcome: MutationResult, of mutation: Mutation) {
        switch outcome {
        case .applied: countPushed(mutation)
        // The server doesn't know the record, so a deletion of it is done.
        case .conflict(current: nil) where mutation.action == .delete: countPushed(mutation)
        case .conflict, .conflictWithoutCurrent: break
        case .rejected(let problem): result.rejected[mutation.key] = Rejection(problem)
        }
    }

    private mutating func countPushed(_ mutation: Mutation) {
        result.pushed += 1
        if types[mutation.key.collection].isDerived { result.pushedDerived += 1 }
    }
}

extension CachedRecord {
    /// Returns whether it is a tombstone that this device has made.
    fileprivate func wasDeleted(by device: String) -> Bool {
        record.deleted && (pending != nil || record.modifiedBy == device)
    }

    /// Whether it has edits that are to be sent, or are in flight.
    fileprivate var isUnsent: Bool { pending.map { $0.rejection == nil } ?? false }
}

extension ConflictRecord {
    /// The conflict as a new record to send.
    var cached: CachedRecord {
        let at = clock.latest ?? HLC(milliseconds: 0, device: "unknown")
        let clock = clock.moments.isEmpty ? FieldClocks(["*": at]) : clock
        return CachedRecord(record: Record(key: key, fields: fields, clock: clock), pending: .init(at: at))
    }
}
