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
        if use == .move { return }
        guard try Self.acquire("pg_try_advisory_lock_shared", connection) else {
            throw PostgreSQLOpeningError.beingMoved(server: server)
        }
    }

    /// Refuses a database that the mark of a move excludes from this use.
    ///
    /// - Throws: `PostgreSQLOpeningError.moved`, `.unfinished`; PostgreSQL's error.
    func checkMark(_ connection: PostgreSQLConnection) throws {
        guard let mark = try PostgreSQLTransaction(connection).moveMark(), mark.refuses(use) else { return }
        throw switch mark {
        case .unfinished(let source): PostgreSQLOpeningError.unfinished(server: server, source: source)
        case .moved(let target): PostgreSQLOpeningError.moved(server: server, target: target)
        }
    }

    /// Takes the lock alone, for a move.
    ///
    /// - Throws: `PostgreSQLOpeningError.inUse`; PostgreSQL's error.
    func holdAlone(_ connection: PostgreSQLConnection) throws {
        guard try Self.acquire("pg_try_advisory_lock", connection) else {
            throw PostgreSQLOpeningError.inUse(server: server)
        }
    }

    private static func acquire(_ function: String, _ connection: PostgreSQLConnection) throws -> Bool {
        try connection.execute("SELECT \(function)($1)", [.int(key)]).first?.bool(0) ?? false
    }
}
