public import Backend
internal import Foundation
public import LocalStore
public import Records
public import SyncAPI

/// Brings the cache of a home and its server into step: one request after the other until nothing is left to send and
/// nothing to see.
///
/// What to do is decided by pure functions (`NextRequest`, `CachedRecord+…`); the actor sends and stores. Each answer is
/// applied in one transaction, so a crash between any two steps leaves an ordinary state, from which the next sync goes
/// on. Its executor comes from outside, because it calls SQLite synchronously: give it one that may block.
public actor SyncEngine {
    let store: LocalStore
    let backend: BackendClient
    let gate: SyncGate
    let types: RecordTypes
    let clock: SyncClock
    private let makeKey: @Sendable () -> String
    /// The largest record that is received from a page that is too large as a whole, in bytes.
    let largestRecord: Int
    private let executor: any SerialExecutor
    var isRunning = false

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - gate: lets one process of a home sync at a time.
    ///   - types: the merge rules.
    ///   - clock: the clock of the waits, see `SyncGate.waitLimit` and `retryLimit`.
    ///   - makeKey: makes an idempotency key, a UUID that was never used before.
    ///   - largestRecord: of a page that is too large to be received whole, records of more bytes are left out.
    ///   - executor: runs the actor; may be blocked by SQLite.
    public init(
        store: LocalStore, backend: BackendClient, gate: SyncGate, types: RecordTypes = .standard,
        clock: SyncClock = .system, makeKey: @escaping @Sendable () -> String = SyncEngine.newKey,
        largestRecord: Int = Limits.largestReceivedRecord, executor: any SerialExecutor
    ) {
        self.largestRecord = largestRecord
        self.store = store
        self.backend = backend
        self.gate = gate
        self.types = types
        self.clock = clock
        self.makeKey = makeKey
        self.executor = executor
    }

    /// A UUID of version 4, in lower case.
    public static let newKey: @Sendable () -> String = { UUID().uuidString.lowercased() }

    /// Records on a page that a pull asks for.
    static let pageRecords = Limits.pageMaximum

    /// Batches in a row of which nothing was accepted, before a sync gives up.
    static let fruitlessBatches = 10

    /// Full reads that one sync begins. A server that asks for more contradicts itself: a cursor that it has just given
    /// out expires only by a restore or a purge of tombstones.
    static let fullReadLimit = 10

    /// Syncs once.
    ///
    /// - Parameters:
    ///   - waiting: whether a person waits for the sync. If so, it waits while another process of the home syncs
    ///     (`SyncGate.waitLimit` at most) and while the server is busy (`retryLimit` at most). Otherwise it ends at
    ///     once, and the work is left to that process or to the next sync.
    ///   - tell: receives the progress on the engine's executor, which it must not block; nil: it isn't reported.
    /// - Throws: `SyncFailure`, `BackendError`, `LocalStoreError`, `MalformedAnswer`, `CancellationError`. What was done
    ///   until then stays done.
    public func sync(
        waiting: Bool = true, telling tell: (@Sendable (SyncProgress) -> Void)? = nil
    ) async throws -> SyncReport {
        if isRunning, !waiting { throw SyncFailure.busyElsewhere(gate.holder()) }
        let leave = try await gate.enter(waiting: waiting, clock: clock)
        isRunning = true
        defer {
            isRunning = false
            leave()
        }
        var run = Run(count: SyncCount(tell), isWaiting: waiting)
        while let request = try next(in: run) {
            try Task.checkCancellation()
            try await perform(request, in: &run)
        }
        if let serverTime = run.serverTime { try store.writeNow { _ = try $0.purgeTombstones(at: serverTime) } }
        return run.report
    }

    /// What one sync has done so far.
    private struct Run {
        var report = SyncReport()
        var count: SyncCount
        /// See `sync`.
        let isWaiting: Bool
        var seen: NextRequest.Seen?
        var pages = PageSequence()
        var fullReads = 0
        var batchLimit = Limits.mutations
        var fruitlessBatches = 0
        var hasRepaired = false
        /// The server's clock at its last answer, milliseconds since 1970.
        var serverTime: UInt64?
    }

    private func next(in run: Run) throws -> (space: String, request: NextRequest)? {
        try store.readNow { cache in
            let state = try cache.state()
            guard let space = state.remote else { throw SyncFailure.noAccount }
            let request = NextRequest.decide(
                batch: try cache.batch(), state: state, hasSendable: try !cache.sendable(limit: 1).isEmpty,
                mustReadAgain: try cache.mustReadAgain(), seen: run.seen)
            return request == .nothing ? nil : (space, request)
        }
    }

    private func perform(_ next: (space: String, request: NextRequest), in run: inout Run) async throws {
        switch next.request {
        case .nothing: return
        case .resend(let batch): try await push(batch, to: next.space, in: &run)
        case .push(let since):
            guard let batch = try launch(since: since, limit: run.batchLimit) else { return }
            try await push(batch, to: next.space, in: &run)
        case .readAgain: try repair(in: &run)
        case .pull(let since): try await pull(nil, since: since, from: next.space, in: &run)
        case .read(let read, let cursor): try await pull(read, since: cursor, from: next.space, in: &run)
        }
    }
}

