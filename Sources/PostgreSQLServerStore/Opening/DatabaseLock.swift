internal import ServerCore

/// Keeps a move of the data apart from servers and commands of the owner.
///
/// Each of their connections shares an advisory lock, which a move holds alone. PostgreSQL releases it with the connection, and
/// a server that connects again during the move is refused.
struct DatabaseLock: Sendable {
    let use: StoreUse
    /// The name of the database, for messages.
    let server: String

    /// The lock's key.
    static let key: Int64 = Migrator.lock + 1

    /// Shares the lock with a new connection. The connections of a move don't: one of them holds the lock alone.
    ///
    /// - Throws: `PostgreSQLOpeningError.beingMoved`; PostgreSQL's error.
    func share(_ connection: PostgreSQLConnection) throws {
        if use.isExclusive { return }
        guard try Self.acquire("pg_try_advisory_lock_shared", connection) else {
            throw PostgreSQLOpeningError.beingMoved(server: server)
        }
    }

    /// Refuses a database that the mark of a move excludes from this use.
    ///
    /// - Throws: `PostgreSQLOpeningError.moved`, `.unfinished`, `.unknownMark`; PostgreSQL's error.
    func checkMark(_ connection: PostgreSQLConnection) throws {
        guard let mark = try PostgreSQLTransaction(connection).moveMark(), mark.refuses(use) else { return }
        throw switch mark {
        case .unfinished(let source, _): PostgreSQLOpeningError.unfinished(server: server, source: source)
        case .moved(let target, _): PostgreSQLOpeningError.moved(server: server, target: target)
        case .unknown: PostgreSQLOpeningError.unknownMark(server: server)
        }
    }

    /// Takes the lock alone, for a move. The connection writes everything that the move writes, so that nothing is written
    /// once the lock is lost.
    ///
    /// - Throws: `PostgreSQLOpeningError.inUse`; PostgreSQL's error.
    func lockExclusively(_ connection: PostgreSQLConnection) throws {
        // It is idle while the other store is read.
        try connection.stayOpen()
        guard try Self.acquire("pg_try_advisory_lock", connection) else {
            throw PostgreSQLOpeningError.inUse(server: server)
        }
    }

    private static func acquire(_ function: String, _ connection: PostgreSQLConnection) throws -> Bool {
        try connection.execute("SELECT \(function)($1)", [.int(key)]).first?.bool(0) ?? false
    }

    /// Ends the connections that share the lock, except this one, so that none works with tables that are changed by this
    /// transaction: each looks at the schema again when it is opened (`Migrator.checkSchema`).
    ///
    /// Those that this user may not end stay: PostgreSQL demands the privileges of their user or of `pg_signal_backend`, which a
    /// role without INHERIT doesn't have as a mere member, and those of a superuser are ended by superusers only.
    func endOthers(_ connection: PostgreSQLConnection) throws {
        try connection.execute(
            """
            SELECT pg_terminate_backend(activity.pid) FROM \(Self.others) JOIN pg_stat_activity AS activity USING (pid)
            JOIN pg_roles AS role ON role.oid = activity.usesysid
            WHERE \(Self.areOthers) AND (current_setting('is_superuser') = 'on' OR NOT role.rolsuper
              AND (pg_has_role(role.oid, 'USAGE') OR pg_has_role('pg_signal_backend'::name, 'USAGE')))
            """, [.int(Self.key)])
    }

    /// Returns whether other connections share the lock.
    func hasOthers(_ connection: PostgreSQLConnection) throws -> Bool {
        let sql = "SELECT 1 FROM \(Self.others) WHERE \(Self.areOthers) LIMIT 1"
        return try connection.execute(sql, [.int(Self.key)]).count > 0
    }

    private static let others = "pg_locks AS locks"

    /// The condition for other connections that share the lock, whose key is the first parameter. PostgreSQL shows the halves of
    /// a key as two object ids.
    private static let areOthers = """
        locks.locktype = 'advisory' AND locks.objsubid = 1 AND locks.mode = 'ShareLock' AND locks.granted
        AND locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND (locks.classid::bigint << 32) | locks.objid::bigint = $1 AND locks.pid <> pg_backend_pid()
        """
}
