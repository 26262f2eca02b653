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
    /// The number of times that `sendWaiting` has succeeded.
    private var answeredBatches = 0
    /// False once the connection was lost, or an answer didn't arrive in time.
    private(set) var isUsable = true
    /// Time to wait for the answer to a statement; another one in tests.
    var patience = ConnectionTarget.answer

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
    func stayOpen() throws(PostgreSQLError) { try command(ConnectionTarget.staying) }

    // MARK: Statements

    /// A prepared statement with its values.
    private struct Statement {
        let name: String
        let values: [SQLValue]
    }

    /// Runs a statement with parameters, which is prepared at its first use, after those that wait.
    @discardableResult
    func execute(_ sql: String, _ values: [SQLValue] = []) throws(PostgreSQLError) -> SQLRows {
        try enqueue(sql, values)
        return try sendWaiting()
    }

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
    /// - Returns: The rows of the last one.
    @discardableResult
    private func sendWaiting() throws(PostgreSQLError) -> SQLRows {
        let batch = waiting
        waiting = []
        notices.warnings = []
        guard cpq_enter_pipeline(handle) == 1, batch.allSatisfy(send), cpq_sync_pipeline(handle) == 1 else {
            throw loss(lastMessage)
        }
        // The server sends the answers at the end of the pipeline, so even the first one may take as long as all statements, each
        // of which has a limit of its own.
        let deadline = ContinuousClock.now + patience * batch.count
        try flush(until: deadline)
        var last = Answer()
        for _ in batch {
            let next = try answer(until: deadline)
            last = Answer(rows: next.rows, failure: last.failure ?? next.failure)
        }
        // The answer to the end of the pipeline; a connection that is lost has none.
        if let end = try next(until: deadline) { cpq_clear(end) }
        if cpq_exit_pipeline(handle) != 1 { isUsable = false }
        let found = try rows(of: last)
        answeredBatches += 1
        return found
    }

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

extension PostgreSQLConnection {
    /// The isolation of a transaction.
    enum Isolation {
        /// Reads from one snapshot.
        case snapshot
        /// As if no other transaction ran meanwhile; otherwise it fails with a conflict.
        case serializable

        fileprivate var begin: String {
            switch self {
            case .snapshot: "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"
            case .serializable: "BEGIN ISOLATION LEVEL SERIALIZABLE"
            }
        }
    }

    /// The error for a connection that was lost before the transaction began: another one can carry it out.
    struct LostBeforeBegin: Error {
        let reason: PostgreSQLError
    }

    /// Runs a transaction.
    ///
    /// - Parameter lock: The advisory lock to wait for before the transaction begins, and with it its snapshot.
    /// - Throws: `LostBeforeBegin`; `PostgreSQLError`; what `body` throws.
    func transaction<Result>(
        _ isolation: Isolation, behind lock: Int64? = nil, _ body: (PostgreSQLConnection) throws -> Result
    ) throws -> Result {
        var held: Int64?
        defer {
            // Fails only if the connection is lost, and the lock with it.
            if let held, isUsable { _ = try? execute("SELECT pg_advisory_unlock($1)", [.int(held)]) }
        }
        do {
            if let lock { try execute("SELECT pg_advisory_lock($1)", [.int(lock)]) }
            held = lock
            try enqueue(isolation.begin)
        } catch {
            if isUsable { throw error }
            throw LostBeforeBegin(reason: error)
        }
        let before = answeredBatches
        let result: Result
        do {
            result = try body(self)
            if answeredBatches == before {
                guard waiting.count > 1 else {
                    // Nothing was read or written.
                    waiting = []
                    return result
                }
                // Not together with the commit: if the connection is lost now, another one can carry out the transaction.
                try sendWaiting()
            }
        } catch {
            waiting = []
            rollBack()
            if !isUsable, answeredBatches == before, let error = error as? PostgreSQLError {
                throw LostBeforeBegin(reason: error)
            }
            throw error
        }
        try commit()
        return result
    }

    private func rollBack() {
        guard isUsable, cpq_transaction_status(handle) != PQTRANS_IDLE else { return }
        // If it fails, the connection isn't used any more, and the server ends the transaction.
        do { try command("ROLLBACK") } catch { isUsable = false }
    }

    private func commit() throws(PostgreSQLError) {
        let answer: SQLRows
        do { answer = try execute("COMMIT") } catch {
            // A statement that was sent with it may have failed; then the transaction is still open.
            rollBack()
            var error = error
            error.mayBeCommitted = error.isLoss
            throw error
        }
        // The answer to a COMMIT of a failed transaction.
        guard answer.command == "COMMIT" else {
            throw PostgreSQLError(state: "25P02", message: "the transaction had failed before its commit")
        }
        // With synchronous replication, a commit that was interrupted while it waited for the standby is reported by a
        // warning alone (SyncRepWaitForLSN in syncrep.c): it is not durable yet.
        if let warning = warnings.first {
            isUsable = false
            throw PostgreSQLError(state: nil, message: warning, mayBeCommitted: true)
        }
    }
}
