import Foundation
import GRDB
import Records
import SQLiteServerStore
import ServerCore
import Testing
import TestSupport

@Suite struct SQLiteServerStoreTests {
    @Test("On disk:", arguments: ServerStoreConformance.checks)
    func conformsOnDisk(_ check: ServerStoreConformance) async throws {
        try await withTemporaryDirectory { directory in
            try await check.run(SQLiteServerStore(directory: directory))
        }
    }

    @Test("In memory:", arguments: ServerStoreConformance.checks)
    func conformsInMemory(_ check: ServerStoreConformance) async throws {
        try await check.run(SQLiteServerStore())
    }

    @Test("Inline:", arguments: ServerStoreConformance.checks)
    func conformsInline(_ check: ServerStoreConformance) async throws {
        try await check.run(SQLiteServerStore(scheduling: .inline))
    }

    @Test func commitsAreSyncedToDisk() async throws {
        try await withTemporaryDirectory { directory in
            let store = try SQLiteServerStore(directory: directory)
            #expect(try store.pragma("synchronous") == "2")
            #expect(try store.pragma("journal_mode") == "wal")
            #expect(try store.pragma("foreign_keys") == "1")
        }
    }

    @Test func aReopenedDatabaseHasItsDataAndItsEpoch() async throws {
        try await withTemporaryDirectory { directory in
            let first = try SQLiteServerStore(directory: directory)
            let epoch = try await first.read { try $0.epoch() }
            try await first.write { try $0.insertSpace(id: "s") }
            try first.close()
            let second = try SQLiteServerStore(directory: directory)
            #expect(try await second.read { try $0.epoch() } == epoch)
            #expect(try await second.read { try $0.space("s") } != nil)
        }
    }

    @Test func aDirectoryServesOneServerAtATime() async throws {
        try await withTemporaryDirectory { directory in
            let first = try SQLiteServerStore(directory: directory)
            #expect(throws: StoreOpeningError.inUse(directory: directory.path)) {
                try SQLiteServerStore(directory: directory)
            }
            _ = try await first.read { try $0.epoch() }
        }
    }

    @Test func aDirectoryThatCannotBeMadeIsNamed() {
        #expect {
            try SQLiteServerStore(directory: URL(filePath: "/dev/null/data"))
        } throws: { error in
            "\(error)" == "the data directory /dev/null/data can't be written: Not a directory"
        }
    }

    @Test func aDamagedDatabaseIsNamedWithWhatToDo() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.appending(path: "satchel.sqlite").path
            try Data("no database, whatever its name says, and long enough to have a header of SQLite's".utf8)
                .write(to: URL(filePath: path))
            await #expect {
                _ = try await SQLiteServerStore.open(directory: directory)
            } throws: { error in
                "\(error)".hasPrefix("the database \(path) is damaged (file is not a database); restore a backup")
            }
        }
    }

    @Test func aDatabaseOfANewerServerIsLeftAlone() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.appending(path: "satchel.sqlite").path
            try await SQLiteServerStore.open(directory: directory).shutDown()
            let database = try DatabaseQueue(path: path)
            try await database.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('99: later')") }
            try database.close()
            #expect(throws: StoreOpeningError.newer(database: path)) {
                try SQLiteServerStore(directory: directory)
            }
        }
    }

    @Test func aNewDirectoryIsForItsOwnerAlone() async throws {
        try await withTemporaryDirectory { parent in
            let directory = parent.appending(path: "data")
            let store = try SQLiteServerStore(directory: directory)
            let mode = try FileManager.default.attributesOfItem(atPath: directory.path)[.posixPermissions] as? Int
            #expect(mode == 0o700)
            try store.close()
        }
    }
}
