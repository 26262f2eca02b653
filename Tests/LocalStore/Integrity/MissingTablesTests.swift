import Foundation
import Records
import TestSupport
import Testing

@testable import LocalStore

@Suite struct MissingTablesTests {
    private let temporary = TemporaryHome()
    private var home: Home { temporary.home }

    private static func kind(of name: String) -> String {
        switch name {
        case "records_by_id", "list_places_by_key", "outbox_by_at", "outbox_sent", "list_places_linked", "tombstones":
            "INDEX"
        case "search_inserted", "search_updated", "search_deleted", "list_inserted", "list_updated": "TRIGGER"
        default: "TABLE"
        }
    }

    @Test func `a new cache has the parts that are looked for, and no others`() async throws {
        let store = try LocalStore.inMemory()
        let names = try store.readNow { try MissingTables.names(in: $0) }
        #expect(names.subtracting(MissingTables.essential) == Set(MissingTables.others + ["grdb_migrations"]))
        #expect(names.isSuperset(of: MissingTables.essential))
    }

    @Test(arguments: MissingTables.others)
    func `a missing part is created again when the cache is opened, and nothing else is lost`(name: String) async throws
    {
        try await fill()
        try await remove([name])
        try await expectWhole()
    }

    @Test func `all of them may be missing at once`() async throws {
        try await fill()
        try await remove(MissingTables.others.filter { !$0.hasPrefix("search_") || $0 == "search_stale" })
        try await expectWhole()
    }

    private func fill() async throws {
        let store = try LocalStore(home: home)
        try store.writeNow { cache in
            try cache.edit(.init(collection: "tasks", id: "milk"), ["title": "Oat milk"])
            _ = try cache.index.search(["milk"], limit: 5)
        }
    }

    private func remove(_ names: [String]) async throws {
        let store = try LocalStore(home: home)
        try await store.inspect { cache in
            try cache.execute("PRAGMA foreign_keys = OFF")
            for name in names where try MissingTables.names(in: cache).contains(name) {
                try cache.execute("DROP \(Self.kind(of: name)) \(name)")
            }
        }
    }

    private func expectWhole() async throws {
        let store = try LocalStore(home: home)
        let notice = try await store.removeNotice()
        #expect(notice?.contains("were created again") == true)
        #expect(try store.readNow { try MissingTables($0).names } == [])
        #expect(try await store.faults() == [])
        // Its triggers work.
        try store.writeNow { _ = try $0.edit(.init(collection: "tasks", id: "bread"), ["title": "Rye bread"]) }
        #expect(try store.writeNow { try $0.index.search(["milk"], limit: 5) }.count == 1)
        #expect(try store.writeNow { try $0.index.search(["rye"], limit: 5) }.count == 1)
        #expect(try store.readNow { try $0.outbox.unsent().records } == 2)
        _ = try LocalStore(home: home)
        #expect(try await store.removeNotice() == nil)
    }
}
