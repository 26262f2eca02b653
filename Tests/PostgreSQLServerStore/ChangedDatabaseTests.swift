import Foundation
import ServerCore
import Synchronization
import TestSupport
import Testing

@testable import PostgreSQLServerStore

/// A sign between a test and a thread.
private final class Flag: Sendable {
    private let state = Mutex(false)

    func raise() { state.withLock { $0 = true } }

    /// Blocks until the flag is raised, for a minute at most.
    func wait() {
        let end = ContinuousClock.now + .seconds(60)
        while !state.withLock({ $0 }), ContinuousClock.now < end { usleep(1_000) }
    }
}

/// A database that others change while a server runs.
@Suite(.enabled(if: TestDatabase.server != nil, "\(TestDatabase.reason)"))
struct ChangedDatabaseTests {
    /// Changes the tables as a later version of the server does.
    private func upgrade(
        _ database: TestDatabase, from migrations: [PostgreSQLSchema.Migration],
        _ later: PostgreSQLSchema.Migration = PostgreSQLSchema.Migration(
            name: "99: later", sql: "ALTER TABLE spaces ADD COLUMN later bigint")
    ) async throws {
        let migrator = try Migrator(target: ConnectionTarget(database.address), migrations: migrations + [later])
        try await TestDatabase.connected(to: database.address) { connection in
            _ = try migrator.migrate(connection, epoch: "e", lock: DatabaseLock(use: .server, server: "h"))
        }
    }

    private func isUnavailable(_ error: any Error, _ words: String) -> Bool {
        if case StoreFailure.unavailable(let reason) = error { reason.contains(words) } else { false }
    }

