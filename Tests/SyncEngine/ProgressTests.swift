import LocalStore
import Records
import SyncAPI
import Synchronization
import TestSupport
import Testing

@testable import SyncEngine

@Suite struct ProgressTests {
    private final class Told: Sendable {
        private let list = Mutex<[SyncProgress]>([])
        var all: [SyncProgress] { list.withLock { $0 } }
        func add(_ progress: SyncProgress) { list.withLock { $0.append(progress) } }
    }

    @Test func `a sync of one request tells nothing`() async throws {
        let bench = try Bench()
        try bench.edit(["title": "Milk"])
        bench.transport.expect(Bench.push, answer: .changes(results: [applied(1, clock: taken)], holding: [theirs(1)]))
        let told = Told()
        _ = try await bench.engine.sync { told.add($0) }
        #expect(told.all.isEmpty)
    }

    @Test func `a first sync tells that it begins, and what each page has brought`() async throws {
        let store = try LocalStore(inMemoryWithWall: { 1_000 })
        try store.writeNow { try $0.bind(remote: "space", username: "anna") }
        let bench = try Bench(store)
        let pages = (1...3).map { page in
            (0..<2).map { theirs(Int64(page), key: RecordKey(collection: "tasks", id: "t\(page)\($0)")) }
        }
        for (index, page) in pages.enumerated() {
            bench.transport.expect(
                Bench.pull, answer: .changes(page, cursor: "c\(index)", more: index < 2))
        }
        let told = Told()
        _ = try await bench.engine.sync { told.add($0) }
        #expect(told.all == [0, 2, 4, 6].map { SyncProgress(.receiving, $0) })
    }

    @Test func `sending tells how much of all is done, batch by batch`() async throws {
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
        let told = Told()
        _ = try await bench.engine.sync { told.add($0) }
        #expect(
            told.all == [
                SyncProgress(.sending, Limits.mutations, of: count), SyncProgress(.sending, count, of: count),
            ])
    }
}
