import Foundation
import Records
import struct Records.Record
import TestSupport
import Testing

@testable import LocalStore

@Suite struct IntegrityTests {
    private let store: LocalStore

    /// A cache with a clean record, a tombstone, an edited record and a new one, indexed for searching.
    init() throws {
        store = try .inMemory()
        try store.writeNow { cache in
            try cache.account.bind(remote: "space", username: "ada")
            try cache.replica.setCursor("c1", reading: nil)
            _ = try cache.replica.applyClean(
                records: page([
                    serverRecord(Self.clean, version: 5), serverRecord(Self.edited, version: 6),
                    serverRecord(Self.deleted, version: 7, deleted: true, [:]),
                ]))
            try cache.edit(Self.edited, ["title": "Oat milk"])
            try cache.edit(Self.new, ["title": "Bread"])
            _ = try cache.index.search(["milk"], limit: 5)
        }
    }

    private static let clean = RecordKey(collection: "tasks", id: "clean")
    private static let edited = RecordKey(collection: "tasks", id: "edited")
    private static let deleted = RecordKey(collection: "tasks", id: "deleted")
    private static let new = RecordKey(collection: "tasks", id: "new")

    /// One way to break a cache, and the resulting findings.
    struct Breakage: CustomTestStringConvertible, Sendable {
        let kind: CacheFault.Kind
        let sql: String
        /// What is unsent after the repair.
        var unsent = ["edited", "new"]
        var testDescription: String { "\(kind): \(sql)" }
    }

    private static func row(_ id: String) -> String { "(SELECT number FROM records WHERE id = '\(id)')" }

