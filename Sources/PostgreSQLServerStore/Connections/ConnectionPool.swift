internal import Foundation
internal import NIOConcurrencyHelpers

/// Threads with a connection each, which carry out transactions in the order of their arrival.
///
/// libpq and the bodies of transactions block, so they run on neither the cooperative pool nor event loops. A connection is
/// opened when it is first needed, checked before each use, and replaced once it is lost. If the server has no more
/// connections, transactions wait for those that there are.
final class ConnectionPool: Sendable {
    private let queue: TransactionQueue
    private let patience: Duration

    /// Number of transactions that may wait.
    static let waiting = 4_096
    /// Time after which a thread without a connection tries again, in seconds.
    private static let pause = 0.5
    /// Time that a transaction may wait for a connection.
    static let patience = Duration.seconds(10)

    /// - Parameters:
    ///   - connections: The number of connections, and of threads.
    ///   - patience: Time that a transaction may wait for a connection; another one in tests.
    ///   - prepare: Called with each new connection before its first transaction.
    init(
        _ target: ConnectionTarget, connections: Int, patience: Duration = ConnectionPool.patience,
        prepare: @escaping @Sendable (PostgreSQLConnection) throws -> Void
    ) {
        self.patience = patience
        queue = TransactionQueue()
        queue.start(threads: connections)
        let health = Health()
        for _ in 0..<connections {
            // A thread captures the queue, not the pool, whose `deinit` ends the threads.
            let thread = Thread { [queue] in
                let worker = Worker(target: target, health: health, prepare: prepare)
                while let transaction = queue.next() {
                    if worker.run(transaction) { continue }
                    queue.putBack(transaction)
                    // For another thread of the pool. This one may block, and has no connection.
                    Thread.sleep(forTimeInterval: Self.pause)
                }
                queue.threadEnded()
            }
            thread.name = "postgresql"
            thread.start()
        }
    }

    deinit { queue.close() }

    /// Number of transactions that wait for a connection.
    var waitingCount: Int { queue.count }

    /// Refuses further transactions, carries out those that wait, and waits until all connections are closed. Blocking.
    func close() {
        queue.close()
        queue.waitForEnd()
    }

    /// Runs `work` with a connection, on its thread. If the connection is lost before its transaction begins, it runs again
    /// with a new one.
    ///
    /// - Throws: `PostgreSQLError`; what `work` throws.
    func run<Result: Sendable>(
        _ work: @escaping @Sendable (PostgreSQLConnection) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            let transaction = WaitingTransaction(
                deadline: .now + patience, run: { try continuation.resume(returning: work($0)) },
                fail: { continuation.resume(throwing: $0) })
            if !queue.add(transaction) {
                continuation.resume(throwing: PostgreSQLError(state: "53300", message: "too many transactions wait"))
            }
        }
    }
}

private struct WaitingTransaction: Sendable {
    let deadline: ContinuousClock.Instant
    /// Runs it and resumes its caller, unless it throws.
    let run: @Sendable (PostgreSQLConnection) throws -> Void
    let fail: @Sendable (any Error) -> Void
}

/// The state of a pool's connections.
private final class Health: Sendable {
    private let state = NIOLockedValueBox(State())
    private static let kept = Duration.milliseconds(500)

    private struct State {
        var last: (moment: ContinuousClock.Instant, error: any Error)?
        var connected = 0
    }

    /// The last failure to connect, if it was a moment ago. Transactions share it: otherwise each of those that wait would
    /// wait for a server that doesn't answer.
    var failure: (any Error)? {
        state.withLockedValue { state in
            state.last.flatMap { ContinuousClock.now - $0.moment < Self.kept ? $0.error : nil }
        }
    }

    /// Number of threads with a connection.
    var connected: Int { state.withLockedValue(\.connected) }

    func failed(_ error: any Error) { state.withLockedValue { $0.last = (.now, error) } }

    func connected(_ change: Int) { state.withLockedValue { $0.connected += change } }
}

