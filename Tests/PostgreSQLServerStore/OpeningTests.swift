import Foundation
import ServerCore
import Testing

@testable import PostgreSQLServerStore

@Suite struct OpeningErrorTests {
    @Test(
        arguments: [
            ("53300", .tooManyConnections(server: "h", reason: "m")), ("42501", .forbidden(server: "h", reason: "m")),
            ("25006", .readOnly(server: "h")), ("53100", .full(server: "h")),
            ("57P03", .unreachable(server: "h", reason: "m")), ("42P01", nil),
        ] as [(String, PostgreSQLOpeningError?)])
    func anErrorWhileOpeningIsNamedWithWhatToDo(state: String, expected: PostgreSQLOpeningError?) {
        #expect(PostgreSQLOpeningError(PostgreSQLError(state: state, message: "m"), server: "h") == expected)
    }

    @Test(arguments: [
        ("FATAL: sorry, too many clients already", true), ("Connection refused", false),
    ])
    func aRefusedConnectionIsRecognisedByItsMessage(message: String, isBusy: Bool) {
        let error = PostgreSQLOpeningError(PostgreSQLError(state: nil, message: message), server: "h")
        #expect(
            error
                == (isBusy
                    ? .tooManyConnections(server: "h", reason: message) : .unreachable(server: "h", reason: message)))
    }

    @Test(
        arguments: [
            (nil, "unavailable"), ("57P01", "unavailable"), ("08006", "unavailable"), ("53300", "unavailable"),
            ("25006", "unavailable"), ("25P03", "unavailable"), ("25P04", "unavailable"), ("57P05", "unavailable"),
            ("53100", "full"), ("53400", "full"), ("55P03", "busy"), ("57014", "busy"), ("40001", "busy"),
            ("40P01", "busy"), ("42501", "unavailable"), ("42P01", "unavailable"), ("3D000", "unavailable"),
            ("28P01", "unavailable"), ("23505", "fault"), ("22021", "fault"),
        ] as [(String?, String)])
    func anErrorIsAConditionForClientsOrAFault(state: String?, kind: String) {
        let found =
            switch PostgreSQLError(state: state, message: "m").failure {
            case .unavailable: "unavailable"
            case .full: "full"
            case .busy: "busy"
            case nil: "fault"
            }
        #expect(found == kind)
    }

    @Test func aServerThatIsOlderThanTheOldestSupportedOneIsRefused() throws {
        let migrator = Migrator(target: try ConnectionTarget("postgres://h/d"))
        let expected = PostgreSQLOpeningError.tooOld(server: "h/d", version: "12")
        #expect(throws: expected) { try migrator.checkVersion(120_022) }
        #expect(throws: Never.self) { try migrator.checkVersion(130_000) }
    }

    @Test func anEarlierTimelineOfTheSameClusterIsRefused() {
        let newest = NewestHistory()
        let seen = ["7/00000001", "7/00000009", "7/00000009", "7/00000001", "8/00000001", "7/0000000A", "7/00000009"]
        #expect(seen.map { newest.admits($0) } == [true, true, true, false, true, true, false])
    }

    @Test func aTransactionForWhichNoConnectionWasFreeIsRefusedAndNotALoss() async throws {
        let target = try ConnectionTarget("postgres://127.0.0.1:1/x")
        let pool = ConnectionPool(target, connections: 1, patience: .zero) { _ in }
        await #expect {
            try await pool.run { _ in }
        } throws: { error in
            guard let error = error as? PostgreSQLError else { return false }
            return error.message == "no connection was free in time" && !error.isLoss
                && error.failure == .unavailable(reason: error.description)
        }
    }

    @Test(arguments: ["42501", "42P01", "3F000", "3D000", "28000", "28P01"])
    func aDatabaseThatWasChangedIsNamedWithWhatToDo(state: String) {
        let failure = PostgreSQLError(state: state, message: "m").failure
        #expect {
            if let failure { throw failure }
        } throws: { error in
            guard case StoreFailure.unavailable(let reason) = error else { return false }
            return reason.hasPrefix("m (\(state)); ") && reason.count > 40
        }
    }

    @Test(
        arguments: [
            (#"failed: FATAL:  database "none" does not exist"#, "the database is missing"),
            (#"failed: FATAL:  password authentication failed for user "a""#, "check its password"),
            (#"failed: FATAL:  no pg_hba.conf entry for host "h""#, "check its password"),
            (#"failed: FATAL:  role "a" does not exist"#, "check its password"),
            (#"failed: FATAL:  permission denied for database "d""#, "lacks a privilege"),
            ("failed: FATAL:  the database system is starting up", nil), ("Connection refused", nil),
        ] as [(String, String?)])
    func aRefusedConnectionIsNamedWithWhatToDo(message: String, words: String?) {
        let failure = PostgreSQLError(state: nil, message: message).failure
        guard let words else {
            #expect(failure == .unavailable(reason: message))
            return
        }
        #expect {
            if let failure { throw failure }
        } throws: { error in
            guard case StoreFailure.unavailable(let reason) = error else { return false }
            return reason.hasPrefix("\(message); ") && reason.contains(words)
        }
    }

    @Test(
        arguments: [
            // Connections of their own: direct, or through a pooler of sessions.
            (["1", "1"], ["2"], true),
            // The pooler hands out the connection that was used last, or first; each way with others in between.
            (["1", "1"], ["1"], false), (["1", "2"], ["1"], false), (["1", "2"], ["3"], false),
            (["1", "1", "1", "1"], ["2", "3"], false), (["1", "1", "1", "1"], ["2", "1"], false),
            ([], [], false),
        ] as [([String], [String], Bool)])
    func connectionsThatAPoolerAssignsAreRecognised(first: [String], second: [String], isOwn: Bool) {
        #expect(SessionCheck.isOwn(first, second) == isOwn)
    }

    @Test(arguments: [
        ("postgres://anna:secret@db.example.org/satchel", "db.example.org/satchel"),
        ("postgres://a:1,b:2/satchel?target_session_attrs=read-write", "a:1,b:2/satchel"),
        ("postgres://%2Frun%2Fpostgresql/satchel", "/run/postgresql/satchel"), ("host=db port=7", "db:7"),
    ])
    func theNameOfAnAddressHasNoPassword(address: String, name: String) throws {
        #expect(try ConnectionTarget(address).name == name)
    }

    @Test(
        arguments: [
            ("postgres://127.0.0.1:1,[::1],LOCALHOST/d", .local), ("postgres://%2Frun%2Fpostgresql/d", .local),
            ("postgres:///d", .local), ("host=localhost hostaddr=127.0.0.9", .local),
            ("postgres://h/d?sslmode=verify-full", .verified), ("postgres://10.0.0.1/d?sslmode=verify-ca", .verified),
            ("postgres://h/d?sslmode=disable", .unverified(mode: "disable")),
            ("postgres://h/d?sslmode=prefer", .unverified(mode: "prefer")), ("postgres://h/d", .unchosen),
            ("postgres://127.0.0.1,10.0.0.1/d", .unchosen), ("host=localhost hostaddr=10.0.0.1", .unchosen),
            ("service=main", .unchosen),
        ] as [(String, ConnectionProtection)])
    func theProtectionOfAConnectionIsThatOfItsAddress(address: String, expected: ConnectionProtection) throws {
        #expect(try ConnectionTarget(address, environment: [:]).protection == expected)
    }

    @Test(
        arguments: [
            ("postgres:///d", ["PGHOST": "h"], .unchosen), ("postgres:///d", ["PGHOSTADDR": "10.0.0.1"], .unchosen),
            ("postgres:///d", ["PGSERVICE": "main"], .unchosen), ("postgres://localhost/d", ["PGHOST": "h"], .local),
            ("postgres://h/d", ["PGSSLMODE": "verify-full"], .verified),
            ("postgres://h/d", ["PGSSLMODE": "require"], .unverified(mode: "require")),
            ("postgres://h/d?sslmode=verify-full", ["PGSSLMODE": "disable"], .verified),
        ] as [(String, [String: String], ConnectionProtection)])
    func whatTheAddressDoesNotSayIsThatOfTheEnvironment(
        address: String, environment: [String: String], expected: ConnectionProtection
    ) throws {
        #expect(try ConnectionTarget(address, environment: environment).protection == expected)
    }

    @Test func aServerOnAnotherMachineIsRefusedUnlessAModeIsChosen() async throws {
        let address = "postgres://anna:secret@192.0.2.1/satchel"
        // A variable of the person who runs the tests would choose one.
        try #require(ProcessInfo.processInfo.environment["PGSSLMODE"] == nil)
        await #expect {
            try await PostgreSQLServerStore.open(address)
        } throws: { error in
            guard case PostgreSQLOpeningError.unverified(let server) = error else { return false }
            return server == "192.0.2.1/satchel" && "\(error)".contains("sslmode=verify-full")
        }
    }

    @Test(arguments: ["postgres://a:secret@[::1/x", "postgres://a:secret@h/d?nonsense=1", "=secret"])
    func aMalformedAddressIsRefusedWithoutItsPassword(address: String) {
        #expect {
            try ConnectionTarget(address)
        } throws: { error in
            "\(error)".contains("postgres://USER:PASSWORD@HOST/DATABASE") && !"\(error)".contains("a:secret")
        }
    }

    @Test func aServerThatDoesNotAnswerIsNamed() async {
        await #expect {
            try await PostgreSQLServerStore.open("postgres://127.0.0.1:1/x")
        } throws: { error in
            guard case PostgreSQLOpeningError.unreachable(let server, let reason) = error else { return false }
            return server == "127.0.0.1:1/x" && reason.contains("refused")
        }
    }
}

