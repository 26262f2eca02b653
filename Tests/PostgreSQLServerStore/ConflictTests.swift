import Foundation
import ServerCore
import Synchronization
import Testing

@testable import PostgreSQLServerStore

/// Two threads that wait for each other.
private final class Meeting: Sendable {
    private let arrivals = Mutex(0)

    /// Number of arrivals so far.
    var count: Int { arrivals.withLock { $0 } }

    /// Blocks until two have arrived, for a minute at most.
    func arrive() {
        arrivals.withLock { $0 += 1 }
        let end = ContinuousClock.now + .seconds(60)
        while count < 2, ContinuousClock.now < end { usleep(1_000) }
    }
}

/// Transactions that are in each other's way.
@Suite(.enabled(if: TestDatabase.server != nil, "\(TestDatabase.reason)"))
struct ConflictTests {
    @Test(arguments: [PostgreSQLServerStore.attempts - 1, PostgreSQLServerStore.attempts])
    func aTransactionThatOthersDisturbEachTimeIsTriedALimitedNumberOfTimes(disturbances: Int) async throws {
        try await TestDatabase.with { database in
            let store = try await PostgreSQLServerStore.open(database.address)
            try await store.write { try $0.insertSpace(id: "s") }
            let isDone: Bool
            do {
                try await store.write { tx in
                    let version = try tx.space("s")?.version ?? 0
                    // Another transaction changes the row that was read. The row counts these changes.
                    if version < disturbances {
                        let other = try PostgreSQLConnection(to: ConnectionTarget(database.address))
                        try other.command("UPDATE spaces SET version = version + 1")
                    }
                    try tx.update(SpaceRow(id: "s", version: 100))
                }
                isDone = true
            } catch StoreFailure.busy {
                isDone = false
            }
            #expect(isDone == (disturbances < PostgreSQLServerStore.attempts))
            let version = try await store.read { try $0.space("s")?.version }
            #expect(version == (isDone ? 100 : Int64(disturbances)))
            await store.shutDown()
        }
    }

    @Test func twoTransactionsThatWaitForEachOtherAreBothCarriedOut() async throws {
        try await TestDatabase.withStore { store in
            try await store.write { tx in for id in ["a", "b"] { try tx.insertSpace(id: id) } }
            let meeting = Meeting()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (first, second) in [("a", "b"), ("b", "a")] {
                    group.addTask {
                        try await store.write { tx in
                            try Self.increment(first, in: tx)
                            // Sends the update: from now on, the transaction has the lock of the row.
                            _ = try tx.space(first)
                            meeting.arrive()
                            // Each waits for the other one's lock, until PostgreSQL ends one of them (40P01).
                            try Self.increment(second, in: tx)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(meeting.count > 2, "one of them has begun again")
            let versions = try await store.read { tx in try ["a", "b"].map { try tx.space($0)?.version } }
            #expect(versions == [2, 2])
        }
    }

    private static func increment(_ id: String, in tx: any StoreWriting) throws {
        guard var space = try tx.space(id) else { return }
        space.version += 1
        try tx.update(space)
    }
}
