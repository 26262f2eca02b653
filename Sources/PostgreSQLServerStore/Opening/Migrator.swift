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

    /// Creates or changes the tables.
    ///
    /// - Parameter epoch: A random id for a database that is created now.
    /// - Throws: `PostgreSQLOpeningError`; else PostgreSQL's error.
    func migrate(_ connection: PostgreSQLConnection, epoch: String) throws {
        guard connection.serverVersion >= Self.oldest else {
            throw PostgreSQLOpeningError.tooOld(server: target.name, version: "\(connection.serverVersion / 10_000)")
        }
        guard connection.serverEncoding == "UTF8" else {
            throw PostgreSQLOpeningError.wrongEncoding(server: target.name, encoding: connection.serverEncoding)
        }
        // Another process may be migrating.
        try connection.allowLongStatements()
        try connection.execute("SELECT pg_advisory_lock($1)", [.int(Self.lock)])
        defer {
            // Fails only if the connection is lost, and the lock with it.
            _ = try? connection.execute("SELECT pg_advisory_unlock($1)", [.int(Self.lock)])
        }
        let applied = try self.applied(connection)
        guard applied.subtracting(migrations.map(\.name)).isEmpty else {
            throw PostgreSQLOpeningError.newer(server: target.name)
        }
        for migration in migrations where !applied.contains(migration.name) {
            try connection.transaction(.serializable) { connection in
                if applied.isEmpty, migration.name == migrations.first?.name { try create(connection, epoch: epoch) }
                try connection.command(migration.sql)
                try connection.execute("INSERT INTO migrations (name) VALUES ($1)", [.text(migration.name)])
            }
        }
    }

    /// Returns the names of the migrations that were applied.
    private func applied(_ connection: PostgreSQLConnection) throws -> Set<String> {
        let exists = try connection.execute("SELECT to_regclass('migrations') IS NOT NULL").first?.bool(0)
        guard exists == true else { return [] }
        return Set(try connection.execute("SELECT name FROM migrations").map { $0.text(0) })
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
