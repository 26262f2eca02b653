public import CoreMetrics
internal import Foundation
internal import NIOConcurrencyHelpers
public import Records
public import ServerCore

/// The store for several server processes over one PostgreSQL.
///
/// Transactions are serializable, as those of a store with one writer: PostgreSQL detects conflicts, and a transaction with
/// one begins again. The changes of a space are made in turn (`SpaceLock`), so that the order of versions is that of
/// commits. A durable transaction is one that PostgreSQL has acknowledged.
public final class PostgreSQLServerStore: ManagedServerStore {
    /// Connections for reads, and for writes: neither can use up the other's.
    private let readers, writers: ConnectionPool
    private let turns = SpaceTurns()
    private let news: NewsExchange
    private let target: ConnectionTarget
    /// The channel to which each commit is reported; nil: it is reported by `announce`.
    private let reportsTo: String?
    private let metrics: StoreMetrics?
    public let hasChangedTables: Bool
    public let unverifiedMode: String?
    /// Who opened it. During a move, the only connection of `writers` keeps all others out.
    private let use: StoreUse

    /// Number of connections of a process, if none is named.
    public static let connections = 16

    /// Number of times that a transaction is tried if others are in conflict with it.
    static let attempts = 12
    /// Number of times that a transaction is tried if it inserts a row that is there already.
    static let duplicateAttempts = 3

    /// Opens the store of a database, and creates or changes its tables. Other processes may use it, and may start at the
    /// same time.
    ///
    /// - Parameters:
    ///   - address: A connection string of libpq: `postgres://USER@HOST/DATABASE`. It may name several hosts, of which the
    ///     one that accepts writes is used.
    ///   - connections: The number of connections; half of them are for writes. A further one is for news.
    ///   - reportsCommits: Whether each commit is reported to all servers, for a command of the owner.
    ///   - epoch: A random id, `[A-Za-z0-9_-]{1,64}`, for a database that is created now.
    ///   - now: Returns the time in milliseconds since 1970.
    ///   - use: Who opens it: a database may be refused during a move and after it (`MoveMark`), and a move keeps all others
    ///     out until the store is closed. If the connection is lost that keeps them out, nothing can be written any more.
    ///   - metrics: The backend of metrics; nil: nothing is recorded.
    /// - Throws: `PostgreSQLOpeningError`; else the error of PostgreSQL.
    public static func open(
        _ address: String, connections: Int = connections, reportsCommits: Bool = false, use: StoreUse = .server,
        epoch: String = UUIDText.random(), now: @escaping @Sendable () -> Int64 = ServerEnvironment.live.now,
        metrics: (any MetricsFactory)? = nil
    ) async throws -> PostgreSQLServerStore {
        let target = try ConnectionTarget(address)
        if target.protection == .unchosen { throw PostgreSQLOpeningError.unverified(server: target.name) }
        let fence = Fence(now: now, server: target.name)
        let lock = DatabaseLock(use: use, server: target.name)
        let migrator = Migrator(target: target)
        let hold = use.isExclusive ? try await openExclusively(target, lock) : nil
        do {
            let opened: Opened = try await offPool {
                try opening(target) {
                    let connection = try PostgreSQLConnection(to: target)
                    // Before any lock is taken, which a pooler would leave to others.
                    try SessionCheck.check(connection, target)
                    let hasChangedTables = try migrator.migrate(connection, epoch: epoch, lock: lock)
                    try lock.checkMark(connection)
                    try fence.check(connection)
                    return try Opened(channel: migrator.channel(connection), hasChangedTables: hasChangedTables)
                }
            }
            return PostgreSQLServerStore(
                target, connections: connections, fence: fence, lock: lock, migrator: migrator, hold: hold,
                opened: opened, reportsCommits: reportsCommits, metrics: metrics)
        } catch {
            // Closing doesn't throw.
            if let hold { try? await offPool { hold.close() } }
            throw error
        }
    }

    /// What the first connection has found.
    private struct Opened {
        let channel: String
        let hasChangedTables: Bool
    }

