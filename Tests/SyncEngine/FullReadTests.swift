import Backend
import Foundation
import LocalStore
import Records
import struct Records.Record
import SyncAPI
import TestSupport
import Testing

@testable import SyncEngine

@Suite struct FullReadTests {
    private let held = theirs(1)
    private let gone = theirs(2, key: RecordKey(collection: "tasks", id: "b"))
    let bench: Bench

    init() throws {
        bench = try Bench()
        try bench.store.hold(held, gone)
    }

    private func keys() throws -> Set<RecordKey> { Set(try bench.store.readNow { try $0.records().map(\.key) }) }

    @Test func `the first sync reads everything, then pushes`() async throws {
        let store = try LocalStore(inMemoryWithWall: { 1_000 })
        try store.writeNow { try $0.account.bind(remote: "space", username: "anna") }
        let bench = try Bench(store)
        try bench.edit(["title": "Mine"])
        let other = theirs(1, key: RecordKey(collection: "tasks", id: "b"))
        bench.transport.expect(Bench.pull, answer: .changes([other], cursor: "c1", more: true))
        bench.transport.expect(Bench.pull, answer: .changes([], cursor: "c2", holding: [other]))
        bench.transport.expect(
            Bench.push, answer: .changes(results: [applied(2, clock: taken)], holding: [other, theirs(2)]))
        let report = try await bench.sync()
        #expect(report.pulled == 1 && report.pushed == 1 && report.fullReads == [.first])
    }

    @Test(arguments: [(410, Problem.Code.cursorExpired), (400, .invalidCursor)])
    func `an invalid cursor leads to a full read, at the end of which the rest is dropped`(
        status: Int, code: Problem.Code
    ) async throws {
        bench.transport.expect(Bench.pull, answer: .refusal(status, code))
        bench.transport.expect(Bench.pull, answer: .changes([held], cursor: "c5", more: true))
        bench.expectFormerCursor()
        bench.transport.expect(Bench.pull) { [bench] _ throws(TransportError) in
            #expect((try? bench.cached(RecordKey(collection: "tasks", id: "b"))) != nil, "not before the end")
            return .changes(cursor: "c6", holding: [theirs(1)])
        }
        let report = try await bench.sync()
        #expect(report.fullReads == [.resync(.cursorExpired)])
        #expect(try keys() == [held.key])
        let targets = bench.transport.requests.map(\.target).suffix(3)
        #expect(targets.map { $0.contains("since=c5") } == [false, false, true])
    }

    @Test func `nothing is pushed before a full read has ended`() async throws {
        try bench.edit(["due": "today"])
        bench.transport.expect(Bench.push, answer: .refusal(410, .epochChanged, shared: 9))
        bench.transport.expect(Bench.pull, answer: .changes([theirs(8)], cursor: "c5", more: true))
        bench.expectFormerCursor(restored: 9)
        bench.transport.expect(Bench.pull, answer: .changes(cursor: "c6"))
        bench.transport.expect(
            Bench.push, answer: .changes(results: [applied(10, clock: taken)], holding: [theirs(10)]))
        let report = try await bench.sync()
        #expect(report.fullReads == [.restored(shared: 9)])
        #expect(try bench.mutations(of: 4).map(\.base) == [8])
        #expect(try keys() == [held.key])
    }

    @Test func `an interrupted read reports at its end what the server has lost`() async throws {
        bench.transport.expect(Bench.pull, answer: .refusal(410, .epochChanged, shared: 1))
        bench.transport.expect(Bench.pull, answer: .changes([held], cursor: "c5", more: true))
        bench.expectFormerCursor(restored: 1)
        bench.transport.expect(Bench.pull, failing: .refused)
        await #expect(throws: (any Error).self) { try await bench.sync() }
        bench.transport.expect(Bench.pull, answer: .changes(cursor: "c6"))
        bench.transport.expect(Bench.push, answer: .changes(results: [applied(9, clock: taken)]))
        let report = try await bench.sync()
        #expect(report.lostByServer == 1)
        #expect(SyncStatus.News(report).fullReads == [.restored(shared: 1)])
    }

