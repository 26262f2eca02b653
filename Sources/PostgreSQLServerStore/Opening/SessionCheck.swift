/// Refuses a pooler that gives each transaction, or each statement, another connection of PostgreSQL: LISTEN, prepared
/// statements and advisory locks belong to a connection, so requests would fail later.
///
/// PostgreSQL serves each connection with a process of its own. Two connections are open at once and ask for their process:
/// each always has the same one, and they have different ones, unless a pooler assigns them. PgBouncer in its session mode and
/// proxies of connections pass this check. PgBouncer in its transaction mode hands out the connection that was used last, so
/// that both get the same one; with `server_round_robin`, the one that was used first, so that one gets two in a row.
/// Other clients of the pooler may come in between, so the questions are repeated.
enum SessionCheck {
    /// Number of times that both connections are asked.
    private static let rounds = 5
    /// A process of PostgreSQL: its number, and the start of its server, since several servers may be named.
    private static let question = "SELECT pg_backend_pid()::text || ' ' || pg_postmaster_start_time()::text"

    /// - Parameter first: A connection to `target`. Another one is opened meanwhile.
    /// - Throws: `PostgreSQLOpeningError.pooled`; else the error of PostgreSQL.
    static func check(_ first: PostgreSQLConnection, _ target: ConnectionTarget) throws {
        let second = try PostgreSQLConnection(to: target)
        var (seenByFirst, seenBySecond): ([String], [String]) = ([], [])
        for _ in 0..<rounds {
            // Twice in a row: with two connections that take turns, each client would otherwise always get the same one.
            for _ in 0..<2 { seenByFirst.append(try process(of: first)) }
            seenBySecond.append(try process(of: second))
        }
        guard isOwn(seenByFirst, seenBySecond) else { throw PostgreSQLOpeningError.pooled(server: target.name) }
    }

    /// Returns whether two connections that are open at once have processes of their own.
    ///
    /// - Parameters: The processes that each has seen.
    static func isOwn(_ first: [String], _ second: [String]) -> Bool {
        Set(first).count == 1 && Set(second).count == 1 && Set(first).isDisjoint(with: second)
    }

    /// Returns the process that serves a connection.
    static func process(of connection: PostgreSQLConnection) throws(PostgreSQLError) -> String {
        // A command, since a prepared statement would fail with some poolers.
        try connection.command(question).first?.text(0) ?? ""
    }
}
