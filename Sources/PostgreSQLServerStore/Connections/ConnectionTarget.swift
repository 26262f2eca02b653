internal import CPostgreSQL
internal import Foundation

/// The address of a database server, and the deadlines of connections to it. A value that was checked by libpq.
struct ConnectionTarget: Sendable {
    /// A connection string: a URL, see libpq's documentation, "Connection URIs".
    let address: String
    /// The hosts and the database, without user and password, for messages.
    let name: String
    let protection: ConnectionProtection

    /// Time to wait for a connection to one host, in seconds.
    static let connectSeconds = 5
    /// Time after which a statement is ended by the server, in milliseconds.
    static let statementMilliseconds = 30_000
    /// Time to wait for a lock, in milliseconds.
    static let lockMilliseconds = 10_000
    /// Time after which the server ends the connection of a process that doesn't continue its transaction, or what it does
    /// with an advisory lock, in milliseconds: it may hold the lock of a space.
    static let idleMilliseconds = 10_000
    /// Time to wait for the answers to statements that are sent together. Longer than the server's own limit of one; it applies
    /// if the server or the network doesn't answer at all, or if a commit waits for a standby that is gone.
    static let answer = Duration.milliseconds(statementMilliseconds + 5_000)

    /// - Parameter environment: The environment variables, some of which libpq uses for what the address doesn't say.
    /// - Throws: `PostgreSQLOpeningError.malformed`, `.noLibrary`.
    init(
        _ address: String, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(PostgreSQLOpeningError) {
        guard cpq_library() != nil else { throw .noLibrary }
        var reason: UnsafeMutablePointer<CChar>?
        guard let options = cpq_parse(address, &reason) else {
            defer { cpq_free(reason) }
            // libpq quotes the address in some messages, and it may contain a password.
            let text = (reason.map { String(cString: $0) } ?? "out of memory").replacing(address, with: "…")
            throw .malformed(reason: text.trimmingCharacters(in: .whitespacesAndNewlines))
        }
        defer { cpq_free_options(options) }
        var values: [String: String] = [:]
        var inherited: [String: String] = [:]
        var next = options
        while let keyword = next.pointee.keyword {
            if let value = next.pointee.val { values[String(cString: keyword)] = String(cString: value) }
            if let variable = next.pointee.envvar {
                inherited[String(cString: keyword)] = environment[String(cString: variable)]
            }
            next += 1
        }
        self.address = address
        protection = ConnectionProtection(inherited.merging(values) { $1 })
        let hosts = (values["host"] ?? values["hostaddr"] ?? "localhost").split(separator: ",").map(String.init)
        let ports = (values["port"] ?? "").split(separator: ",").map(String.init)
        let places = hosts.enumerated().map { index, host in
            (ports.count > index ? ports[index] : ports.count == 1 ? ports.first : nil).map { "\(host):\($0)" } ?? host
        }
        name = places.joined(separator: ",") + (values["dbname"].map { "/\($0)" } ?? "")
    }

    /// The options of a connection in order; a later one has precedence, and the address has it over the defaults.
    var options: [(keyword: String, value: String)] {
        [
            ("connect_timeout", "\(Self.connectSeconds)"), ("tcp_user_timeout", "10000"), ("keepalives_idle", "30"),
            ("keepalives_interval", "5"), ("keepalives_count", "3"), ("target_session_attrs", "read-write"),
            ("application_name", ProcessInfo.processInfo.processName), ("dbname", address), ("client_encoding", "UTF8"),
        ]
    }

    /// The statement that configures a new connection.
    ///
    /// Scans of whole tables would lock them whole for the detection of conflicts (SSI), and their assumed cost would turn
    /// on the compilation of queries. A commit that is acknowledged is durable, whatever the server's default. PostgreSQL asks
    /// after 10 s whether the other machine is there, and ends the session 15 s later, with its locks; its own default is hours.
    static let session = """
        SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
        SET statement_timeout = \(statementMilliseconds); SET lock_timeout = \(lockMilliseconds);
        SET idle_in_transaction_session_timeout = \(idleMilliseconds); SET enable_seqscan = off; SET jit = off;
        SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3;
        SET client_min_messages = warning
        """

    /// The statement that lets PostgreSQL end a connection that is idle, and returns the previous setting. PostgreSQL has the
    /// setting since version 14.
    static let limitIdleSession = """
        SELECT current_setting('idle_session_timeout'), set_config('idle_session_timeout', '\(idleMilliseconds)', false)
        WHERE current_setting('idle_session_timeout', true) IS NOT NULL
        """

    /// The statement that keeps a connection open although it is idle for long, whatever the server's default. PostgreSQL has
    /// the setting since version 14.
    static let allowIdleSession = """
        SELECT set_config('idle_session_timeout', '0', false)
        WHERE current_setting('idle_session_timeout', true) IS NOT NULL
        """
}
