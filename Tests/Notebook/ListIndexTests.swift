import Foundation
import LocalStore
import Records
import TestSupport
import Testing

@testable import Notebook

@Suite("The index of the list without a filter", .timeLimit(.minutes(5)))
final class ListIndexTests {
    private let store: LocalStore
    private let counter = Counter()
    private var now = Date(timeIntervalSince1970: 1_700_000_000)

    init() throws {
        store = try LocalStore(inMemoryWithWall: { 1_000_000_000_000 }, types: .standard)
    }

    private func notebook(in zone: String = "Europe/Berlin") throws -> Notebook {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: zone))
        let now = now
        return Notebook(
            store: store, now: { now }, calendar: calendar, makeID: counter.next, terminal: "test")
    }

    /// The ids of the list as a query selects and sorts them, without the index.
    private func selected(_ notebook: Notebook) throws -> [String] {
        let query = try Query([], dates: notebook.dates, types: .standard, scope: .open)
        return try store.readNow { query.select(from: try $0.rows(in: notebook.types.listed)).map(\.id) }
    }

    private func listed(_ notebook: Notebook) async throws -> [String] {
        let listing = try await notebook.list()
        #expect(listing.total == listing.rows.count)
        #expect(try store.readNow { try $0.listIndex.isUpToDate(ListPlaces(.standard, dates: notebook.dates)) })
        return listing.rows.map(\.record.key.id)
    }

    @Test("Many changed records are indexed on request; a few are left to the next search", arguments: [200, 201])
    func updatesIndexes(count: Int) async throws {
        try store.writeNow { cache in
            for number in 0..<count {
                let key = RecordKey(collection: "tasks", id: "r\(number)")
                try cache.edit(key, ["title": "Milk", "status": "pending"])
            }
        }
        try await notebook().updateIndexes()
        let isBehind = try store.readNow { cache in
            try !cache.listIndex.isUpToDate(ListPlaces(.standard, dates: notebook().dates))
        }
        #expect(isBehind == (count == 200))
        #expect(try await notebook().search(["milk"]).total == count)
    }

    @Test func `records with links are found by the index, apart from others`() async throws {
        try store.writeNow { cache in
            let records: [(String, JSONObject)] = [
                ("plain", ["title": "Milk", "body": "[ ] 2 l"]), ("text", ["title": "Plan", "body": "see [[Milk]]"]),
                ("fields", ["title": "Bread", "depends": ["plain"]]),
                ("both", ["title": "Oil", "depends": ["plain"], "body": "[[Milk]]"]),
            ]
            for (id, fields) in records { try cache.edit(RecordKey(collection: "tasks", id: id), fields) }
        }
        _ = try await notebook().list()
        func linked(_ condition: RowCondition) throws -> Set<String> {
            Set(try store.readNow { try $0.rows(in: ["tasks"], where: condition) }.map(\.id))
        }
        #expect(try linked(.linked(in: .text)) == ["text", "both"])
        #expect(try linked(.linked(in: .fields)) == ["fields", "both"])
        #expect(try linked(.linked(in: .fields, mentioning: "Oil")) == ["both"])
    }

    private static let dates: [JSONValue] = [
        "2023-11-14", "2023-11-15", "2023-11-14T23:00:00Z", "2023-11-14T22:13:20Z", "2023-11-14T22:13:21Z",
        "2023-11-15T00:00:00+01:00", "1950-01-01", "soon", "", 3,
    ]
    private static let values: [(field: String, values: [JSONValue])] = [
        ("title", ["Milk", "milk", "Ä", "A\u{308}", "\u{0}a", "\u{1}", "a", "ab", "💡"]),
        ("status", ["pending", "completed", "deleted", "", 1]), ("due", dates), ("wait", dates),
        ("priority", ["H", "M", "L", "X", 2]), ("entry", dates), ("end", dates), ("pinned", [true, false]),
    ]

    private func change(_ dice: inout some RandomNumberGenerator, _ count: Int) throws {
        try store.writeNow { cache in
            for _ in 0..<count {
                let collection = ["tasks", "tasks", "tasks", "notes", "lists"].randomElement(using: &dice) ?? "tasks"
                let key = RecordKey(collection: collection, id: "r\(Int.random(in: 0..<80, using: &dice))")
                var fields: JSONObject = [:]
                for (field, values) in Self.values where Int.random(in: 0..<3, using: &dice) > 0 {
                    fields[field] = values.randomElement(using: &dice)
                }
                let isDeleted = Int.random(in: 0..<8, using: &dice) == 0
                if isDeleted, try cache.cached(key)?.record.deleted == false {
                    try cache.delete(key)
                } else {
                    _ = try cache.edit(key, fields)
                }
            }
        }
    }

    @Test("The list has the records and the order of the query, after changes, in other time zones and at other times")
    func order() async throws {
        var dice = SeededRandom(seed: 12)
        for round in 0..<60 {
            try change(&dice, 15)
            now += Double.random(in: 0..<40_000, using: &dice)
            let zone = round % 4 == 3 ? "Pacific/Auckland" : round % 7 == 6 ? "UTC" : "Europe/Berlin"
            let notebook = try notebook(in: zone)
            #expect(try await listed(notebook) == selected(notebook), "round \(round)")
        }
    }

    @Test("A record appears when the time until which it waits has come")
    func waiting() async throws {
        _ = try await notebook().add(["Plan", "wait:tomorrow"], to: TaskRecord.type)
        #expect(try await listed(notebook()).isEmpty)
        now += 86_400
        #expect(try await listed(notebook()).count == 1)
    }

    @Test("A window has its records, their numbers and the total")
    func window() async throws {
        let notebook = try notebook()
        for number in 1...30 { _ = try await notebook.add(["Task \(number)"], to: TaskRecord.type) }
        let listing = try await notebook.list([], window: 10..<15)
        #expect(listing.total == 30)
        #expect(listing.offset == 10)
        #expect(listing.rows.map(\.record.titleOrID) == (11...15).map { "Task \($0)" })
        #expect(listing.rows.map(\.number) == Array(11...15))
        _ = try await notebook.complete(.references(["12"]))
        #expect(try await notebook.list(["limit:3"]).rows.map(\.record.titleOrID) == ["Task 1", "Task 2", "Task 3"])
        #expect(try await notebook.list().total == 29)
    }

    @Test("Parts are below their task, and dependencies count for the urgency")
    func links() async throws {
        let notebook = try notebook()
        for title in ["Shelf", "Book", "Box"] { _ = try await notebook.add([title], to: TaskRecord.type) }
        let before = try #require(try await notebook.list().rows.last?.urgency)
        _ = try await notebook.edit(.references(["Shelf"]), ["depends:Box"])
        let box = try #require(try await notebook.list().rows.last)
        #expect(try #require(box.urgency) > before)
        _ = try await notebook.edit(.references(["Box"]), ["partof:Shelf"])
        #expect(try await notebook.list().rows.map(\.record.titleOrID) == ["Shelf", "Box", "Book"])
    }

    @Test("A window of a list with parts is that of the whole list", arguments: 0..<20)
    func nestedWindows(seed: Int) async throws {
        var dice = SeededRandom(seed: UInt64(seed))
        let ids = (0..<40).map { "r\($0)" }
        try store.writeNow { cache in
            for id in ids {
                var fields: JSONObject = ["title": .string("Task \(Int.random(in: 0..<20, using: &dice))")]
                // Also a part of itself, cycles, parts of records that aren't listed, and parts in another section.
                if Int.random(in: 0..<3, using: &dice) == 0 {
                    fields["partof"] = ids.randomElement(using: &dice).map { .string($0) }
                }
                if Int.random(in: 0..<4, using: &dice) == 0 { fields["due"] = Self.dates.randomElement(using: &dice) }
                if Int.random(in: 0..<6, using: &dice) == 0 { fields["status"] = "completed" }
                try cache.edit(RecordKey(collection: "tasks", id: id), fields)
            }
        }
        let notebook = try notebook()
        func shown(_ listing: Listing) -> [String] {
            listing.rows.map { "\($0.number) \($0.record.key.id) \($0.depth)" }
        }
        // Every record lacks the tag; such a filter reads all records.
        let whole = try await notebook.list(["-missing"])
        #expect(whole.rows.contains { $0.depth > 0 })
        for first in stride(from: 0, to: whole.total, by: 3) {
            let window = first..<first + 7
            let listing = try await notebook.list([], window: window)
            #expect(listing.total == whole.total)
            #expect(shown(listing) == Array(shown(whole).dropFirst(first).prefix(7)), "\(window)")
        }
    }

    @Test("A list indexes more records than fit in one transaction")
    func batches() async throws {
        let count = RecordIndex.batch * 2 + 5
        try store.writeNow { cache in
            for number in 0..<count {
                _ = try cache.edit(RecordKey(collection: "tasks", id: "r\(number)"), ["title": "Milk"])
            }
        }
        let notebook = try notebook()
        #expect(try await notebook.list([], window: 0..<5).total == count)
        #expect(try await listed(notebook) == selected(notebook))
    }
}
