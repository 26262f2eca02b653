import GRDB
import Testing

@testable import SQLiteServerStore

/// The plans of the statements for counted attempts, which callers without a password cause.
@Suite struct AttemptStatementTests {
    @Test(arguments: AttemptStatement.allCases)
    func aStatementReadsNoRowThatItDoesNotNeed(_ statement: AttemptStatement) throws {
        let database = try DatabaseQueue()
        try ServerSchema.migrator(epoch: "e").migrate(database)
        let steps = try database.read { db in
            let plan = try db.makeStatement(sql: "EXPLAIN QUERY PLAN " + statement.sql)
            // A plan doesn't depend on the values.
            plan.setUncheckedArguments(StatementArguments(Array(repeating: 1, count: statement.arguments)))
            return try Row.fetchAll(plan).map { $0["detail"] as String }
        }
        #expect(!steps.contains { $0.contains("TEMP B-TREE") }, "it sorts rows: \(steps)")
        // In the order of an index, which `LIMIT` ends.
        let scans = steps.filter { $0.hasPrefix("SCAN") && !$0.contains("USING COVERING INDEX") }
        #expect(scans.isEmpty, "it reads all rows: \(steps)")
        #expect(steps.contains { $0.hasPrefix("SCAN") } == (statement == .trim), "\(steps)")
    }
}

extension AttemptStatement {
    fileprivate var arguments: Int { sql.count { $0 == "?" } }
}
