import Records
import TestSupport
import Testing

@testable import LocalStore

@Suite struct JournalTests {
    let store: LocalStore
    private let other = RecordKey(collection: "tasks", id: "b")

    init() throws { store = try .inMemory() }

    private func changes(_ index: Int = 0) throws -> [JournalChange] {
        try store.readNow { try $0.journal.changes(of: $0.journal.entries()[index]) }
    }

    @Test func `a command is one entry with the fields that it changed, before and after`() async throws {
        try store.writeNow { _ = try $0.edit(key, ["title": "Milk", "due": "2026-12-01T00:00:00Z", "estimate": 3]) }
        try await store.command("tag") { cache in
            try cache.edit(key, ["title": "Oat milk", "due": .null, "estimate": 3])
            try cache.edit(other, ["title": "Bread"])
        }
        let entries = try store.readNow { try $0.journal.entries() }
        #expect(entries.map(\.command) == ["tag", "edit"])
        #expect(entries.map(\.records) == [2, 1])
        #expect(entries.map(\.at) == [1_000, 1_000])
        let (first, second) = (try changes()[0], try changes()[1])
        #expect((first.key, first.wasLive, first.isLive) == (key, true, true))
        #expect(first.before == ["title": "Milk", "due": "2026-12-01T00:00:00Z"])
        #expect(first.after == ["title": "Oat milk"])
        #expect(first.names == ["due", "title"])
        #expect((second.key, second.wasLive, second.isLive) == (other, false, true))
        #expect((second.before, second.after) == ([:], ["title": "Bread"]))
    }

    @Test func `several edits of one record are one change; edits without an effect are none`() throws {
        try store.writeNow { _ = try $0.edit(key, ["title": "Milk", "a": 1]) }
        try store.writeNow { cache throws in
            try cache.edit(key, ["title": "Oat milk", "b": 2])
            try cache.edit(key, ["title": "Rice milk", "a": .null, "b": .null])
        }
        let change = try #require(try changes().first)
        #expect((change.before, change.after) == (["title": "Milk", "a": 1], ["title": "Rice milk"]))
        try store.writeNow { cache throws in
            try cache.edit(key, ["title": "Soy milk"])
            try cache.edit(key, ["title": "Rice milk"])
            try cache.edit(other, ["title": "Bread"])
            try cache.delete(other)
        }
        #expect(try changes().isEmpty)
    }

    @Test func `an edit and a deletion in one command are the deletion of the previous state`() throws {
        try store.writeNow { _ = try $0.edit(key, ["title": "Milk", "a": 1]) }
        try store.writeNow { cache throws in
            try cache.edit(key, ["title": "Oat milk", "b": 2])
            try cache.delete(key)
        }
        let change = try #require(try changes().first)
        #expect((change.wasLive, change.isLive) == (true, false))
        #expect((change.before, change.after) == (["title": "Milk", "a": 1], [:]))
    }

