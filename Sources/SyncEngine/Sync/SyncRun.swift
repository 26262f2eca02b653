internal import Backend
internal import LocalStore
internal import Records
internal import SyncAPI

/// The state of one sync.
struct SyncRun {
    /// See `SyncEngine.sync`.
    let isWaiting: Bool
    var progress: SyncProgress.Counter
    var result = SyncResult()
    /// How far the changes of others were received; nil: nothing was requested yet.
    var seen: NextRequest.Seen?
    var pages = PageSequence()
    /// The most mutations of the next batch.
    var batchLimit = Limits.mutations
    /// The server's limits of requests.
    var limits = RequestLimits(nil)
    /// Whether the server was asked for its limits, since it has refused a batch as too large.
    var hasFetchedOffer = false
    /// What may be sent, as far as the server's room is known.
    var phase = PushPhase.open
    /// Whether the whole space was read because the digests differed.
    var hasRepaired = false
    /// The collections to receive: those that the program uses, and those of the edits to send.
    var collections: CollectionSet
    /// The server's clock at its last answer, in milliseconds since 1970.
    private(set) var serverTime: UInt64?
    private var fullReads = 0
    private var fruitlessBatches = 0

    /// The number of batches in a row of which nothing was accepted, after which a sync ends.
    static let fruitlessLimit = 10

    /// The number of full reads that one sync may begin. A server that asks for more contradicts itself: a cursor that
    /// it has just given out expires only by a restore or a purge of tombstones.
    static let fullReadLimit = 10

    init(isWaiting: Bool, progress: SyncProgress.Counter, collections: CollectionSet) {
        (self.isWaiting, self.progress, self.collections) = (isWaiting, progress, collections)
    }

    /// Counts a request that was answered.
    mutating func received(at serverTime: UInt64?) {
        result.requests += 1
        self.serverTime = serverTime ?? self.serverTime
    }

    /// Counts the first page of a full read.
    mutating func begins(_ read: FullRead?) {
        if let read { result.fullReads.append(read) }
        pages = PageSequence()
    }

    /// Counts a full read that an earlier sync has begun, whose result was lost with its failure.
    mutating func continues(_ read: FullRead?) {
        if let read, !result.fullReads.contains(read) { result.fullReads.append(read) }
    }

    /// Counts a full read that the next request begins.
    ///
    /// - Throws: `MalformedAnswer` if there are too many.
    mutating func countFullRead() throws(MalformedAnswer) {
        fullReads += 1
        if fullReads > Self.fullReadLimit {
            throw MalformedAnswer("more than \(Self.fullReadLimit) full reads are asked for in one sync")
        }
    }

    /// Counts batches of which nothing was accepted.
    ///
    /// - Throws: `SyncFailure.noProgress`.
    mutating func countFruitless(_ answer: SyncResult) throws(SyncFailure) {
        fruitlessBatches = answer.pushed == 0 && answer.rejected.isEmpty ? fruitlessBatches + 1 : 0
        if fruitlessBatches == Self.fruitlessLimit { throw .noProgress }
    }
}

/// What a sync sends after the server has refused a batch for lack of room: the account's quota is used up, or the
/// server's disk is full.
///
/// Deletions free room and are always accepted, so they are sent alone next. Then the rest is sent, with a quota in
/// smaller batches, so that as much is stored as there is room for. At last only the changes of others are received. No
/// record is marked as refused: when there is room, the same edits are accepted.
enum PushPhase: Equatable {
    /// The server has refused nothing, or what it has refused may fit by now.
    case open
    /// Only deletions are sent. The error is the refusal, `refused` the number of mutations in the refused batch, and
    /// `pushed` the number of edits that the server had acknowledged before.
    case deletions(BackendError, Refusal.Room, refused: Int, pushed: Int)
    /// Deletions were sent; the rest is sent in batches of limited size.
    case smaller
    /// Nothing is sent any more; the sync ends with the refusal.
    case closed(BackendError)
    /// Nothing is sent any more, since the caller may only read; the sync succeeds with the refusal in its result.
    case readOnly(BackendError)

    /// Whether edits other than deletions are sent.
    var sendsEdits: Bool {
        switch self {
        case .open, .smaller: true
        case .deletions, .closed, .readOnly: false
        }
    }
}

extension SyncRun {
    /// Continues after a batch with this number of mutations was refused for lack of this room.
    mutating func refused(_ room: Refusal.Room, _ error: BackendError, mutations: Int) {
        switch (phase, room) {
        case (.open, _): phase = .deletions(error, room, refused: mutations, pushed: result.pushed)
        case (.smaller, .quota) where mutations > 1: batchLimit = mutations / 2
        // A single record that doesn't fit, a deletion of a record that the server doesn't have, or a disk that is
        // still full.
        case (.smaller, _), (.deletions, _), (.closed, _), (.readOnly, _): phase = .closed(error)
        }
    }

    /// Continues when all deletions are sent.
    mutating func sentDeletions() {
        guard case .deletions(let error, let room, let refused, let pushed) = phase else { return }
        let haveFreedRoom = result.pushed > pushed
        // The disk is full for all accounts, so smaller batches would only be more requests.
        let mayFit = haveFreedRoom || (room == .quota && refused > 1)
        phase = mayFit ? .smaller : .closed(error)
        if !haveFreedRoom { batchLimit = max(refused / 2, 1) }
    }
}

