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
    /// How far the changes of others were received; nil: nothing was asked yet.
    var seen: NextRequest.Seen?
    var pages = PageSequence()
    /// The most mutations of the next batch.
    var batchLimit = Limits.mutations
    /// Whether the whole space was read because the digests differed.
    var hasRepaired = false
    /// Whether the last answer has begun a full read, and so has shown whether the server was restored.
    var hasJustBegun = false
    /// The collections to receive: those that the program uses, and those of the edits to send.
    var collections: CollectionSet
    /// The server's clock at its last answer, milliseconds since 1970.
    private(set) var serverTime: UInt64?
    private var fullReads = 0
    private var fruitlessBatches = 0

    /// Batches in a row of which nothing was accepted, before a sync gives up.
    static let fruitlessLimit = 10

    /// Full reads that one sync begins. A server that asks for more contradicts itself: a cursor that it has just given
    /// out expires only by a restore or a purge of tombstones.
    static let fullReadLimit = 10

    init(isWaiting: Bool, progress: SyncProgress.Counter, collections: CollectionSet) {
        (self.isWaiting, self.progress, self.collections) = (isWaiting, progress, collections)
    }

    /// A request was answered.
    mutating func received(at serverTime: UInt64?) {
        result.requests += 1
        self.serverTime = serverTime ?? self.serverTime
    }

    /// The first page of a full read is there.
    mutating func begins(_ read: FullRead?) {
        if let read { result.fullReads.append(read) }
        pages = PageSequence()
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

// Beginning full reads.
extension SyncEngine {
    /// Starts to read everything again, from the next request on, and adds `run.collections` to the collections that the home
    /// receives.
    ///
    /// - Parameter present: the full read that was under way.
    func begin(_ read: FullRead, during present: FullRead? = nil, in run: inout SyncRun) throws {
        try run.countFullRead()
        try store.writeNow { cache in
            try cache.outbox.land()
            try cache.replica.beginFullRead(
                (present?.followed(by: read) ?? read).json, afterRestore: read.isAfterRestore,
                adding: run.collections)
        }
        run.seen = nil
        run.hasJustBegun = true
    }

    /// Starts to read everything again within the epoch, for this reason.
    func readAgain(_ reason: FullRead.Reason, in run: inout SyncRun) throws {
        if reason == .digestMismatch { run.hasRepaired = true }
        try begin(.resync(reason), in: &run)
    }

    /// How many records the server has; nil: it doesn't say, and the sync continues without the number.
    func recordsOfAccount() async -> Int? {
        do { return Int(clamping: try await backend.account().usage.records) } catch { return nil }
    }
}
