public import Backend
public import LocalStore
public import Records
public import SyncAPI

/// The engine that brings the cache of a home and its server into step: one request after the other until nothing is
/// left to send and nothing to receive.
///
/// Pure functions decide what to do (`NextRequest`, `CachedRecord.mutation`, `MergeOutcome`); the actor sends and
/// stores. Each answer is applied in one transaction, so a crash between any two steps leaves an ordinary state, from
/// which the next sync continues. Its executor comes from outside, because it calls SQLite synchronously: give it one
/// that may block.
public actor SyncEngine {
    let store: LocalStore
    let backend: BackendClient
    let gate: SyncGate
    let types: RecordTypes
    let collections: CollectionSet
    let clock: SyncClock
    let makeKey: @Sendable () -> String
    /// The largest record that is received from a page that is too large as a whole, in bytes.
    let largestRecord: Int
    private let executor: any SerialExecutor
    var isRunning = false

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - gate: Lets one process of a home sync at a time.
    ///   - collections: The collections that the program uses; nil: those of the cache's record types. The home
    ///     receives these and those of its other programs. Before an edit of a record of any other collection is sent,
    ///     that collection is received, too. A home that already receives all collections continues to do so.
    ///   - clock: The clock of the waits, see `SyncGate.waitLimit` and `retryLimit`.
    ///   - makeKey: Returns an idempotency key, a UUID that was never used before.
    ///   - largestRecord: Records of more bytes are omitted from a page that is too large to be received whole.
    ///   - executor: Runs the actor; SQLite may block it.
    public init(
        store: LocalStore, backend: BackendClient, gate: SyncGate, collections: CollectionSet? = nil,
        clock: SyncClock = .system,
        makeKey: @escaping @Sendable () -> String = { UUIDText.random() },
        largestRecord: Int = Limits.largestReceivedRecord, executor: any SerialExecutor
    ) {
        self.largestRecord = largestRecord
        self.store = store
        self.backend = backend
        self.gate = gate
        types = store.types
        self.collections = collections ?? store.types.collectionSet
        self.clock = clock
        self.makeKey = makeKey
        self.executor = executor
    }

    // MARK: Syncing

    /// Syncs once.
    ///
    /// - Parameters:
    ///   - waiting: Whether a person waits for the sync. If so, it waits while another process of the home syncs
    ///     (`SyncGate.waitLimit` at most) and while the server is busy (`retryLimit` at most). Otherwise it ends at
    ///     once, and the work is left to that process or to the next sync.
    ///   - progress: Receives the progress on the engine's executor, which it must not block; nil: it isn't reported.
    /// - Returns: What the sync did. If the home may only read, its edits stay unsent: see `SyncResult.refusal`.
    /// - Throws: `SyncFailure`, `BackendError`, `LocalStoreError`, `MalformedAnswer`, `CancellationError`. What was
    ///   done until then stays done.
    public func sync(
        waiting: Bool = true, progress: (@Sendable (SyncProgress) -> Void)? = nil
    ) async throws -> SyncResult {
        // The actor is reentrant: while a sync awaits an answer, another call can begin.
        if isRunning, !waiting { throw SyncFailure.busyElsewhere(gate.holder()) }
        let leave = try await gate.enter(waiting: waiting, clock: clock)
        isRunning = true
        defer {
            isRunning = false
            leave()
        }
        try setFirstCollections()
        var run = SyncRun(
            isWaiting: waiting, progress: SyncProgress.Counter(progress), collections: collections)
        run.limits = try requestLimits()
        while let (space, request) = try nextRequest(of: &run) {
            try Task.checkCancellation()
            switch request {
            case .nothing: break
            case .resend(let batch): try await push(batch, to: space, in: &run)
            case .push(let since):
                guard let batch = try stageBatch(since: since, in: &run) else { continue }
                try await push(batch, to: space, in: &run)
            case .pull(let since): try await pull(nil, since: since, from: space, in: &run)
            case .read(let read, let cursor): try await pull(read, since: cursor, from: space, in: &run)
            case .readAgain(let reason): try readAgain(reason, in: &run)
            }
        }
        if let serverTime = run.serverTime { try store.writeNow { _ = try $0.replica.purgeTombstones(at: serverTime) } }
        // Last: the changes of others are received, too.
        switch run.phase {
        case .open, .deletions, .smaller: break
        case .closed(let error): throw error
        case .readOnly(let error): run.result.refusal = error
        }
        return run.result
    }

    /// Sets the collections of a home that has received nothing yet to those of this program.
    private func setFirstCollections() throws {
        let state = try store.readNow { try $0.replica.state() }
        guard state.isUnread, state.collections != collections else { return }
        try store.writeNow { try $0.replica.setFirstCollections(collections) }
    }

    /// Returns the next request and its space; nil: everything is sent and received.
    private func nextRequest(of run: inout SyncRun) throws -> (space: RemoteSpace, request: NextRequest)? {
        if case .deletions = run.phase, try store.readNow({ try $0.outbox.sendableDeletions(limit: 1).isEmpty }) {
            run.sentDeletions()
        }
        let phase = run.phase
        return try store.readNow { [run] cache in
            let state = try cache.replica.state()
            let space = try RemoteSpace(state)
            var readAgain: FullRead.Reason?
            if !space.collections.isSuperset(of: run.collections) { readAgain = .additionalCollections }
            if try cache.replica.mustReadAgain() { readAgain = .digestMismatch }
            let request = NextRequest.decide(
                batch: try cache.outbox.batch(), state: state,
                hasSendable: try !Self.sendable(cache, phase, limit: 1).isEmpty,
                readAgain: readAgain, seen: run.seen)
            return request == .nothing ? nil : (space, request)
        }
    }

    /// Returns the records that may be sent in a phase.
    private static func sendable(_ cache: Cache, _ phase: PushPhase, limit: Int) throws -> [CachedRecord] {
        switch phase {
        case .open, .smaller: try cache.outbox.sendable(limit: limit)
        case .deletions: try cache.outbox.sendableDeletions(limit: limit)
        case .closed, .readOnly: []
        }
    }

    /// Receives and applies a page of changes, of a full read or of those after the cursor.
    private func pull(
        _ read: FullRead?, since cursor: String?, from space: RemoteSpace, in run: inout SyncRun
    ) async throws {
        if cursor == nil { run.progress.beginsReading() }
        let received: ReceivedPage
        do {
            received = try await receive(
                space, since: cursor, limit: run.limits.pageRecords, isWaiting: run.isWaiting)
        } catch let error as BackendError {
            guard case .read(let other) = Refusal.of(error, isPush: false) else { throw error }
            return try begin(other, during: read, in: &run)
        }
        run.received(at: received.serverTime)
        if cursor == nil {
            if let restore = try await restore(during: read, of: space, in: run) {
                return try begin(restore, during: read, in: &run)
            }
            run.begins(read)
        } else {
            run.continues(read)
        }
        let page = received.page
        try run.pages.add(page, since: cursor, without: received.oversized)
        let applied = try store.writeNow { cache in
            try AnswerTransaction.apply(
                received, in: read, to: cache, types: types, serverTime: received.serverTime)
        }
        run.result.add(applied.result)
        if cursor == nil, page.more, run.progress.isObserved, let records = await recordsOfAccount() {
            run.progress.expects(records)
        }
        run.progress.received(applied.result.pulled, more: page.more)
        try compareDigests(page, applied, in: &run)
    }

    /// Sends a batch and applies its answer: the results of its mutations and the changes of others.
    private func push(_ batch: Batch, to space: RemoteSpace, in run: inout SyncRun) async throws {
        let response: BackendAnswer
        do {
            response = try await send(batch, to: space, isWaiting: run.isWaiting)
        } catch let error as BackendError {
            await updateLimits(after: error, in: &run)
            return try handle(error, of: batch, in: &run)
        }
        let answer = try PushAnswer(body: response.body)
        run.received(at: response.serverTime)
        run.pages = PageSequence()
        let applied = try store.writeNow { cache in
            try AnswerTransaction.apply(
                answer, to: batch, of: cache, types: types, serverTime: response.serverTime)
        }
        run.result.add(applied.result)
        try run.progress.sent(answer.results.count, settled: applied.settled) {
            let unsent = try store.readNow { try $0.outbox.unsent() }
            return unsent.records - unsent.refused
        }
        try run.countFruitless(applied.result)
        switch answer.changes {
        case .page(let page): try compareDigests(page, applied, in: &run)
        // The next pull with this cursor is refused with the details that a full read needs.
        case .none, .resync: run.seen = nil
        }
    }

    /// Compares digests after the last page: equal means that the cache holds what the server has.
    private func compareDigests(_ page: ChangesPage, _ applied: AppliedAnswer, in run: inout SyncRun) throws {
        run.seen = page.more ? .part : .all
        guard !page.more, let digest = page.digest, digest != applied.digest else { return }
        // A second difference after a full read can't be repaired by another one.
        if run.hasRepaired { throw SyncFailure.digestMismatch }
        try readAgain(.digestMismatch, in: &run)
    }
}

