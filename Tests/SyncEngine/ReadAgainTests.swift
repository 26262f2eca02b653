import Backend
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

    @Test func `a requested full read begins once the server has confirmed the cursor`() async throws {
        try await bench.engine.requestFullRead()
        bench.transport.expect(Bench.pull, answer: .changes(holding: [theirs(5)]))
        bench.transport.expect(Bench.pull, answer: .changes([theirs(5)], cursor: "c2", holding: [theirs(5)]))
        bench.expectFormerCursor()
        #expect(try await bench.sync().fullReads == [.resync(.digestMismatch)])
        let path = "/v1/spaces/space/changes?"
        #expect(targets() == [path + "since=c0&limit=5000", path + "limit=5000", path + "since=c1&limit=1"])
        bench.transport.expect(Bench.pull, answer: .changes(cursor: "c2", holding: [theirs(5)]))
        #expect(try await bench.sync().fullReads == [], "once is enough")
    }

    @Test func `after a restore of the server it reads what was lost, and sends it again`() async throws {
        try await bench.engine.requestFullRead()
        bench.transport.expect(Bench.pull, answer: .refusal(410, .epochChanged, shared: 2))
        bench.transport.expect(Bench.pull, answer: .changes(cursor: "e0", holding: []))
        bench.expectFormerCursor(restored: 2)
        bench.transport.expect(
            Bench.push, answer: .changes(cursor: "e1", results: [applied(1, clock: taken)], holding: [theirs(1)]))
        #expect(try await bench.sync().fullReads == [.restored(shared: 2)])
        #expect(try bench.mutations(of: 3).map(\.action) == [.set(theirs(5).fields)])
        #expect(try bench.cached()?.record.fields == theirs(5).fields)
    }

    @Test func `a restore between two syncs is detected before a full read counts`() async throws {
        try await bench.engine.requestFullRead()
        bench.transport.expect(Bench.pull, answer: .changes(holding: [theirs(5)]))
        bench.transport.expect(Bench.pull, failing: .refused)
        await #expect(throws: BackendError.self) { try await bench.engine.sync() }
        // The server has lost the record meanwhile: the page lacks it, and the former cursor shows why.
        bench.transport.expect(Bench.pull, answer: .changes(cursor: "e0", holding: []))
        bench.transport.expect(Bench.pull, answer: .refusal(410, .epochChanged, shared: 2))
        bench.transport.expect(Bench.pull, answer: .changes(cursor: "e0", holding: []))
        bench.expectFormerCursor(restored: 2)
        bench.transport.expect(
            Bench.push, answer: .changes(cursor: "e1", results: [applied(1, clock: taken)], holding: [theirs(1)]))
        #expect(try await bench.sync().fullReads == [.restored(shared: 2)])
        #expect(targets()[3].hasSuffix("since=c1&limit=1"))
        #expect(try bench.mutations(of: 6).map(\.action) == [.set(theirs(5).fields)])
        #expect(try bench.cached()?.record.fields == theirs(5).fields)
    }

    @Test func `a restore between the answer that began a full read and its first page is detected`() async throws {
        try await bench.engine.requestFullRead()
        bench.transport.expect(Bench.pull, answer: .changes(holding: [theirs(5)]))
        bench.transport.expect(Bench.pull, answer: .changes(cursor: "e0", holding: []))
        bench.expectFormerCursor(restored: 2)
        bench.transport.expect(Bench.pull, answer: .changes(cursor: "e0", holding: []))
        bench.expectFormerCursor(restored: 2)
        bench.transport.expect(
            Bench.push, answer: .changes(cursor: "e1", results: [applied(1, clock: taken)], holding: [theirs(1)]))
        #expect(try await bench.sync().fullReads == [.restored(shared: 2)])
        #expect(try bench.mutations(of: 5).map(\.action) == [.set(theirs(5).fields)])
        #expect(try bench.cached()?.record.fields == theirs(5).fields)
    }

    @Test func `a full read that another sync began goes on if the server confirms the former cursor`() async throws {
        try bench.store.writeNow { cache in
            try cache.replica.beginFullRead(FullRead.resync(.cursorExpired).json, afterRestore: false)
        }
        bench.transport.expect(Bench.pull, answer: .changes([theirs(6)], cursor: "c2", holding: [theirs(6)]))
        bench.transport.expect(Bench.pull, answer: .refusal(410, .cursorExpired))
        #expect(try await bench.sync().fullReads == [.resync(.cursorExpired)])
        let path = "/v1/spaces/space/changes?"
        #expect(targets() == [path + "limit=5000", path + "since=c0&limit=1"])
        #expect(try bench.store.readNow { try $0.replica.state().formerCursor } == nil)
    }

    @Test func `a second restore to an earlier state counts from there`() async throws {
        try bench.store.writeNow { cache in
            try cache.replica.beginFullRead(FullRead.restored(shared: 5).json, afterRestore: true)
        }
        bench.transport.expect(Bench.pull, answer: .changes(cursor: "e0", holding: []))
        bench.transport.expect(Bench.pull, answer: .refusal(410, .epochChanged, shared: 2))
        bench.transport.expect(Bench.pull, answer: .changes(cursor: "e0", holding: []))
        bench.expectFormerCursor(restored: 2)
        bench.transport.expect(
            Bench.push, answer: .changes(cursor: "e1", results: [applied(1, clock: taken)], holding: [theirs(1)]))
        #expect(try await bench.sync().fullReads == [.restored(shared: 2)])
    }

    @Test func `a full read that is running begins again`() async throws {
        try bench.store.writeNow { cache in
            try cache.replica.beginFullRead(FullRead.restored(shared: 2).json, afterRestore: true)
            try cache.replica.setCursor("page", reading: FullRead.restored(shared: 2).json)
        }
        try await bench.engine.requestFullRead()
        let state = try bench.store.readNow { try $0.replica.state() }
        #expect(state.cursor == nil && state.reading == FullRead.restored(shared: 2).json)
    }

    @Test func `a home without an account has nothing to read`() async throws {
        let signedOut = try Bench(LocalStore(inMemoryWithWall: { 1_000 }))
        try await signedOut.engine.requestFullRead()
        #expect(try signedOut.store.readNow { try !$0.replica.mustReadAgain() })
    }

    @Test func `a state on top of an unreadable one is not guessed`() throws {
        var sent = CachedRecord.clean(theirs(7, ["title": "Milk", "n": 1])).edited(["title": "Bread"], 5).inFlight
        let mutation = try #require(sent.mutation)
        sent.mirror = nil
        let outcome = sent.applying(applied(8, clock: taken), of: mutation, device: "here", types: .standard).next
        #expect(outcome?.record.fields == ["title": "Bread", "n": 1])
        #expect(outcome?.mutation?.base == 0 && outcome?.mutation?.action == .set(["title": "Bread", "n": 1]))
    }
}