    static let breakages = [
        Breakage(kind: .brokenSpace, sql: "UPDATE spaces SET reading = '{'"),
        Breakage(
            kind: .danglingReferences, sql: "INSERT INTO outbox VALUES (99, '000000000001-0000-x', 1, NULL, NULL, NULL)"
        ),
        Breakage(kind: .danglingReferences, sql: "INSERT INTO seen VALUES (99)"),
        Breakage(kind: .unreadableRecords, sql: "UPDATE records SET fields = '[' WHERE id = 'clean'"),
        Breakage(kind: .unreadableRecords, sql: "UPDATE records SET clock = '{\"*\":1}' WHERE id = 'new'"),
        Breakage(kind: .unreadableRecords, sql: "UPDATE records SET collection = 'No name' WHERE id = 'clean'"),
        Breakage(
            kind: .unreadableRecords, sql: "UPDATE records SET fields = '3' WHERE id = 'edited'", unsent: ["new"]),
        Breakage(kind: .unreadableMirrors, sql: "UPDATE mirrors SET fields = 'x'"),
        Breakage(kind: .unreadableEntries, sql: "UPDATE outbox SET at = 'now'"),
        Breakage(kind: .strayMirrors, sql: "DELETE FROM outbox WHERE record = \(row("edited"))"),
        Breakage(kind: .lostEntries, sql: "DELETE FROM outbox WHERE record = \(row("new"))"),
        Breakage(kind: .impossibleCounts, sql: "UPDATE outbox SET edits = 0"),
        Breakage(kind: .brokenBatch, sql: "UPDATE outbox SET sent = edits"),
        Breakage(kind: .brokenBatch, sql: "INSERT INTO batches VALUES (1, 'k', 'c1', '{')"),
        Breakage(
            kind: .brokenBatch,
            sql: #"INSERT INTO batches VALUES (1, 'k', 'c1', '{"mutations":[{"collection":"tasks","id":"clean"}]}')"#),
        Breakage(kind: .strayReadMarks, sql: "INSERT INTO seen VALUES (\(row("clean")))"),
        Breakage(kind: .strayReadMarks, sql: "INSERT INTO former VALUES (\(row("clean")))"),
        Breakage(kind: .wrongDigest, sql: "UPDATE spaces SET digest = '00000000000000000000000000000001'"),
        Breakage(kind: .wrongDigest, sql: "UPDATE spaces SET digest = 'none'"),
        Breakage(kind: .wrongSearchIndex, sql: "DELETE FROM search"),
        Breakage(kind: .wrongSearchIndex, sql: "INSERT INTO search (rowid, title) VALUES (99, 'ghost')"),
        Breakage(kind: .wrongSearchIndex, sql: "DELETE FROM search_data"),
        Breakage(kind: .wrongListIndex, sql: "DELETE FROM list_stale"),
        Breakage(kind: .wrongListIndex, sql: "INSERT INTO list_places VALUES (99, 1, NULL, NULL, 0)"),
    ]

    @Test func `an intact cache has no faults, and checking changes nothing`() async throws {
        let before = try store.readNow { try ($0.replica.state(), $0.outbox.unsent(), $0.records().count) }
        #expect(try await store.faults() == [])
        let after = try store.readNow { try ($0.replica.state(), $0.outbox.unsent(), $0.records().count) }
        #expect(before == after)
    }

    @Test(arguments: breakages)
    func `each broken invariant is found and repaired without loss of unsent edits`(_ breakage: Breakage) async throws {
        try await store.inspect { cache in
            try cache.execute("PRAGMA foreign_keys = OFF")
            try cache.execute(breakage.sql)
            try cache.execute("PRAGMA foreign_keys = ON")
        }
        let faults = try await store.faults()
        #expect(faults.map(\.kind).contains(breakage.kind))
        _ = try await store.repair(faults)
        #expect(try await store.faults() == [])
        let unsent = try store.readNow { try $0.outbox.sendable(limit: 10).map(\.record.key.id).sorted() }
        #expect(unsent == breakage.unsent)
        #expect(try store.readNow { try $0.replica.state().digest == $0.replica.countedDigest() })
    }

    @Test func `an unsent record whose clock is invalid keeps its fields`() async throws {
        try store.writeNow { try $0.execute("UPDATE records SET clock = 'x' WHERE id = 'new'") }
        _ = try await store.repair(try await store.faults())
        let cached = try store.readNow { try $0.cached(Self.new) }
        #expect(cached?.record.fields == ["title": "Bread"] && cached?.pending != nil)
    }

    @Test func `a mirror that equals its record is no edit`() async throws {
        try store.writeNow { cache in
            try cache.execute(
                """
                INSERT INTO mirrors SELECT number, version, deleted, modified_at, modified_by, fields, clock
                FROM records WHERE id = 'clean'
                """)
        }
        _ = try await store.repair(try await store.faults())
        #expect(try store.readNow { try $0.cached(Self.clean)?.pending } == nil)
        #expect(try await store.faults() == [])
    }

    @Test func `a record that can't be searched any more is found again after the repair`() async throws {
        try store.writeNow { try $0.execute("DELETE FROM search") }
        #expect(try store.writeNow { try $0.index.search(["milk"], limit: 5) }.isEmpty)
        _ = try await store.repair(try await store.faults())
        #expect(try store.writeNow { try $0.index.search(["milk"], limit: 5) }.count == 2)
    }
}

@Suite struct IndexFaultTests {
    private let store: LocalStore
    private let places: ListPlaces

    /// A cache with both of its indexes, of the list in another time zone than the tests.
    init() throws {
        store = try .inMemory()
        let zone = try #require(TimeZone(identifier: "Pacific/Kiritimati"))
        places = ListPlaces(
            .standard, dates: .init(now: Date(timeIntervalSince1970: 1), calendar: LocalTime.calendar(in: zone)))
        try store.writeNow { [places] cache in
            let tasks: [String: JSONObject] = [
                "milk": ["title": "Oat milk", "tags": ["shop"], "due": "2026-11-24"],
                "tax": ["title": "Tax", "due": "2026-11-24T16:00:00Z[Europe/Berlin]", "wait": "2030-01-01"],
                "plan": ["title": "Plan", "body": "Beds", "depends": ["milk"]],
                "done": ["title": "Old", "status": "completed"],
            ]
            for (id, fields) in tasks { try cache.edit(RecordKey(collection: "tasks", id: id), fields) }
            _ = try cache.index.search(["milk"], limit: 5)
            try cache.listIndex.begin(places)
            #expect(try cache.listIndex.update(places))
        }
    }