    private init(
        _ target: ConnectionTarget, connections: Int, fence: Fence, lock: DatabaseLock, migrator: Migrator,
        hold: ConnectionPool?, opened: Opened, reportsCommits: Bool, metrics: (any MetricsFactory)?
    ) {
        let writing = max(1, connections / 2)
        let prepare: @Sendable (PostgreSQLConnection) throws -> Void = { connection in
            try lock.share(connection)
            try migrator.checkSchema(connection)
            try lock.checkMark(connection)
            try fence.check(connection)
        }
        writers = hold ?? ConnectionPool(target, connections: writing, prepare: prepare)
        readers = ConnectionPool(target, connections: max(1, connections - writing), prepare: prepare)
        news = NewsExchange(target, lock: lock, fence: fence, channel: opened.channel)
        hasChangedTables = opened.hasChangedTables
        unverifiedMode = if case .unverified(let mode) = target.protection { mode } else { nil }
        use = lock.use
        self.target = target
        reportsTo = reportsCommits ? opened.channel : nil
        self.metrics = metrics.map { StoreMetrics($0) }
    }

    /// Opens the connection that keeps all others out and writes everything of a move. It is never replaced: once it is lost,
    /// others may have written.
    private static func openExclusively(
        _ target: ConnectionTarget, _ lock: DatabaseLock
    ) async throws -> ConnectionPool {
        let isHeld = NIOLockedValueBox(false)
        let pool = ConnectionPool(target, connections: 1) { connection in
            if isHeld.withLockedValue({ $0 }) { throw PostgreSQLOpeningError.holdLost(server: target.name) }
            // Before the lock is taken, which a pooler would leave to others.
            try SessionCheck.check(connection, target)
            try lock.lockExclusively(connection)
            isHeld.withLockedValue { $0 = true }
        }
        do { try await pool.run { _ in } } catch let error as PostgreSQLError {
            throw PostgreSQLOpeningError(error, server: target.name) ?? error
        }
        return pool
    }

    /// Translates errors of PostgreSQL into those of opening a store.
    private static func opening<Result>(_ target: ConnectionTarget, _ work: () throws -> Result) throws -> Result {
        do {
            return try work()
        } catch let error as PostgreSQLError {
            throw PostgreSQLOpeningError(error, server: target.name) ?? error
        } catch let loss as PostgreSQLConnection.LostBeforeBegin {
            throw PostgreSQLOpeningError.unreachable(server: target.name, reason: loss.reason.message)
        }
    }

    public func checkExclusiveUse() async throws {
        guard use.isExclusive else { return }
        try await explained { try await writers.run { _ = try $0.command("") } }
    }

    /// Waits for transactions under way, and closes all connections. Later calls fail.
    public func shutDown() async {
        news.end()
        // Closing doesn't throw.
        try? await Self.offPool { [readers, writers] in
            readers.close()
            writers.close()
        }
    }

    public func shutDown(within limit: Duration) async throws -> Bool {
        let (ends, end) = AsyncStream<Bool>.makeStream()
        // Not child tasks: a group would wait for both, and closing can't be cancelled.
        Task {
            await shutDown()
            end.yield(true)
        }
        let timer = Task {
            try await Task.sleep(for: limit)
            end.yield(false)
        }
        defer { timer.cancel() }
        for await isClosed in ends { return isClosed }
        return false
    }