@Suite(.enabled(if: TestDatabase.server != nil, "\(TestDatabase.reason)"))
struct OpeningTests {
    private func opening(_ address: String) async throws { try await PostgreSQLServerStore.open(address).shutDown() }

    @Test func aDatabaseOfANewerServerIsUnchanged() async throws {
        try await TestDatabase.with { database in
            try await opening(database.address)
            try await database.run("INSERT INTO migrations (name) VALUES ('99: later')")
            await #expect {
                try await opening(database.address)
            } throws: { error in
                if case PostgreSQLOpeningError.newer = error { true } else { false }
            }
        }
    }

    @Test func aDatabaseWithAnotherEncodingIsRefused() async throws {
        try await TestDatabase.with { database in
            let other = "\(database.name)_latin"
            try await database.run("CREATE DATABASE \(other) TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'")
            let address = database.address.replacing(database.name, with: other)
            await #expect {
                try await opening(address)
            } throws: { error in
                if case PostgreSQLOpeningError.wrongEncoding(_, "LATIN1") = error { true } else { false }
            }
            try await database.run("DROP DATABASE \(other)")
        }
    }

    @Test func aUserWithoutRightsIsNamedWithWhatToDo() async throws {
        try await TestDatabase.with { database in
            let user = "user_\(database.name.suffix(12))"
            try await database.run("CREATE ROLE \(user) LOGIN; REVOKE CREATE ON SCHEMA public FROM PUBLIC")
            await #expect {
                try await opening(database.address.replacing("postgres@", with: "\(user)@"))
            } throws: { error in
                if case PostgreSQLOpeningError.forbidden = error { true } else { false }
            }
            try await database.run("DROP ROLE \(user)")
        }
    }

    @Test func anUnknownDatabaseIsNamed() async throws {
        let server = try #require(TestDatabase.server)
        await #expect {
            try await opening(server.replacing("/postgres", with: "/none").replacing("://none", with: "://postgres"))
        } throws: { error in
            guard case PostgreSQLOpeningError.unreachable(_, let reason) = error else { return false }
            return reason.contains(#"database "none" does not exist"#)
        }
    }

    @Test("A database whose history is another one begins an epoch, once, and raises the versions")
    func fence() async throws {
        try await TestDatabase.with { database in
            let first = try await PostgreSQLServerStore.open(database.address, epoch: "first", now: { 0 })
            try await first.write { tx in
                try tx.insertSpace(id: "s")
                try tx.update(SpaceRow(id: "s", version: 7))
            }
            await first.shutDown()
            // As if a standby on another timeline had been promoted.
            try await database.run("UPDATE meta SET value = value || '-earlier' WHERE name = 'fence'")
            for _ in 1...2 {
                let store = try await PostgreSQLServerStore.open(database.address, now: { 0 })
                let (epoch, shared, version) = try await store.read { tx in
                    (try tx.epoch(), try tx.shared(since: "first", in: "s"), try tx.space("s")?.version)
                }
                #expect(epoch != "first")
                #expect(shared == 7)
                #expect(version == 7 + RestoredVersion.step)
                await store.shutDown()
            }
        }
    }

    @Test func anEarlierPrimaryIsRefused() async throws {
        try await TestDatabase.with { database in
            try await opening(database.address)
            let fence = Fence(now: { 0 }, server: "h")
            let present = try await TestDatabase.connected(to: database.address) { try Fence.present($0) }
            let cluster = try #require(present.split(separator: "/").first)
            // As if a standby had been promoted, and this server had started again.
            #expect(fence.newest.admits("\(cluster)/FFFFFFFF"))
            await #expect(throws: PostgreSQLOpeningError.earlierPrimary(server: "h")) {
                try await TestDatabase.connected(to: database.address) { try fence.check($0) }
            }
        }
    }

    @Test func aMarkWaitsForATransactionThatChangesASpaceAndHasNoConflictWithIt() async throws {
        try await TestDatabase.with { database in
            let store = try await PostgreSQLServerStore.open(database.address)
            try await store.write { try $0.insertSpace(id: "s") }
            await store.shutDown()
            try await database.run("UPDATE meta SET value = value || '-earlier' WHERE name = 'fence'")
            let locks = "SELECT 1::text FROM pg_locks WHERE relation = 'spaces'::regclass"
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await TestDatabase.connected(to: database.address) { other in
                        try other.command("BEGIN; UPDATE spaces SET version = 8")
                        // Until the mark waits; its snapshot must not be older than the commit.
                        let end = ContinuousClock.now + .seconds(60)
                        while try other.command("\(locks) AND NOT granted").count == 0, ContinuousClock.now < end {}
                        try other.command("COMMIT")
                    }
                }
                group.addTask {
                    while try await database.run("\(locks) AND mode = 'RowExclusiveLock'").isEmpty {}
                    let fence = Fence(now: { 0 }, server: "h", attempts: 1)
                    try await TestDatabase.connected(to: database.address) { try fence.check($0) }
                }
                try await group.waitForAll()
            }
            let versions = try await database.run("SELECT version::text FROM spaces").flatMap { $0 }
            #expect(versions == ["\(8 + RestoredVersion.step)"])
        }
    }

    @Test func aMarkHasNoDeadlineForItsStatementsAndOthersHaveTheirs() async throws {
        try await TestDatabase.with { database in
            let timeouts = try await TestDatabase.connected(to: database.address) { connection in
                var found: [String] = []
                func look() throws {
                    found.append(try connection.command("SHOW statement_timeout").first?.text(0) ?? "")
                }
                try connection.transaction(.serializable) { connection in
                    try connection.withLongStatements { try look() }
                }
                try look()
                return found
            }
            #expect(timeouts == ["0", "30s"])
        }
    }

    @Test func aConnectionThatHasToStayIsNotEndedForBeingIdle() async throws {
        try await TestDatabase.with { database in
            // Version 14 has the setting.
            let isKnown = try await database.run("SELECT 1::text FROM pg_settings WHERE name = 'idle_session_timeout'")
            if !isKnown.isEmpty {
                try await database.run("ALTER DATABASE \(database.name) SET idle_session_timeout = '1h'")
            }
            let timeouts = try await TestDatabase.connected(to: database.address) { connection in
                let setting = "SELECT coalesce(current_setting('idle_session_timeout', true), '')"
                let before = try connection.command(setting).first?.text(0) ?? ""
                try connection.stayOpen()
                let after = try connection.command(setting).first?.text(0) ?? ""
                return [before, after]
            }
            #expect(timeouts == (isKnown.isEmpty ? ["", ""] : ["1h", "0"]))
        }
    }
}