    @Test func `complete indexes have no faults`() async throws {
        #expect(try await store.faults() == [])
        #expect(try store.readNow { try $0.listIndex.isUpToDate(places) })
    }

    @Test(
        arguments: [
            (CacheFault.Kind.wrongSearchIndex, "UPDATE search SET title = 'Oats'", 4),
            (.wrongSearchIndex, "UPDATE search SET labels = NULL", 1),
            (.wrongSearchIndex, "UPDATE search SET body = 'ghost' WHERE title = 'Tax'", 1),
            (.wrongListIndex, "UPDATE list_places SET key = x'00' WHERE key IS NOT NULL", 3),
            (.wrongListIndex, "UPDATE list_places SET key = NULL", 3),
            (.wrongListIndex, "UPDATE list_places SET hidden = coalesce(hidden, 0) + 1", 4),
            (.wrongListIndex, "UPDATE list_places SET linked = 0", 1),
            (.wrongListIndex, "UPDATE list_places SET space = 2", 4),
        ])
    func `entries other than those of the records are counted and repaired`(
        kind: CacheFault.Kind, sql: String, count: Int
    ) async throws {
        try store.writeNow { try $0.execute(sql) }
        let faults = try await store.faults()
        #expect(faults == [CacheFault(kind, count: count)])
        _ = try await store.repair(faults)
        #expect(try await store.faults() == [])
        #expect(try store.writeNow { try $0.index.search(["oat"], limit: 5) }.count == 1)
    }

    @Test func `records that were changed since they were indexed are no faults`() async throws {
        try store.writeNow { cache in
            _ = try cache.edit(RecordKey(collection: "tasks", id: "milk"), ["title": "Bread", "due": .null])
        }
        #expect(try await store.faults() == [])
    }
}

@Suite struct PurgeTests {
    private let store: LocalStore
    private let day: UInt64 = 86_400_000
    private let deletedAt = UInt64(1_795_238_520_000)

    init() throws {
        store = try .inMemory()
        try store.writeNow { cache in
            for (id, deleted) in [("old", true), ("again", true), ("live", false)] {
                let key = RecordKey(collection: "tasks", id: id)
                try cache.store(CachedRecord(record: serverRecord(key, deleted: deleted)), for: key)
            }
            try cache.edit(RecordKey(collection: "tasks", id: "again"), ["title": "Revived"])
        }
    }

    private func held(_ id: String) throws -> Bool {
        try store.readNow { try $0.cached(RecordKey(collection: "tasks", id: id)) } != nil
    }

    @Test func `only acknowledged tombstones are purged after the retention time`() throws {
        #expect(try store.writeNow { try $0.replica.purgeTombstones(at: deletedAt + 89 * day) } == 0)
        #expect(try store.writeNow { try $0.replica.purgeTombstones(at: deletedAt + 92 * day) } == 1)
        #expect(try !held("old"))
        #expect(try held("again") && held("live"))
    }

    @Test func `nothing is purged during a full read`() throws {
        try store.writeNow { try $0.replica.setCursor(nil, reading: ["mode": "first"]) }
        #expect(try store.writeNow { try $0.replica.purgeTombstones(at: deletedAt + 92 * day) } == 0)
    }

    @Test func `a purge is not repeated within the hour`() throws {
        #expect(try store.writeNow { try $0.replica.purgeTombstones(at: deletedAt + 92 * day) } == 1)
        let key = RecordKey(collection: "tasks", id: "other")
        try store.writeNow { try $0.store(CachedRecord(record: serverRecord(key, deleted: true)), for: key) }
        #expect(try store.writeNow { try $0.replica.purgeTombstones(at: deletedAt + 92 * day + 60_000) } == 0)
        #expect(try store.writeNow { try $0.replica.purgeTombstones(at: deletedAt + 93 * day) } == 1)
    }

    @Test func `a purge keeps the digest`() throws {
        try store.writeNow { _ = try $0.replica.purgeTombstones(at: deletedAt + 92 * day) }
        #expect(try store.readNow { try $0.replica.state().digest == $0.replica.countedDigest() })
    }
}
