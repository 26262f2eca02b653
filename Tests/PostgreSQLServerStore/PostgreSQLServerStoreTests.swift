import Foundation
import Records
import ServerCore
import SyncAPI
import TestSupport
import Testing

@testable import PostgreSQLServerStore

@Suite(.enabled(if: TestDatabase.server != nil, "\(TestDatabase.reason)"))
struct PostgreSQLServerStoreTests {
    @Test("PostgreSQL:", arguments: ServerStoreConformance.checks)
    func conforms(_ check: ServerStoreConformance) async throws {
        // During a move, a store has a single connection that writes.
        try await TestDatabase.withStore(use: check.movesData ? .moveTarget : .server) { try await check.run($0) }
    }

    @Test func aReopenedDatabaseHasItsDataAndItsEpoch() async throws {
        try await TestDatabase.with { database in
            let first = try await PostgreSQLServerStore.open(database.address, epoch: "first")
            try await first.write { try $0.insertSpace(id: "s") }
            await first.shutDown()
            let second = try await PostgreSQLServerStore.open(database.address, epoch: "second")
            #expect(try await second.read { try $0.epoch() } == "first")
            #expect(try await second.read { try $0.space("s") } != nil)
            await second.shutDown()
        }
    }

    @Test func processesThatStartAtOnceCreateTheTablesOnce() async throws {
        try await TestDatabase.with { database in
            let epochs = try await withThrowingTaskGroup(of: String.self) { group in
                for number in 1...6 {
                    group.addTask {
                        let store = try await PostgreSQLServerStore.open(
                            database.address, connections: 2, epoch: "epoch-\(number)")
                        let epoch = try await store.read { try $0.epoch() }
                        await store.shutDown()
                        return epoch
                    }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(epochs.count == 1)
        }
    }

    @Test func whatOneProcessHasCommittedAnotherReads() async throws {
        try await TestDatabase.with { database in
            let first = try await PostgreSQLServerStore.open(database.address)
            let second = try await PostgreSQLServerStore.open(database.address)
            for number in 1...20 {
                try await (number.isMultiple(of: 2) ? first : second).write { try $0.insertSpace(id: "s\(number)") }
                let other = number.isMultiple(of: 2) ? second : first
                #expect(try await other.read { try $0.space("s\(number)") } != nil)
            }
            await first.shutDown()
            await second.shutDown()
        }
    }

    @Test("An invitation for one account is used once, however many processes read it at the same time")
    func serializable() async throws {
        try await TestDatabase.with { database in
            var stores: [PostgreSQLServerStore] = []
            for _ in 1...3 { stores.append(try await PostgreSQLServerStore.open(database.address)) }
            let invite = StoredInvite(id: "i", codeHash: [1], note: "", uses: 1, createdAt: 1, expiresAt: 9)
            try await stores[0].write { try $0.insert(invite) }
            let uses = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<24 {
                    group.addTask { [store = stores[number % 3]] in
                        try await store.write { tx in
                            guard let found = try tx.invite(codeHash: [1]), found.isUsable(now: 2) else { return false }
                            try tx.countUse(ofInvite: "i")
                            return true
                        }
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(uses == 1)
            #expect(try await stores[0].read { try $0.invite(codeHash: [1])?.used } == 1)
            for store in stores { await store.shutDown() }
        }
    }

    @Test("Two transactions that each read what the other one writes have the effect of one after the other")
    func writeSkew() async throws {
        try await TestDatabase.withStore { store in
            try await store.write { tx in for id in ["a", "b"] { try tx.insertSpace(id: id) } }
            // Each increments its own space if the other one is still unchanged.
            let increments = try await withThrowingTaskGroup(of: Bool.self) { group in
                for (own, other) in [("a", "b"), ("b", "a")] {
                    group.addTask {
                        try await store.write { tx in
                            guard try tx.space(other)?.version == 0 else { return false }
                            usleep(20_000)
                            try tx.update(SpaceRow(id: own, version: 1))
                            return true
                        }
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(increments == 1)
        }
    }

    @Test func aTextWithTheCharacterZeroIsRefusedAndNotShortened() async throws {
        try await TestDatabase.withStore { store in
            await #expect {
                try await store.write { try $0.insertSpace(id: "a\u{0}b") }
            } throws: { ($0 as? PostgreSQLError)?.state == "22021" }
            let shortened = try await store.read { try $0.space("a") }
            #expect(shortened == nil)
        }
    }

    @Test func anErrorOfAStatementThatIsSentWithTheCommitUndoesTheOthers() async throws {
        try await TestDatabase.with { database in
            let store = try await PostgreSQLServerStore.open(database.address, connections: 2)
            for id in ["a", "b"] {
                await #expect {
                    try await store.write { tx in
                        try tx.insertSpace(id: id)
                        try tx.insertSpace(id: "\u{0}")
                    }
                } throws: { ($0 as? PostgreSQLError)?.state == "22021" }
            }
            // On the only connection for writes, whose transaction must have ended.
            try await store.write { try $0.insertSpace(id: "b") }
            #expect(try await store.read { tx in try ["a", "b"].filter { try tx.space($0) != nil } } == ["b"])
            await store.shutDown()
        }
    }

    @Test func connectionsThatTheServerHasEndedAreReplaced() async throws {
        try await TestDatabase.with { database in
            let store = try await PostgreSQLServerStore.open(database.address, connections: 4)
            for round in 1...5 {
                try await store.write { try $0.insertSpace(id: "s\(round)") }
                try await database.run(
                    """
                    SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity
                    WHERE datname = '\(database.name)' AND pid <> pg_backend_pid()
                    """)
            }
            #expect(try await store.read { tx in try (1...5).filter { try tx.space("s\($0)") == nil } } == [])
            await store.shutDown()
        }
    }

    @Test func aTransactionThatHoldsASpaceForTooLongDelaysOthersForALimitedTime() async throws {
        try await TestDatabase.with { database in
            let store = try await PostgreSQLServerStore.open(database.address)
            try await store.write { try $0.insertSpace(id: "s") }
            // Another program holds the space's lock, and does not go on until its connection is ended.
            let holder = Task {
                try await database.run("SELECT pg_advisory_lock(\(SpaceLock.key(of: "s"))), pg_sleep(3600)")
            }
            let held = """
                FROM pg_locks JOIN pg_database ON pg_database.oid = database
                WHERE datname = '\(database.name)' AND locktype = 'advisory' AND granted
                  AND mode = 'ExclusiveLock'
                """
            while try await database.run("SELECT 1::text \(held)").isEmpty {}
            await #expect {
                try await store.write { _ = try $0.lockSpace("s") }
            } throws: { error in
                if case StoreFailure.busy = error { true } else { false }
            }
            try await database.run("SELECT pg_terminate_backend(pid)::text \(held)")
            _ = await holder.result
            try await store.write { _ = try $0.lockSpace("s") }
            await store.shutDown()
        }
    }

    @Test func aWrongNumberOfBytesIsAFault() async throws {
        try await TestDatabase.with { database in
            let store = try await PostgreSQLServerStore.open(database.address)
            try await store.write { try $0.insertSpace(id: "s") }
            let before = try await store.faults()
            try await database.run("UPDATE spaces SET bytes = 7")
            let after = try await store.faults()
            #expect(before == [])
            #expect(after == ["the bytes of the space s differ from its records"])
            await store.shutDown()
        }
    }

    @Test("The disk's size and the numbers of the content are known")
    func statistics() async throws {
        try await TestDatabase.withStore { store in
            try await store.write { try $0.insertSpace(id: "s") }
            let statistics = try await store.statistics()
            #expect(statistics.accounts == 0)
            #expect(statistics.usedBytes == 0)
            #expect(statistics.databaseBytes ?? 0 > 0)
        }
    }
}

/// The order of versions with several stores over one database, as several processes have.
@Suite(.enabled(if: TestDatabase.server != nil, "\(TestDatabase.reason)"))
struct VersionOrderTests {
    @Test("Readers of eight writers on three stores meet no gap and see each version once, in order")
    func order() async throws {
        // In seconds; the long form is a command with a longer time.
        let time = ProcessInfo.processInfo.environment["SATCHEL_ORDER_SECONDS"].flatMap(Int.init) ?? 2
        try await TestDatabase.with { database in
            var stores: [PostgreSQLServerStore] = []
            for _ in 1...3 { stores.append(try await PostgreSQLServerStore.open(database.address)) }
            try await stores[0].write { try $0.insertSpace(id: "s") }
            let end = ContinuousClock.now + .seconds(time)
            let (written, seen) = try await withThrowingTaskGroup(of: Run.self) { group in
                for number in 0..<8 {
                    group.addTask { [store = stores[number % 3]] in
                        var count: Int64 = 0
                        // At least one: the readers wait for the first.
                        repeat {
                            try await Self.write(
                                "w\(number)-\(count)", to: store, isAnnounced: number.isMultiple(of: 2))
                            count += 1
                        } while ContinuousClock.now < end
                        return .writer(count)
                    }
                    group.addTask { [store = stores[(number + 1) % 3]] in
                        .reader(try await Self.follow(store, until: end))
                    }
                }
                return try await group.reduce(into: (0 as Int64, [Int64]())) { all, run in
                    switch run {
                    case .writer(let count): all.0 += count
                    case .reader(let version): all.1.append(version)
                    }
                }
            }
            #expect(written > 0)
            #expect(try await stores[0].read { try $0.space("s")?.version } == written)
            #expect(seen.count == 8 && seen.allSatisfy { $0 > 0 })
            for store in stores { await store.shutDown() }
        }
    }

    private enum Run: Sendable {
        case writer(Int64), reader(Int64)
    }

    private struct Gap: Error {
        let after: Int64
        let found: Int64
    }

    private static func write(_ id: String, to store: PostgreSQLServerStore, isAnnounced: Bool) async throws {
        try await store.write { tx in
            if isAnnounced {
                try tx.willChange([RecordKey(collection: "tasks", id: id)], in: "s", session: "none")
            }
            guard var space = try tx.lockSpace("s") else { throw Gap(after: 0, found: 0) }
            space.version += 1
            try tx.put(
                [
                    RawRecord(
                        key: RecordKey(collection: "tasks", id: id), version: space.version, deleted: false,
                        modifiedAt: "2026-11-21T05:22:00.123Z", modifiedBy: "d", fields: "{}", clock: "{}")
                ], in: "s")
            try tx.update(space)
        }
    }

    /// Reads the changes as a device does, and returns the last version.
    private static func follow(_ store: PostgreSQLServerStore, until end: ContinuousClock.Instant) async throws -> Int64
    {
        var position: Int64 = 0
        while ContinuousClock.now < end || position == 0 {
            position = try await store.read { [position] tx in
                var last = position
                var gap: Gap?
                try tx.visitChanges(ChangeRange(after: position, tombstonesAfter: position), in: "s") { record in
                    if record.version != last + 1 { gap = Gap(after: last, found: record.version) }
                    last = record.version
                    return gap == nil
                }
                if let gap { throw gap }
                // The page also covers everything up to the space's version.
                guard let version = try tx.space("s")?.version, version == last else {
                    throw Gap(after: last, found: try tx.space("s")?.version ?? -1)
                }
                return last
            }
        }
        return position
    }
}
