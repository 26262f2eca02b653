import Backend
import LocalStore
import Records
import SyncAPI
import Synchronization
import Testing
import TestSupport

@testable import SyncEngine

/// A server that refuses a request temporarily, and says when to send it again.
@Suite struct RetryTests {
    private let clock = ManualClock()
    private let bench: Bench

    init() throws { bench = try Bench(clock: SyncClock(clock)) }

    private static func busy(_ status: Int, after seconds: Int?) -> HTTPResponse {
        .refusal(status, status == 429 ? .rateLimited : .unavailable, retryAfter: seconds)
    }

    /// Waits until the engine pauses, and advances the clock.
    private func pass(_ time: Duration) async throws {
        try await eventually("it pauses") { clock.sleeping == 1 }
        clock.advance(by: time)
    }

    @Test(arguments: [429, 503])
    func `a push that a busy server refuses is sent again, byte for byte, after the time that it asks for`(
        status: Int
    ) async throws {
        try bench.edit(["title": "Milk"])
        bench.transport.expect(Bench.push, answer: Self.busy(status, after: 7))
        bench.transport.expect(Bench.push, answer: .changes(results: [applied(1, clock: taken)], holding: [theirs(1)]))
        async let report = bench.engine.sync()
        try await pass(.seconds(7) - .nanoseconds(1))
        #expect(clock.sleeping == 1)
        clock.advance(by: .nanoseconds(1))
        #expect(try await report.pushed == 1)
        let sent = bench.transport.requests
        #expect(sent.count == 2)
        #expect(sent.first?.body == sent.last?.body)
        #expect(sent.first?.header(Header.idempotencyKey) == sent.last?.header(Header.idempotencyKey))
    }

    @Test(arguments: [429, 503])
    func `a pull that a busy server refuses is sent again after the time that it asks for`(status: Int) async throws {
        bench.transport.expect(Bench.pull, answer: Self.busy(status, after: 7))
        bench.transport.expect(Bench.pull, answer: .changes([theirs(1)], holding: [theirs(1)]))
        async let report = bench.engine.sync()
        try await pass(.seconds(7))
        #expect(try await report.pulled == 1)
        #expect(Set(bench.transport.requests.map(\.target)).count == 1)
    }

    @Test func `a comparison waits for a busy server, too`() async throws {
        bench.transport.expect(Bench.pull, answer: Self.busy(503, after: 7))
        for _ in 0..<2 { bench.transport.expect(Bench.pull, answer: .changes()) }
        async let comparison = bench.engine.compare()
        try await pass(.seconds(7))
        #expect(try await comparison == CacheComparison())
    }

    @Test func `an automatic sync leaves a busy server to the schedule`() async throws {
        bench.transport.expect(Bench.pull, answer: Self.busy(503, after: 7))
        let error = await #expect(throws: BackendError.self) { try await bench.engine.sync(waiting: false) }
        #expect(error?.retryAfter == .seconds(7))
        #expect(clock.sleeping == 0)
    }

    @Test func `a pause ends with its task`() async throws {
        bench.transport.expect(Bench.pull, answer: Self.busy(503, after: 7))
        let sync = Task { try await bench.engine.sync() }
        try await eventually("it pauses") { clock.sleeping == 1 }
        sync.cancel()
        await #expect(throws: CancellationError.self) { _ = try await sync.value }
        #expect(clock.sleeping == 0)
    }

    @Test func `a pause of more than two seconds is reported once, with the server's address`() async throws {
        let notices = Mutex<[String]>([])
        for seconds in [2, 9, 9] { bench.transport.expect(Bench.pull, answer: Self.busy(503, after: seconds)) }
        bench.transport.expect(Bench.pull, answer: .changes())
        async let report = WaitNotice.reported(to: { notice in notices.withLock { $0.append(notice) } }) {
            try await bench.engine.sync()
        }
        try await pass(.seconds(2))
        for _ in 0..<2 { try await pass(.seconds(9)) }
        _ = try await report
        #expect(
            notices.withLock { $0 } == [
                "Waiting for https://example.org, which is busy; the next try is in 9 seconds …"
            ])
    }
}

@Suite struct RetryPlanTests {
    private static func refusal(
        _ status: Int, _ code: Problem.Code = .unavailable, after wait: Duration? = nil
    ) -> BackendError {
        .problem(Problem(status: status, code: code, title: ""), retryAfter: wait)
    }

    /// The pauses of a plan for a server that always answers with the same error.
    private func pauses(_ error: BackendError, isWaiting: Bool = true) -> [Duration] {
        var plan = RetryPlan(isWaiting: isWaiting)
        return Array(sequence(state: ()) { _ in plan.pause(after: error) }.prefix(1_000))
    }