// The creation of batches, and the handling of one that the server refuses.
extension SyncEngine {
    /// Creates a batch from the outbox and stores it as in flight; nil: there is nothing to send now.
    ///
    /// If records belong to collections that the home doesn't receive, these are added to `run.collections` and
    /// received first: the server's digest wouldn't count the records otherwise.
    func stageBatch(since cursor: String, in run: inout SyncRun) throws -> Batch? {
        let (key, phase, batchBytes) = (makeKey(), run.phase, run.limits.batchBytes)
        // Deletions are never too many: the limit is of what doesn't fit.
        let limit = min(phase.sendsEdits ? run.batchLimit : Limits.mutations, run.limits.mutations)
        return try store.writeNow { cache -> Batch? in
            try cache.replica.holdBackOversized()
            let outgoing = Outgoing(
                try Self.sendable(cache, phase, limit: limit), since: cursor, limit: limit, bodyBytes: batchBytes)
            // Records without a change would be found again and again, so that the sync wouldn't end.
            for key in outgoing.unchanged { try cache.outbox.removeUnchanged(key) }
            if outgoing.keys.isEmpty { return nil }
            let collections = CollectionSet(outgoing.keys.map(\.collection))
            guard try cache.replica.state().collections.isSuperset(of: collections) else {
                run.collections = run.collections.union(collections)
                return nil
            }
            let batch = Batch(key: key, since: cursor, body: outgoing.body)
            try cache.outbox.beginSending(batch, of: outgoing.keys)
            return batch
        }
    }

