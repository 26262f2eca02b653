import Foundation
import GRDB
import Records
import ServerCore
import SyncAPI
import TestSupport
import Testing

@testable import SQLiteServerStore

/// Migration of outcomes that were stored as lines of JSON.
@Suite struct OutcomeMigrationTests {
    @Test func storedOutcomesKeepTheirResults() async throws {
        try await withTemporaryDirectory { directory in
            let file = StoreFiles().database(in: directory).path
            let database = try DatabaseQueue(path: file, configuration: SQLiteServerStore.configuration)
            try ServerSchema.migrator(epoch: "e").migrate(database, upTo: "6: ended sessions")
            let clock = #"{"*":"000000000005-0000-d","é, \n":"000000000006-0000-d"}"#
            let problem = #"{"code":"invalid-request","detail":"not \"a,\u0001b\"","status":422}"#
            let lines = [
                #"{"clock":\#(clock),"modifiedAt":"2025-11-21T05:22:00.123Z","status":"applied","version":7}"#,
                #"{"status":"conflict"}"#, #"{"problem":\#(problem),"status":"rejected"}"#,
                #"{"clock":{},"modifiedAt":"2025-11-21T05:22:00.123Z","status":"applied","version":8}"#,
            ]
            try await database.write { db in
                try db.execute(
                    sql:
                        "INSERT INTO accounts (id, username, password_hash, personal_space, created_at) VALUES ('anna', 'anna', 'h', 's', 1)"
                )
                let insert = """
                    INSERT INTO outcomes (account, device, key, request_hash, results, first_version, last_version, stored_at)
                    VALUES ('anna', 'd', ?, x'01', ?, ?, ?, ?)
                    """
                try db.execute(sql: insert, arguments: ["k", lines.joined(separator: "\n"), 7, 8, 0])
                try db.execute(sql: insert, arguments: ["none", "", nil, nil, 5])
            }
            try database.close()

            let store = try SQLiteServerStore(directory: directory)
            let (whole, empty, bytes) = try await store.read { tx in
                (
                    try tx.outcome(of: OutcomeKey(account: "anna", device: "d", key: "k")),
                    try tx.outcome(of: OutcomeKey(account: "anna", device: "d", key: "none")),
                    try tx.outcomeBytes(account: "anna")
                )
            }
            #expect(
                whole?.results == [
                    .applied(version: 7, clock: clock), .conflict, .rejected(problem: problem),
                    .applied(version: 8, clock: "{}"),
                ])
            #expect(whole?.versions == 7...8)
            #expect(whole?.storedAt == 1_763_702_520_123)
            #expect(empty?.results == [])
            #expect(empty?.storedAt == 5)
            #expect(bytes == whole.map { $0.bytes - Int64(StoredOutcome.rowBytes) }, "the results alone")
            try store.close()
        }
    }
}
