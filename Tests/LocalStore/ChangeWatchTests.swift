import Backend
import Locking
import Records
import struct Records.Record
import Testing

@testable import LocalStore

@Suite struct ChangeWatchTests {
    private let store: LocalStore
    private let received = Locked<[CommittedChanges]>([])

    init() throws {
        store = try .inMemory()
        let received = received
        store.watchRecords { changes in received.withLock { $0.append(changes) } }
    }

    private func newChanges() -> [CommittedChanges] {
        received.withLock { received in
            defer { received = [] }
            return received
        }
    }

    @Test func `a user's change is reported after it is stored, with the previous state`() async throws {
        try store.writeNow { _ = try $0.edit(key, ["title": "Milk"]) }
        #expect(
            newChanges() == [
                CommittedChanges(changes: [RecordChange(key, before: nil, after: ["title": "Milk"])], arePersonal: true)
            ])
        try await store.command("rm") { try $0.delete(key) }
        #expect(newChanges().map(\.changes) == [[RecordChange(key, before: ["title": "Milk"], after: nil)]])
    }

    @Test func `a change that is rolled back, has no effect, or isn't of a record is not reported`() throws {
        struct No: Error {}
        #expect(throws: No.self) {
            try store.writeNow { cache in
                _ = try cache.edit(key, ["title": "Milk"])
                throw No()
            }
        }
        try store.writeNow { cache in
            try cache.store(CachedRecord(record: serverRecord()), for: key)
        }
        _ = newChanges()
        try store.writeNow { _ = try $0.edit(key, ["title": "Milk"]) }
        try store.writeNow { try $0.replica.setCursor("c", reading: nil) }
        #expect(newChanges().isEmpty)
    }

    @Test func `of a page, each record with a visible change is reported`() throws {
        let other = RecordKey(collection: "tasks", id: "b")
        try store.writeNow { cache in
            for key in [key, other] { try cache.store(CachedRecord(record: serverRecord(key)), for: key) }
        }
        _ = newChanges()
        let new = RecordKey(collection: "tasks", id: "c")
        let records = [
            serverRecord(version: 8, ["title": "Oat milk"]), serverRecord(other, version: 9, deleted: true, [:]),
            serverRecord(new, version: 10),
        ]
        try store.writeNow { _ = try $0.replica.applyClean(records: page(records)) }
        #expect(
            newChanges() == [
                CommittedChanges(changes: [
                    RecordChange(key, before: ["title": "Milk"], after: ["title": "Oat milk"]),
                    RecordChange(other, before: ["title": "Milk"], after: nil),
                    RecordChange(new, before: nil, after: ["title": "Milk"]),
                ])
            ])
        // The same page again, with later versions.
        try store.writeNow {
            _ = try $0.replica.applyClean(records: page([serverRecord(version: 11, ["title": "Oat milk"])]))
        }
        #expect(newChanges().isEmpty)
    }
}

@Suite struct NextInstanceStoreTests {
    private let store: LocalStore
    private let done = Record(
        key: key, fields: ["title": "Water", "status": "completed", "due": "2026-11-27T14:00:00Z", "repeat": "daily"],
        clock: FieldClocks(all: moment(5, "there")))

    init() throws { store = try .inMemory() }

    @Test func `it is created with its own clocks, is unsent, and is in the journal`() throws {
        let next = try #require(NextInstance.record(after: done))
        try store.writeNow { _ = try $0.make(next) }
        let (cached, journal) = try store.readNow { (try $0.cached(next.key), try $0.journal.entries()) }
        #expect(cached?.record.fields == next.fields && cached?.record.clock == next.clock)
        #expect(cached?.pending?.at == moment(1_000, try store.writeNow { try $0.device() }))
        #expect(journal.map(\.records) == [1])
        try store.writeNow { _ = try $0.make(next) }
        #expect(try store.readNow { try $0.cached(next.key) } == cached)
    }

    @Test func `deleted, it stays as a tombstone even if no server knows it, and can be created again`() throws {
        let next = try #require(NextInstance.record(after: done))
        try store.writeNow { cache in
            _ = try cache.make(next)
            try cache.delete(next.key)
        }
        #expect(try store.readNow { try $0.cached(next.key)?.record.deleted } == true)
        try store.writeNow { _ = try $0.make(next) }
        let cached = try store.readNow { try $0.cached(next.key) }
        #expect(cached?.record.deleted == false && cached?.record.fields == next.fields)
        // The time of its revival is stored next to its origin's id; all else is no edit.
        let edited = try #require(cached).record.clock.moments.filter { $0.value != next.clock[$0.key.text] }
        #expect(edited.keys.sorted() == ["repeatOf"])
    }

    @Test func `created over a received tombstone, only values that were edited before the deletion are edits`() throws
    {
        let next = try #require(NextInstance.record(after: done))
        var clock = next.clock
        clock.stamp(["due", "repeatOf"], at: moment(7, "there"))
        let tombstone = Record(key: next.key, version: 8, deleted: true, modifiedBy: "there", fields: [:], clock: clock)
        try store.writeNow { cache in
            _ = try cache.replica.applyClean(records: page([tombstone]))
            _ = try cache.make(next)
        }
        let record = try #require(try store.readNow { try $0.cached(next.key) }).record
        #expect(!record.deleted && record.fields == next.fields)
        let edited = record.fields.names.filter { record.clock[$0] != next.clock[$0] }
        #expect(edited.sorted() == ["due", "repeatOf"])
        #expect(record.clock["due"]?.device == (try store.writeNow { try $0.device() }))
    }

    @Test func `undone before it was sent, it leaves no trace`() throws {
        let next = try #require(NextInstance.record(after: done))
        try store.writeNow { cache in
            _ = try cache.make(next)
            try cache.revert(next.key)
        }
        #expect(try store.readNow { try $0.cached(next.key) } == nil)
    }
}
