internal import Foundation
internal import GRDB
internal import ServerCore

/// Who may come in after a restore: the differences between the backup and the database that it replaces.
///
/// A device that was signed out, or a password that was changed, since the backup was made, may be in the wrong hands. So
/// by default they don't come back: only the records are those of the backup.
public struct RestoredAccess: Sendable, Equatable {
    /// Where everything is from that lets someone in: passwords, signed-in devices, app passwords, invitations, and the
    /// mark of disabled accounts; and the limits of accounts that have their own.
    public enum Source: Sendable, Equatable {
        /// The database that was replaced. An account that only the backup has keeps the password, the mark and the
        /// limits of the backup, and has no signed-in devices, app passwords or one-time codes.
        case previous
        /// The backup, except one-time codes: one of them may have been used since.
        case backup
    }

    /// A device of an account.
    public struct Device: Sendable, Equatable {
        /// The account's name.
        public var account: String
        /// The device's name.
        public var name: String
    }

    /// The source that was used. Without a previous database that can be read and is not older than the backup, it is
    /// the backup.
    public var source: Source
    /// Whether there was a previous database to compare with. If not, the lists are empty.
    public var isCompared: Bool
    /// Number of devices that are signed in now, and of app passwords.
    public var signedInDevices: Int
    /// Devices and app passwords of the backup that are signed out or revoked in the previous database, of accounts that
    /// both have.
    public var signedOutDevices: [Device] = []
    /// Devices of the backup that have another session in the previous database, since they signed in again. With the
    /// access of the backup, that session is gone, and the former one is valid again.
    public var renewedDevices: [Device] = []
    /// Names of the accounts whose stored passwords differ.
    public var changedPasswords: [String] = []
    /// Names of the accounts that are disabled in the previous database only.
    public var disabledAccounts: [String] = []
    /// Names of the accounts whose own limits differ.
    public var changedLimits: [String] = []
    /// Ids of the invitations with which accounts could be created at the time of the backup, and that the previous
    /// database no longer has, or that were used up.
    public var withdrawnInvites: [String] = []
    /// Names of the accounts that the previous database no longer has. They exist again, with their former passwords
    /// and, unless the source is the backup, without signed-in devices.
    public var revivedAccounts: [String] = []
    /// Names of the accounts that the backup doesn't have yet. They are gone.
    public var lostAccounts: [String] = []
}

/// Everything in a database that lets someone in. `RestoredAccessTests` fails if a migration adds a table, or a column of
/// accounts, that is neither here nor known to let no one in.
struct PreviousAccess {
    /// The columns of an account that decide who may come in, and how much an account may use.
    static let accountColumns = ["password_hash", "disabled_at"] + limitColumns
    private static let limitColumns = ["quota_records", "quota_bytes", "quota_devices", "quota_streams"]
    /// The tables whose rows let someone in, each after those that it refers to.
    static let tables = [
        Table(name: "sessions", reference: "account", referenced: "accounts"),
        Table(name: "tokens", reference: "session", referenced: "sessions"),
        Table(name: "device_proofs", reference: "account", referenced: "accounts"),
        Table(name: "resets", reference: "account", referenced: "accounts"),
        Table(name: "invites"),
    ]

    struct Table {
        let name: String
        /// The column that refers to a row of `referenced` by its id; nil: none does.
        var reference: String?
        var referenced = ""
    }

    private let database: DatabaseQueue
    private let accounts: [Account]
    private let invites: Set<String>

    private struct Account {
        let id: String
        let username: String
        let password: DatabaseValue
        let isDisabled: Bool
        let limits: [DatabaseValue]
        let sessions: [Session]

        /// A session that hasn't ended.
        struct Session {
            let id, device, name: String
        }
    }

    /// Opens a database. One of an earlier version is copied to a temporary file with the present tables.
    ///
    /// - Throws: SQLite's error, also if the database is of a newer version.
    init(_ place: URL, now: Int64) throws {
        var database = try SQLiteServerStore.readOnly(place)
        let migrator = ServerSchema.migrator(epoch: "")
        guard try !database.read(migrator.hasBeenSuperseded) else {
            throw DatabaseError(resultCode: .SQLITE_SCHEMA, message: "a database of a newer version")
        }
        if try !database.read(migrator.hasCompletedMigrations) {
            // SQLite removes a file without a name when it is closed.
            let copy = try DatabaseQueue(path: "")
            try database.backup(to: copy)
            try migrator.migrate(copy)
            database = copy
        }
        self.database = database
        (accounts, invites) = try database.read { db in
            (try Self.accounts(in: db), try Self.usableInvites(in: db, now: now))
        }
    }

    /// Closes the database.
    func close() {
        // Nothing was written, so closing can lose nothing.
        try? database.close()
    }