// MARK: - Pulling

extension SyncEngine {
    private func pull(_ read: FullRead?, since cursor: String?, from space: String, in run: inout Run) async throws {
        if cursor == nil { run.count.beginsReading() }
        let answer: ReceivedPage
        do {
            answer = try await receive(space, since: cursor, isWaiting: run.isWaiting)
        } catch let error as BackendError {
            guard case .read(let other) = Refusal.of(error, isPush: false) else { throw error }
            try begin(other, during: read, in: &run)
            return
        }
        let received = answer.page
        if cursor == nil, let read { run.report.fullReads.append(read) }
        run.report.requests += 1
        run.serverTime = answer.serverTime ?? run.serverTime
        var pages = cursor == nil ? PageSequence() : run.pages
        let outcome = try store.writeNow { cache in
            var page = Page(cache: cache, types: types, serverTime: answer.serverTime)
            try pages.add(received, since: cursor, without: answer.oversized)
            try page.take(received.records, in: read)
            try page.note(answer.oversized, in: read)
            if let read, !received.more { try page.finish(read) }
            try cache.setCursor(received.cursor, reading: received.more ? (read?.json) : nil)
            return (page.report, try cache.state().digest)
        }
        run.pages = pages
        run.report.add(outcome.0)
        if cursor == nil, received.more, run.count.isHeard, let records = await recordsOfAccount() {
            run.count.expects(records)
        }
        run.count.received(outcome.0.pulled, more: received.more)
        try finish(received, held: outcome.1, in: &run)
    }

    /// How many records the server has; nil: it doesn't say, and the sync goes on without the number.
    private func recordsOfAccount() async -> Int? {
        do { return Int(clamping: try await backend.account().usage.records) } catch { return nil }
    }

    /// Starts to read everything again, from the next request on.
    ///
    /// - Parameter present: the full read that was under way.
    private func begin(_ read: FullRead, during present: FullRead? = nil, in run: inout Run) throws {
        run.fullReads += 1
        if run.fullReads > Self.fullReadLimit {
            throw MalformedAnswer("more than \(Self.fullReadLimit) full reads are asked for in one sync")
        }
        try store.writeNow { cache in
            try cache.land()
            try cache.beginFullRead((present?.followed(by: read) ?? read).json, afterRestore: read.isAfterRestore)
        }
        run.seen = nil
    }

    /// Compares digests after the last page: equal means that what is held is what the server has.
    private func finish(_ page: ChangesPage, held: SpaceDigest, in run: inout Run) throws {
        run.seen = page.more ? .part : .all
        guard !page.more, let told = page.digest, told != held else { return }
        if run.hasRepaired { throw SyncFailure.digestMismatch }
        try repair(in: &run)
    }

    private func repair(in run: inout Run) throws {
        run.hasRepaired = true
        try begin(.resync(.digestMismatch), in: &run)
    }
}

