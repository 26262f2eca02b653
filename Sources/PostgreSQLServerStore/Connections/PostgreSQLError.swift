internal import ServerCore

/// An error of the database server or of the connection to it.
struct PostgreSQLError: Error, CustomStringConvertible {
    /// The error's code (postgresql.org/docs/current/errcodes-appendix.html); nil if the connection failed.
    var state: String?
    /// The server's message, or libpq's.
    var message: String
    /// Whether the transaction may have been committed all the same: the connection was lost during the commit.
    var mayBeCommitted = false

    var description: String {
        let text = state.map { "\(message) (\($0))" } ?? message
        return mayBeCommitted ? text + "; the transaction may have been committed" : text
    }

    /// The codes of deadlines at which the server ends the session: an idle transaction, and a whole one (PostgreSQL 17).
    private static let endsOfSessions = ["25P03", "25P04"]

    /// Whether the connection can't be used any more.
    var isLoss: Bool {
        guard let state else { return true }
        return state.hasPrefix("08") || state.hasPrefix("57P") || Self.endsOfSessions.contains(state)
    }

    /// Whether the same transaction may succeed if it is started again: another one changed what it has read.
    var isConflict: Bool { ["40001", "40P01"].contains(state) }

    /// Whether a row with the same key is there already. If another transaction has just inserted it, the same transaction finds
    /// it when it is started again; otherwise it fails in the same way each time.
    var isDuplicate: Bool { state == "23505" }

    /// The condition for clients of the server; nil if the error is a fault.
    var failure: StoreFailure? {
        switch state {
        case _ where isLoss: .unavailable(reason: advised)
        // The disk, and the limit of temporary files.
        case "53100", "53400": .full(reason: description)
        // Too many connections, a standby.
        case "53300", "25006", "55000": .unavailable(reason: description)
        // Out of memory, a lock or a statement that took too long.
        case "53200", "55P03", "57014": .busy(reason: description)
        case _ where isConflict: .busy(reason: description)
        default: advice == nil ? nil : .unavailable(reason: advised)
        }
    }

    /// The description with what the owner does, for the log.
    private var advised: String { advice.map { "\(description); \($0)" } ?? description }

    /// The code of the server's refusal of a connection, of which libpq reports the message alone.
    private var refusal: String? {
        guard state == nil, message.contains("FATAL:") else { return nil }
        let codes = [
            (#"FATAL:  database ""#, "3D000"), (#"FATAL:  role ""#, "28000"), ("pg_hba.conf", "28000"),
            ("authentication failed", "28P01"), ("permission denied for database", "42501"),
        ]
        return codes.first { message.contains($0.0) }?.1
    }

    /// What the owner does if the database was changed while servers run; nil if that isn't the reason.
    private var advice: String? {
        switch state ?? refusal {
        case "42501":
            "the servers' role lacks a privilege: make it the owner of the database and its tables (ALTER DATABASE … OWNER TO, "
                + "REASSIGN OWNED)"
        // The table or its schema is missing, or the search path leads to another one.
        case "42P01", "3F000":
            "tables are missing: check the search_path of the servers' role; if they were dropped, restore the database with "
                + "pg_restore, and mark it as restored"
        case "3D000": "the database is missing: restore it with pg_restore, and mark it as restored"
        case "28000", "28P01":
            "the servers' role can't log in: check its password, pg_hba.conf and the address of the store"
        default: nil
        }
    }
}

/// The reason for which a store couldn't be opened, with a message for the person who starts the server. New cases may
/// be added.
public enum PostgreSQLOpeningError: Error, CustomStringConvertible, Equatable {
    /// libpq isn't installed, or is older than 14.
    case noLibrary
    /// The address isn't a connection string of PostgreSQL; `reason` is libpq's.
    case malformed(reason: String)
    /// The server is another machine, and nothing says whether its certificate is to be verified (`sslmode`).
    case unverified(server: String)
    /// The server can't be reached, or doesn't accept the log-in; `reason` is libpq's or the server's.
    case unreachable(server: String, reason: String)
    /// The server has no more connections.
    case tooManyConnections(server: String, reason: String)
    /// The server is older than the oldest supported one.
    case tooOld(server: String, version: String)
    /// The database doesn't store texts in UTF-8.
    case wrongEncoding(server: String, encoding: String)
    /// The user may not create or change the tables; `reason` is the server's.
    case forbidden(server: String, reason: String)
    /// The server accepts no writes: it is a standby.
    case readOnly(server: String)
    /// The server is an earlier primary: this process has used one that was promoted since.
    case earlierPrimary(server: String)
    /// A pooler is in between that gives each transaction another connection.
    case pooled(server: String)
    /// A version of the server that is newer than this one has changed the tables.
    case newer(server: String)
    /// Servers of an earlier version use the database, whose tables a command of the owner would have to change.
    case usedByEarlierVersion(server: String)
    /// The database has no tables of a server, and they aren't to be created: its name is probably wrong.
    case noTables(server: String)
    /// The server's disk is full.
    case full(server: String)
    /// The data is being moved from or to the database at the moment.
    case beingMoved(server: String)
    /// Servers or commands of the owner use the database, so its data can't be moved.
    case inUse(server: String)
    /// The database is the target of a move that has not finished: it lacks data.
    case unfinished(server: String, source: String)
    /// The data was moved to another store, in which devices may have written since.
    case moved(server: String, target: String)
    /// A newer version of the server has left a mark of a move.
    case unknownMark(server: String)
    /// The connection of a move was lost that kept all others out.
    case holdLost(server: String)

