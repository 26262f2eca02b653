import Foundation
import GRDB
import ServerCore
import TestSupport
import Testing

@testable import SQLiteServerStore

/// The store of a command of the owner, next to a server.
@Suite struct SharedStoreTests {
    private func note(_ id: String, in store: SQLiteServerStore) async throws {
        try await store.write { tx in
            try tx.insert(
                StoredInvite(id: id, codeHash: Array(id.utf8), note: "", uses: 1, createdAt: 1, expiresAt: 2))
        }
    }

    @Test func aCommandAndAServerWriteInTurn() async throws {
        try await withTemporaryDirectory { directory in
            let server = try SQLiteServerStore(directory: directory)
            try await note("a", in: server)
            let command = try await SQLiteServerStore.openShared(directory: directory)
            #expect(try command.pragma("synchronous") == "2")
            try await note("b", in: command)
            try await note("c", in: server)
            try await command.shutDown()
            try await note("d", in: server)
            #expect(try await server.read { try $0.invites() }.map(\.id) == ["a", "b", "c", "d"])
            try server.close()
        }
    }

    @Test func aCommandBeforeTheFirstStartCreatesTheDatabaseAndKeepsServersOutMeanwhile() async throws {
        try await withTemporaryDirectory { directory in
            let command = try await SQLiteServerStore.openShared(directory: directory)
            try await note("a", in: command)
            #expect(throws: StoreOpeningError.inUse(directory: directory.path)) {
                try SQLiteServerStore(directory: directory)
            }
            try await command.shutDown()
            let server = try SQLiteServerStore(directory: directory)
            #expect(try await server.read { try $0.invites() }.count == 1)
            try server.close()
        }
    }

    /// Creates a database of an earlier schema.
    private func makeFormerDatabase(in directory: URL) throws {
        let path = StoreFiles().database(in: directory).path
        let database = try DatabaseQueue(path: path, configuration: SQLiteServerStore.configuration)
        try ServerSchema.migrator(epoch: "e").migrate(database, upTo: "9: pairs of tokens")
        try database.close()
    }

    @Test func aCommandMigratesADatabaseThatNoServerUses() async throws {
        try await withTemporaryDirectory { directory in
            try makeFormerDatabase(in: directory)
            let command = try await SQLiteServerStore.openShared(directory: directory)
            try await note("a", in: command)
            try await command.shutDown()
        }
    }

    @Test func aCommandRefusesTheDatabaseOfARunningServerOfAnEarlierVersion() async throws {
        try await withTemporaryDirectory { directory in
            try makeFormerDatabase(in: directory)
            let lock = try DirectoryLock(directory: directory, name: StoreFiles().lock)
            let path = StoreFiles().database(in: directory).path
            await #expect(throws: StoreOpeningError.usedByOtherVersion(database: path)) {
                try await SQLiteServerStore.openShared(directory: directory)
            }
            lock.release()
        }
    }
}