    @Test func `what a restored server has lost is sent again`() async throws {
        bench.transport.expect(Bench.pull, answer: .refusal(410, .epochChanged, shared: 1))
        bench.transport.expect(Bench.pull, answer: .changes([held], cursor: "c5"))
        bench.expectFormerCursor(restored: 1)
        bench.transport.expect(Bench.push, answer: .changes(results: [applied(9, clock: taken)]))
        let report = try await bench.sync()
        #expect(report.pushed == 1)
        #expect(report.lostByServer == 1)
        #expect(SyncStatus.News(report).fullReads == [.restored(shared: 1)])
        #expect(try bench.mutations(of: 3).map(\.key) == [gone.key])
        #expect(try bench.mutations(of: 3).map(\.base) == [0])
    }

    @Test func `results of a batch whose cursor has expired are applied, then everything is read`() async throws {
        try bench.edit(["due": "today"])
        bench.transport.expect(
            Bench.push, answer: .pushed([applied(7, clock: taken)], .resync(.cursorExpired)))
        bench.transport.expect(Bench.pull, answer: .refusal(410, .cursorExpired))
        bench.transport.expect(Bench.pull, answer: .changes([theirs(7)], cursor: "c9", holding: [theirs(7)]))
        bench.expectFormerCursor()
        let report = try await bench.sync()
        #expect(report.pushed == 1 && report.fullReads == [.resync(.cursorExpired)])
    }

    @Test func `a digest that differs is repaired by one full read, and reported`() async throws {
        bench.transport.expect(Bench.pull, answer: .changes(holding: [held]))
        bench.transport.expect(Bench.pull, answer: .changes([held], holding: [held]))
        bench.expectFormerCursor()
        #expect(try await bench.sync().fullReads == [.resync(.digestMismatch)])
        #expect(try keys() == [held.key])
    }

    @Test func `a digest that still differs is a failure, not a loop`() async throws {
        try bench.edit(["due": "today"])
        bench.transport.expect(Bench.push, answer: .changes(results: [applied(3, clock: taken)], holding: [held]))
        bench.transport.expect(Bench.pull, answer: .changes([theirs(3)], holding: [held]))
        bench.expectFormerCursor()
        await #expect(throws: SyncFailure.digestMismatch) { try await bench.sync() }
        bench.transport.verify()
        #expect(try bench.cached()?.record.version == 3)
    }
}

/// A crash between any two steps leaves a valid state.
@Suite struct CrashTests {
    private let home = Home(directory: FileManager.default.temporaryDirectory.appending(path: "satchel-\(UUID())"))

    /// A process of the home, which ends with `body`.
    private func process(_ body: (Bench) async throws -> Void) async throws {
        let bench = try Bench(try LocalStore(home: home), gate: .file(of: home))
        try await body(bench)
        bench.transport.verify()
    }

    @Test func `a sync continues where an interrupted one ended`() async throws {
        defer { try? FileManager.default.removeItem(at: home.directory) }
        let (first, second) = (theirs(1), theirs(2, key: RecordKey(collection: "tasks", id: "b")))
        let mine = RecordKey(collection: "tasks", id: "mine")
        try LocalStore.seen(LocalStore(home: home)).hold(first, second)
        try await process { bench async throws in
            try bench.edit(["title": "Mine"], of: mine)
            bench.transport.expect(Bench.push, losingAnswer: .timedOut) { _ throws(TransportError) in .noContent }
            await #expect(throws: BackendError.self) { try await bench.engine.sync() }
        }
        try await process { bench async throws in
            // The batch again; then the server has been restored.
            bench.transport.expect(Bench.push, answer: .refusal(410, .epochChanged, shared: 1))
            bench.transport.expect(Bench.pull, answer: .changes([first], cursor: "c5", more: true))
            bench.expectFormerCursor(restored: 1)
            bench.transport.expect(Bench.pull, failing: .timedOut)
            await #expect(throws: BackendError.self) { try await bench.engine.sync() }
        }
        try await process { bench async throws in
            // The read continues from its second page; what it has received and must send again is still known.
            bench.transport.expect("GET", "/v1/spaces/space/changes?since=c5&limit=5000") { _ throws(TransportError) in
                .changes(cursor: "c6", holding: [first])
            }
            bench.transport.expect(Bench.push, losingAnswer: .timedOut) { _ throws(TransportError) in .noContent }
            await #expect(throws: BackendError.self) { try await bench.engine.sync() }
        }
        try await process { bench async throws in
            bench.transport.expect(Bench.push) { _ throws(TransportError) in
                .changes(cursor: "c7", results: [applied(8, clock: taken), applied(9, clock: taken)])
            }
            #expect(try await bench.sync().pushed == 2)
            #expect(Set(try bench.mutations(of: 0).map(\.key)) == [second.key, mine])
            #expect(try bench.mutations(of: 0).map(\.base) == [0, 0])
        }
    }
}

