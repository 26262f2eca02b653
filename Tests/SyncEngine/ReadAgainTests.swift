import LocalStore
import Records
import SyncAPI
import TestSupport
import Testing

@testable import SyncEngine

@Suite struct ReadAgainTests {
    let bench: Bench

    init() throws {
        bench = try Bench()
        try bench.store.hold(theirs(5))
    }

    private func targets() -> [String] { bench.transport.requests.map(\.target) }

    @Test func `a full read that was asked for begins once the server has said that it knows the cursor`() async throws
    {
        try await bench.engine.readAgain()
        bench.transport.expect(Bench.pull, answer: .changes(holding: [theirs(5)]))
        bench.transport.expect(Bench.pull, answer: .changes([theirs(5)], cursor: "c2", holding: [theirs(5)]))
        #expect(try await bench.sync().fullReads == [.resync(.digestMismatch)])
        let path = "/v1/spaces/space/changes?"
        #expect(targets() == [path + "since=c0&limit=5000", path + "limit=5000"])
        bench.transport.expect(Bench.pull, answer: .changes(cursor: "c2", holding: [theirs(5)]))
        #expect(try await bench.sync().fullReads == [], "once is enough")
    }

    @Test func `of a server that was restored meanwhile it asks what was lost, and gives it back`() async throws {
        try await bench.engine.readAgain()
        bench.transport.expect(Bench.pull, answer: .refusal(410, .epochChanged, shared: 2))
        bench.transport.expect(Bench.pull, answer: .changes(cursor: "e0", holding: []))
        bench.transport.expect(
            Bench.push, answer: .changes(cursor: "e1", results: [applied(1, clock: taken)], holding: [theirs(1)]))
        #expect(try await bench.sync().fullReads == [.restored(shared: 2)])
        #expect(try bench.mutations(of: 2).map(\.action) == [.set(theirs(5).fields)])
        #expect(try bench.cached()?.record.fields == theirs(5).fields)
    }

    @Test func `one that is under way begins again`() async throws {
        try bench.store.writeNow { cache in
            try cache.replica.beginFullRead(FullRead.restored(shared: 2).json, afterRestore: true)
            try cache.replica.setCursor("page", reading: FullRead.restored(shared: 2).json)
        }
        try await bench.engine.readAgain()
        let state = try bench.store.readNow { try $0.replica.state() }
        #expect(state.cursor == nil && state.reading == FullRead.restored(shared: 2).json)
    }

    @Test func `nobody's home has nothing to read`() async throws {
        let nobody = try Bench(LocalStore(inMemoryWithWall: { 1_000 }))
        try await nobody.engine.readAgain()
        #expect(try nobody.store.readNow { try !$0.replica.mustReadAgain() })
    }

    @Test func `what was applied on top of something that can't be read here any more isn't guessed`() throws {
        var sent = CachedRecord.clean(theirs(7, ["title": "Milk", "n": 1])).edited(["title": "Bread"], 5).inFlight
        let mutation = try #require(sent.mutation)
        sent.mirror = nil
        let settled = sent.settling(applied(8, clock: taken), of: mutation, device: "here", types: .standard).next
        #expect(settled?.record.fields == ["title": "Bread", "n": 1])
        #expect(settled?.mutation?.base == 0 && settled?.mutation?.action == .set(["title": "Bread", "n": 1]))
    }
}