    @Test func aRunningServerStopsWorkingOnceANewerOneHasChangedTheTables() async throws {
        try await TestDatabase.with { database in
            let store = try await PostgreSQLServerStore.open(database.address)
            // Each kind of connection is open.
            try await store.write { try $0.insertSpace(id: "s") }
            _ = try await store.read { try $0.epoch() }
            try await upgrade(database, from: PostgreSQLSchema.migrations)
            await #expect {
                _ = try await store.read { try $0.epoch() }
            } throws: { isUnavailable($0, "a newer version of the server has changed the tables") }
            await #expect {
                try await store.write { try $0.insertSpace(id: "t") }
            } throws: { isUnavailable($0, "a newer version of the server has changed the tables") }
            let spaces = try await database.run("SELECT id FROM spaces").flatMap { $0 }
            #expect(spaces == ["s"])
            await store.shutDown()
        }
    }

    @Test func aTransactionUnderWayHasNoEffectOnceANewerServerChangesTheTables() async throws {
        try await TestDatabase.with { database in
            let store = try await PostgreSQLServerStore.open(database.address)
            let (begun, begin) = AsyncStream<Void>.makeStream()
            let change = Flag()
            let transaction = Task {
                try await store.write { tx in
                    try tx.insertSpace(id: "s")
                    begin.yield()
                    change.wait()
                }
            }
            for await _ in begun { break }
            try await upgrade(database, from: PostgreSQLSchema.migrations)
            change.raise()
            await #expect(throws: StoreFailure.self) { try await transaction.value }
            let spaces = try await database.run("SELECT id FROM spaces").flatMap { $0 }
            #expect(spaces == [])
            await store.shutDown()
        }
    }

    @Test func anUpgradeThatFailsLeavesTheTablesAsTheyWere() async throws {
        try await TestDatabase.with { database in
            let store = try await PostgreSQLServerStore.open(database.address)
            try await store.write { try $0.insertSpace(id: "s") }
            let later = [
                PostgreSQLSchema.Migration(name: "98: later", sql: "ALTER TABLE spaces ADD COLUMN later bigint"),
                PostgreSQLSchema.Migration(name: "99: fails", sql: "ALTER TABLE missing ADD COLUMN later bigint"),
            ]
            await #expect(throws: PostgreSQLError.self) {
                try await upgrade(database, from: PostgreSQLSchema.migrations + [later[0]], later[1])
            }
            let names = try await database.run("SELECT name FROM migrations").flatMap { $0 }
            #expect(names.count == PostgreSQLSchema.migrations.count)
            let space = try await store.read { try $0.space("s") }
            #expect(space != nil, "the server of the earlier version goes on")
            await store.shutDown()
        }
    }

    @Test func aStoreKnowsWhetherItHasChangedTheTables() async throws {
        try await TestDatabase.with { database in
            try await TestDatabase.connected(to: database.address) { connection in
                try database.createFormerTables(connection)
            }
            for isChanged in [true, false] {
                let store = try await PostgreSQLServerStore.open(database.address, connections: 2)
                #expect(store.hasChangedTables == isChanged)
                await store.shutDown()
            }
        }
    }

    @Test func aCommandOfTheOwnerDoesNotChangeTheTablesOfRunningServers() async throws {
        try await TestDatabase.with { database in
            // As an earlier version that runs: the lock of its connection is shared.
            let (shared, share) = AsyncStream<Void>.makeStream()
            let end = Flag()
            let server = Task {
                try await TestDatabase.connected(to: database.address) { connection in
                    try database.createFormerTables(connection)
                    share.yield()
                    end.wait()
                }
            }
            for await _ in shared { break }
            for use in [StoreUse.command, .mark] {
                await #expect {
                    try await PostgreSQLServerStore.open(database.address, use: use)
                } throws: { error in
                    if case PostgreSQLOpeningError.usedByEarlierVersion = error { true } else { false }
                }
            }
            end.raise()
            try await server.value
            try await eventually("the connection has ended") {
                do {
                    try await PostgreSQLServerStore.open(database.address, use: .command).shutDown()
                    return true
                } catch PostgreSQLOpeningError.usedByEarlierVersion { return false }
            }
        }
    }

    @Test func serversThatStartAtOnceChangeTheTablesOnceAndAllStart() async throws {
        try await TestDatabase.with { database in
            try await TestDatabase.connected(to: database.address) { connection in
                try database.createFormerTables(connection)
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 1...6 {
                    group.addTask {
                        let store = try await PostgreSQLServerStore.open(database.address, connections: 2)
                        let epoch = try await store.read { try $0.epoch() }
                        #expect(epoch == "e")
                        await store.shutDown()
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func aLostRightIsNoFaultOfTheServerAndIsNamedWithWhatToDo() async throws {
        try await TestDatabase.with { database in
            let user = "user_\(database.name.suffix(12))"
            try await database.run("CREATE ROLE \(user) LOGIN; GRANT ALL ON SCHEMA public TO \(user)")
            let address = database.address.replacing("postgres@", with: "\(user)@")
            let store = try await PostgreSQLServerStore.open(address)
            try await store.write { try $0.insertSpace(id: "s") }
            try await database.run("REVOKE ALL ON spaces FROM \(user)")
            await #expect {
                _ = try await store.read { try $0.space("s") }
            } throws: { isUnavailable($0, "make it the owner") }
            try await database.run("GRANT ALL ON spaces TO \(user)")
            let space = try await store.read { try $0.space("s") }
            #expect(space != nil)
            await store.shutDown()
            try await database.run("DROP OWNED BY \(user) CASCADE; DROP ROLE \(user)")
        }
    }

    @Test func aMissingTableIsNoFaultOfTheServerAndIsNamedWithWhatToDo() async throws {
        try await TestDatabase.with { database in
            let store = try await PostgreSQLServerStore.open(database.address)
            try await database.run("ALTER TABLE spaces RENAME TO hidden")
            await #expect {
                _ = try await store.read { try $0.space("s") }
            } throws: { isUnavailable($0, "tables are missing: check the search_path") }
            await store.shutDown()
        }
    }

    @Test func aRowThatIsThereAlreadyIsAFaultAfterAFewAttempts() async throws {
        try await TestDatabase.withStore { store in
            try await store.write { try $0.insertSpace(id: "s") }
            let attempts = Mutex(0)
            await #expect(throws: DamagedStore.self) {
                try await store.write { tx in
                    attempts.withLock { $0 += 1 }
                    try tx.insertSpace(id: "s")
                }
            }
            let count = attempts.withLock { $0 }
            #expect(count == PostgreSQLServerStore.duplicateAttempts)
        }
    }

    @Test func aRowThatAnotherTransactionHasJustInsertedIsFound() async throws {
        try await TestDatabase.withStore { store in
            let made = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 1...8 {
                    group.addTask {
                        try await store.write { tx in
                            if try tx.space("s") != nil { return false }
                            try tx.insertSpace(id: "s")
                            return true
                        }
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(made == 1)
        }
    }
}
