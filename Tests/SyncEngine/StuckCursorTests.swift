import Backend
import LocalStore
import Records
import SyncAPI
import TestSupport
import Testing

@testable import SyncEngine

/// A server that always announces more, and never advances its cursor.
@Suite struct StuckCursorTests {
    private let failure = MalformedAnswer("more records are announced, but the cursor stays the same")

    @Test func `a pull that doesn't advance ends the sync, and nothing of its page is stored`() async throws {
        let bench = try Bench()
        bench.transport.expect(Bench.pull, answer: .changes([theirs(1)], cursor: "c1", more: true))
        bench.transport.expect(Bench.pull, answer: .changes([theirs(2)], cursor: "c1", more: true))
        await #expect(throws: failure) { try await bench.sync() }
        #expect(try bench.cached()?.record.version == 1)
        #expect(try bench.store.readNow { try $0.replica.state().cursor } == "c1")
        bench.transport.expect(Bench.pull, answer: .changes([theirs(3)], cursor: "c2", holding: [theirs(3)]))
        #expect(try await bench.sync().pulled == 1, "the next sync continues from there")
    }

    @Test func `a full read that doesn't advance ends the sync`() async throws {
        let store = try LocalStore(inMemoryWithWall: { 1_000 })
        try store.writeNow { try $0.account.bind(remote: "space", username: "anna") }
        let bench = try Bench(store)
        for version in Int64(1)...2 {
            bench.transport.expect(Bench.pull, answer: .changes([theirs(version)], cursor: "c1", more: true))
        }
        await #expect(throws: failure) { try await bench.sync() }
    }

    @Test func `a comparison that doesn't advance ends`() async throws {
        let bench = try Bench()
        for version in Int64(1)...2 {
            bench.transport.expect(Bench.pull, answer: .changes([theirs(version)], cursor: "c1", more: true))
        }
        await #expect(throws: failure) { try await bench.engine.compare() }
    }

    @Test(arguments: [["c1", "c2", "c3", "c4"], ["c1", "c2", "c1", "c2"]])
    func `an empty page that announces another one ends the sync, whatever its cursor`(cursors: [String]) async throws {
        let bench = try Bench()
        for (number, cursor) in cursors.enumerated() {
            let records = number == 0 ? [theirs(1)] : []
            bench.transport.expect(Bench.pull, answer: .changes(records, cursor: cursor, more: true))
        }
        await #expect(throws: MalformedAnswer("more records are announced, but the page has none")) {
            try await bench.engine.sync()
        }
        #expect(bench.transport.requests.count == 2)
        #expect(try bench.store.readNow { try $0.replica.state().cursor } == "c1")
    }

    @Test(arguments: [[7, 7], [7, 6], [5, 7, 7]] as [[Int64]])
    func `pages whose versions don't rise end the sync`(versions: [Int64]) async throws {
        let bench = try Bench()
        for (number, version) in versions.enumerated() {
            bench.transport.expect(
                Bench.pull, answer: .changes([theirs(version)], cursor: "c\(number + 1)", more: true))
        }
        await #expect(throws: MalformedAnswer("more records are announced, but the versions don't rise")) {
            try await bench.engine.sync()
        }
        bench.transport.verify()
    }

    @Test func `a comparison ends at an empty page that announces another one`() async throws {
        let bench = try Bench()
        bench.transport.expect(Bench.pull, answer: .changes(cursor: "c1", more: true))
        await #expect(throws: MalformedAnswer.self) { try await bench.engine.compare() }
    }

    @Test func `a page that has only records that are too large is progress`() async throws {
        let bench = try Bench(largestRecord: 1_000)
        let large = theirs(3, ["title": "Large", "body": .string(String(repeating: "x", count: 1_000))])
        bench.transport.expect(Bench.pull, failing: .tooLarge)
        bench.transport.expect(Bench.pull, answer: .changes([large], cursor: "c1", more: true))
        bench.transport.expect(Bench.pull, answer: .changes(cursor: "c2"))
        #expect(try await bench.sync().oversized.count == 1)
    }

    @Test func `a server that asks for too many full reads ends the sync`() async throws {
        let bench = try Bench()
        for _ in 0...SyncRun.fullReadLimit {
            bench.transport.expect(Bench.pull, answer: .refusal(410, .cursorExpired))
        }
        await #expect(throws: MalformedAnswer.self) { try await bench.engine.sync() }
        bench.transport.verify()
    }

    @Test func `the last page may leave the cursor unchanged`() async throws {
        let bench = try Bench()
        bench.transport.expect(Bench.pull, answer: .changes(cursor: "c0"))
        #expect(try await bench.sync().pulled == 0)
    }
}