    private static func offPool<Result: Sendable>(
        _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Swift.Result(catching: work)) }
        }
    }

    // MARK: Transactions

    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReading) throws -> Result
    ) async throws -> Result {
        let start = metrics.map { _ in ContinuousClock.now }
        defer { if let start { metrics?.ended(.read, since: start) } }
        return try await explained {
            let latest = ContinuousClock.now + ConnectionPool.patience
            do { return try await snapshot(body) } catch let error as PostgreSQLError
                where error.isLoss && ContinuousClock.now < latest
            {
                // A read can be repeated, and the server may be back: idle connections are checked, this one was in use. Not
                // after a long wait for an answer, which would begin again.
                return try await snapshot(body)
            }
        }
    }

    private func snapshot<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReading) throws -> Result
    ) async throws -> Result {
        try await readers.run { connection in
            try connection.transaction(.snapshot) { try body(PostgreSQLTransaction($0)) }
        }
    }

    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreWriting) throws -> Result
    ) async throws -> Result {
        let start = metrics.map { _ in ContinuousClock.now }
        defer { if let start { metrics?.ended(.write, since: start) } }
        return try await explained {
            var space: String?
            var last: PostgreSQLError?
            var duplicates = 0
            for attempt in 0..<Self.attempts {
                switch try await self.attempt(behind: space, body) {
                case .done(let result): return result
                case .conflict(let other, let error):
                    (space, last) = (other ?? space, error)
                    duplicates += error?.isDuplicate == true ? 1 : 0
                }
                if let last, duplicates >= Self.duplicateAttempts {
                    throw DamagedStore(
                        what: "an insert violates a unique constraint, but the transaction finds no such row: \(last)")
                }
                // The first time at once: most conflicts are over with the other transaction.
                if attempt > 0 { try await Task.sleep(for: .milliseconds(Int.random(in: 1...(4 << min(attempt, 5))))) }
            }
            throw StoreFailure.busy(reason: last.map { "\($0)" } ?? "a space is locked by others each time")
        }
    }

    /// The end of an attempt of a transaction.
    private enum Attempt<Result: Sendable>: Sendable {
        case done(Result)
        /// Another transaction was in the way; of the space, if it had tried to lock one.
        case conflict(space: String?, PostgreSQLError?)
    }

    /// - Parameter space: The space whose lock to wait for before the transaction begins.
    private func attempt<Result: Sendable>(
        behind space: String?, _ body: @escaping @Sendable (any StoreWriting) throws -> Result
    ) async throws -> Attempt<Result> {
        guard let space else { return try await attempt(lock: nil, body) }
        // In turn within this process, too, so that one busy space occupies one connection.
        return try await turns.inTurn(for: space) { try await attempt(lock: SpaceLock.key(of: space), body) }
    }

    private func attempt<Result: Sendable>(
        lock: Int64?, _ body: @escaping @Sendable (any StoreWriting) throws -> Result
    ) async throws -> Attempt<Result> {
        try await writers.run { [reportsTo] connection in
            let transaction = PostgreSQLTransaction(connection)
            do {
                return .done(
                    try connection.transaction(.serializable, behind: lock) { connection in
                        let result = try body(transaction)
                        if let reportsTo { try connection.enqueue(Self.report, [.text(reportsTo)]) }
                        return result
                    })
            } catch let error as PostgreSQLError where error.isConflict || error.isDuplicate {
                return .conflict(space: transaction.lockedSpace, error)
            } catch is SpaceIsLocked {
                return .conflict(space: transaction.lockedSpace, nil)
            }
        }
    }

    /// Translates errors of PostgreSQL into those of a store.
    private func explained<Result>(_ work: () async throws -> Result) async throws -> Result {
        do {
            return try await work()
        } catch let error as PostgreSQLError {
            throw error.failure ?? error
        } catch let error as PostgreSQLOpeningError {
            throw StoreFailure.unavailable(reason: error.description)
        }
    }

    private static let report = "SELECT pg_notify($1, '\(NewsText.texts(of: [.anything]).joined())')"

    // MARK: News

    public func announce(_ news: StoreNews) { self.news.announce(news) }

    public func receiveNews(_ receive: @escaping @Sendable (StoreNews) -> Void) -> (any StoreNewsReceiving)? {
        news.receive(receive)
    }

    // MARK: Maintenance

    public func checkSpace() async throws {
        // Changes nothing, and fails as any write would if the server is a standby or doesn't answer. Whether its disk
        // has room isn't visible from here.
        try await explained {
            try await writers.run { connection -> Void in
                try connection.transaction(.serializable) { _ = try $0.execute("DELETE FROM meta WHERE false") }
            }
        }
    }

    public func statistics() async throws -> StoreStatistics {
        try await read { tx in try (tx as? PostgreSQLTransaction)?.statistics() ?? StoreStatistics() }
    }

    public func faults() async throws -> [String] {
        try await explained {
            try await Self.offPool { [target] in
                // A connection of its own: it may take long.
                let connection = try PostgreSQLConnection(to: target)
                try connection.allowLongStatements()
                return try connection.transaction(.snapshot) { try PostgreSQLTransaction($0).miscounts() }
            }
        }
    }
}
