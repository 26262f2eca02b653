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
}
