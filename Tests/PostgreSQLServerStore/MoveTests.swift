import ServerCore
import TestSupport
import Testing

@testable import PostgreSQLServerStore

@Suite(.enabled(if: TestDatabase.server != nil, "\(TestDatabase.reason)"))
struct MoveTests {
    @Test func everyTableAndColumnIsMoved() async throws {
        try await TestDatabase.with { database in
            try await PostgreSQLServerStore.open(database.address).shutDown()
            let present = try await database.run(
                "SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = 'public'"
            ).flatMap { $0 }
            let moved = StoreTable.all.flatMap { table in table.columns.map { "\(table.name).\($0.name)" } }
            // The epoch is moved apart from the tables.
            let others = ["meta.name", "meta.value", "migrations.name", "migrations.applied_at"]
            #expect(Set(present) == Set(moved + others))
        }
    }

    @Test func aMoveIsRefusedWhileAServerIsConnected() async throws {
        try await TestDatabase.with { database in
            let server = try await PostgreSQLServerStore.open(database.address)
            _ = try await server.read { try $0.epoch() }
            await #expect {
                try await PostgreSQLServerStore.open(database.address, use: .moveTarget)
            } throws: { error in
                if case PostgreSQLOpeningError.inUse = error { true } else { false }
            }
            await server.shutDown()
            try await PostgreSQLServerStore.open(database.address, use: .moveTarget).shutDown()
        }
    }

    @Test func duringAMoveServersAndCommandsAreRefused() async throws {
        try await TestDatabase.with { database in
            // This one has no connection when the move begins.
            let former = try await PostgreSQLServerStore.open(database.address)
            let move = try await PostgreSQLServerStore.open(database.address, use: .moveTarget)
            try await move.write { try $0.insertSpace(id: "s") }
            for use in [StoreUse.server, .command] {
                await #expect {
                    try await PostgreSQLServerStore.open(database.address, use: use)
                } throws: { error in
                    if case PostgreSQLOpeningError.beingMoved = error { true } else { false }
                }
            }
            await #expect {
                try await former.write { try $0.insertSpace(id: "t") }
            } throws: { error in
                if case StoreFailure.unavailable = error { true } else { false }
            }
            try await move.checkExclusiveUse()
            await move.shutDown()
            try await eventually("the former one connects again") {
                do {
                    try await former.write { try $0.insertSpace(id: "t") }
                    return true
                } catch StoreFailure.unavailable { return false }
            }
            await former.shutDown()
        }
    }

    @Test func aLostConnectionOfAMoveIsNoticed() async throws {
        try await TestDatabase.with { database in
            let move = try await PostgreSQLServerStore.open(database.address, use: .moveTarget)
            try await database.run(
                """
                SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity
                WHERE datname = '\(database.name)' AND pid <> pg_backend_pid()
                """)
            // PostgreSQL ends connections only after it has answered.
            try await eventually("the loss is noticed") {
                do {
                    try await move.checkExclusiveUse()
                    return false
                } catch StoreFailure.unavailable { return true }
            }
            // Others may have come in, so nothing is written with another connection.
            let mark = MoveMark.moved(target: "b")
            for _ in 1...2 {
                await #expect {
                    try await move.write { try $0.setMoveMark(mark) }
                } throws: { error in
                    guard case StoreFailure.unavailable(let reason) = error else { return false }
                    return reason.contains("held the exclusive lock")
                        && reason.contains("make sure that none is running")
                }
            }
            let marks = try await database.run("SELECT value FROM meta WHERE name = 'move'")
            #expect(marks.isEmpty)
            await move.shutDown()
        }
    }

    @Test func aMoveWritesWithTheConnectionThatKeepsOthersOut() async throws {
        try await TestDatabase.with { database in
            let move = try await PostgreSQLServerStore.open(database.address, use: .moveTarget)
            try await move.write { try $0.insertSpace(id: "s") }
            let holders = try await database.run(
                """
                SELECT pid::text FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND granted
                  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                """)
            let writer = try await move.write { tx in
                (tx as? PostgreSQLTransaction).map { "\($0.connection.serverProcess)" } ?? "none"
            }
            let processes = holders.flatMap { $0 }
            #expect(processes == [writer])
            await move.shutDown()
        }
    }

    @Test(arguments: [StoreUse.moveSource, .mark])
    func aDatabaseWithoutTablesIsNoSourceAndIsNotMarked(use: StoreUse) async throws {
        try await TestDatabase.with { database in
            await #expect {
                try await PostgreSQLServerStore.open(database.address, use: use)
            } throws: { error in
                if case PostgreSQLOpeningError.noTables = error { true } else { false }
            }
            let tables = try await database.run(
                "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'")
            #expect(tables.isEmpty)
        }
    }

    @Test func aSourceIsKeptForTheMoveAsATargetIs() async throws {
        try await TestDatabase.with { database in
            try await PostgreSQLServerStore.open(database.address).shutDown()
            let source = try await PostgreSQLServerStore.open(database.address, use: .moveSource)
            try await source.checkExclusiveUse()
            await #expect {
                try await PostgreSQLServerStore.open(database.address)
            } throws: { error in
                if case PostgreSQLOpeningError.beingMoved = error { true } else { false }
            }
            await source.shutDown()
        }
    }

    @Test(
        arguments: [
            (.unfinished(source: "a"), [.server, .command, .mark]), (.moved(target: "b"), [.server, .command]),
            (.unknown("later"), [.server, .command, .mark]),
        ] as [(MoveMark, [StoreUse])])
    func aDatabaseWithTheMarkOfAMoveIsRefused(mark: MoveMark, refused: [StoreUse]) async throws {
        try await TestDatabase.with { database in
            let store = try await PostgreSQLServerStore.open(database.address, use: .moveTarget)
            try await store.write { try $0.setMoveMark(mark) }
            await store.shutDown()
            for use in [StoreUse.server, .command, .mark, .moveTarget, .moveSource] {
                var isRefused = false
                do { try await PostgreSQLServerStore.open(database.address, use: use).shutDown() } catch {
                    isRefused =
                        switch error {
                        case PostgreSQLOpeningError.unfinished(_, "a"), PostgreSQLOpeningError.moved(_, "b"),
                            PostgreSQLOpeningError.unknownMark:
                            true
                        default: false
                        }
                }
                #expect(isRefused == refused.contains(use))
            }
        }
    }
}