/// The work of one thread.
private final class Worker {
    private let target: ConnectionTarget
    private let health: Health
    private let prepare: @Sendable (PostgreSQLConnection) throws -> Void
    private var connection: PostgreSQLConnection? {
        didSet { health.connected((connection == nil ? 0 : 1) - (oldValue == nil ? 0 : 1)) }
    }

    init(
        target: ConnectionTarget, health: Health, prepare: @escaping @Sendable (PostgreSQLConnection) throws -> Void
    ) {
        (self.target, self.health, self.prepare) = (target, health, prepare)
    }

    /// The error of a thread that could not connect, while others have connections.
    private struct OthersAreConnected: Error {}

    /// Runs a transaction and resumes its caller.
    ///
    /// - Returns: False if another thread is to run it: this one can't connect, and others have connections.
    func run(_ transaction: WaitingTransaction) -> Bool {
        guard ContinuousClock.now < transaction.deadline else {
            // With the code of a server without free connections: nothing was lost, so nothing is to be repeated.
            transaction.fail(PostgreSQLError(state: "53300", message: "no connection was free in time"))
            return true
        }
        do {
            do { try attempt(transaction) } catch is PostgreSQLConnection.LostBeforeBegin { try attempt(transaction) }
        } catch is OthersAreConnected {
            return false
        } catch let loss as PostgreSQLConnection.LostBeforeBegin {
            transaction.fail(loss.reason)
        } catch {
            transaction.fail(error)
        }
        return true
    }

    private func attempt(_ transaction: WaitingTransaction) throws {
        let connection = try usableConnection()
        defer { if !connection.isUsable { self.connection = nil } }
        try transaction.run(connection)
    }

    private func usableConnection() throws -> PostgreSQLConnection {
        if let connection, connection.isAlive() { return connection }
        connection = nil
        if let failure = health.failure { throw health.connected > 0 ? OthersAreConnected() : failure }
        do {
            let new = try PostgreSQLConnection(to: target)
            try prepare(new)
            connection = new
            return new
        } catch {
            health.failed(error)
            throw health.connected > 0 ? OthersAreConnected() : error
        }
    }
}

/// The transactions that wait for a thread.
///
/// `@unchecked Sendable`: all variables are used only while `condition` is locked.
private final class TransactionQueue: @unchecked Sendable {
    private let condition = NSCondition()
    private var waiting: [WaitingTransaction] = []
    /// The place of the next one in `waiting`.
    private var head = 0
    private var isOpen = true
    private var threads = 0

    func start(threads: Int) { condition.withLock { self.threads += threads } }

    var count: Int { condition.withLock { waiting.count - head } }

    /// - Returns: False if the queue is full or closed.
    func add(_ transaction: WaitingTransaction) -> Bool {
        condition.withLock {
            guard isOpen, waiting.count - head < ConnectionPool.waiting else { return false }
            waiting.append(transaction)
            condition.signal()
            return true
        }
    }

    /// Adds a transaction in front of all others.
    func putBack(_ transaction: WaitingTransaction) {
        condition.withLock {
            if head > 0 {
                head -= 1
                waiting[head] = transaction
            } else {
                waiting.insert(transaction, at: 0)
            }
            condition.signal()
        }
    }

    /// Waits for a transaction and returns it; nil once the queue is closed and empty.
    func next() -> WaitingTransaction? {
        condition.withLock {
            while head == waiting.count {
                guard isOpen else { return nil }
                condition.wait()
            }
            defer {
                head += 1
                // In portions: removing the first one each time would move all others.
                if head == waiting.count || head >= 1_024 {
                    waiting.removeFirst(head)
                    head = 0
                }
            }
            return waiting[head]
        }
    }

    func close() {
        condition.withLock {
            isOpen = false
            condition.broadcast()
        }
    }

    func threadEnded() {
        condition.withLock {
            threads -= 1
            condition.broadcast()
        }
    }

    func waitForEnd() { condition.withLock { while threads > 0 { condition.wait() } } }
}
