import Backend
import LocalStore
import Records
import struct Records.Record
import SyncAPI
import TestSupport
import Testing

@testable import SyncEngine

@Suite struct CompareTests {
    private let bench: Bench
    private let other = RecordKey(collection: "tasks", id: "b")

    init() throws {
        bench = try Bench()
        try bench.store.hold(theirs(), theirs(8, ["title": "Bread"], key: other))
    }

    /// Compares with a server that has these records, and has changed those since the last sync.
    private func compare(_ has: [Record], changed: [Record] = []) async throws -> CacheComparison? {
        bench.transport.expect(Bench.pull, answer: .changes(has, cursor: "c2"))
        bench.transport.expect(Bench.pull, answer: .changes(changed, cursor: "c3"))
        let comparison = try await bench.engine.compare()
        bench.transport.verify()
        return comparison
    }

    @Test func `a record equal to the server's is no difference`() async throws {
        let comparison = try await compare([theirs(), theirs(8, ["title": "Bread"], key: other)])
        #expect(comparison == CacheComparison(compared: 2))
    }

    @Test(arguments: [
        (theirs(9), CacheComparison.Kind.version), (theirs(7, ["title": "Oat milk"]), .contents),
        (theirs(7, clock: FieldClocks(all: moment(2))), .contents),
    ])
    func `another version and other contents are differences`(
        _ record: Record, _ kind: CacheComparison.Kind
    ) async throws {
        let comparison = try await compare([record, theirs(8, ["title": "Bread"], key: other)])
        #expect(comparison?.differences == [.init(key, kind)])
    }

    @Test func `a record of one side only is a difference`() async throws {
        let third = RecordKey(collection: "tasks", id: "c")
        let comparison = try await compare([theirs(), theirs(9, key: third)])
        #expect(comparison?.differences == [.init(other, .missingThere), .init(third, .missingHere)])
    }

    @Test func `unsent edits are no difference`() async throws {
        try bench.edit(["title": "Oat milk"])
        let comparison = try await compare([theirs(), theirs(8, ["title": "Bread"], key: other)])
        #expect(comparison?.differences == [])
    }

    @Test func `changes of others since the last sync are no difference`() async throws {
        let changed = theirs(9, ["title": "Rye bread"], key: other)
        let comparison = try await compare([theirs(), changed], changed: [changed])
        #expect(comparison == CacheComparison(compared: 2, waiting: 1))
    }

    @Test func `a record that is too large to be received is reported as such, in the cache or not`() async throws {
        let bench = try Bench(largestRecord: 1_000)
        let body = JSONValue.string(String(repeating: "x", count: 1_000))
        let (large, unknown) = (theirs(9, ["body": body]), theirs(10, ["body": body], key: other))
        try bench.store.hold(theirs())
        bench.transport.expect(Bench.pull, failing: .tooLarge)
        bench.transport.expect(Bench.pull, answer: .changes([large, unknown], cursor: "c2"))
        bench.transport.expect(Bench.pull, answer: .changes(cursor: "c3"))
        let comparison = try await bench.engine.compare()
        #expect(comparison?.differences == [.init(key, .tooLarge), .init(other, .tooLarge)])
        #expect(comparison?.compared == 0)
    }

    @Test func `a device that hasn't read everything yet compares nothing`() async throws {
        try bench.store.writeNow { try $0.replica.setCursor(nil, reading: nil) }
        #expect(try await bench.engine.compare() == nil)
    }

    @Test func `comparing changes nothing`() async throws {
        _ = try await compare([theirs(9)])
        #expect(try bench.cached() == .clean())
        #expect(try bench.store.readNow { try $0.replica.state().cursor } == "c0")
    }
}

@Suite struct DigestCheckTests {
    private let bench: Bench

    init() throws {
        bench = try Bench()
        try bench.store.hold(theirs())
    }

    @Test func `equal digests agree, others don't`() async throws {
        bench.transport.expect(Bench.pull, answer: .changes(holding: [theirs()]))
        #expect(try await bench.engine.checkDigest().agreement == .equal)
        bench.transport.expect(Bench.pull, answer: .changes(holding: [theirs(8)]))
        #expect(try await bench.engine.checkDigest().agreement == .different)
    }

    @Test func `digests can't be compared if the server has newer changes`() async throws {
        bench.transport.expect(Bench.pull, answer: .changes([theirs(8)], holding: [theirs(8)]))
        #expect(try await bench.engine.checkDigest().agreement == .unseenChanges)
    }

    @Test func `a cursor that is no longer valid is reported with what follows`() async throws {
        bench.transport.expect(Bench.pull, answer: .refusal(410, .epochChanged, shared: 3))
        #expect(try await bench.engine.checkDigest().agreement == .mustRead(.restored(shared: 3)))
        #expect(try bench.store.readNow { try $0.replica.state().reading } == nil, "it only reads")
    }

    @Test func `during a full read, digests can't be compared`() async throws {
        try bench.store.writeNow { try $0.replica.setCursor("c1", reading: FullRead.first.json) }
        bench.transport.expect(Bench.pull, answer: .changes(holding: [theirs()]))
        #expect(try await bench.engine.checkDigest().agreement == .reading)
    }
}

@Suite struct SavedEditsTests {
    private func saved(_ patch: JSONObject, on base: Record? = theirs(), at milliseconds: UInt64 = 5) -> CachedRecord {
        base.map { CachedRecord.clean($0).edited(patch, milliseconds) }
            ?? .created(key, fields: patch, at: moment(milliseconds))
    }

    @Test func `on a clean record a saved edit is an edit again`() {
        let taken = CachedRecord.clean().applyingSaved(saved(["title": "Oat milk"]), types: .standard)
        #expect(taken.next?.record.fields == ["title": "Oat milk"] && taken.next?.pending != nil)
    }

    @Test func `a salvaged edit that the server already has changes nothing`() {
        let sent = theirs(9, ["title": "Oat milk"], clock: FieldClocks(all: moment(5)))
        let held = CachedRecord.clean(sent)
        #expect(held.applyingSaved(saved(["title": "Oat milk"]), types: .standard).next == held)
    }

    @Test func `next to another unsent edit both are kept, or both are reported`() {
        let held = CachedRecord.clean().edited(["due": "2026-12-01"], 6)
        let both = held.applyingSaved(saved(["title": "Oat milk"]), types: .standard)
        #expect(both.next?.record.fields == ["title": "Oat milk", "due": "2026-12-01"])
        #expect(both.next?.mirror == theirs() && both.conflicts.isEmpty)
        let same = CachedRecord.clean().edited(["title": "Soy milk"], 6)
        let outcome = same.applyingSaved(saved(["title": "Oat milk"]), types: .standard)
        #expect(outcome.next?.record.fields == ["title": "Soy milk"] && outcome.conflicts.count == 1)
    }

    @Test func `applied twice, they change nothing the second time`() {
        let held = CachedRecord.clean().edited(["due": "2026-12-01"], 6)
        let edit = saved(["title": "Oat milk"])
        let once = held.applyingSaved(edit, types: .standard).next
        #expect(once?.applyingSaved(edit, types: .standard).next?.record.fields == once?.record.fields)
    }
}
