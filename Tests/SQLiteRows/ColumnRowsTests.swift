import Foundation
import GRDB
import SQLiteRows
import Testing

@Suite("Rows by position")
struct ColumnRowsTests {
    private let queue: DatabaseQueue

    init() throws {
        queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t (a INTEGER, b TEXT, c BLOB)")
            try db.execute(sql: "INSERT INTO t VALUES (NULL, 'é', x'00ff'), (2, NULL, NULL)")
        }
    }

    @Test("A row has its values, and null in its first column is a row as well")
    func values() throws {
        try queue.read { db in
            let rows = try ColumnRows(db.makeStatement(sql: "SELECT a, b, c FROM t ORDER BY rowid"), [])
            let first = try #require(try rows.next())
            #expect(first[0] as Int64? == nil)
            #expect(first[1] as String == "é")
            #expect(first[2] as Data == Data([0, 255]))
            let second = try #require(try rows.next())
            #expect(second[0] as Int64 == 2)
            #expect(second[1] as String? == nil)
            #expect(try rows.next() == nil)
        }
    }

    @Test("A statement can be executed again after its first row")
    func again() throws {
        try queue.read { db in
            let statement = try db.makeStatement(sql: "SELECT b FROM t WHERE b = ? OR ? IS NULL")
            for _ in 0..<2 {
                #expect(try ColumnRows.first(of: statement, ["é", 0]) { $0[0] as String } == "é")
                #expect(try ColumnRows.first(of: statement, ["e", 0]) { $0[0] as String } == nil)
                #expect(try ColumnRows.all(of: statement, ["e", nil]) { $0[0] as String? } == ["é", nil])
            }
        }
    }
}