    @Test(arguments: [true, false])
    func `a batch that the server is processing is sent again with growing pauses, 30 seconds in all`(
        isWaiting: Bool
    ) {
        let pauses = pauses(Self.refusal(409, .idempotencyKeyInUse), isWaiting: isWaiting)
        #expect(pauses.prefix(3) == [.milliseconds(100), .milliseconds(200), .milliseconds(400)])
        #expect(pauses.reduce(.zero, +) == .seconds(30))
    }

    @Test(arguments: [(0, 9), (9, 3), (20, 1), (30, 1), (31, 0)])
    func `a pause is as long as the server asks, as often as fits into 30 seconds`(seconds: Int64, count: Int) {
        let pauses = pauses(Self.refusal(503, after: .seconds(seconds)))
        #expect(pauses.count == count)
        #expect(pauses.allSatisfy { $0 >= .seconds(seconds) && $0 > .zero })
        #expect(pauses.reduce(.zero, +) <= .seconds(30))
    }

    @Test(arguments: [
        refusal(503), refusal(429), refusal(500, after: .seconds(1)), refusal(507, after: .seconds(1)),
        refusal(409, "username-taken", after: .seconds(1)), .transport(TransportError(.timedOut)), .malformedAnswer(""),
        .signedOut(nil),
    ])
    func `other errors end the sync`(error: BackendError) {
        #expect(pauses(error) == [])
    }
}

@Suite struct RefusalTests {
    private static func problem(_ status: Int, _ code: Problem.Code = "x", shared: Int64? = nil) -> BackendError {
        var problem = Problem(status: status, code: code, title: "Title", detail: "Detail")
        problem.extensions["shared"] = shared.map(JSONValue.integer)
        return .problem(problem)
    }

    private static let split = Refusal.split(Rejection(code: "x", reason: "Detail"))

    private static let cases: [(error: BackendError, push: Refusal, pull: Refusal)] = [
        (problem(410, .epochChanged, shared: 5), .read(.restored(shared: 5)), .read(.restored(shared: 5))),
        (problem(410, .epochChanged), .read(.restored(shared: 0)), .read(.restored(shared: 0))),
        // The reason is lost: it might have been a restore.
        (problem(410, "http-410"), .fail(isFinal: false), .fail(isFinal: false)),
        (problem(410, .cursorExpired), .read(.resync(.cursorExpired)), .read(.resync(.cursorExpired))),
        (problem(400, .invalidCursor), .read(.resync(.cursorExpired)), .read(.resync(.cursorExpired))),
        (problem(413), split, .fail(isFinal: true)), (problem(400), .fail(isFinal: true), .fail(isFinal: true)),
        (problem(422), .fail(isFinal: true), .fail(isFinal: true)),
        (
            problem(422, .invalidBody), .split(Rejection(code: "invalid-body", reason: "Detail")),
            .fail(isFinal: true)
        ), (problem(401), .fail(isFinal: false), .fail(isFinal: false)),
        (problem(408), .fail(isFinal: false), .fail(isFinal: false)),
        (problem(409), .fail(isFinal: false), .fail(isFinal: false)),
        (problem(429), .fail(isFinal: false), .fail(isFinal: false)),
        (problem(403), .fail(isFinal: true), .fail(isFinal: true)),
        (problem(403, .quotaExceeded), .noRoom(.quota), .fail(isFinal: true)),
        (problem(507, .insufficientStorage), .noRoom(.disk), .fail(isFinal: false)),
        (problem(507), .fail(isFinal: false), .fail(isFinal: false)),
        (problem(403, .forbidden), .readOnly, .fail(isFinal: true)),
        (problem(404), .fail(isFinal: true), .fail(isFinal: true)),
        (problem(500), .fail(isFinal: false), .fail(isFinal: false)),
        (problem(503), .fail(isFinal: false), .fail(isFinal: false)),
        (.transport(TransportError(.timedOut)), .fail(isFinal: false), .fail(isFinal: false)),
        (.malformedAnswer("?"), .fail(isFinal: false), .fail(isFinal: false)),
        (.signedOut(nil), .fail(isFinal: false), .fail(isFinal: false)),
    ]

    @Test(arguments: cases.indices)
    func `each refusal has one meaning`(index: Int) {
        let (error, push, pull) = Self.cases[index]
        #expect(Refusal.of(error, isPush: true) == push, "\(error)")
        #expect(Refusal.of(error, isPush: false) == pull, "\(error)")
    }
}
