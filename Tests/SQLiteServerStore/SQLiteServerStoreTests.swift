import Foundation
import GRDB
import Records
import ServerCore
import TestSupport
import Testing

@testable import SQLiteServerStore

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

    @Test(arguments: [0o720, 0o702, 0o777])
    func aDirectoryInWhichOtherUsersMayWriteIsRefused(mode: Int) async throws {
        try await withTemporaryDirectory { directory in
            let data = directory.appending(path: "data")
            try SQLiteServerStore(directory: data).close()
            #expect(chmod(data.path, mode_t(mode)) == 0)
            let refusal = StoreOpeningError.exposed(directory: data.path)
            #expect(throws: refusal) { try SQLiteServerStore(directory: data) }
            #expect(refusal.description.hasSuffix("run: chmod go-w '\(data.path)'"))
            #expect(chmod(data.path, 0o755) == 0)
            _ = try SQLiteServerStore(directory: data)
        }
    }

    @Test(arguments: [(1000, 1000, true), (1000, 1001, false), (0, 1000, true), (1000, 0, true)])
    func aDirectoryOfAnotherUserIsRefusedExceptByRoot(owner: UInt32, user: UInt32, isUsed: Bool) {
        let refusal = DirectoryLock.refusal(of: "/data", mode: 0o700, owner: owner, user: user)
        #expect(refusal == (isUsed ? nil : .foreign(directory: "/data")))
    }

    @Test func aDirectoryThatCannotBeCreatedIsNamed() {
        #expect {
            try SQLiteServerStore(directory: URL(filePath: "/dev/null/data"))
        } throws: { error in
            "\(error)" == "the data directory /dev/null/data can't be written: Not a directory"
        }
    }

    @Test func aDamagedDatabaseIsNamedWithWhatToDo() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.appending(path: "server.sqlite").path
            try Data("no database, whatever its name says, and long enough to have a header of SQLite's".utf8)
                .write(to: URL(filePath: path))
            await #expect {
                _ = try await SQLiteServerStore.open(directory: directory)
            } throws: { error in
                "\(error)".hasPrefix("the database \(path) is damaged (file is not a database); restore a backup")
            }
        }
    }

    @Test func aDatabaseOfANewerServerIsUnchanged() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.appending(path: "server.sqlite").path
            try await SQLiteServerStore.open(directory: directory).shutDown()
            let database = try DatabaseQueue(path: path)
            try await database.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('99: later')") }
            try database.close()
            #expect(throws: StoreOpeningError.newer(database: path)) {
                try SQLiteServerStore(directory: directory)
            }
        }
    }

    @Test func aFullDiskIsReportedAndNothingOfTheTransactionIsLeft() async throws {
        try await withTemporaryDirectory { directory in
            let store = try SQLiteServerStore(directory: directory)
            // SQLite reports a file that may not grow as a full disk.
            let pages = try #require(try store.pragma("page_count").flatMap(Int.init))
            _ = try store.pragma("max_page_count = \(pages)")
            await #expect(throws: StoreFailure.full(reason: "database or disk is full")) {
                try await store.write { tx in
                    for number in 0..<1_000 { try tx.insertSpace(id: "space-\(number)") }
                }
            }
            _ = try store.pragma("max_page_count = 1000000")
            try await store.write { try $0.insertSpace(id: "later") }
            #expect(
                try await store.read { try ($0.space("space-0") == nil, $0.space("later") == nil) } == (true, false))
        }
    }

    @Test func closingWaitsForATransactionUpToALimit() async throws {
        try await withTemporaryDirectory { directory in
            let store = try SQLiteServerStore(directory: directory)
            let (began, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            async let write: Void = store.write { tx in
                began.signal()
                mayEnd.wait()
                try tx.insertSpace(id: "s")
            }
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    began.wait()
                    continuation.resume()
                }
            }
            #expect(try await !store.shutDown(within: .milliseconds(1)))
            mayEnd.signal()
            try await write
            #expect(try await store.shutDown(within: .seconds(60)))
            let reopened = try SQLiteServerStore(directory: directory)
            #expect(try await reopened.read { try $0.space("s") != nil })
        }
    }

    @Test func aNewDirectoryIsPrivateToItsOwner() async throws {
        try await withTemporaryDirectory { parent in
            let directory = parent.appending(path: "data")
            let store = try SQLiteServerStore(directory: directory)
            let mode = try FileManager.default.attributesOfItem(atPath: directory.path)[.posixPermissions] as? Int
            #expect(mode == 0o700)
            try store.close()
        }
    }
}
