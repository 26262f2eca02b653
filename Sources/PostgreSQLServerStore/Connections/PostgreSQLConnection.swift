internal import CPostgreSQL
internal import Foundation

/// A connection to the database server. Used by one thread at a time.
///
/// Every wait has a deadline: libpq's own functions would wait without limit for a server that is stopped or a network that
/// loses everything.
final class PostgreSQLConnection {
    private let handle: OpaquePointer
    private let notices = Notices()
    /// The names of the prepared statements by their SQL.
    private var statements: [String: String] = [:]
    /// The statements that are sent with the next one.
    private var waiting: [Statement] = []
    /// The number of times that `sendWaiting` has succeeded: how often the server was waited for.
    private(set) var answeredBatches = 0
    /// How far a snapshot has come that may end with its first statement; nil: none is open, or it has a commit of its own.
    var snapshot: Snapshot?
    /// False once the connection was lost, or an answer didn't arrive in time.
    private(set) var isUsable = true
    /// Time to wait for the answers to statements that are sent together; another one in tests.
    var patience = ConnectionTarget.answer

    /// A transaction that reads a snapshot and may end with its first statement (`executeOnly`).
    enum Snapshot {
        /// No statement has ended it.
        case open
        /// Its only statement was sent together with its end.
        case ended
        /// A further statement was to be run after its end.
        case exceeded
    }

    /// The warnings of the server since the last statement.
    private final class Notices {
        var warnings: [String] = []
    }

    /// Connects. Blocking, for `ConnectionTarget.connectSeconds` for each host.
    init(to target: ConnectionTarget) throws(PostgreSQLError) {
        let options = target.options
        let keywords = options.map { strdup($0.keyword) } + [nil]
        let values = options.map { strdup($0.value) } + [nil]
        defer { for text in keywords + values { free(text) } }
        // 1: the value of `dbname` is the whole address.
        let handle = cpq_connect(keywords.map { UnsafePointer($0) }, values.map { UnsafePointer($0) }, 1)
        guard let handle else { throw PostgreSQLError(state: nil, message: "out of memory") }
        self.handle = handle
        cpq_set_notice_receiver(
            handle,
            { notices, result in
                guard let notices, let text = cpq_result_error_message(result) else { return }
                Unmanaged<Notices>.fromOpaque(notices).takeUnretainedValue().warnings.append(String(cString: text))
            }, Unmanaged.passUnretained(notices).toOpaque())
        guard cpq_status(handle) == CONNECTION_OK, cpq_set_nonblocking(handle, 1) == 0 else {
            throw PostgreSQLError(state: nil, message: lastMessage)
        }
        try command(ConnectionTarget.session)
    }

    deinit { cpq_finish(handle) }

    /// The number of the server's version, such as 150008 for 15.8.
    var serverVersion: Int32 { cpq_server_version(handle) }

    /// The encoding of the database's texts.
    var serverEncoding: String { cpq_parameter(handle, "server_encoding").map { String(cString: $0) } ?? "" }

    /// The process that serves the connection.
    var serverProcess: Int32 { cpq_server_process(handle) }

    /// The connection's file descriptor.
    var descriptor: Int32 { cpq_socket(handle) }

    /// Returns whether the server has not closed the connection since it was last used. Never waits.
    func isAlive() -> Bool {
        guard isUsable else { return false }
        // Between statements, the server sends nothing but its farewell and notices.
        if Self.poll(descriptor, POLLIN, milliseconds: 0) == 0 { return true }
        isUsable = cpq_consume_input(handle) == 1 && cpq_status(handle) == CONNECTION_OK
        return isUsable
    }

    /// Time to wait for the answer to a statement that may take long.
    private static let longAnswer = Duration.seconds(6 * 3_600)

    /// Allows statements that take long, such as a migration of many rows.
    func allowLongStatements() throws(PostgreSQLError) {
        try command("SET statement_timeout = 0; SET lock_timeout = 0")
        patience = Self.longAnswer
    }

    /// Runs statements that take long, within a transaction, also those that `body` leaves to be sent with the next one. The
    /// deadline for locks stays.
    func withLongStatements(_ body: () throws -> Void) throws {
        // PostgreSQL sets it back at the end of the transaction.
        try command("SET LOCAL statement_timeout = 0")
        let before = patience
        patience = Self.longAnswer
        defer { patience = before }
        try body()
        if !waiting.isEmpty { try sendWaiting() }
    }

    /// Keeps the connection open although it is idle for long.
    func stayOpen() throws(PostgreSQLError) { try command(ConnectionTarget.allowIdleSession) }

    // MARK: Statements

    /// A prepared statement with its values.
    private struct Statement {
        let name: String
        let values: [SQLValue]
    }

