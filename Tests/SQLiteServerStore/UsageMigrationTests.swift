import Foundation
import GRDB
import Records
import ServerCore
import SyncAPI
import TestSupport
import Testing

@testable import SQLiteServerStore

/// Migration of a database whose usage counted only the fields of live records.
@Suite struct UsageMigrationTests {
    private static let key = RecordKey(collection: "tasks", id: "a")

    /// Opens a store on a database of the former schema.
    private func open(
        clock: String, deleted: Bool = false, _ body: (SQLiteServerStore) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            try Self.makeFormerDatabase(in: directory, clock: clock, deleted: deleted)
            let store = try SQLiteServerStore(directory: directory)
            try await body(store)
            try store.close()
        }
    }

    /// Creates a database of the former schema with one record and one revision of it, and an outcome.
    private static func makeFormerDatabase(in directory: URL, clock: String, deleted: Bool) throws {
        let file = StoreFiles().database(in: directory).path
        let database = try DatabaseQueue(path: file, configuration: SQLiteServerStore.configuration)
        try ServerSchema.migrator(epoch: "e").migrate(database, upTo: "3: revisions, old tombstones")
        try database.write { db in
            try db.execute(
                sql: """
                    INSERT INTO accounts VALUES ('anna', 'anna', 'hash', 's', 1);
                    INSERT INTO spaces VALUES (1, 's', 2, 0, '00000000000000000000000000000000', 1, 7);
                    INSERT INTO revisions VALUES (1, 'tasks', 'a', 1, 0, 'then', 'd', '{"*":"x"}', '{"n":"é"}');
                    INSERT INTO outcomes (account, device, key, request_hash, results) VALUES
                      ('anna', 'd', 'k', x'01', '{"problem":{"detail":"é"},"status":"rejected"}');
                    """)
            try db.execute(
                sql: "INSERT INTO records VALUES (1, 'tasks', 'a', 2, ?, 'now', 'd', ?, ?)",
                arguments: [deleted, clock, deleted ? "" : #"{"n":1}"#])
        }
        try database.close()
    }

    /// A clock object with this many entries for names that the record doesn't have.
    private func clock(_ count: Int) -> String {
        let names = (0..<count).map { #""name\#($0)":"000000000001-0000-device""# }
        return "{" + (names + [#""*":"all""#, #""n":"field""#]).joined(separator: ",") + "}"
    }

    @Test func usageIsCountedAgainFromWhatIsStored() async throws {
        try await open(clock: #"{"*":"x"}"#) { store in
            let bytes = try await store.read { tx in try tx.space("s")?.bytes }
            // {"n":1} and {"*":"x"}; {"n":"é"} and {"*":"x"}
            #expect(bytes == Int64(7 + 9 + 10 + 9))
            // {"detail":"é"} and a row.
            #expect(try await store.read { tx in try tx.outcomeBytes(account: "anna") } == 15 + 24)
        }
    }

    @Test func aRecordTooLargeForAnyDeviceKeepsTheClocksOfItsFields() async throws {
        try await open(clock: clock(60_000)) { store in
            let record = try await store.read { tx in try tx.records([Self.key], in: "s")[Self.key] }
            #expect(try JSONValue(parsing: record?.clock ?? "") == ["*": "all", "n": "field"])
            #expect(record?.fields == #"{"n":1}"#)
        }
    }

    @Test func aTombstoneTooLargeForAnyDeviceKeepsItsOverallClock() async throws {
        try await open(clock: clock(60_000), deleted: true) { store in
            let record = try await store.read { tx in try tx.records([Self.key], in: "s")[Self.key] }
            #expect(record?.clock == #"{"*":"all"}"#)
        }
    }

    @Test func aSmallerOneIsUnchanged() async throws {
        let clock = clock(10)
        try await open(clock: clock) { store in
            let record = try await store.read { tx in try tx.records([Self.key], in: "s")[Self.key] }
            #expect(record?.clock == clock)
        }
    }

    @Test func theMigrationUsesTheLimitOfTheProtocol() {
        #expect(Limits.recordBytes == 2_097_152)
    }
}
