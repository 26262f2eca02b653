import GRDB
import ServerCore
import Testing

@testable import SQLiteServerStore

/// The plans of queries whose cost must not grow with the number of records.
@Suite struct QueryPlanTests {
    /// 1,000 records in 100 spaces. Ten consecutive records have one space. Every tenth record is deleted, two of these
    /// long ago.
    private static let rows = """
        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 100)
          INSERT INTO spaces (number, id, version, tombstone_floor, digest, records, bytes)
          SELECT n, 'space-' || n, 1000, 0, '', 9, 0 FROM numbers;
        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1000)
          INSERT INTO records (space, collection, id, version, deleted, modified_at, modified_by, clock, fields)
          SELECT 1 + n / 10 % 100, 'tasks', n, n, n % 10 = 0, iif(n <= 20, '2025-01-01', '2025-06-01'), 'd', '{}', '{}'
          FROM numbers;
        """

    /// Removes old tombstones as maintenance does.
    ///
    /// - Parameter hasStatistics: Whether SQLite has statistics of the tables, which change its choice of indexes.
    /// - Returns: The plans of the queries, in their order.
    private func plansOfRemoval(hasStatistics: Bool) throws -> [[String]] {
        let database = try DatabaseQueue()
        try ServerSchema.migrator(epoch: "e").migrate(database)
        return try database.write { db in
            try db.execute(sql: Self.rows)
            if hasStatistics { try db.execute(sql: "ANALYZE") }
            var traced: [String] = []
            db.trace { event in traced.append(event.expandedDescription) }
            let tx = SQLiteTransaction(db)
            var limit = RemovalLimit()
            let old = try tx.tombstones(before: "2025-02-01", limit: limit.rows)
            try #require(old.map(\.version).sorted() == [10, 20])
            for tombstone in old {
                let isOver = try tx.removeRevisions(of: tombstone.key, in: tombstone.space, limit: &limit)
                #expect(isOver)
                try tx.remove([tombstone], in: tombstone.space)
            }
            // Without the statements of triggers, which are comments.
            let queries = traced.filter { !$0.hasPrefix("--") }
            return try queries.map { query in
                try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + query).map { $0["detail"] as String }
            }
        }
    }

    @Test(arguments: [false, true])
    func `old tombstones are read in the order of their index, without sorting`(hasStatistics: Bool) throws {
        let plan = try plansOfRemoval(hasStatistics: hasStatistics).first
        #expect(
            plan == [
                "SEARCH records USING INDEX tombstones (modified_at<?)",
                "SEARCH spaces USING INTEGER PRIMARY KEY (rowid=?)",
            ])
    }

    @Test(arguments: [false, true])
    func `no query of a removal of old tombstones reads a whole table`(hasStatistics: Bool) throws {
        let steps = try plansOfRemoval(hasStatistics: hasStatistics).flatMap { $0 }
        #expect(steps.filter { $0.hasPrefix("SCAN") } == [])
    }
}
