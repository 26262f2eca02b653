import GRDB
import Locking
import Notebook
import Records
import Testing

@testable import LocalStore

@Suite("Plans of queries", .timeLimit(.minutes(5)))
struct QueryPlanTests {
    @Test func `a list reads records with links by their row numbers, not all records`() async throws {
        let store = try LocalStore(inMemoryWithWall: { 1_000_000_000_000 }, types: .standard)
        let notebook = Notebook(store: store, terminal: "test")
        _ = try await notebook.add(["Milk"], to: TaskRecord.type)
        let queries = Locked<[String]>([])
        store.queue.inDatabase { [queries] db in
            db.trace { event in
                let text = event.expandedDescription
                if text.contains("list_places WHERE linked") { queries.withLock { $0.append(text) } }
            }
        }
        _ = try await notebook.list()
        let query = try #require(queries.withLock { $0.last })
        let plan = try store.queue.inDatabase { db in
            try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + query).map { $0["detail"] as String }
        }
        #expect(plan.first == "SEARCH records USING INTEGER PRIMARY KEY (rowid=?)")
    }
}