    public var description: String {
        switch self {
        case .noLibrary:
            "libpq 14 or newer, which is needed to connect to PostgreSQL, was not found; on Debian: apt-get install libpq5"
        case .malformed(let reason):
            "the address of the store is wrong (\(reason)); it should have the form postgres://USER:PASSWORD@HOST/DATABASE"
        case .unverified(let server):
            "the connection to PostgreSQL at \(server) would not be verified, so someone on the network in between could read and "
                + "change everything: add sslmode=verify-full to the address of the store, as in "
                + "postgres://USER@HOST/DATABASE?sslmode=verify-full (and &sslrootcert=FILE for an authority of your own). On a "
                + "network that you trust, write the mode that you choose, such as sslmode=require"
        case .unreachable(let server, let reason):
            "PostgreSQL at \(server) can't be used: \(reason)"
        case .tooManyConnections(let server, let reason):
            "PostgreSQL at \(server) has no free connection (\(reason)); raise its max_connections, or lower "
                + "--store-connections"
        case .tooOld(let server, let version):
            "PostgreSQL at \(server) has version \(version); version 13 or newer is needed"
        case .wrongEncoding(let server, let encoding):
            "the database at \(server) has the encoding \(encoding); create one with UTF8: CREATE DATABASE NAME "
                + "ENCODING 'UTF8' TEMPLATE template0"
        case .forbidden(let server, let reason):
            "the user may not use the database at \(server) (\(reason)); make it the owner of the database: ALTER DATABASE "
                + "NAME OWNER TO USER"
        case .readOnly(let server):
            "PostgreSQL at \(server) accepts no writes: it is a standby. Name the primary, or all hosts with "
                + "target_session_attrs=read-write"
        case .earlierPrimary(let server):
            "PostgreSQL at \(server) is an earlier primary that was started again after another server was promoted; end "
                + "it, and make it a standby. To use its data all the same, restart all servers that use it"
        case .pooled(let server):
            "a pooler at \(server) gives each transaction another connection of PostgreSQL, as PgBouncer does with "
                + "pool_mode=transaction; LISTEN, prepared statements and advisory locks need connections that stay. Set "
                + "pool_mode=session for this database, or name PostgreSQL itself"
        case .newer(let server):
            "a newer version of the server has changed the tables of the database at \(server); install that version"
        case .usedByEarlierVersion(let server):
            "servers of an earlier version are using the database at \(server), and this command doesn't change their tables; "
                + "restart the servers with this version first"
        case .noTables(let server):
            "the database at \(server) has no tables of a server; check the address. Nothing was changed"
        case .full(let server): "the disk of PostgreSQL at \(server) is full; free some space"
        case .beingMoved(let server):
            "the data of the database at \(server) is being moved; try again when that has ended"
        case .inUse(let server):
            "servers or commands of the owner use the database at \(server); stop them first, so that nothing is written while "
                + "the data is moved"
        case .unfinished(let server, let source):
            "the database at \(server) lacks data, since a move from \(source) has not finished; begin the "
                + "move again, or use that store"
        case .moved(let server, let target):
            "the data of the database at \(server) was moved to \(target), where devices may have written since: use that store. "
                + "To use the former data all the same, mark it as restored"
        case .unknownMark(let server):
            "the database at \(server) has a mark of a move that this version doesn't recognise; install the newer version of the "
                + "server that made it"
        case .holdLost(let server):
            "the connection to PostgreSQL at \(server) that held the exclusive lock was lost, so servers or commands may have "
                + "written since; make sure that none is running"
        }
    }
}

extension PostgreSQLOpeningError {
    /// Creates the error for an error of PostgreSQL; nil if there is no advice for it.
    init?(_ error: PostgreSQLError, server: String) {
        switch error.state {
        case "53300": self = .tooManyConnections(server: server, reason: error.message)
        case "42501": self = .forbidden(server: server, reason: error.message)
        case "25006", "55000": self = .readOnly(server: server)
        case "53100": self = .full(server: server)
        // libpq reports the server's refusal of a connection without its code.
        case nil
        where error.message.contains("too many clients") || error.message.contains("connection slots are reserved"):
            self = .tooManyConnections(server: server, reason: error.message)
        case _ where error.isLoss: self = .unreachable(server: server, reason: error.message)
        default: return nil
        }
    }
}
