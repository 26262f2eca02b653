import Backend
import Foundation
import LocalStore
import Records
import struct Records.Record
import SyncAPI
import TestSupport
import Testing

@testable import SyncEngine

@Suite struct PushTests {
    let bench: Bench

    init() throws { bench = try Bench() }

    @Test func `a sync with nothing to do is one small request`() async throws {
        bench.transport.expect(Bench.pull, answer: .changes(holding: []))
        let report = try await bench.sync()
        #expect(report.requests == 1 && report.pulled == 0)
        #expect(bench.transport.requests.map(\.target) == ["/v1/spaces/space/changes?since=c0&limit=5000"])
    }

    @Test func `a sync with edits and news is one request`() async throws {
        try bench.edit(["title": "Milk"])
        let news = theirs(2, key: RecordKey(collection: "tasks", id: "b"))
        bench.transport.expect(
            Bench.push, answer: .changes([news], results: [applied(1, clock: taken)], holding: [theirs(1), news]))
        let report = try await bench.sync()
        #expect(report.pushed == 1 && report.pulled == 1)
        #expect(try bench.cached()?.pending == nil && bench.cached(news.key)?.record == news)
        #expect(try bench.store.readNow { try $0.replica.state().cursor } == "c1")
    }

    @Test func `a push is two transactions: its batch is stored, its answer is applied`() async throws {
        try await withTemporaryDirectory { directory in
            let home = Home(directory: directory)
            let bench = try Bench(.seen(LocalStore(home: home)))
            try bench.edit(["title": "Milk"])
            let before = try Self.commits(in: home)
            bench.transport.expect(
                Bench.push, answer: .changes(results: [applied(1, clock: taken)], holding: [theirs(1)]))
            #expect(try await bench.sync().pushed == 1)
            #expect(try Self.commits(in: home) - before == 2)
        }
    }