    /// Gives a copy of a backup the access of this database, or leaves that of the backup.
    ///
    /// - Returns: The differences.
    func apply(to db: Database, from source: RestoredAccess.Source, now: Int64) throws -> RestoredAccess {
        let backup = try Self.accounts(in: db)
        // An older database, such as one that was copied there by hand, says nothing of what happened since the backup.
        if try isOlder(than: db) { return try RestoredAccess.ofBackup(db) }
        let own = Dictionary(uniqueKeysWithValues: accounts.map { ($0.id, $0) })
        var access = RestoredAccess(source: source, isCompared: true, signedInDevices: 0)
        for account in backup {
            guard let present = own[account.id] else {
                access.revivedAccounts.append(account.username)
                continue
            }
            let live = Set(present.sessions.map(\.id))
            let devices = Set(present.sessions.map(\.device))
            for session in account.sessions where !live.contains(session.id) {
                let device = RestoredAccess.Device(account: account.username, name: session.name)
                if devices.contains(session.device) {
                    access.renewedDevices.append(device)
                } else {
                    access.signedOutDevices.append(device)
                }
            }
            if present.password != account.password { access.changedPasswords.append(account.username) }
            if present.limits != account.limits { access.changedLimits.append(account.username) }
            if present.isDisabled, !account.isDisabled { access.disabledAccounts.append(account.username) }
        }
        let kept = Set(backup.map(\.id))
        access.lostAccounts = accounts.filter { !kept.contains($0.id) }.map(\.username)
        access.withdrawnInvites = try Self.usableInvites(in: db, now: now).subtracting(invites).sorted()
        switch source {
        case .previous: try replaceAccess(in: db)
        case .backup: try Self.removeResets(db)
        }
        access.signedInDevices = try Self.signedInDevices(db)
        return access
    }

    /// Returns whether a session that both have was used in the backup after its last use here. Without such a session,
    /// this database is taken for the newer one, since devices that are signed out can sign in again.
    private func isOlder(than db: Database) throws -> Bool {
        try database.read { previous in
            let statement = try previous.makeStatement(
                sql: "SELECT last_seen_at < ? OR generation < ? FROM sessions WHERE id = ?")
            let sessions = try Row.fetchCursor(db, sql: "SELECT last_seen_at, generation, id FROM sessions")
            while let session = try sessions.next() {
                let arguments = StatementArguments(Array(session.databaseValues))
                if try Bool.fetchOne(statement, arguments: arguments) == true { return true }
            }
            return false
        }
    }

    private func replaceAccess(in db: Database) throws {
        for table in Self.tables.reversed() { try db.execute(sql: "DELETE FROM \(table.name)") }
        let columns = Self.accountColumns.joined(separator: ", ")
        let assignments = Self.accountColumns.map { "\($0) = ?" }.joined(separator: ", ")
        try database.read { previous in
            try copy("SELECT \(columns), id FROM accounts", from: previous) { row in
                try db.execute(
                    sql: "UPDATE accounts SET \(assignments) WHERE id = ?",
                    arguments: StatementArguments(row.databaseValues))
            }
            for table in Self.tables {
                try copy("SELECT * FROM \(table.name)", from: previous) { row in try insert(row, into: table, db) }
            }
        }
    }

    /// Passes each row of a query to `body`, one at a time: there may be very many tokens.
    private func copy(_ sql: String, from previous: Database, _ body: (Row) throws -> Void) throws {
        let rows = try Row.fetchCursor(previous, sql: sql)
        while let row = try rows.next() { try body(row) }
    }

    /// Inserts a row, unless it refers to an account that the backup lacks, or to a session of one.
    private func insert(_ row: Row, into table: Table, _ db: Database) throws {
        let columns = row.columnNames.joined(separator: ", ")
        let places = row.columnNames.map { _ in "?" }.joined(separator: ", ")
        var (condition, values) = ("", Array(row.databaseValues))
        if let reference = table.reference {
            condition = " WHERE EXISTS (SELECT 1 FROM \(table.referenced) WHERE id = ?)"
            values.append(row[reference])
        }
        let statement = try db.cachedStatement(
            sql: "INSERT INTO \(table.name) (\(columns)) SELECT \(places)\(condition)")
        try statement.execute(arguments: StatementArguments(values))
    }

    private static func accounts(in db: Database) throws -> [Account] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT id, username, password_hash, disabled_at, \(limitColumns.joined(separator: ", "))
                FROM accounts ORDER BY username
                """)
        return try rows.map { row in
            let sessions = try Row.fetchAll(
                db,
                sql: """
                    SELECT id, device, device_name FROM sessions WHERE account = ? AND ended = 0 ORDER BY created_at, id
                    """,
                arguments: [row[0] as String])
            return Account(
                id: row[0], username: row[1], password: row[2], isDisabled: (row[3] as Int64?) != nil,
                limits: Array(row.databaseValues.dropFirst(4)),
                sessions: sessions.map { Account.Session(id: $0[0], device: $0[1], name: $0[2]) })
        }
    }

    private static func usableInvites(in db: Database, now: Int64) throws -> Set<String> {
        try String.fetchSet(db, sql: "SELECT id FROM invites WHERE used < uses AND expires_at > ?", arguments: [now])
    }

    fileprivate static func signedInDevices(_ db: Database) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT count(*) FROM sessions WHERE ended = 0") ?? 0
    }

    /// A one-time code of the backup may have been used since.
    fileprivate static func removeResets(_ db: Database) throws { try db.execute(sql: "DELETE FROM resets") }
}

extension RestoredAccess {
    /// Returns the access of a backup that there is nothing to compare with, and makes its one-time codes invalid.
    static func ofBackup(_ db: Database) throws -> RestoredAccess {
        try PreviousAccess.removeResets(db)
        return RestoredAccess(
            source: .backup, isCompared: false, signedInDevices: try PreviousAccess.signedInDevices(db))
    }
}
