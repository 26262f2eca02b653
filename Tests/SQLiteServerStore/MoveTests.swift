import Foundation
import GRDB
import ServerCore
import TestSupport
import Testing

@testable import SQLiteServerStore

@Suite struct MoveTests {
    @Test func everyTableAndColumnIsMoved() throws {
        let store = try SQLiteServerStore()
        let present = try store.database.read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT tables.name, columns.name FROM sqlite_master AS tables JOIN pragma_table_info(tables.name) AS columns
                    WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite_%' AND tables.name NOT LIKE 'grdb_%'
                    """
            ).map { "\($0[0] as String).\($0[1] as String)" }
        }
        let moved = StoreTable.all.flatMap { table in table.columns.map { "\(table.name).\($0.name)" } }
        // The epoch is moved apart from the tables; triggers count the attempts.
        let others = ["meta.name", "meta.value", "attempt_total.id", "attempt_total.count"]
        #expect(Set(present) == Set(moved + others))
    }

    @Test func theTargetOfAnUnfinishedMoveIsRefusedByServersAndCommands() async throws {
        try await withTemporaryDirectory { directory in
            let target = try await SQLiteServerStore.openForMove(directory: directory)
            try await target.write { try $0.setMoveMark(.unfinished(source: "postgres://h/d")) }
            try target.close()
            let database = directory.appending(path: "server.sqlite").path
            let refusal = StoreOpeningError.unfinished(database: database, source: "postgres://h/d")
            await #expect(throws: refusal) { try await SQLiteServerStore.open(directory: directory) }
            await #expect(throws: refusal) { try await SQLiteServerStore.openShared(directory: directory) }
            try await SQLiteServerStore.openForMove(directory: directory).shutDown()
        }
    }

    @Test func theSourceOfAMoveIsRefusedByServersAndCommandsUntilItIsMarkedAsRestored() async throws {
        try await withTemporaryDirectory { directory in
            let source = try await SQLiteServerStore.openForMove(directory: directory)
            try await source.write { try $0.setMoveMark(.moved(target: "postgres://h/d")) }
            try source.close()
            let database = directory.appending(path: "server.sqlite")
            let refusal = StoreOpeningError.moved(database: database.path, target: "postgres://h/d")
            await #expect(throws: refusal) { try await SQLiteServerStore.open(directory: directory) }
            await #expect(throws: refusal) { try await SQLiteServerStore.openShared(directory: directory) }
            _ = try SQLiteServerStore.restore(database, to: directory, now: 1)
            try await SQLiteServerStore.open(directory: directory).shutDown()
        }
    }

    @Test func aMarkOfANewerVersionIsRefusedByServersAndCommands() async throws {
        try await withTemporaryDirectory { directory in
            let store = try await SQLiteServerStore.openForMove(directory: directory)
            try await store.write { try $0.setMoveMark(.unknown("later x")) }
            try store.close()
            let refusal = StoreOpeningError.unknownMark(database: directory.appending(path: "server.sqlite").path)
            await #expect(throws: refusal) { try await SQLiteServerStore.open(directory: directory) }
            await #expect(throws: refusal) { try await SQLiteServerStore.openShared(directory: directory) }
        }
    }

    @Test(arguments: [MoveMark.unfinished(source: "postgres://h/d"), .moved(target: "postgres://h/d")])
    func aDatabaseThatAMoveExcludesIsNotBackedUp(mark: MoveMark) async throws {
        try await withTemporaryDirectory { directory in
            let data = directory.appending(path: "data")
            let store = try await SQLiteServerStore.openForMove(directory: data)
            try await store.write { try $0.setMoveMark(mark) }
            try store.close()
            let backup = directory.appending(path: "backup")
            #expect {
                try SQLiteServerStore.backup(directory: data, to: backup)
            } throws: { error in
                switch error {
                case StoreOpeningError.unfinished(_, "postgres://h/d"), StoreOpeningError.moved(_, "postgres://h/d"):
                    true
                default: false
                }
            }
            #expect(!FileManager.default.fileExists(atPath: backup.path))
        }
    }

    @Test func aFileWithoutTablesIsNoSource() async throws {
        try await withTemporaryDirectory { directory in
            let database = directory.appending(path: "server.sqlite")
            try Data().write(to: database)
            await #expect(throws: StoreOpeningError.noTables(database: database.path)) {
                try await SQLiteServerStore.openForMove(directory: directory, use: .moveSource)
            }
            try await SQLiteServerStore.openForMove(directory: directory).shutDown()
            try await SQLiteServerStore.openForMove(directory: directory, use: .moveSource).shutDown()
        }
    }

    @Test func aDatabaseOfAnotherProgramIsNoSourceAndIsNotChanged() async throws {
        try await withTemporaryDirectory { directory in
            let database = directory.appending(path: "server.sqlite")
            let other = try DatabaseQueue(path: database.path)
            try await other.write { db in try db.execute(sql: "CREATE TABLE birds (name TEXT)") }
            try other.close()
            let before = try Data(contentsOf: database)
            await #expect(throws: StoreOpeningError.noTables(database: database.path)) {
                try await SQLiteServerStore.openForMove(directory: directory, use: .moveSource)
            }
            #expect(try Data(contentsOf: database) == before)
            let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            #expect(!names.contains { $0.hasSuffix("-wal") || $0.hasSuffix("-shm") })
        }
    }

    @Test func aMissingFileIsNoSourceAndIsNotCreated() async throws {
        try await withTemporaryDirectory { directory in
            let database = directory.appending(path: "server.sqlite")
            await #expect(throws: StoreOpeningError.noTables(database: database.path)) {
                try await SQLiteServerStore.openForMove(directory: directory, use: .moveSource)
            }
            #expect(!FileManager.default.fileExists(atPath: database.path))
        }
    }

    @Test func aSourceWhoseServerWasKilledIsReadWithItsLog() async throws {
        try await withTemporaryDirectory { directory in
            let live = directory.appending(path: "live")
            let store = try await SQLiteServerStore.open(directory: live)
            // A copy of the files while the store is open is what a killed process leaves.
            let copy = directory.appending(path: "copy")
            try FileManager.default.createDirectory(
                at: copy, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            for part in ["", "-wal"] {
                try FileManager.default.copyItem(
                    at: live.appending(path: "server.sqlite\(part)"), to: copy.appending(path: "server.sqlite\(part)"))
            }
            let source = try await SQLiteServerStore.openForMove(directory: copy, use: .moveSource)
            let epochs = (try await store.read { try $0.epoch() }, try await source.read { try $0.epoch() })
            #expect(epochs.0 == epochs.1)
            try await source.shutDown()
            try await store.shutDown()
        }
    }

    @Test func aMoveAndAServerExcludeEachOther() async throws {
        try await withTemporaryDirectory { directory in
            let server = try await SQLiteServerStore.open(directory: directory)
            await #expect(throws: StoreOpeningError.inUse(directory: directory.path)) {
                try await SQLiteServerStore.openForMove(directory: directory)
            }
            try await server.shutDown()
            let move = try await SQLiteServerStore.openForMove(directory: directory)
            await #expect(throws: StoreOpeningError.inUse(directory: directory.path)) {
                try await SQLiteServerStore.open(directory: directory)
            }
            try await move.shutDown()
        }
    }

    @Test func aMoveAndACommandOfTheOwnerExcludeEachOther() async throws {
        try await withTemporaryDirectory { directory in
            try await SQLiteServerStore.open(directory: directory).shutDown()
            let command = try await SQLiteServerStore.openShared(directory: directory)
            await #expect(throws: StoreOpeningError.commandRunning(directory: directory.path)) {
                try await SQLiteServerStore.openForMove(directory: directory)
            }
            try await command.shutDown()
            let move = try await SQLiteServerStore.openForMove(directory: directory)
            await #expect(throws: StoreOpeningError.beingRestored(directory: directory.path)) {
                try await SQLiteServerStore.openShared(directory: directory)
            }
            try await move.shutDown()
        }
    }
}