    /// Runs a statement with parameters, which is prepared at its first use, after those that wait.
    @discardableResult
    func execute(_ sql: String, _ values: [SQLValue] = []) throws(PostgreSQLError) -> SQLRows {
        if snapshot == .ended { snapshot = .exceeded }
        // The caller doesn't see it: `transaction` begins again.
        if snapshot == .exceeded { throw PostgreSQLError(state: "25P01", message: "the snapshot has ended") }
        try enqueue(sql, values)
        guard let last = try sendWaiting().last else { throw loss("no statement was sent") }
        return last
    }

    /// Runs the statement that is probably the only one of its transaction. If the transaction reads a snapshot and has sent
    /// nothing, the statement is sent together with the begin and the end, so that the server is waited for only once. If
    /// another statement follows nevertheless, the transaction begins again.
    func executeOnly(_ sql: String, _ values: [SQLValue]) throws(PostgreSQLError) -> SQLRows {
        guard snapshot == .open, waiting.count == 1 else { return try execute(sql, values) }
        try enqueue(sql, values)
        try enqueue(Self.commitStatement)
        snapshot = .ended
        guard let rows = try sendWaiting().dropLast().last else { throw loss("no statement was sent") }
        return rows
    }

    /// Runs statements together: they are sent at once, after those that wait.
    ///
    /// - Returns: The rows of each.
    func executeTogether(
        _ statements: [(sql: String, values: [SQLValue])]
    ) throws(PostgreSQLError) -> [SQLRows] {
        for statement in statements { try enqueue(statement.sql, statement.values) }
        return try Array(sendWaiting().suffix(statements.count))
    }

    static let commitStatement = "COMMIT"

    /// Runs a statement, whose rows aren't needed, together with the next one: both are sent at once, so that the server is
    /// waited for only once. An error is thrown by the next one.
    func enqueue(_ sql: String, _ values: [SQLValue] = []) throws(PostgreSQLError) {
        waiting.append(Statement(name: try prepared(sql), values: values))
    }

    /// Runs a statement without parameters and rows, or several separated by semicolons.
    @discardableResult
    func command(_ sql: String) throws(PostgreSQLError) -> SQLRows {
        if !waiting.isEmpty { try sendWaiting() }
        return try request { cpq_send(handle, sql) == 1 }
    }

    private func prepared(_ sql: String) throws(PostgreSQLError) -> String {
        if let name = statements[sql] { return name }
        let name = "s\(statements.count)"
        try request { cpq_send_prepare(handle, name, sql) == 1 }
        statements[sql] = name
        return name
    }

    /// The warnings that the last statement caused.
    var warnings: [String] { notices.warnings }

    /// Sends a request of its own, and waits for its answer.
    @discardableResult
    private func request(_ send: () -> Bool) throws(PostgreSQLError) -> SQLRows {
        notices.warnings = []
        guard send() else { throw loss(lastMessage) }
        let deadline = ContinuousClock.now + patience
        try flush(until: deadline)
        return try rows(of: try answer(until: deadline))
    }

    /// Sends the statements that wait, in a pipeline of libpq (postgresql.org/docs/current/libpq-pipeline-mode.html). After an
    /// error, the server skips the rest of them.
    ///
    /// - Returns: The rows of each.
    @discardableResult
    func sendWaiting() throws(PostgreSQLError) -> [SQLRows] {
        let batch = waiting
        waiting = []
        notices.warnings = []
        guard cpq_enter_pipeline(handle) == 1, batch.allSatisfy(send), cpq_sync_pipeline(handle) == 1 else {
            throw loss(lastMessage)
        }
        // One deadline for all: the server's limit of a statement doesn't cover a commit, which may wait for a standby, and a
        // server that is frozen has no limit at all.
        let deadline = ContinuousClock.now + patience
        try flush(until: deadline)
        var answers: [Answer] = []
        for _ in batch { answers.append(try answer(until: deadline)) }
        // The answer to the end of the pipeline; a connection that is lost has none.
        if let end = try next(until: deadline) { cpq_clear(end) }
        if cpq_exit_pipeline(handle) != 1 { isUsable = false }
        // Throws the error of the first one that failed.
        var found: [SQLRows] = []
        for answer in answers { found.append(try rows(of: answer)) }
        answeredBatches += 1
        return found
    }

    /// Number of statements that are sent with the next one.
    var waitingCount: Int { waiting.count }

    /// Forgets the statements that wait, whose transaction is over.
    func forgetWaiting() { waiting = [] }

