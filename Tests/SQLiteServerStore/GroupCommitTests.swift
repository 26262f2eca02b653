import Foundation
import GRDB
import Testing

@testable import SQLiteServerStore

@Suite struct GroupCommitTests {
    /// Counts the commits of a database. Unchecked: GRDB calls observers on the writer's queue alone, and the test
    /// reads the count there, too.
    private final class Commits: TransactionObserver, @unchecked Sendable {
        var count = 0

        func observes(eventsOfKind kind: DatabaseEventKind) -> Bool { true }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseDidCommit(_ db: Database) { count += 1 }
        func databaseDidRollback(_ db: Database) {}
    }

    @Test func transactionsThatWaitForTheWriterShareOneCommit() async throws {
        let writer = try DatabaseQueue()
        try await writer.write { db in try db.execute(sql: "CREATE TABLE t (n INTEGER)") }
        let commits = Commits()
        writer.add(transactionObserver: commits, extent: .databaseLifetime)
        let group = GroupCommit(writer: writer, scheduling: .threads)
        let gate = DispatchSemaphore(value: 0)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            let (begun, begins) = AsyncStream.makeStream(of: Void.self)
            tasks.addTask {
                try await group.run { db, _ in
                    begins.finish()
                    gate.wait()
                    try db.execute(sql: "INSERT INTO t VALUES (0)")
                }
            }
            for await _ in begun {}
            for number in 1...20 {
                tasks.addTask {
                    try await group.run { db, _ in try db.execute(sql: "INSERT INTO t VALUES (\(number))") }
                }
            }
            while group.waitingCount < 20 { await Task.yield() }
            gate.signal()
            try await tasks.waitForAll()
        }
        let (rows, count) = try await writer.read { db in
            (try Int.fetchOne(db, sql: "SELECT count(*) FROM t"), commits.count)
        }
        #expect(rows == 21)
        #expect(count == 2)
    }
}
