import Foundation
import GRDB
import Records
import ServerCore
import SyncAPI
import TestSupport
import Testing

@testable import SQLiteServerStore

private let noon: Int64 = 1_795_262_400_000

/// Who may come in after a restore.
@Suite struct RestoredAccessTests {
    /// A directory whose database has changed since the backup: ada's phone was signed out and her app password revoked,
    /// her tablet signed in, her password changed and her one-time code used; ben's account was deleted, cleo's
    /// registered, dora's disabled, emil's enabled and limited; one invitation was withdrawn, one used up, one made.
    private func withBackup(_ body: (_ data: URL, _ backup: URL) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let (data, backup) = (directory.appending(path: "data"), directory.appending(path: "backup"))
            let store = try SQLiteServerStore(directory: data)
            try await store.write { tx in
                for name in ["ada", "ben", "dora"] {
                    _ = try tx.insert(account(name))
                    for device in ["laptop", "phone"] { try signIn(tx, name, device, at: 100) }
                }
                _ = try tx.insert(account("emil", disabledAt: 5))
                try signIn(tx, "ada", "script", at: 100, appPassword: .init(scope: .full, expiresAt: noon))
                try tx.put(StoredReset(account: "ada-id", codeHash: [1], expiresAt: noon))
                try tx.putDeviceProof([7], account: "ada-id", device: "phone", now: 100, limit: 10)
                for id in ["kept", "withdrawn", "used-up"] { try tx.insert(invite(id)) }
            }
            _ = try store.backup(to: backup)
            try await store.write { tx in
                try tx.deleteSession(id: "ada-phone")
                try tx.deleteSession(id: "ada-script")
                try tx.deleteDeviceProof(account: "ada-id", device: "phone")
                try signIn(tx, "ada", "tablet", at: 200)
                try tx.setPasswordHash("new", account: "ada-id")
                try tx.deleteReset(account: "ada-id")
                #expect(try tx.clear(account: "ben-id", limit: RemovalLimit()))
                _ = try tx.insert(account("cleo"))
                try signIn(tx, "cleo", "laptop", at: 200)
                try tx.setDisabled(7, account: "dora-id")
                try tx.setDisabled(nil, account: "emil-id")
                try tx.setQuota(AccountQuota(records: 5), account: "emil-id")
                #expect(try tx.deleteInvite(id: "withdrawn"))
                try tx.countUse(ofInvite: "used-up")
                try tx.insert(invite("new"))
            }
            try store.close()
            try await body(data, backup)
        }
    }

    private func account(_ name: String, disabledAt: Int64? = nil) -> StoredAccount {
        StoredAccount(
            id: "\(name)-id", username: name, passwordHash: "old", personalSpace: "\(name)-space", createdAt: 1,
            disabledAt: disabledAt)
    }

    private func invite(_ id: String) -> StoredInvite {
        StoredInvite(id: id, codeHash: Array(id.utf8), note: "", uses: 1, createdAt: 1, expiresAt: noon + 1)
    }

    /// Adds a session of an account with one token, used at `time`.
    private func signIn(
        _ tx: any StoreWriting, _ account: String, _ device: String, at time: Int64,
        appPassword: StoredSession.AppPassword? = nil
    ) throws {
        let session = "\(account)-\(device)"
        try tx.put(
            StoredSession(
                id: session, account: "\(account)-id", device: device, deviceName: device, createdAt: time,
                lastSeenAt: time, appPassword: appPassword))
        try tx.insert(
            StoredToken(
                hash: Array(session.utf8), session: session, kind: .refresh, generation: 0, pair: 0, expiresAt: noon))
    }

    /// Removes a database with its write-ahead log.
    private func remove(_ place: URL) throws {
        for file in ["", "-wal", "-shm"].map({ place.path + $0 }) where FileManager.default.fileExists(atPath: file) {
            try FileManager.default.removeItem(atPath: file)
        }
    }

    private func read<Result: Sendable>(
        _ data: URL, _ body: @escaping @Sendable (any StoreReading) throws -> Result
    ) async throws -> Result {
        let store = try SQLiteServerStore(directory: data)
        let result = try await store.read(body)
        try store.close()
        return result
    }

    /// The live devices of an account, and its password.
    private func state(of name: String, in data: URL) async throws -> (devices: [String], account: StoredAccount?) {
        let devices = try await read(data) { try $0.sessions(account: "\(name)-id").map(\.deviceName).sorted() }
        return (devices, try await read(data) { try $0.account(username: name) })
    }

    private func usableInvites(_ data: URL) async throws -> [String] {
        try await read(data) { try $0.invites().filter { $0.isUsable(now: noon) }.map(\.id).sorted() }
    }

    @Test func `devices that were signed out since stay signed out, and the newer password stays`() async throws {
        try await withBackup { data, backup in
            let access = try SQLiteServerStore.restore(backup, to: data, now: noon).access
            #expect(access.source == .previous && access.isCompared)
            #expect(access.signedOutDevices.map(\.account) == ["ada", "ada"])
            #expect(access.signedOutDevices.map(\.name).sorted() == ["phone", "script"])
            #expect(access.changedPasswords == ["ada"])
            #expect(access.signedInDevices == 4)
            let ada = try await state(of: "ada", in: data)
            #expect(ada.devices == ["laptop", "tablet"])
            #expect(ada.account?.passwordHash == "new")
            let tokens = try await read(data) { tx in
                try ["ada-laptop", "ada-phone", "ada-script", "ada-tablet", "ben-laptop", "cleo-laptop"].filter {
                    try tx.token(hash: Array($0.utf8)) != nil
                }
            }
            #expect(tokens == ["ada-laptop", "ada-tablet"])
            #expect(try await read(data) { try $0.deviceProof(account: "ada-id", device: "phone") } == nil)
            #expect(try await read(data) { try $0.reset(account: "ada-id") } == nil, "a used code stays used")
        }
    }

    @Test(arguments: [RestoredAccess.Source.previous, .backup])
    func `a device that signed in again is not a signed-out one`(source: RestoredAccess.Source) async throws {
        try await withBackup { data, backup in
            let store = try SQLiteServerStore(directory: data)
            try await store.write { tx in
                try tx.deleteSession(id: "dora-phone")
                try tx.put(
                    StoredSession(
                        id: "again", account: "dora-id", device: "phone", deviceName: "phone", createdAt: 200,
                        lastSeenAt: 200))
            }
            try store.close()
            let access = try SQLiteServerStore.restore(backup, to: data, access: source, now: noon).access
            #expect(access.renewedDevices == [.init(account: "dora", name: "phone")])
            #expect(access.signedOutDevices.map(\.account) == ["ada", "ada"])
            let session = try await read(data) { try $0.session(account: "dora-id", device: "phone")?.id }
            #expect(session == (source == .previous ? "again" : "dora-phone"))
        }
    }

    @Test func `an account that was disabled since stays disabled, and an enabled one enabled`() async throws {
        try await withBackup { data, backup in
            let access = try SQLiteServerStore.restore(backup, to: data, now: noon).access
            #expect(access.disabledAccounts == ["dora"])
            #expect(try await state(of: "dora", in: data).account?.disabledAt == 7)
            #expect(try await state(of: "emil", in: data).account?.disabledAt == nil)
        }
    }

    @Test(arguments: [RestoredAccess.Source.previous, .backup])
    func `limits that were set since stay set, unless the backup's are wanted`(
        source: RestoredAccess.Source
    ) async throws {
        try await withBackup { data, backup in
            let access = try SQLiteServerStore.restore(backup, to: data, access: source, now: noon).access
            #expect(access.changedLimits == ["emil"])
            let emil = try await state(of: "emil", in: data).account
            #expect(emil?.quota.records == (source == .previous ? 5 : nil))
        }
    }

    @Test func `an invitation that was withdrawn or used up since stays invalid, and a newer one valid`() async throws {
        try await withBackup { data, backup in
            let access = try SQLiteServerStore.restore(backup, to: data, now: noon).access
            #expect(access.withdrawnInvites == ["used-up", "withdrawn"])
            #expect(try await usableInvites(data) == ["kept", "new"])
        }
    }

    @Test func `an account that was deleted since comes back without devices, and a newer one is gone`() async throws {
        try await withBackup { data, backup in
            let access = try SQLiteServerStore.restore(backup, to: data, now: noon).access
            #expect(access.revivedAccounts == ["ben"])
            #expect(access.lostAccounts == ["cleo"])
            let ben = try await state(of: "ben", in: data)
            #expect(ben.devices == [])
            #expect(ben.account?.passwordHash == "old")
            #expect(try await state(of: "cleo", in: data).account == nil)
        }
    }

    @Test func `on request everything is as in the backup, except one-time codes`() async throws {
        try await withBackup { data, backup in
            let access = try SQLiteServerStore.restore(backup, to: data, access: .backup, now: noon).access
            #expect(access.source == .backup && access.isCompared)
            #expect(access.signedOutDevices.map(\.name).sorted() == ["phone", "script"])
            #expect(access.changedPasswords == ["ada"])
            #expect(access.disabledAccounts == ["dora"])
            #expect(access.withdrawnInvites == ["used-up", "withdrawn"])
            #expect(access.signedInDevices == 7)
            let ada = try await state(of: "ada", in: data)
            #expect(ada.devices == ["laptop", "phone", "script"])
            #expect(ada.account?.passwordHash == "old")
            #expect(try await state(of: "dora", in: data).account?.disabledAt == nil)
            #expect(try await usableInvites(data) == ["kept", "used-up", "withdrawn"])
            #expect(try await read(data) { try $0.reset(account: "ada-id") } == nil)
        }
    }

    @Test func `without a newer database to compare with everything is as in the backup, except one-time codes`()
        async throws
    {
        try await withBackup { data, backup in
            let place = StoreFiles().database(in: data)
            let older = data.appending(path: "older")
            try FileManager.default.copyItem(at: backup, to: older)
            let database = try DatabaseQueue(path: older.path)
            try await database.write { db in
                try db.execute(sql: "UPDATE sessions SET last_seen_at = 1")
                try db.execute(sql: "DELETE FROM sessions WHERE device = 'phone'")
            }
            try database.close()
            for content in [nil, Data("garbage".utf8), try Data(contentsOf: older)] {
                try remove(place)
                try content?.write(to: place)
                let access = try SQLiteServerStore.restore(backup, to: data, now: noon).access
                #expect(access == RestoredAccess(source: .backup, isCompared: false, signedInDevices: 7))
                #expect(try await read(data) { try $0.reset(account: "ada-id") } == nil)
            }
        }
    }

    @Test func `a previous database without any session is not taken for an older one`() async throws {
        try await withBackup { data, backup in
            let store = try SQLiteServerStore(directory: data)
            try await store.write { tx in
                for session in ["ada-laptop", "ada-tablet", "dora-laptop", "dora-phone"] {
                    try tx.deleteSession(id: session)
                }
            }
            try store.close()
            let access = try SQLiteServerStore.restore(backup, to: data, now: noon).access
            #expect(access.source == .previous && access.isCompared)
            #expect(try await state(of: "ada", in: data).devices == [])
        }
    }

    @Test func `a database that was copied there by hand is not compared with itself`() async throws {
        try await withBackup { data, backup in
            let place = StoreFiles().database(in: data)
            try remove(place)
            try FileManager.default.copyItem(at: backup, to: place)
            let access = try SQLiteServerStore.restore(place, to: data, now: noon).access
            #expect(access == RestoredAccess(source: .backup, isCompared: false, signedInDevices: 7))
        }
    }

    @Test func `the previous database may be of an earlier version`() async throws {
        try await withTemporaryDirectory { directory in
            let data = directory.appending(path: "data")
            let (place, backup) = (StoreFiles().database(in: data), directory.appending(path: "backup"))
            try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
            let database = try DatabaseQueue(path: place.path)
            let migrator = ServerSchema.migrator(epoch: "first")
            try migrator.migrate(database, upTo: "9: pairs of tokens")
            try await database.write { db in
                try db.execute(
                    sql: """
                        INSERT INTO accounts (id, username, password_hash, personal_space, created_at)
                          VALUES ('ada-id', 'ada', 'old', 'ada-space', 1);
                        INSERT INTO sessions (id, account, device, device_name, created_at, last_seen_at, generation, generation_used)
                          VALUES ('ada-laptop', 'ada-id', 'laptop', 'laptop', 1, 2, 0, 0),
                            ('ada-phone', 'ada-id', 'phone', 'phone', 1, 2, 0, 0);
                        """)
            }
            _ = try NewDatabaseFile.copy(of: database, to: backup, replacing: false)
            try await database.write { db in
                try db.execute(
                    sql: """
                        DELETE FROM sessions WHERE id = 'ada-phone';
                        UPDATE accounts SET password_hash = 'new';
                        """)
            }
            try database.close()
            let access = try SQLiteServerStore.restore(backup, to: data, now: noon).access
            #expect(access.isCompared && access.source == .previous)
            #expect(access.signedOutDevices == [.init(account: "ada", name: "phone")])
            let ada = try await state(of: "ada", in: data)
            #expect(ada.devices == ["laptop"])
            #expect(ada.account?.passwordHash == "new")
        }
    }

    @Test func `each table, and each column of accounts, either lets someone in or is known to let no one in`() throws {
        let database = try DatabaseQueue()
        try ServerSchema.migrator(epoch: "").migrate(database)
        let (tables, columns) = try database.read { db in
            (
                try String.fetchAll(
                    db,
                    sql: """
                        SELECT name FROM sqlite_schema
                        WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'grdb_%'
                        """),
                try db.columns(in: "accounts").map(\.name)
            )
        }
        let harmless = [
            "meta", "accounts", "spaces", "members", "records", "revisions", "outcomes", "outcome_results", "restores",
            "marks", "digests", "attempts", "attempt_total", "audits",
        ]
        #expect(Set(tables) == Set(PreviousAccess.tables.map(\.name) + harmless))
        let harmlessColumns = [
            "id", "username", "personal_space", "created_at", "outcome_bytes",
        ]
        #expect(Set(columns) == Set(PreviousAccess.accountColumns + harmlessColumns))
    }
}
