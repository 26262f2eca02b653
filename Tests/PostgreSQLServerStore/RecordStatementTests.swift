import ServerCore
import Testing

@testable import PostgreSQLServerStore

@Suite(.enabled(if: TestDatabase.server != nil, "\(TestDatabase.reason)"))
struct RecordStatementTests {
    /// Returns the lines of PostgreSQL's plan for a query whose values aren't known.
    private static func plan(of query: String, in database: TestDatabase) async throws -> [String] {
        let count = (1...9).last { query.contains("$\($0)") } ?? 0
        let values = Array(repeating: "NULL", count: count).joined(separator: ", ")
        return try await database.run(
            """
            SET enable_seqscan = off; SET jit = off; SET plan_cache_mode = force_generic_plan;
            PREPARE statement AS \(query); EXPLAIN EXECUTE statement(\(values))
            """
        ).flatMap { $0 }
    }

    @Test(
        "In tables without statistics, a statement reads only the rows that it names:",
        arguments: RecordStatement.allCases)
    func plans(_ statement: RecordStatement) async throws {
        try await TestDatabase.with { database in
            try await PostgreSQLServerStore.open(database.address).shutDown()
            let plan = try await Self.plan(of: statement.sql, in: database)
            let scans = plan.filter { line in
                line.contains("Scan") && ["records", "revisions"].contains { line.contains(" on \($0)") }
            }
            // The second one is for tombstones, which are named by their versions, too.
            let allowed = ["records_pkey", "records_space_version_key", "revisions_pkey", "Tid Scan"]
            #expect(!scans.isEmpty)
            #expect(scans.filter { scan in !allowed.contains { scan.contains($0) } } == [], "\(plan)")
            let keys = plan.filter {
                $0.contains("Index Cond: ((space = $1) AND (collection = ") && $0.contains("(id = ")
            }
            #expect(keys.count == scans.filter { $0.contains("_pkey") }.count, "\(plan)")
        }
    }

    @Test(
        "A query that reads rows of several tables finds each row by its key:",
        arguments: [
            (PostgreSQLTransaction.callerQuery, 5), (PostgreSQLTransaction.sessionQuery, 4),
            (PostgreSQLTransaction.digestsQuery, 2), (PostgreSQLTransaction.spaceQuery, 3),
            (RecordStatement.withRole, 3),
        ])
    func plansOfQueries(_ query: String, tables: Int) async throws {
        try await TestDatabase.with { database in
            try await PostgreSQLServerStore.open(database.address).shutDown()
            let plan = try await Self.plan(of: query, in: database)
            let scans = plan.filter { $0.contains("Scan") && !$0.contains("Function Scan") }
            #expect(scans.count == tables, "\(plan)")
            #expect(scans.filter { !$0.contains("Index Scan") } == [], "\(plan)")
        }
    }

    @Test func oldTombstonesAreReadInTheOrderOfTheirIndexWithoutSorting() async throws {
        try await TestDatabase.with { database in
            try await PostgreSQLServerStore.open(database.address).shutDown()
            let plan = try await Self.plan(of: PostgreSQLTransaction.tombstonesQuery, in: database)
            #expect(plan.contains { $0.contains("Index Scan using tombstones on records") }, "\(plan)")
            #expect(!plan.contains { $0.contains("Sort") }, "\(plan)")
        }
    }

    @Test func anUpgradedDatabaseHasTheSamePlans() async throws {
        try await TestDatabase.with { database in
            try await TestDatabase.connected(to: database.address) { connection in
                try database.createFormerTables(connection)
            }
            try await PostgreSQLServerStore.open(database.address).shutDown()
            let index = try await database.run(
                "SELECT indexdef FROM pg_indexes WHERE indexname = 'changes_of_collection'"
            ).flatMap { $0 }
            #expect(index.count == 1)
            #expect(index.first?.hasSuffix("(space, ((collection || ''::text)), version)") == true)
        }
    }
}