// The beginning of full reads.
extension SyncEngine {
    /// Begins to read everything again with the next request, and adds `run.collections` to the collections that the
    /// home receives.
    ///
    /// - Parameter present: The full read that was under way; nil: none was.
    func begin(_ read: FullRead, during present: FullRead? = nil, in run: inout SyncRun) throws {
        try run.countFullRead()
        try store.writeNow { cache in
            // 410 is a final answer, so a batch in flight returns to the outbox.
            try cache.outbox.endSending()
            try cache.replica.beginFullRead(
                (present?.followed(by: read) ?? read).json, afterRestore: read.isAfterRestore,
                adding: run.collections)
        }
        run.seen = nil
    }

    /// Begins to read everything again within the epoch, for this reason.
    func readAgain(_ reason: FullRead.Reason, in run: inout SyncRun) throws {
        if reason == .digestMismatch { run.hasRepaired = true }
        try begin(.resync(reason), in: &run)
    }

    /// Returns how many records the server has; nil: it doesn't say, and the sync continues without the number.
    func recordsOfAccount() async -> Int? {
        do { return Int(clamping: try await backend.account().usage.records) } catch { return nil }
    }

    /// Returns the restore that the server has had since the cursor before a full read; nil: none that the read doesn't
    /// know of.
    ///
    /// The first page of a full read has no cursor by which the server could detect that it was restored since the read
    /// was begun: by another process some days ago, or since the answer that began it. Without this request, the read would treat what the server
    /// has lost as deleted. It is sent after the page: a restore that comes later makes the page's own cursor invalid.
    func restore(
        during read: FullRead?, of space: RemoteSpace, in run: SyncRun
    ) async throws -> FullRead? {
        // A read that shares no version with the server treats nothing as deleted.
        if read == .restored(shared: 0) { return nil }
        guard let former = try store.readNow({ try $0.replica.state().formerCursor }) else { return nil }
        do {
            _ = try await receive(space, since: former, limit: 1, isWaiting: run.isWaiting)
            return nil
        } catch let error as BackendError {
            switch Refusal.of(error, isPush: false) {
            case .read(.restored(let shared)):
                if case .restored(let known) = read, known <= shared { return nil }
                return .restored(shared: shared)
            // The cursor is of the server's present epoch.
            case .read(.resync), .read(.first): return nil
            case .split, .noRoom, .readOnly, .fail: throw error
            }
        }
    }
}

/// The next request of a sync, decided from what the cache holds and what this run has done.
enum NextRequest: Sendable, Equatable {
    /// The batch in flight, unchanged: before anything else.
    case resend(Batch)
    /// The next page of a full read.
    case read(FullRead, from: String?)
    /// A new batch from the outbox.
    case push(since: String)
    /// The changes of others.
    case pull(since: String)
    /// The start of another full read. Nothing is in flight, and the server has confirmed the cursor.
    case readAgain(FullRead.Reason)
    /// Everything is sent and received.
    case nothing

    /// - Parameters:
    ///   - hasSendable: Whether the outbox has records that may be sent.
    ///   - readAgain: Why a full read is needed; nil: none is.
    ///   - seen: How far the last answer of this run had the changes of others; nil: there was no request yet.
    static func decide(
        batch: Batch?, state: SpaceState, hasSendable: Bool, readAgain: FullRead.Reason? = nil, seen: Seen?
    ) -> NextRequest {
        // Its outcome must be known before anything else changes the state on which it is based.
        if let batch { return .resend(batch) }
        if let read = state.reading.flatMap(FullRead.init(json:)) { return .read(read, from: state.cursor) }
        guard let cursor = state.cursor else { return .read(.first, from: nil) }
        // The full read has no cursor, so a pull with the cursor must first show whether the server was restored.
        if let readAgain { return seen == .all ? .readAgain(readAgain) : .pull(since: cursor) }
        // The changes of others come first: edits of the same records would only conflict.
        if hasSendable, seen != .part { return .push(since: cursor) }
        return seen == .all ? .nothing : .pull(since: cursor)
    }

    /// How far the changes of others were received.
    enum Seen {
        case part, all
    }
}

/// The meaning of a refused request for the sync.
enum Refusal: Equatable {
    /// Everything must be read again.
    case read(FullRead)
    /// Smaller batches are to be sent; a record that is refused alone is at fault.
    case split(Rejection)
    /// There is no room for what a batch would store; nothing of it was stored.
    case noRoom(Room)
    /// The caller may only read; nothing of a batch was stored.
    case readOnly
    /// The caller must handle the error; a batch stays in flight unless the answer was final.
    case fail(isFinal: Bool)

    static func of(_ error: BackendError, isPush: Bool) -> Refusal {
        guard case .problem(let problem, _) = error else { return .fail(isFinal: false) }
        switch (problem.status, problem.code) {
        case (410, .epochChanged): return .read(.restored(shared: problem.extensions["shared"]?.integer ?? 0))
        case (410, .cursorExpired), (400, .invalidCursor): return .read(.resync(.cursorExpired))
        // Without its code, the answer may mean a restore; any other assumption could lose edits.
        case (410, _): return .fail(isFinal: false)
        // Other refusals are of the request, not of a record in it: halving would set all records aside in the end.
        case (413, _), (422, .invalidBody): return isPush ? .split(Rejection(problem)) : .fail(isFinal: true)
        case (403, .quotaExceeded): return isPush ? .noRoom(.quota) : .fail(isFinal: true)
        case (507, .insufficientStorage): return isPush ? .noRoom(.disk) : .fail(isFinal: false)
        case (403, .forbidden): return isPush ? .readOnly : .fail(isFinal: true)
        // Not final (SyncAPI.docc/Protocol.md, "Duties of a client").
        case (401, _), (408, _), (409, _), (429, _): return .fail(isFinal: false)
        case (let status, _): return .fail(isFinal: (400..<500).contains(status))
        }
    }

    /// What has no room.
    enum Room {
        /// The account: its quota is used up.
        case quota
        /// The server: its disk is full.
        case disk
    }
}