// MARK: - Pushing

extension SyncEngine {
    /// Makes a batch of the outbox and stores it as in flight; nil if nothing of it is left to send.
    private func launch(since cursor: String, limit: Int) throws -> Batch? {
        let key = makeKey()
        return try store.writeNow { cache in
            try cache.holdBackOversized()
            let outgoing = Outgoing(try cache.sendable(limit: limit), since: cursor, limit: limit)
            for key in outgoing.settled { try cache.settleUnchanged(key) }
            if outgoing.keys.isEmpty { return nil }
            let batch = Batch(key: key, since: cursor, body: outgoing.body)
            try cache.launch(batch, of: outgoing.keys)
            return batch
        }
    }

    private func push(_ batch: Batch, to space: String, in run: inout Run) async throws {
        let answer: ServerAnswer
        do {
            answer = try await send(batch, to: space, isWaiting: run.isWaiting)
        } catch let error as BackendError {
            try take(error, of: batch, in: &run)
            return
        }
        let received = try PushAnswer(body: answer.body)
        run.report.requests += 1
        run.serverTime = answer.serverTime ?? run.serverTime
        run.pages = PageSequence()
        let outcome = try store.writeNow { cache in
            var page = Page(cache: cache, types: types, serverTime: answer.serverTime)
            try page.settle(batch, received.results)
            try cache.land()
            if case .page(let changes) = received.changes {
                try page.take(changes.records, in: nil)
                try cache.setCursor(changes.cursor, reading: nil)
            }
            let unsent = try cache.unsent()
            return (page.report, try cache.state().digest, unsent.records - unsent.rejected)
        }
        run.report.add(outcome.0)
        run.count.sent(received.results.count, left: outcome.2)
        try noteProgress(of: outcome.0, in: &run)
        if case .page(let changes) = received.changes {
            try finish(changes, held: outcome.1, in: &run)
        } else {
            // The next pull with this cursor is refused with all that a full read must know.
            run.seen = nil
        }
    }

    private func take(_ error: BackendError, of batch: Batch, in run: inout Run) throws {
        if case .transport(let failure) = error, failure.kind == .tooLarge { return try giveUp(batch, in: &run) }
        switch Refusal.of(error, isPush: true) {
        case .read(let read): try begin(read, in: &run)
        case .fail(let isFinal):
            if isFinal { try store.writeNow { try $0.land() } }
            throw error
        case .split(let rejection): try split(batch, rejection, in: &run)
        }
    }

    /// Handles an answer to a batch that is too large to be received, because of a record that conflicts or that others
    /// changed. The changes are pulled instead: mutations of the batch that the server applied appear there as equal
    /// edits.
    private func giveUp(_ batch: Batch, in run: inout Run) throws {
        try store.writeNow { try $0.land() }
        run.seen = .part
        try noteProgress(of: SyncReport(), in: &run)
    }

    /// Sends the batch in halves from now on; the last record that is left of it alone is the one at fault.
    private func split(_ batch: Batch, _ rejection: Rejection, in run: inout Run) throws {
        let keys = try Page.mutations(of: batch).map(\.key)
        let culprit = keys.count == 1 ? keys.first : nil
        try store.writeNow { cache in
            try cache.land()
            if let culprit { try cache.refuse(culprit, rejection) }
        }
        if let culprit { run.report.rejected[culprit] = rejection }
        run.batchLimit = culprit == nil ? keys.count / 2 : Limits.mutations
    }

    private func noteProgress(of report: SyncReport, in run: inout Run) throws {
        run.fruitlessBatches = report.pushed == 0 && report.rejected.isEmpty ? run.fruitlessBatches + 1 : 0
        if run.fruitlessBatches == Self.fruitlessBatches { throw SyncFailure.noProgress }
    }
}

extension ServerAnswer {
    /// The server's clock, milliseconds since 1970.
    var serverTime: UInt64? { date.map { UInt64(max(0, $0.timeIntervalSince1970 * 1_000)) } }
}
