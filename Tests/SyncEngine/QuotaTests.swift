import Backend
import LocalStore
import Records
import struct Records.Record
import SyncAPI
import TestSupport
import Testing

@testable import SyncEngine

/// A server with a quota: a request that stores more than it allows is refused as a whole, deletions are accepted.
@Suite struct QuotaTests {
    let bench: Bench

    init() throws { bench = try Bench() }

    private let refusal = HTTPResponse.problem(403, .quotaExceeded)
    private let stored = RecordKey(collection: "tasks", id: "stored")

    private func isQuota(_ error: any Error) -> Bool {
        guard case .problem(let problem, _) = error as? BackendError else { return false }
        return problem.code == .quotaExceeded
    }

    @Test func `what is refused stays unsent, and the changes of others are received`() async throws {
        try bench.edit(["title": "Milk"])
        let news = theirs(2, key: RecordKey(collection: "tasks", id: "b"))
        bench.transport.expect(Bench.push, answer: refusal)
        bench.transport.expect(Bench.pull, answer: .changes([news], holding: [news]))
        await #expect { try await bench.engine.sync() } throws: { isQuota($0) }
        bench.transport.verify()
        #expect(try bench.cached(news.key)?.record == news)
        let pending = try #require(try bench.cached()?.pending)
        #expect(pending.sent == nil && pending.rejection == nil)
        #expect(try bench.store.readNow { try $0.outbox.batch() } == nil)
    }

    @Test func `the same edits are accepted after the quota was raised`() async throws {
        try bench.edit(["title": "Milk"])
        bench.transport.expect(Bench.push, answer: refusal)
        bench.transport.expect(Bench.pull, answer: .changes(holding: []))
        await #expect(throws: BackendError.self) { try await bench.engine.sync() }
        bench.transport.expect(Bench.push, answer: .changes(results: [applied(1, clock: taken)], holding: [theirs(1)]))
        #expect(try await bench.sync().pushed == 1)
    }

    @Test func `deletions are sent alone, then the rest fits`() async throws {
        try bench.store.hold(theirs(1, key: stored))
        try bench.edit(["title": "Milk"])
        try bench.store.writeNow { [stored] in try $0.delete(stored) }
        bench.transport.expect(Bench.push, answer: refusal)
        bench.transport.expect(Bench.push, answer: .changes(results: [applied(2, clock: taken)]))
        bench.transport.expect(
            Bench.push, answer: .changes(results: [applied(3, clock: taken)], holding: [theirs(3)]))
        #expect(try await bench.sync().pushed == 2)
        #expect(try bench.mutations(of: 0).count == 2)
        #expect(try bench.mutations(of: 1).map(\.key) == [stored])
        #expect(try bench.mutations(of: 2).map(\.key) == [key])
    }

    @Test func `of several edits, those that fit are stored`() async throws {
        let keys = (0..<3).map { RecordKey(collection: "tasks", id: "r\($0)") }
        for key in keys { try bench.edit(["title": "Milk"], of: key) }
        bench.transport.expect(Bench.push, answer: refusal)
        bench.transport.expect(Bench.push, answer: .changes(results: [applied(1, clock: taken)]))
        bench.transport.expect(Bench.push, answer: refusal)
        await #expect { try await bench.engine.sync() } throws: { isQuota($0) }
        bench.transport.verify()
        #expect(try (0..<3).map { try bench.mutations(of: $0).count } == [3, 1, 1])
        #expect(try bench.store.readNow { try $0.outbox.unsent().records } == 2)
    }
}

/// A server whose disk is full: a request that stores something is refused as a whole, deletions are accepted.
@Suite struct FullServerTests {
    let bench: Bench

    init() throws { bench = try Bench() }

    private let refusal = HTTPResponse.problem(507, .insufficientStorage, headers: [("Retry-After", "60")])
    private let stored = RecordKey(collection: "tasks", id: "stored")

    private func isFullDisk(_ error: any Error) -> Bool {
        guard case .problem(let problem, let wait) = error as? BackendError else { return false }
        return problem.code == .insufficientStorage && wait == .seconds(60)
    }

    @Test func `a deletion is sent although an earlier edit is refused`() async throws {
        try bench.store.hold(theirs(1, key: stored))
        try bench.edit(["title": "Milk"])
        try bench.store.writeNow { [stored] in try $0.delete(stored) }
        bench.transport.expect(Bench.push, answer: refusal)
        bench.transport.expect(Bench.push, answer: .changes(results: [applied(2, clock: taken)]))
        bench.transport.expect(Bench.push, answer: refusal)
        await #expect { try await bench.engine.sync() } throws: { isFullDisk($0) }
        bench.transport.verify()
        #expect(try bench.mutations(of: 0).count == 2)
        #expect(try bench.mutations(of: 1).map(\.key) == [stored])
        #expect(try bench.mutations(of: 2).map(\.key) == [key])
        let pending = try #require(try bench.cached()?.pending)
        #expect(pending.sent == nil && pending.rejection == nil)
        #expect(try bench.store.readNow { try $0.outbox.batch() } == nil)
    }

    @Test func `without deletions, edits are sent once, and the changes of others are received`() async throws {
        for number in 0..<3 { try bench.edit(["title": "Milk"], of: RecordKey(collection: "tasks", id: "r\(number)")) }
        let news = theirs(2, key: RecordKey(collection: "tasks", id: "b"))
        bench.transport.expect(Bench.push, answer: refusal)
        bench.transport.expect(Bench.pull, answer: .changes([news], holding: [news]))
        await #expect { try await bench.engine.sync() } throws: { isFullDisk($0) }
        bench.transport.verify()
        #expect(try bench.cached(news.key)?.record == news)
        #expect(try bench.store.readNow { try $0.outbox.unsent().records } == 3)
    }

    @Test(arguments: [true, false])
    func `refused edits are sent again only if a deletion was accepted since, not an earlier batch`(isAccepted: Bool) {
        let error = BackendError.problem(Problem(status: 507, code: .insufficientStorage, title: "The disk is full"))
        var run = SyncRun(isWaiting: false, progress: SyncProgress.Counter(nil), collections: .all)
        run.result.pushed = 1
        run.refused(.disk, error, mutations: 3)
        if isAccepted { run.result.pushed += 1 }
        run.sentDeletions()
        #expect(run.phase == (isAccepted ? PushPhase.smaller : PushPhase.closed(error)))
    }
}

/// A home that was signed in with an app password that may only read.
@Suite struct ReadOnlyAccessTests {
    let bench: Bench

    init() throws { bench = try Bench() }

    @Test func `edits stay unsent, and the changes of others are received`() async throws {
        try bench.edit(["title": "Milk"])
        let news = theirs(2, key: RecordKey(collection: "tasks", id: "b"))
        bench.transport.expect(Bench.push, answer: .problem(403, .forbidden))
        bench.transport.expect(Bench.pull, answer: .changes([news], holding: [news]))
        let refusal = try #require(try await bench.sync().refusal)
        guard case .problem(let problem, _) = refusal else {
            Issue.record("another refusal: \(refusal)")
            return
        }
        #expect(problem.code == .forbidden)
        #expect(try bench.cached(news.key)?.record == news)
        let pending = try #require(try bench.cached()?.pending)
        #expect(pending.sent == nil && pending.rejection == nil)
        // As a signed-in device, the home sends them.
        bench.transport.expect(Bench.push, answer: .changes(results: [applied(3, clock: taken)]))
        let result = try await bench.sync()
        #expect(result.pushed == 1 && result.refusal == nil)
    }
}