@Suite struct GateTests {
    @Test func `without a session an error is reported`() async throws {
        let bench = try Bench(LocalStore(inMemoryWithWall: { 1_000 }))
        await #expect(throws: SyncFailure.noAccount) { try await bench.sync() }
    }

    @Test func `another process's sync is waited for, or skipped`() async throws {
        let home = Home(directory: FileManager.default.temporaryDirectory.appending(path: "satchel-\(UUID())"))
        defer { try? FileManager.default.removeItem(at: home.directory) }
        try home.prepare()
        let bench = try Bench(gate: .file(of: home))
        let held = try #require(try home.syncLock.attempt())
        let failure = await #expect(throws: SyncFailure.self) { try await bench.engine.sync(waiting: false) }
        #expect(failure == .busyElsewhere(home.syncLock.holder()))
        bench.transport.expect(Bench.pull, answer: .changes())
        async let report = bench.engine.sync()
        held.release()
        #expect(try await report.requests == 1)
    }

    @Test func `waiting for another process's sync ends after a minute, and names that process`() async throws {
        let home = Home(directory: FileManager.default.temporaryDirectory.appending(path: "satchel-\(UUID())"))
        defer { try? FileManager.default.removeItem(at: home.directory) }
        try home.prepare()
        let clock = ManualClock()
        let bench = try Bench(gate: .file(of: home), clock: SyncClock(clock))
        let held = try #require(try home.syncLock.attempt())
        let sync = Task { try await bench.engine.sync() }
        try await eventually("it waits") { clock.sleeping == 1 }
        #expect(SyncGate.waitLimit == .seconds(60))
        clock.advance(by: SyncGate.waitLimit - .milliseconds(1))
        try await eventually("it still waits") { clock.sleeping == 1 }
        clock.advance(by: .milliseconds(1))
        let failure = await #expect(throws: SyncFailure.self) { _ = try await sync.value }
        #expect(failure == .busyElsewhere(home.syncLock.holder()))
        #expect(failure?.message.hasPrefix("This session is still syncing, since ") == true)
        let other = SyncFailure.busyElsewhere(LockHolder(process: 4_711, since: Timestamp(seconds: 0))).message
        #expect(other.hasPrefix("Another process with this home (process 4711, since "))
        #expect(bench.transport.requests.isEmpty)
        held.release()
    }

    @Test func `a second sync in this process is skipped, or waits for the first`() async throws {
        let home = Home(directory: FileManager.default.temporaryDirectory.appending(path: "satchel-\(UUID())"))
        defer { try? FileManager.default.removeItem(at: home.directory) }
        try home.prepare()
        let (bench, gate) = (try Bench(gate: .file(of: home)), Gate())
        bench.transport.expect(Bench.pull, behind: gate, answer: .changes())
        bench.transport.expect(Bench.pull, answer: .changes(cursor: "c2"))
        async let first = bench.engine.sync()
        try await eventually("the first is running") { gate.waiting == 1 }
        let failure = await #expect(throws: SyncFailure.self) { try await bench.engine.sync(waiting: false) }
        #expect(failure == .busyElsewhere(home.syncLock.holder()))
        async let second = bench.engine.sync()
        gate.open()
        let requests = try await (first.requests, second.requests)
        #expect(requests == (1, 1))
        bench.transport.verify()
    }
}