    /// The number of transactions in the write-ahead log of a cache (sqlite.org/fileformat2.html, "WAL File Format").
    private static func commits(in home: Home) throws -> Int {
        let log = [UInt8](try Data(contentsOf: URL(filePath: home.cache.path + "-wal")))
        func number(at place: Int) -> UInt32 { log[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) } }
        let frame = 24 + Int(number(at: 8))
        return stride(from: 32, through: log.count - frame, by: frame)
            .count { number(at: $0 + 4) > 0 && number(at: $0 + 8) == number(at: 16) }
    }

    @Test func `a batch whose answer was lost is sent again byte for byte, before anything else`() async throws {
        try bench.edit(["title": "Milk"])
        bench.transport.expect(Bench.push, losingAnswer: .timedOut) { _ throws(TransportError) in .noContent }
        bench.transport.expect(Bench.push, failing: .refused)
        for _ in 0..<2 { await #expect(throws: BackendError.self) { try await bench.engine.sync() } }
        try bench.edit(["due": "today"])

        // Another process of the home continues.
        let later = try Bench(bench.store)
        later.transport.expect(Bench.push, answer: .changes(results: [applied(1, clock: taken)]))
        later.transport.expect(Bench.push, answer: .changes(results: [applied(2, clock: taken)], holding: [theirs(2)]))
        _ = try await later.sync()
        let sent = bench.transport.requests + later.transport.requests
        #expect(sent.count == 4)
        #expect(sent[1].body == sent[0].body && sent[2].body == sent[0].body && sent[3].body != sent[0].body)
        let keys = sent.map { $0.header(Header.idempotencyKey) }
        #expect(keys[1] == keys[0] && keys[2] == keys[0] && keys[3] != keys[0])
        #expect(try later.mutations(of: 1).map(\.action) == [.set(["due": "today"])])
        #expect(try bench.cached()?.pending == nil)
    }

    @Test(arguments: [nil, 3])
    func `a batch that the server is still processing is sent again, byte for byte, after pauses`(
        retryAfter: Int?
    ) async throws {
        let clock = ManualClock()
        let bench = try Bench(clock: SyncClock(clock))
        try bench.edit(["title": "Milk"])
        for _ in 0..<3 { bench.transport.expect(Bench.push, answer: .inFlight(retryAfter: retryAfter)) }
        bench.transport.expect(Bench.push, answer: .changes(results: [applied(1, clock: taken)], holding: [theirs(1)]))
        async let report = bench.engine.sync()
        let pauses =
            retryAfter.map { Array(repeating: Duration.seconds($0), count: 3) }
            ?? [1, 2, 4].map { .milliseconds(100 * $0) }
        for pause in pauses {
            try await eventually("it waits") { clock.sleeping == 1 }
            clock.advance(by: pause)
        }
        #expect(try await report.pushed == 1)
        let sent = bench.transport.requests
        #expect(sent.count == 4)
        #expect(Set(sent.map(\.body)).count == 1)
        #expect(Set(sent.map { $0.header(Header.idempotencyKey) }).count == 1)
    }

    @Test func `a batch that the server doesn't finish processing is given up after half a minute`() async throws {
        let clock = ManualClock()
        let bench = try Bench(clock: SyncClock(clock))
        try bench.edit(["title": "Milk"])
        // Pauses of 0.1, 0.2, … 12.8 seconds, and the rest of the half minute.
        for _ in 0..<10 { bench.transport.expect(Bench.push, answer: .inFlight()) }
        let sync = Task { try await bench.engine.sync() }
        for _ in 0..<9 {
            try await eventually("it waits") { clock.sleeping == 1 }
            clock.advance(by: SyncEngine.retryLimit)
        }
        let error = await #expect(throws: BackendError.self) { _ = try await sync.value }
        guard case .problem(let problem, _) = error else { throw try #require(error) }
        #expect(problem.code == .idempotencyKeyInUse)
        bench.transport.verify()
        #expect(try bench.cached()?.pending != nil)
    }

    @Test func `waiting for a server that is processing a batch ends with its task`() async throws {
        let clock = ManualClock()
        let bench = try Bench(clock: SyncClock(clock))
        try bench.edit(["title": "Milk"])
        bench.transport.expect(Bench.push, answer: .inFlight())
        let sync = Task { try await bench.engine.sync() }
        try await eventually("it waits") { clock.sleeping == 1 }
        sync.cancel()
        await #expect(throws: CancellationError.self) { _ = try await sync.value }
        #expect(clock.sleeping == 0)
    }

    @Test func `edits made in flight wait, and are applied on top of what was accepted`() async throws {
        try bench.edit(["title": "Milk"])
        let gate = Gate()
        bench.transport.expect(Bench.push, behind: gate, answer: .changes(results: [applied(1, clock: taken)]))
        bench.transport.expect(Bench.push, answer: .changes(results: [applied(2, clock: taken)], holding: [theirs(2)]))
        async let report = bench.engine.sync()
        try await eventually("the batch is in flight") { gate.waiting == 1 }
        try bench.edit(["title": "Oat milk", "due": "today"])
        gate.open()
        #expect(try await report.pushed == 2)
        #expect(try bench.mutations(of: 1).map(\.base) == [1])
        #expect(try bench.mutations(of: 1).map(\.action) == [.set(["title": "Oat milk", "due": "today"])])
    }

    @Test func `edits made in flight of a batch that conflicts are merged as one`() async throws {
        try bench.store.hold(theirs(1, ["title": "Milk"]))
        try bench.edit(["title": "Bread"])
        let (gate, current) = (Gate(), theirs(3, ["title": "Milk", "n": 1]))
        bench.transport.expect(Bench.push, behind: gate, answer: .changes(results: [.conflict(current: current)]))
        bench.transport.expect(Bench.push, answer: .changes(results: [applied(4, clock: taken)], holding: [theirs(4)]))
        async let report = bench.engine.sync()
        try await eventually("the batch is in flight") { gate.waiting == 1 }
        try bench.edit(["due": "today"])
        gate.open()
        #expect(try await report.merged == 1)
        #expect(try bench.mutations(of: 1).map(\.base) == [3])
        #expect(try bench.cached()?.record.fields == ["title": "Bread", "due": "today", "n": 1])
    }

    @Test func `an edit of a record that the server doesn't know is sent again with all fields`() async throws {
        try bench.store.hold(theirs(1, ["title": "Milk", "n": 1]))
        try bench.edit(["title": "Bread"])
        bench.transport.expect(Bench.push, answer: .changes(results: [.conflict(current: nil)]))
        bench.transport.expect(Bench.push, answer: .changes(results: [applied(4, clock: taken)], holding: [theirs(4)]))
        _ = try await bench.sync()
        #expect(try bench.mutations(of: 1).map(\.base) == [0])
        #expect(try bench.mutations(of: 1).map(\.action) == [.set(["title": "Bread", "n": 1])])
    }

    @Test func `a conflict is written once, the same on every device, and not again once dismissed`() async throws {
        try bench.store.hold(theirs(1))
        try bench.edit(["title": "Bread"])
        let later = FieldClocks(["*": moment(1, "there"), "title": moment(9_000, "there")])
        let current = theirs(3, ["title": "Oil"], clock: later)
        bench.transport.expect(Bench.push, answer: .changes(results: [.conflict(current: current)]))
        bench.transport.expect(Bench.push, answer: .changes(results: [applied(4, clock: taken)]))
        #expect(try await bench.sync().conflicts == 1)
        let conflict = try #require(try bench.store.readNow { try $0.records(in: ["conflicts"]).first })
        #expect(try bench.mutations(of: 1).map(\.key) == [conflict.key])

        // The same pair occurs again on this device, after the user has seen the conflict.
        let before = try bench.store.readNow { try $0.cached(conflict.key) }
        try bench.store.writeNow { try $0.delete(conflict.key) }
        let edit = try #require(ConflictRecord(id: conflict.key.id, fields: conflict.fields)).conflict.earlier
        var mine = CachedRecord.clean().edited(["title": "Bread"], at: try #require(edit.moment))
        mine.mirror = theirs(1)
        try bench.store.writeNow { [mine] in try $0.store(mine, for: key) }
        bench.transport.expect(Bench.push) { _ throws(TransportError) in
            .changes([], results: [.conflict(current: current), .conflict(current: before?.record)])
        }
        bench.transport.expect(Bench.push, answer: .changes(results: [applied(5, clock: taken)]))
        #expect(try await bench.sync().conflicts == 0)
        #expect(try bench.store.readNow { try $0.records(in: ["conflicts"]) } == [])
        #expect(try bench.mutations(of: 3).map(\.action) == [.delete])
    }

    @Test func `a sync ends when the records change all the time, and keeps the edits`() async throws {
        try bench.store.hold(theirs(1))
        try bench.edit(["due": "today"])
        for version in Int64(2)..<2 + Int64(SyncRun.fruitlessLimit) {
            let current = theirs(version, ["title": .string("\(version)")])
            bench.transport.expect(Bench.push, answer: .changes(results: [.conflict(current: current)]))
        }
        await #expect(throws: SyncFailure.noProgress) { try await bench.sync() }
        bench.transport.verify()
        #expect(try bench.cached()?.record.fields["due"] == "today")
        #expect(try bench.cached()?.pending != nil)
    }
}

@Suite struct RefusedPushTests {
    let bench: Bench

    init() throws { bench = try Bench() }

    private func edit(_ count: Int) throws {
        for number in 0..<count { try bench.edit(["n": 1], of: RecordKey(collection: "tasks", id: "r\(number)")) }
    }

    @Test func `a batch that is too large is sent in halves`() async throws {
        try edit(5)
        bench.transport.expect(Bench.push, answer: .refusal(413, .tooLarge))
        for first in [Int64(1), 3, 5] {
            let versions = first == 5 ? [5] : [first, first + 1]
            bench.transport.expect(
                Bench.push, answer: .changes(results: versions.map { applied($0, clock: taken) }))
        }
        #expect(try await bench.sync().pushed == 5)
        #expect(try (0..<4).map { try bench.mutations(of: $0).count } == [5, 2, 2, 1])
    }

    @Test func `a rejected record is found, set aside and reported, and the others are sent`() async throws {
        try edit(2)
        bench.transport.expect(Bench.push, answer: .refusal(422, .invalidBody))
        bench.transport.expect(Bench.push, answer: .refusal(422, .invalidBody))
        bench.transport.expect(Bench.push, answer: .changes(results: [applied(1, clock: taken)]))
        let report = try await bench.sync()
        let culprit = RecordKey(collection: "tasks", id: "r0")
        #expect(report.pushed == 1)
        #expect(report.rejected == [culprit: Rejection(code: "invalid-body", reason: "Refused")])
        #expect(try bench.store.readNow { try $0.outbox.refused(limit: 9).map(\.record.key) } == [culprit])
    }

    @Test func `a rejected edit waits until the record is edited again`() async throws {
        try edit(1)
        let problem = Problem(status: 422, code: "bad", title: "Bad")
        bench.transport.expect(Bench.push, answer: .changes(results: [.rejected(problem)]))
        #expect(try await bench.sync().rejected.count == 1)
        bench.transport.expect(Bench.pull, answer: .changes())
        #expect(try await bench.sync().rejected == [:])
        try bench.edit(["n": 2], of: RecordKey(collection: "tasks", id: "r0"))
        bench.transport.expect(Bench.push, answer: .changes(results: [applied(1, clock: taken)]))
        #expect(try await bench.sync().pushed == 1)
    }

    @Test(arguments: [(403, true), (404, true), (401, false), (409, false), (429, false), (500, false), (503, false)])
    func `after a final refusal the batch returns to the outbox, otherwise it stays in flight`(
        status: Int, isFinal: Bool
    ) async throws {
        try edit(1)
        // A refused token is renewed once, which another test covers.
        let code: Problem.Code = status == 401 ? .invalidCredentials : "refused"
        bench.transport.expect(Bench.push, answer: .refusal(status, code))
        await #expect(throws: BackendError.self) { try await bench.engine.sync() }
        let (batch, sendable) = try bench.store.readNow { (try $0.outbox.batch(), try $0.outbox.sendable(limit: 9)) }
        #expect((batch == nil) == isFinal)
        #expect(sendable.count == (isFinal ? 1 : 0))
    }

    @Test(arguments: [
        "no JSON", "{}", #"{"cursor": "c1", "records": [], "results": []}"#,
        #"{"cursor": "c1", "records": [], "results": [{"status": "odd"}]}"#,
        #"{"cursor": "c1", "records": [5], "results": [{"status": "conflict", "current": null}]}"#,
    ])
    func `nothing of a malformed answer is applied, and the batch stays in flight`(body: String) async throws {
        try edit(1)
        bench.transport.expect(Bench.push, answer: .json(body))
        await #expect(throws: MalformedAnswer.self) { try await bench.engine.sync() }
        let (batch, state) = try bench.store.readNow { (try $0.outbox.batch(), try $0.replica.state()) }
        #expect(batch != nil && state.cursor == "c0")
    }
}
