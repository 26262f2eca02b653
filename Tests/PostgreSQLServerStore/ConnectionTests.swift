import ServerCore
import Testing

@testable import PostgreSQLServerStore

/// The deadlines of a connection, and the connections that another one ends.
@Suite(.enabled(if: TestDatabase.server != nil, "\(TestDatabase.reason)"))
struct ConnectionTests {
    @Test func aLongStatementThatWaitsForTheNextOneHasALongDeadline() async throws {
        try await TestDatabase.with { database in
            let answer = try await TestDatabase.connected(to: database.address) { connection in
                connection.patience = .seconds(2)
                try connection.transaction(.serializable) { connection in
                    try connection.withLongStatements { try connection.enqueue("SELECT pg_sleep(3)") }
                }
                #expect(connection.patience == .seconds(2))
                return try connection.execute("SELECT 7::bigint").first?.int(0)
            }
            #expect(answer == 7)
        }
    }

    @Test func aLongStatementThatWaitsForTheNextOneAndFailsUndoesTheTransaction() async throws {
        try await TestDatabase.with { database in
            try await database.run("CREATE TABLE numbers (number bigint PRIMARY KEY)")
            await #expect {
                try await TestDatabase.connected(to: database.address) { connection in
                    try connection.transaction(.serializable) { connection in
                        try connection.enqueue("INSERT INTO numbers VALUES (1)")
                        try connection.withLongStatements { try connection.enqueue("INSERT INTO numbers VALUES (1)") }
                    }
                }
            } throws: { ($0 as? PostgreSQLError)?.isDuplicate == true }
            let rows = try await database.run("SELECT number::text FROM numbers")
            #expect(rows.isEmpty)
        }
    }

    @Test func statementsThatAreSentTogetherHaveOneDeadline() async throws {
        try await TestDatabase.with { database in
            let isUsable = try await TestDatabase.connected(to: database.address) { connection in
                connection.patience = .seconds(2)
                // Less than the deadline each, but not together.
                for _ in 1...12 { try connection.enqueue("SELECT pg_sleep(0.5)") }
                #expect {
                    try connection.sendWaiting()
                } throws: { ($0 as? PostgreSQLError)?.message == "the server did not answer in time" }
                return connection.isUsable
            }
            #expect(!isUsable)
        }
    }

    @Test func anAnswerThatDoesNotArriveInTimeIsTheLossOfTheConnection() async throws {
        try await TestDatabase.with { database in
            let isUsable = try await TestDatabase.connected(to: database.address) { connection in
                connection.patience = .seconds(1)
                #expect {
                    try connection.execute("SELECT pg_sleep(20)")
                } throws: { ($0 as? PostgreSQLError)?.message == "the server did not answer in time" }
                return connection.isUsable
            }
            #expect(!isUsable)
        }
    }

    @Test func aConnectionThatMayHaveALockAfterItsDeadlineIsNotUsedAgain() async throws {
        try await TestDatabase.with { database in
            let isUsable = try await TestDatabase.connected(to: database.address) { holder in
                try holder.waitForLock(7)
                let connection = try PostgreSQLConnection(to: ConnectionTarget(database.address))
                try connection.command("SET lock_timeout = 100")
                #expect {
                    try connection.transaction(.serializable, behind: 7) { _ in }
                } throws: { ($0 as? PostgreSQLError)?.state == "55P03" }
                return connection.isUsable
            }
            #expect(!isUsable)
        }
    }

    @Test func aConnectionThatCanNotReleaseALockIsNotUsedAgain() async throws {
        try await TestDatabase.with { database in
            let isUsable = try await TestDatabase.connected(to: database.address) { connection in
                // Prepares the statement of the release, the first one, which the transaction then removes.
                connection.unlock(PostgreSQLConnection.SessionLock(key: 7))
                #expect(connection.isUsable)
                try connection.transaction(.serializable, behind: 7) { _ = try $0.command("DEALLOCATE s0") }
                return connection.isUsable
            }
            #expect(!isUsable)
        }
    }

    @Test func aSessionThatHasALockMayNotBeIdleForLongAndOthersMay() async throws {
        try await TestDatabase.with { database in
            // Version 14 has the setting.
            let isKnown = try await database.run("SELECT 1::text FROM pg_settings WHERE name = 'idle_session_timeout'")
            if !isKnown.isEmpty {
                try await database.run("ALTER DATABASE \(database.name) SET idle_session_timeout = '90min'")
            }
            let timeouts = try await TestDatabase.connected(to: database.address) { connection in
                func timeout() throws -> String {
                    let setting = "SELECT coalesce(current_setting('idle_session_timeout', true), '')"
                    return try connection.command(setting).first?.text(0) ?? ""
                }
                let held = try connection.waitForLock(7)
                var found = try [timeout()]
                connection.unlock(held)
                found.append(try timeout())
                // Within a transaction and after it, also for a connection that has to stay.
                try connection.stayOpen()
                found.append(try connection.transaction(.serializable, behind: 7) { _ in try timeout() })
                found.append(try timeout())
                return found
            }
            #expect(timeouts == (isKnown.isEmpty ? ["", "", "", ""] : ["10s", "90min", "10s", "0"]))
        }
    }

    @Test func anIdleSessionThatHasALockIsEndedAndAnotherOneGetsTheLock() async throws {
        try await TestDatabase.with { database in
            let known = try await database.run("SELECT 1::text FROM pg_settings WHERE name = 'idle_session_timeout'")
            if known.isEmpty { return }
            let isLost = try await TestDatabase.connected(to: database.address) { frozen -> Bool in
                try frozen.waitForLock(7)
                let connection = try PostgreSQLConnection(to: ConnectionTarget(database.address))
                // Without the deadline for locks, it waits until the other session has ended.
                try connection.command("SET lock_timeout = 0")
                try connection.transaction(.serializable, behind: 7) { _ in }
                do throws(PostgreSQLError) {
                    try frozen.command("SELECT 1")
                    return false
                } catch {
                    return error.isLoss
                }
            }
            #expect(isLost)
        }
    }

    @Test func theServerAsksWhetherTheOtherMachineIsThere() async throws {
        try await TestDatabase.with { database in
            let setting = "SELECT current_setting('tcp_keepalives_idle')"
            let idle = try await database.run(setting)
            #expect(idle == [["10"]])
        }
    }

    @Test func aTransactionWhoseFirstErrorIsCaughtFails() async throws {
        try await TestDatabase.with { database in
            let answer = try await TestDatabase.connected(to: database.address) { connection in
                #expect {
                    try connection.transaction(.serializable) { connection in
                        // `try?`: a transaction that ignores an error must not be taken for one that has done its work.
                        _ = try? connection.execute("SELECT 1 / 0")
                    }
                } throws: { ($0 as? PostgreSQLError)?.state == "25P02" }
                #expect(!connection.isInTransaction)
                return try connection.execute("SELECT 7::bigint").first?.int(0)
            }
            #expect(answer == 7)
        }
    }

    @Test func theOnlyStatementOfASnapshotIsSentWithItsBeginAndItsEnd() async throws {
        try await TestDatabase.with { database in
            let answer = try await TestDatabase.connected(to: database.address) { connection in
                let answer = try connection.transaction(.snapshot) { connection in
                    try connection.executeOnly("SELECT 7::bigint", []).first?.int(0)
                }
                #expect(connection.answeredBatches == 1)
                #expect(!connection.isInTransaction)
                return answer
            }
            #expect(answer == 7)
        }
    }

    @Test func aSnapshotWithAFurtherStatementBeginsAgain() async throws {
        try await TestDatabase.with { database in
            let answers = try await TestDatabase.connected(to: database.address) { connection in
                var runs = 0
                let answers = try connection.transaction(.snapshot) { connection in
                    runs += 1
                    let first = try connection.executeOnly("SELECT 7::bigint", []).first?.int(0)
                    // `try?`: whatever it does without the answer has no effect.
                    let second = try? connection.execute("SELECT 8::bigint").first?.int(0)
                    return [first, second]
                }
                #expect(runs == 2)
                #expect(!connection.isInTransaction)
                return answers
            }
            #expect(answers == [7, 8])
        }
    }

    @Test func anOnlyStatementThatFailsLeavesNoTransaction() async throws {
        try await TestDatabase.with { database in
            let answer = try await TestDatabase.connected(to: database.address) { connection in
                #expect {
                    try connection.transaction(.snapshot) { try $0.executeOnly("SELECT 1 / 0", []) }
                } throws: { ($0 as? PostgreSQLError)?.state == "22012" }
                #expect(!connection.isInTransaction)
                return try connection.execute("SELECT 7::bigint").first?.int(0)
            }
            #expect(answer == 7)
        }
    }

    @Test(
        "A change of the tables ends the connections of roles whose privileges its own role has",
        arguments: [
            // A member has a role's privileges only if it inherits them; PostgreSQL would refuse the others.
            ("INHERIT", "GRANT OTHER TO OWN", true), ("NOINHERIT", "GRANT OTHER TO OWN", false),
            ("INHERIT", "GRANT pg_signal_backend TO OWN", true), ("NOINHERIT", "GRANT pg_signal_backend TO OWN", false),
            ("INHERIT", "", false), ("SUPERUSER", "", true),
            ("INHERIT", "GRANT OTHER TO OWN; ALTER ROLE OTHER SUPERUSER", false),
            ("SUPERUSER", "ALTER ROLE OTHER SUPERUSER", true),
        ])
    func endOthers(attribute: String, grants: String, isEnded: Bool) async throws {
        try await TestDatabase.with { database in
            let (own, other) = ("own_\(database.name.suffix(12))", "other_\(database.name.suffix(12))")
            let statements = grants.replacing("OWN", with: own).replacing("OTHER", with: other)
            try await database.run("CREATE ROLE \(own) LOGIN \(attribute); CREATE ROLE \(other) LOGIN; \(statements)")
            let addresses = [own, other].map { database.address.replacing("postgres@", with: "\($0)@") }
            let found = try await TestDatabase.connected(to: addresses[1]) { others -> Bool in
                let lock = DatabaseLock(use: .server, server: "h")
                try lock.share(others)
                let connection = try PostgreSQLConnection(to: ConnectionTarget(addresses[0]))
                try lock.share(connection)
                try lock.endOthers(connection)
                do throws(PostgreSQLError) {
                    // A connection that is ended may not have noticed it yet.
                    try others.command(isEnded ? "SELECT pg_sleep(20)" : "SELECT 1")
                    return false
                } catch {
                    guard error.isLoss else { throw error }
                    return true
                }
            }
            #expect(found == isEnded)
            try await database.run("DROP ROLE \(own); DROP ROLE \(other)")
        }
    }
}
