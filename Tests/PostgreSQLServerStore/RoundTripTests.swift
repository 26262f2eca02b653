import Records
import ServerCore
import SyncAPI
import Testing

@testable import PostgreSQLServerStore

/// How often the transactions of a request wait for PostgreSQL: each time, two processes change from one thread to another.
@Suite(.enabled(if: TestDatabase.server != nil, "\(TestDatabase.reason)"))
struct RoundTripTests {
    private static let key = RecordKey(collection: "tasks", id: "a")

    private static func record(version: Int64) -> RawRecord {
        RawRecord(
            key: key, version: version, deleted: false, modifiedAt: "2026-11-21T05:22:00.123Z", modifiedBy: "d",
            fields: "{}", clock: "{}")
    }

    /// Returns how often a transaction waits. The database has the account `anna` with the session `x`, the token 1 and the
    /// space `s`, in which is a record.
    private func waits(
        _ isolation: PostgreSQLConnection.Isolation, _ body: @escaping @Sendable (PostgreSQLTransaction) throws -> Void
    ) async throws -> Int {
        try await TestDatabase.with { database in
            let store = try await PostgreSQLServerStore.open(database.address, connections: 2)
            try await store.write { tx in
                _ = try tx.insert(
                    StoredAccount(
                        id: "anna", username: "anna", passwordHash: "hash", personalSpace: "s", createdAt: 1))
                try tx.insertSpace(id: "s")
                try tx.setRole(.owner, of: "anna", in: "s")
                try tx.put(
                    StoredSession(
                        id: "x", account: "anna", device: "d", deviceName: "a device", createdAt: 1, lastSeenAt: 1))
                try tx.insert(
                    StoredToken(hash: [1], session: "x", kind: .access, generation: 0, pair: 0, expiresAt: 10))
                try tx.put([Self.record(version: 1)], in: "s")
                try tx.update(SpaceRow(id: "s", version: 1, records: 1))
            }
            await store.shutDown()
            return try await TestDatabase.connected(to: database.address) { connection in
                try connection.transaction(isolation) { try body(PostgreSQLTransaction($0)) }
                return connection.answeredBatches
            }
        }
    }

    @Test func aCallerIsRecognisedAtOnce() async throws {
        let count = try await waits(.snapshot) { tx in
            try tx.willReadCaller(token: [1], space: "s")
            #expect(try tx.token(hash: [1])?.session == "x")
            #expect(try tx.session(id: "x")?.device == "d")
            #expect(try tx.account(id: "anna")?.username == "anna")
            #expect(try tx.role(of: "anna", in: "s") == .owner)
        }
        #expect(count == 1)
    }

    @Test func anUnknownTokenIsRefusedAtOnce() async throws {
        let count = try await waits(.snapshot) { tx in
            try tx.willReadCaller(token: [2], space: "s")
            #expect(try tx.token(hash: [2])?.session == nil)
        }
        #expect(count == 1)
    }

    @Test func aRecordIsReadAtOnce() async throws {
        let count = try await waits(.snapshot) { tx in
            try tx.willReadRecord(Self.key, in: "s", by: "anna")
            #expect(try tx.role(of: "anna", in: "s") == .owner)
            #expect(try tx.records([Self.key], in: "s") == [Self.key: Self.record(version: 1)])
            #expect(try tx.space("s") == SpaceRow(id: "s", version: 1, records: 1, bytes: 4))
        }
        #expect(count == 1)
    }

    @Test func aPageOfChangesWaitsForItsSpaceItsRecordsAndItsCommit() async throws {
        let count = try await waits(.snapshot) { tx in
            try tx.willReadSpace("s", by: "anna")
            #expect(try tx.role(of: "anna", in: "s") == .owner)
            #expect(try tx.space("s")?.version == 1)
            #expect(try tx.epoch() != "")
            var found: [RawRecord] = []
            try tx.visitChanges(ChangeRange(after: 0, tombstonesAfter: 0), in: "s") { record in
                found.append(record)
                return true
            }
            #expect(found == [Self.record(version: 1)])
        }
        #expect(count == 3)
    }

    @Test func theRecordOfAPushIsReadWithItsVersion() async throws {
        let count = try await waits(.snapshot) { tx in
            #expect(try tx.space("s")?.version == 1)
            try tx.willReadRecords(of: [Self.key], in: "s")
            #expect(try tx.version(of: Self.key, in: "s") == 1)
            #expect(try tx.records([Self.key], in: "s") == [Self.key: Self.record(version: 1)])
        }
        // For the space, which has its number, for the record, and for the commit.
        #expect(count == 3)
    }

    @Test func theEpochIsReadOnce() async throws {
        let count = try await waits(.serializable) { tx in
            let epoch = try tx.epoch()
            try tx.update(SpaceRow(id: "s", version: 2))
            #expect(try tx.epoch() == epoch)
        }
        // With the commit.
        #expect(count == 2)
    }

    @Test func aChangeOfARecordWaitsForWhatItReadsAndForItsCommit() async throws {
        let count = try await waits(.serializable) { tx in
            try tx.willChange([Self.key], in: "s", session: "x")
            #expect(try tx.session(id: "x")?.device == "d")
            #expect(try tx.account(id: "anna")?.personalSpace == "s")
            #expect(try tx.role(of: "anna", in: "s") == .owner)
            var space = try #require(try tx.lockSpace("s"))
            #expect(try tx.outcomeBytes(account: "anna") == 0)
            space.version = 2
            space.digest.add(collection: "tasks", id: "a", version: 2)
            try tx.keepRevisions(of: [Self.key], in: "s", limit: 5)
            try tx.put([Self.record(version: 2)], in: "s")
            try tx.update(space)
            try tx.addToDigests(["tasks": space.digest], in: "s")
        }
        #expect(count == 2)
    }

    @Test func aSpaceThatOthersHaveLockedIsNotAwaitedByAnAnnouncedChange() async throws {
        try await TestDatabase.with { database in
            let store = try await PostgreSQLServerStore.open(database.address, connections: 2)
            try await store.write { try $0.insertSpace(id: "s") }
            await store.shutDown()
            try await TestDatabase.connected(to: database.address) { holder in
                try holder.execute("SELECT pg_advisory_lock($1)", [.int(SpaceLock.key(of: "s"))])
                let connection = try PostgreSQLConnection(to: ConnectionTarget(database.address))
                let transaction = PostgreSQLTransaction(connection)
                #expect(throws: SpaceIsLocked.self) {
                    try connection.transaction(.serializable) { _ in
                        try transaction.willChange([Self.key], in: "s", session: "none")
                        _ = try transaction.lockSpace("s")
                    }
                }
                #expect(transaction.lockedSpace == "s")
                #expect(!connection.isInTransaction)
            }
        }
    }
}