    /// Handles an error in place of the answer to a batch.
    ///
    /// - Throws: The error, if the sync can't continue.
    func handle(_ error: BackendError, of batch: Batch, in run: inout SyncRun) throws {
        if case .transport(let failure) = error, failure.kind == .tooLarge { return try giveUp(batch, in: &run) }
        switch Refusal.of(error, isPush: true) {
        case .read(let read): try begin(read, in: &run)
        case .fail(let isFinal):
            // After an answer that isn't final, the batch stays in flight and is sent again with its key.
            if isFinal { try store.writeNow { try $0.outbox.endSending() } }
            throw error
        case .split(let rejection): try split(batch, rejection, in: &run)
        case .noRoom(let room):
            try store.writeNow { try $0.outbox.endSending() }
            run.refused(room, error, mutations: try PushRequest(stored: batch.body).mutations.count)
        case .readOnly:
            // With another app password, or as a signed-in device, the same edits are accepted.
            try store.writeNow { try $0.outbox.endSending() }
            run.phase = .readOnly(error)
        }
    }

    /// Handles an answer to a batch that is too large to be received, because of a record that conflicts or that others
    /// have changed. The changes are pulled instead: what the server has applied of the batch is among them as equal
    /// edits.
    private func giveUp(_ batch: Batch, in run: inout SyncRun) throws {
        try store.writeNow { try $0.outbox.endSending() }
        // The next request must be a pull.
        run.seen = .part
        try run.countFruitless(SyncResult())
    }

    /// Sends the batch in halves from now on; a record that is refused alone is the one at fault.
    private func split(_ batch: Batch, _ rejection: Rejection, in run: inout SyncRun) throws {
        let keys = try PushRequest(stored: batch.body).mutations.map(\.key)
        let culprit = keys.count == 1 ? keys.first : nil
        try store.writeNow { cache in
            try cache.outbox.endSending()
            if let culprit { try cache.outbox.refuse(culprit, rejection) }
        }
        if let culprit { run.result.rejected[culprit] = rejection }
        // Once the record at fault is set aside, full batches may be sent again.
        run.batchLimit = culprit == nil ? keys.count / 2 : Limits.mutations
    }
}
