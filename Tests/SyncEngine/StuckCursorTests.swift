import Backend
import LocalStore
import Records
import SyncAPI
import TestSupport
import Testing

@testable import SyncEngine

/// A server that announces more and more, and never moves on.
@Suite struct StuckCursorTests {
    private let failure = MalformedAnswer("more records are announced, but the cursor stays the same")

    @Test func `a pull that doesn't move ends the sync, and nothing of its page is stored`() async throws {
        let bench = try Bench()
        bench.transport.expect(Bench.pull, answer: .changes([theirs(1)], cursor: "c1", more: true))
        bench.transport.expect(Bench.pull, answer: .changes([theirs(2)], cursor: "c1", more: true))
        await #expect(throws: failure) { try await bench.sync() }
        #expect(try bench.cached()?.record.version == 1)
        #expect(try bench.store.readNow { try $0.state().cursor } == "c1")
        bench.transport.expect(Bench.pull, answer: .changes([theirs(3)], cursor: "c2", holding: [theirs(3)]))
        #expect(try await bench.sync().pulled == 1, "the next sync goes on from there")
    }

    @Test func `a full read that doesn't move ends the sync`() async throws {
        let store = try LocalStore(inMemoryWithWall: { 1_000 })
        try store.writeNow { try $0.bind(remote: "space", username: "anna") }
        let bench = try Bench(store)
        for _ in 1...2 { bench.transport.expect(Bench.pull, answer: .changes(cursor: "c1", more: true)) }
        await #expect(throws: failure) { try await bench.sync() }
    }

    @Test func `a comparison that doesn't move ends`() async throws {
        let bench = try Bench()
        for _ in 1...2 { bench.transport.expect(Bench.pull, answer: .changes(cursor: "c1", more: true)) }
        await #expect(throws: failure) { try await bench.engine.compare() }
    }

    @Test func `the last page may leave the cursor where it is`() async throws {
        let bench = try Bench()
        bench.transport.expect(Bench.pull, answer: .changes(cursor: "c0"))
        #expect(try await bench.sync().pulled == 0)
    }
}
