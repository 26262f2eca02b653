import GRDB
import Locking
import Notebook
import Records
import Testing

@testable import LocalStore

@Suite("Plans of queries", .timeLimit(.minutes(5)))
struct QueryPlanTests {
    private let store: LocalStore
    private let notebook: Notebook
    private let queries = Locked<[String]>([])

    init() throws {
        store = try LocalStore(inMemoryWithWall: { 1_000_000_000_000 }, types: .standard)
        notebook = Notebook(store: store, terminal: "test")
        store.queue.inDatabase { [queries] db in
            db.trace { event in
                let text = event.expandedDescription
                queries.withLock { $0.append(text) }
            }
        }
    }

    /// Returns the steps of SQLite's plan for the last query that contains a text.
    private func plan(ofQueryWith text: String) throws -> [String] {
        let query = try #require(queries.withLock { $0.last { $0.contains(text) } })
        return try store.queue.inDatabase { db in
            try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + query).map { $0["detail"] as String }
        }
    }

    @Test func `a list reads records with links by their row numbers, not all records`() async throws {
        _ = try await notebook.add(["Milk"], to: TaskRecord.type)
        _ = try await notebook.list()
        let plan = try plan(ofQueryWith: "list_places WHERE linked")
        #expect(plan.first == "SEARCH records USING INTEGER PRIMARY KEY (rowid=?)")
    }

    @Test func `a list finds parts and their parents by their ids, not by reading all records`() async throws {
        for title in ["Shelf", "Book"] { _ = try await notebook.add([title], to: TaskRecord.type) }
        _ = try await notebook.edit(.references(["Book"]), ["partof:Shelf"])
        #expect(try await notebook.list().rows.map(\.depth) == [0, 1])
        let plan = try plan(ofQueryWith: "CROSS JOIN list_places p")
        #expect(plan.contains("SEARCH r USING INDEX records_by_id (id=?)"))
        #expect(plan.contains("SEARCH p USING INTEGER PRIMARY KEY (rowid=?)"))
    }

    @Test func `what is too large to be received is found without reading all records`() async throws {
        #expect(try store.readNow { try $0.replica.oversized().isEmpty })
        let plan = try plan(ofQueryWith: "FROM oversized o")
        #expect(plan.prefix(2) == ["SCAN o", "SEARCH r USING INTEGER PRIMARY KEY (rowid=?)"])
    }

    @Test func `a purge reads old tombstones alone, not all records`() throws {
        #expect(try store.writeNow { try $0.replica.purgeTombstones(at: 1_000_000_000_000) } == 0)
        let plan = try plan(ofQueryWith: "FROM records WHERE deleted = 1")
        #expect(plan.contains("SEARCH records USING INDEX tombstones (space=? AND modified_at<?)"))
        #expect(plan.filter { $0.hasPrefix("SCAN") } == [])
    }

    @Test(arguments: ["seen", "former"])
    func `the marks of a full read are removed without reading all records`(table: String) throws {
        try store.writeNow { cache throws in
            try cache.replica.beginFullRead(["mode": "x"], afterRestore: false)
            try cache.replica.endFullRead()
        }
        let plan = try plan(ofQueryWith: "DELETE FROM \(table) WHERE")
        #expect(plan.first == "SCAN \(table)")
        #expect(plan.last == "SEARCH records USING INTEGER PRIMARY KEY (rowid=?)")
    }

    @Test func `the digest is counted in the order of the table, not of an index`() throws {
        _ = try store.readNow { try $0.replica.countedDigest() }
        let plan = try plan(ofQueryWith: "LEFT JOIN mirrors m")
        #expect(plan.first == "SCAN r")
        #expect(plan.dropFirst().filter { $0.hasPrefix("SCAN") } == [])
    }

    @Test func `the collections of the stored records are found by one search for each, not by reading all records`()
        throws
    {
        try store.writeNow { try $0.replica.beginFullRead(["mode": "x"], afterRestore: false) }
        let plan = try plan(ofQueryWith: "held (name)")
        #expect(plan.filter { $0.contains("(space=? AND collection>?)") }.count == 1)
        #expect(plan.filter { $0.hasPrefix("SCAN records") } == [])
    }

    @Test func `the deletion of old conflicts reads conflicts alone, not all records`() throws {
        try store.writeNow { cache throws in
            _ = try cache.replica.purgeTombstones(at: 1_000_000_000_000)
            _ = try cache.conflicts.forgetOldConflicts()
        }
        let plan = try plan(ofQueryWith: "modified_at <> ''")
        let reads = plan.filter { $0.hasPrefix("SEARCH records") || $0.hasPrefix("SCAN records") }
        #expect(reads == ["SEARCH records USING INDEX sqlite_autoindex_records_1 (space=? AND collection=?)"])
    }

    @Test func `titles are searched in the order of the table, not of an index`() throws {
        #expect(try store.readNow { try $0.index.keys(titleContaining: "milk", limit: 5) } == [])
        let plan = try plan(ofQueryWith: "LIKE '%milk%'")
        #expect(plan.first == "SCAN records")
    }
}
