import Backend
import LocalStore
import Records
import SyncAPI
import Synchronization
import TestSupport
import Testing

@testable import SyncEngine

@Suite struct ProgressTests {
    private final class Reports: Sendable {
        private let list = Mutex<[SyncProgress]>([])
        var all: [SyncProgress] { list.withLock { $0 } }
        func add(_ progress: SyncProgress) { list.withLock { $0.append(progress) } }
    }

    @Test func `a sync of one request reports nothing`() async throws {
        let bench = try Bench()
        try bench.edit(["title": "Milk"])
        bench.transport.expect(Bench.push, answer: .changes(results: [applied(1, clock: taken)], holding: [theirs(1)]))
        let reports = Reports()
        _ = try await bench.engine.sync { reports.add($0) }
        #expect(reports.all.isEmpty)
    }

    @Test(
        arguments: [
            (HTTPResponse.json(Self.account(records: 5)), [nil, 5, 5, 6]),
            (.refusal(503, .unavailable), [nil, nil, nil, nil]),
        ] as [(HTTPResponse, [Int?])])
    func `a first sync reports its beginning, and how many records each page has brought of how many, if known`(
        _ answer: HTTPResponse, _ totals: [Int?]
    ) async throws {
        let store = try LocalStore(inMemoryWithWall: { 1_000 })
        try store.writeNow { try $0.account.bind(remote: "space", username: "anna") }
        let bench = try Bench(store)
        for number in 0..<3 {
            let page = (0..<2).map {
                theirs(Int64(number + 1), key: RecordKey(collection: "tasks", id: "t\(number)\($0)"))
            }
            bench.transport.expect(Bench.pull, answer: .changes(page, cursor: "c\(number)", more: number < 2))
            if number == 0 { bench.transport.expect(AuthenticatedRoute.account, answer: answer) }
        }
        let reports = Reports()
        _ = try await bench.engine.sync { reports.add($0) }
        #expect(reports.all == zip([0, 2, 4, 6], totals).map { SyncProgress(.receiving, $0, of: $1) })
        bench.transport.verify()
    }

    private static func account(records: Int) -> String {
        """
        {"account": {"id": "a", "username": "anna", "personalSpace": "space"},
            "usage": {"records": \(records), "bytes": 1}, "quotaBytes": null}
        """
    }

    @Test func `a comparison reports how many of all records are compared`() async throws {
        let bench = try Bench()
        let keys = ["a", "b", "c"].map { RecordKey(collection: "tasks", id: $0) }
        for key in keys { try bench.store.hold(theirs(key: key)) }
        bench.transport.expect(Bench.pull, answer: .changes([theirs(key: keys[0])], cursor: "c2", more: true))
        bench.transport.expect(
            Bench.pull, answer: .changes(keys[1...].map { theirs(key: $0) }, cursor: "c3"))
        bench.transport.expect(Bench.pull, answer: .changes(cursor: "c4"))
        let reports = Reports()
        _ = try await bench.engine.compare { reports.add($0) }
        #expect(reports.all == [0, 1, 3].map { SyncProgress(.comparing, $0, of: 3) })
    }

    @Test func `sending reports how much of all is done, batch by batch`() async throws {
        let bench = try Bench()
        let count = Limits.mutations + 3
        try bench.store.writeNow { cache in
            for number in 0..<count {
                _ = try cache.edit(RecordKey(collection: "tasks", id: "t\(number)"), ["title": "x"])
            }
        }
        for size in [Limits.mutations, 3] {
            bench.transport.expect(
                Bench.push,
                answer: .changes(results: (0..<size).map { applied(Int64($0 + 1), clock: taken) }, holding: nil))
        }
        let reports = Reports()
        _ = try await bench.engine.sync { reports.add($0) }
        #expect(
            reports.all == [
                SyncProgress(.sending, Limits.mutations, of: count), SyncProgress(.sending, count, of: count),
            ])
    }

    @Test func `the records to send are counted again only when half of them are sent`() {
        let reports = Reports()
        var progress = SyncProgress.Counter { reports.add($0) }
        var (left, counted) = (100_000, 0)
        for batch in 1...105 {
            // Another program edits records meanwhile; the next count finds them.
            left += batch == 41 ? 5_000 : 0
            left -= 1_000
            progress.sent(1_000, settled: 1_000) {
                counted += left
                return left
            }
        }
        #expect(left == 0)
        #expect(counted <= 2 * 105_000)
        #expect(reports.all.map(\.done) == Array(stride(from: 1_000, through: 105_000, by: 1_000)))
        #expect(Set(reports.all.map(\.total)) == [100_000, 105_000])
        #expect(reports.all.last == SyncProgress(.sending, 105_000, of: 105_000))
    }

    @Test func `a record that stays to be sent counts as one of the rest`() {
        let reports = Reports()
        var progress = SyncProgress.Counter { reports.add($0) }
        progress.sent(10, settled: 10) { 90 }
        progress.sent(10, settled: 8) { 0 }
        #expect(reports.all.map(\.total) == [100, 102])
        progress.sent(10, settled: -1) { 0 }
        #expect(reports.all.last?.total == 113)
    }

    @Test func `nothing is counted if the progress has no receiver`() {
        var progress = SyncProgress.Counter(nil)
        progress.sent(10, settled: 10) {
            Issue.record("counted")
            return 90
        }
    }

    @Test func `an answer reports by how many it has reduced the number of records to send`() throws {
        let bench = try Bench()
        let keys = ["sent", "edited", "refused", "deleted"].map { RecordKey(collection: "tasks", id: $0) }
        for key in keys { try bench.edit(["title": "Bread"], of: key) }
        let outgoing = Outgoing(try bench.store.readNow { try $0.outbox.sendable(limit: 9) }, since: "c0", limit: 9)
        let batch = Batch(key: UUIDText.random(), since: "c0", body: outgoing.body)
        try bench.store.writeNow { try $0.outbox.beginSending(batch, of: outgoing.keys) }
        try bench.edit(["title": "Oil"], of: keys[1])
        let before = try bench.store.readNow { try $0.outbox.unsent() }
        #expect(before.records == 4 && before.refused == 0)
        let refusal = Problem(status: 413, code: .tooLarge, title: "Refused")
        let response = HTTPResponse.changes(
            results: [
                applied(1, clock: taken), applied(2, clock: taken), .rejected(refusal), .conflict(current: nil),
            ])
        let answer = try PushAnswer(body: response.body)
        let applied = try bench.store.writeNow { cache in
            try AnswerTransaction.apply(answer, to: batch, of: cache, types: bench.store.types, serverTime: nil)
        }
        let after = try bench.store.readNow { try $0.outbox.unsent() }
        #expect(applied.settled == 4 - (after.records - after.refused))
        #expect(after.refused == 1 && applied.settled > 0)
    }
}
