internal import Foundation
internal import Records
internal import ServerCore

/// Brings a database to the present schema.
struct Migrator: Sendable {
    let target: ConnectionTarget
    /// The names of the migrations, for tests of an earlier or a later version.
    var migrations = PostgreSQLSchema.migrations

    /// The advisory lock of migrations: several processes may start at once.
    static let lock: Int64 = 0x7361_7463_6865_6c64
    /// The oldest supported version of PostgreSQL.
    private static let oldest: Int32 = 130_000

    /// Creates or changes the tables in one transaction, and shares the lock of the database. If it fails, the tables
    /// are as before, and servers of the earlier version can go on.
    ///
    /// A server may change the tables while those of an earlier version run: their connections are ended, and each new one is
    /// refused (`checkSchema`). Commands of the owner don't.
    ///
    /// - Parameter epoch: A random id for a database that is created now.
    /// - Returns: Whether the tables of an earlier version were changed.
    /// - Throws: `PostgreSQLOpeningError`; else PostgreSQL's error.
    @discardableResult
    func migrate(_ connection: PostgreSQLConnection, epoch: String, lock: DatabaseLock) throws -> Bool {
        try checkVersion(connection.serverVersion)
        guard connection.serverEncoding == "UTF8" else {
            throw PostgreSQLOpeningError.wrongEncoding(server: target.name, encoding: connection.serverEncoding)
        }
        // Another process may be migrating.
        try connection.allowLongStatements()
        let held = try connection.waitForLock(Self.lock)
        defer { connection.unlock(held) }
        // Before migrating: the tables don't change during a move. After the lock of migrations: another process that changes
        // the tables doesn't end a connection that waits for it.
        try lock.share(connection)
        let applied = try self.applied(connection)
        if applied.isEmpty, lock.use.needsTables { throw PostgreSQLOpeningError.noTables(server: target.name) }
        try check(applied)
        let pending = migrations.filter { !applied.contains($0.name) }
        if pending.isEmpty { return false }
        let isNew = applied.isEmpty
        if !isNew, lock.use != .server, try lock.hasOthers(connection) {
            throw PostgreSQLOpeningError.usedByEarlierVersion(server: target.name)
        }
        try connection.transaction(.serializable) { connection in
            if isNew {
                try create(connection, epoch: epoch)
            } else {
                // A connection either has shared the lock and is ended now, or waits for this table when it looks at the
                // schema, and is refused.
                try connection.command("LOCK TABLE migrations IN ACCESS EXCLUSIVE MODE")
                try lock.endOthers(connection)
            }
            for migration in pending {
                try connection.command(migration.sql)
                try connection.execute("INSERT INTO migrations (name) VALUES ($1)", [.text(migration.name)])
            }
        }
        return !isNew
    }

    /// Refuses a server that is older than the oldest supported version.
    ///
    /// - Parameter version: A number such as 150008 for 15.8.
    func checkVersion(_ version: Int32) throws(PostgreSQLOpeningError) {
        guard version >= Self.oldest else {
            throw .tooOld(server: target.name, version: "\(version / 10_000)")
        }
    }

    /// Refuses a database whose tables a newer version of the server has changed. Called with each new connection, after it has
    /// shared the lock of the database.
    ///
    /// - Throws: `PostgreSQLOpeningError.newer`; PostgreSQL's error.
    func checkSchema(_ connection: PostgreSQLConnection) throws { try check(names(connection)) }

    private func check(_ applied: Set<String>) throws {
        guard applied.subtracting(migrations.map(\.name)).isEmpty else {
            throw PostgreSQLOpeningError.newer(server: target.name)
        }
    }

    /// Returns the names of the migrations that were applied; none if there are no tables.
    private func applied(_ connection: PostgreSQLConnection) throws -> Set<String> {
        let exists = try connection.execute("SELECT to_regclass('migrations') IS NOT NULL").first?.bool(0)
        return try exists == true ? names(connection) : []
    }

    private func names(_ connection: PostgreSQLConnection) throws -> Set<String> {
        Set(try connection.execute("SELECT name FROM migrations").map { $0.text(0) })
    }

    private func create(_ connection: PostgreSQLConnection, epoch: String) throws {
        try connection.command(
            """
            CREATE TABLE migrations (name text COLLATE "C" PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());
            CREATE TABLE meta (name text COLLATE "C" PRIMARY KEY, value text COLLATE "C" NOT NULL)
            """)
        try connection.execute(
            "INSERT INTO meta (name, value) VALUES ('epoch', $1), ('channel', 'news_' || $2), ('fence', $3)",
            [
                .text(epoch), .text(UUIDText.random().replacing("-", with: "_")),
                .text(try Fence.present(connection)),
            ])
    }

    /// Returns the name of the channel for news.
    func channel(_ connection: PostgreSQLConnection) throws -> String {
        try connection.execute("SELECT value FROM meta WHERE name = 'channel'").first?.text(0) ?? "news"
    }
}
