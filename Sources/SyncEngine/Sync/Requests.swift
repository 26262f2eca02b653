internal import Backend
internal import Foundation
internal import LocalStore
internal import Records
internal import SyncAPI

/// A space on the server, and the collections of it that are received.
struct RemoteSpace {
    let id: String
    let collections: CollectionSet

    /// - Throws: `SyncFailure.noAccount`.
    init(_ state: SpaceState) throws(SyncFailure) {
        guard let id = state.remote else { throw .noAccount }
        (self.id, collections) = (id, state.collections)
    }
}

// One request of a sync: it is sent, sent again if the server asks for that, and its answer is received.
extension SyncEngine {
    /// The sum of the pauses after which a request that the server refuses for now is sent again.
    public static let retryLimit = Duration.seconds(30)

    /// The shortest first pause; each further one is at least twice as long.
    static let firstRetryPause = Duration.milliseconds(100)

    /// Sends a batch.
    ///
    /// - Parameter isWaiting: See `RetryPlan`.
    /// - Throws: `BackendError`; `CancellationError`.
    func send(_ batch: Batch, to space: RemoteSpace, isWaiting: Bool) async throws -> BackendAnswer {
        try await retrying(isWaiting) {
            try await backend.push(
                space: space.id, collections: space.collections, key: batch.key, body: Array(batch.body.utf8))
        }
    }

    /// Requests a page. One that is too large to be received whole is requested again and read piece by piece, without
    /// the records that are too large: a single record must not prevent all others from being received.
    ///
    /// - Parameter isWaiting: See `RetryPlan`.
    /// - Throws: `BackendError`, `MalformedAnswer`, `CancellationError`.
    func receive(
        _ space: RemoteSpace, since cursor: String?, limit: Int, isWaiting: Bool = true
    ) async throws -> ReceivedPage {
        do {
            let answer = try await retrying(isWaiting) {
                try await backend.pull(
                    space: space.id, collections: space.collections, since: cursor, limit: limit)
            }
            return ReceivedPage(page: try ChangesPage(body: answer.body), serverTime: answer.serverTime)
        } catch BackendError.transport(let error) where error.kind == .tooLarge {
            let stream = try await retrying(isWaiting) {
                try await backend.pullInPieces(
                    space: space.id, collections: space.collections, since: cursor, limit: limit)
            }
            var page = LargePage(recordLimit: largestRecord, pageLimit: Limits.largestAnswer)
            for try await piece in stream.body { try page.append(piece) }
            let head = BackendAnswer(head: stream.head, body: [])
            return ReceivedPage(
                page: try ChangesPage(body: page.whole()), oversized: page.oversized, serverTime: head.serverTime)
        }
    }

    /// Sends a request, and sends it again as `RetryPlan` decides. A wait of more than `WaitNotice.delay` is reported.
    private func retrying<Answer: Sendable>(
        _ isWaiting: Bool, _ request: () async throws -> Answer
    ) async throws -> Answer {
        var plan = RetryPlan(isWaiting: isWaiting)
        var isReported = false
        while true {
            do {
                return try await request()
            } catch let error as BackendError {
                guard let pause = plan.pause(after: error) else { throw error }
                if !isReported, plan.waited > WaitNotice.delay, let receive = WaitNotice.receive {
                    isReported = true
                    let server = try await backend.session.status().identity?.server
                    receive(error.retryNotice(server: server, pause: pause))
                }
                try await clock.sleep(clock.now() + pause)
            }
        }
    }
}

extension BackendAnswer {
    /// The server's clock, in milliseconds since 1970.
    var serverTime: UInt64? { date.map { UInt64(max(0, $0.timeIntervalSince1970 * 1_000)) } }
}

/// The plan of sending a request again that the server refuses for now: whether, and after which pause.
///
/// It is sent again
///
/// - after 409 `idempotency-key-in-use`: a process that was killed, or whose connection broke, may have sent the batch
///   just before;
/// - after 429 or 503 with `Retry-After`, if a person waits for the sync. The automatic sync waits for that time
///   without holding the home's lock, see `SyncSchedule`.
///
/// A pause is as long as the server asks, but at least 100 ms, twice as long after each further refusal. If the server
/// asks for more than what is left of `SyncEngine.retryLimit`, the request is not sent again.
struct RetryPlan {
    /// Whether a person waits for the sync.
    let isWaiting: Bool
    /// The sum of all pauses so far.
    private(set) var waited = Duration.zero
    private var shortest = SyncEngine.firstRetryPause

    init(isWaiting: Bool) { self.isWaiting = isWaiting }

    /// Returns the pause before the request is sent again; nil: it isn't.
    mutating func pause(after error: BackendError) -> Duration? {
        let left = SyncEngine.retryLimit - waited
        let asked = error.retryAfter ?? .zero
        guard mayRetry(error), left > .zero, asked <= left else { return nil }
        let pause = min(max(shortest, asked), left)
        waited += pause
        shortest *= 2
        return pause
    }

    private func mayRetry(_ error: BackendError) -> Bool {
        guard case .problem(let problem, let retryAfter) = error else { return false }
        if problem.code == .idempotencyKeyInUse { return true }
        return isWaiting && [429, 503].contains(problem.status) && retryAfter != nil
    }
}

/// The check that the pages of one pull make progress, so that a server that always announces another page does not
/// keep the client reading forever.
///
/// Pages are in the order of versions (SyncAPI.docc/Protocol.md, "Reading"). So a page that announces another one has a
/// record, and its last version is higher than that of the page before.
struct PageSequence {
    private var lastVersion: Int64?

    /// Checks a page.
    ///
    /// - Parameters:
    ///   - cursor: The cursor of the page's request.
    ///   - oversized: The records that were omitted from the page.
    /// - Throws: `MalformedAnswer` if another page is announced and this one makes no progress.
    mutating func add(_ page: ChangesPage, since cursor: String?, without oversized: [OversizedRecord]) throws {
        guard page.more else { return }
        if page.cursor == cursor {
            throw MalformedAnswer("more records are announced, but the cursor stays the same")
        }
        guard let last = (oversized.map(\.version) + [page.records.lastVersion].compactMap(\.self)).max() else {
            throw MalformedAnswer("more records are announced, but the page has none")
        }
        if let lastVersion, last <= lastVersion {
            throw MalformedAnswer("more records are announced, but the versions don't rise")
        }
        lastVersion = last
    }
}