    @Test func `an edit without effect, a rolled back one and one received by a sync are not recorded`() throws {
        struct Interrupted: Error {}
        try store.writeNow { cache throws in
            _ = try cache.replica.applyClean(records: page([serverRecord()]))
            try cache.edit(key, ["title": "Milk"])
            try cache.delete(other)
            try cache.store(CachedRecord(record: serverRecord(other)), for: other)
        }
        #expect(throws: Interrupted.self) {
            try store.writeNow { cache throws in
                try cache.edit(key, ["title": "Oat milk"])
                throw Interrupted()
            }
        }
        #expect(try store.readNow { try $0.journal.entries() } == [])
    }

    @Test func `the last hundred commands are kept`() throws {
        for number in 0...CommandJournal.limit + 5 {
            try store.writeNow { _ = try $0.edit(key, ["n": .integer(Int64(number))]) }
        }
        let entries = try store.readNow { try $0.journal.entries(limit: 1_000) }
        #expect(entries.count == CommandJournal.limit)
        #expect(try changes().first?.after == ["n": .integer(Int64(CommandJournal.limit + 5))])
        #expect(try store.pragma("foreign_key_check") == nil)
    }

    @Test func `the stored changes are limited in bytes; the last command is kept whole`() throws {
        let mebibyte = String(repeating: "x", count: 1 << 20)
        try store.writeNow { _ = try $0.edit(other, ["title": "Small"]) }
        try store.writeNow { cache throws in
            for number in 0..<65 {
                try cache.edit(RecordKey(collection: "notes", id: "n\(number)"), ["body": .string(mebibyte)])
            }
        }
        #expect(try store.readNow { try $0.journal.entries().map(\.records) } == [65, 1])
        try store.writeNow { _ = try $0.edit(other, ["title": "Next"]) }
        #expect(try store.readNow { try $0.journal.entries().map(\.records) } == [1])
    }

    @Test func `an entry names the actor of the command, unless it was the user`() async throws {
        try await CommandActor.named("mcp (Test)") {
            try await store.command("add") { _ = try $0.edit(key, ["title": "Milk"]) }
            try await store.write { _ = try $0.edit(key, ["title": "Oat milk"]) }
            try store.writeNow { _ = try $0.edit(other, ["title": "Bread"]) }
        }
        try await store.command("rm") { try $0.delete(key) }
        #expect(try store.readNow { try $0.journal.entries().map(\.command) } == ["rm", "edit", "edit", "add"])
        let actors = [nil, "mcp (Test)", "mcp (Test)", "mcp (Test)"]
        #expect(try store.readNow { try $0.journal.entries().map(\.actor) } == actors)
    }

    @Test func `a receipt names the entry that a task has made last`() async throws {
        let made = try await CommandReceipt.entry {
            try await store.command("add") { _ = try $0.edit(key, ["title": "Milk"]) }
            try await store.write { _ = try $0.edit(other, ["title": "Bread"]) }
            try await store.write { _ in }
        }
        let last = try store.readNow { try $0.journal.entries().first }
        #expect(made != nil && made == last?.reference)
        let unchanged = try await CommandReceipt.entry {
            try await store.command("edit") { _ = try $0.edit(key, ["title": "Milk"]) }
        }
        #expect(unchanged == nil)
        let tried = try await CommandReceipt.entry {
            _ = try await store.dryRun("edit") { _ = try $0.edit(key, ["title": "Oat milk"]) }
        }
        #expect(tried == nil)
    }

    @Test func `an undone command can be redone until there is a new one`() throws {
        try store.writeNow { _ = try $0.edit(key, ["title": "Milk"]) }
        try store.writeNow { _ = try $0.edit(key, ["title": "Oat milk"]) }
        try store.writeNow { cache throws in
            let entry = try #require(try cache.journal.undoable())
            try cache.journal.turn(entry) { _ = try cache.edit(key, ["title": "Milk"]) }
        }
        var change = try #require(try changes().first)
        #expect((change.before, change.after) == (["title": "Oat milk"], ["title": "Milk"]))
        #expect(try store.readNow { try $0.journal.entries().map(\.isUndone) } == [true, false])
        try store.writeNow { cache throws in
            let entry = try #require(try cache.journal.redoable())
            try cache.journal.turn(entry) { _ = try cache.edit(key, ["title": "Oat milk"]) }
        }
        change = try #require(try changes().first)
        #expect((change.before, change.after) == (["title": "Milk"], ["title": "Oat milk"]))
        try store.writeNow { cache throws in
            let entry = try #require(try cache.journal.undoable())
            try cache.journal.turn(entry) { _ = try cache.edit(key, ["title": "Milk"]) }
        }
        try store.writeNow { _ = try $0.edit(other, ["title": "New"]) }
        try store.readNow { cache throws in
            #expect(try cache.journal.redoable() == nil)
            #expect(try cache.journal.entries().map(\.isUndone) == [false, false])
        }
    }

    @Test func `an entry without anything left to undo is removed`() throws {
        try store.writeNow { _ = try $0.edit(key, ["title": "Milk"]) }
        try store.writeNow { cache throws in
            try cache.journal.turn(try #require(try cache.journal.undoable())) {}
        }
        #expect(try store.readNow { try $0.journal.entries() } == [])
    }

    @Test func `names of devices are kept, the last one received`() throws {
        try store.writeNow { try $0.account.save(deviceNames: ["a": "laptop", "b": "phone"]) }
        try store.writeNow { try $0.account.save(deviceNames: ["b": "new phone"]) }
        #expect(try store.readNow { try $0.account.deviceNames() } == ["a": "laptop", "b": "new phone"])
        try store.writeNow { try $0.account.save(deviceNames: ["c": String(repeating: "x", count: 10_000)]) }
        #expect(try store.readNow { try $0.account.deviceNames()["c"]?.utf8.count } == CacheAccount.deviceNameBytes)
    }

    @Test func `deleted records are found by a prefix of their id, with their last fields`() throws {
        for record in [serverRecord(key, deleted: true), serverRecord(other)] {
            var record = record
            record.fields = ["title": "Milk"]
            try store.writeNow { [record] in try $0.store(CachedRecord(record: record), for: record.key) }
        }
        try store.readNow { cache throws in
            #expect(try cache.index.deletedKeys(prefix: "a") == [key])
            #expect(try cache.index.deletedKeys(prefix: "b") == [] && cache.index.deletedKeys(prefix: "") == [])
            #expect(try cache.tombstones(in: "tasks").map(\.fields) == [["title": "Milk"]])
        }
    }
}