    private func send(_ statement: Statement) -> Bool {
        var bytes: [UInt8] = []
        var ranges: [Range<Int>?] = []
        for value in statement.values {
            let start = bytes.count
            value.write(to: &bytes)
            ranges.append(value.isNull ? nil : start..<bytes.count)
        }
        // An empty text needs an address, too: without one it would be a null.
        if bytes.isEmpty { bytes.append(0) }
        return bytes.withUnsafeBytes { buffer in
            let pointers = ranges.map { range in
                range.flatMap { buffer.baseAddress?.advanced(by: $0.lowerBound).assumingMemoryBound(to: CChar.self) }
            }
            let lengths = ranges.map { Int32(clamping: $0?.count ?? 0) }
            let formats = [Int32](repeating: 1, count: ranges.count)
            return cpq_send_prepared(
                handle, statement.name, Int32(clamping: ranges.count), pointers, lengths, formats, 1) == 1
        }
    }

    /// The answer to a statement.
    private struct Answer {
        var rows: SQLRows?
        var failure: PostgreSQLError?
    }

    /// Waits for the answer to a statement.
    private func answer(until deadline: ContinuousClock.Instant) throws(PostgreSQLError) -> Answer {
        var answer = Answer()
        while let result = try next(until: deadline) {
            switch cpq_result_status(result) {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: answer.rows = SQLRows(result)
            default:
                answer.failure = answer.failure ?? Self.error(of: result)
                cpq_clear(result)
            }
        }
        return answer
    }

    private func rows(of answer: Answer) throws(PostgreSQLError) -> SQLRows {
        if let failure = answer.failure {
            if failure.isLoss || cpq_status(handle) != CONNECTION_OK { isUsable = false }
            throw failure
        }
        guard let rows = answer.rows else { throw loss("the server did not answer") }
        return rows
    }

    private func flush(until deadline: ContinuousClock.Instant) throws(PostgreSQLError) {
        while true {
            switch cpq_flush(handle) {
            case 0: return
            case 1:
                try wait(for: POLLIN | POLLOUT, until: deadline)
                // The server may have to get rid of its answer before it reads on.
                guard cpq_consume_input(handle) == 1 else { throw loss(lastMessage) }
            default: throw loss(lastMessage)
            }
        }
    }

    private func next(until deadline: ContinuousClock.Instant) throws(PostgreSQLError) -> OpaquePointer? {
        while cpq_is_busy(handle) == 1 {
            try wait(for: POLLIN, until: deadline)
            guard cpq_consume_input(handle) == 1 else { throw loss(lastMessage) }
        }
        return cpq_next_result(handle)
    }

    private func wait(for events: Int32, until deadline: ContinuousClock.Instant) throws(PostgreSQLError) {
        let left = (deadline - .now).components
        let milliseconds = left.seconds * 1_000 + left.attoseconds / 1_000_000_000_000_000
        guard milliseconds > 0 else { throw loss("the server did not answer in time") }
        _ = Self.poll(descriptor, events, milliseconds: Int32(clamping: milliseconds))
    }

    private static func poll(_ descriptor: Int32, _ events: Int32, milliseconds: Int32) -> Int32 {
        var entry = pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0)
        return Foundation.poll(&entry, 1, milliseconds)
    }

    // MARK: Notifications

    /// Returns the notifications that have arrived: their senders' processes and texts.
    func notifications() throws(PostgreSQLError) -> [(sender: Int32, text: String)] {
        guard cpq_consume_input(handle) == 1 else { throw loss(lastMessage) }
        var all: [(sender: Int32, text: String)] = []
        while let notification = cpq_next_notification(handle) {
            all.append((notification.pointee.be_pid, String(cString: notification.pointee.extra)))
            cpq_free(notification)
        }
        return all
    }

    // MARK: Errors

    /// Whether the server has a transaction of this connection, also one that has failed.
    var isInTransaction: Bool { cpq_transaction_status(handle) != PQTRANS_IDLE }

    /// Gives the connection up, since its state isn't known.
    func giveUp() { isUsable = false }

    private var lastMessage: String { Self.plain(cpq_error_message(handle)) }

    private func loss(_ message: String) -> PostgreSQLError {
        isUsable = false
        return PostgreSQLError(state: nil, message: message)
    }

    private static func error(of result: OpaquePointer) -> PostgreSQLError {
        // PG_DIAG_SQLSTATE and PG_DIAG_MESSAGE_PRIMARY of postgres_ext.h, which are characters in C.
        let field = { (name: Unicode.Scalar) in
            cpq_result_error_field(result, Int32(name.value)).map { String(cString: $0) }
        }
        return PostgreSQLError(state: field("C"), message: field("M") ?? plain(cpq_result_error_message(result)))
    }

    private static func plain(_ text: UnsafePointer<CChar>?) -> String {
        let text = text.map { String(cString: $0) } ?? ""
        return text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }.joined(
            separator: "; ")
    }
}
