public import CoreMetrics
internal import Dispatch
public import Foundation
internal import GRDB
internal import GRDBSQLite
public import Records
public import ServerCore

/// The embedded store: one SQLite file in a directory of its own, with one writer, group commit and several readers.
///
/// A durable transaction is fsynced: WAL with `synchronous=FULL`.
public final class SQLiteServerStore: ManagedServerStore {
    let database: any DatabaseWriter
    private let commits: GroupCommit
    private let scheduling: Scheduling
    /// Held as long as the store exists.
    private let locks: [DirectoryLock]
    private let reserve: DiskReserve?
    /// The copy of the database that was made before its tables were changed for this version; nil: they were not.
    public let copyBeforeUpgrade: URL?
    /// The connections of `lookUp`; nil: it reads as `read` does.
    private let lookUps: LookUpConnections?
    private let metrics: StoreMetrics?

    /// The threads on which transactions run.
    public enum Scheduling: Sendable {
        /// On GRDB's own threads, as in production.
        case threads
        /// On the calling thread, one transaction in each commit: for a simulation that drives everything from one
        /// thread.
        case inline
    }

    /// Opens the store in a directory, which is created (mode 0700) if it doesn't exist.
    ///
    /// Blocking, see `open(directory:)`.
    ///
    /// - Parameters:
    ///   - files: The names of the store's files.
    ///   - epoch: A random id, `[A-Za-z0-9_-]{1,64}`, for a database that is created now.
    ///   - keepsReserve: Whether 1 to 16 MiB of the disk are reserved, so that deleting works when it is full.
    ///   - use: Who opens it: a database may be refused after a move (`MoveMark`).
    ///   - metrics: The backend of metrics; nil: nothing is recorded.
    /// - Throws: `StoreOpeningError` if another process has it open, it can't be written, or it is damaged or newer;
    ///   else SQLite's error.
    public convenience init(
        directory: URL, files: StoreFiles = StoreFiles(),
        epoch: @autoclosure () -> String = UUIDText.random(), scheduling: Scheduling = .threads,
        keepsReserve: Bool = false, use: StoreUse = .server, metrics: (any MetricsFactory)? = nil
    ) throws {
        // Before the database is opened, so that a second server fails without touching it.
        var locks = [try DirectoryLock(directory: directory, name: files.lock)]
        if use.isExclusive {
            let conflict = StoreOpeningError.commandRunning(directory: directory.path)
            locks.append(try DirectoryLock(directory: directory, name: files.commandLock, conflict: conflict))
        }
        let path = files.database(in: directory).path
        // Also after a failure, which may leave a new file.
        defer { files.giveToOwner(of: directory) }
        do {
            // Before the pool is opened, which creates the file, or switches another program's to WAL.
            if use.needsTables, try !ServerSchema.hasTables(in: path, Self.configuration) {
                throw StoreOpeningError.noTables(database: path)
            }
            let pool = try DatabasePool(path: path, configuration: Self.configuration)
            let reserve = keepsReserve ? try DiskReserve(directory: directory, name: files.reserve) : nil
            let copy = try Self.copyBeforeUpgrade(of: pool, at: files.database(in: directory))
            try self.init(
                pool, locks: locks, epoch: epoch(), scheduling: scheduling, reserve: reserve, copyBeforeUpgrade: copy,
                metrics: metrics)
            try Self.checkMark(of: database, use)
            // SQLite opens a file that it can't write, and reports that only at the first statement that might write.
            try database.write { db in try db.execute(sql: Self.emptyWrite) }
        } catch let error as DatabaseError {
            throw StoreOpeningError(error, database: path) ?? error
        }
    }

    /// A statement that changes nothing, and fails if the database can't be written.
    private static let emptyWrite = "DELETE FROM meta WHERE false"

    /// Creates a store in memory, for tests.
    public convenience init(
        epoch: @autoclosure () -> String = UUIDText.random(),
        scheduling: Scheduling = .threads, metrics: (any MetricsFactory)? = nil
    ) throws {
        try self.init(
            DatabaseQueue(configuration: Self.configuration), locks: [], epoch: epoch(), scheduling: scheduling,
            metrics: metrics)
    }

    /// Opens the store of a directory that a server may be using, for a command of its owner.
    ///
    /// Blocking. The database isn't migrated.
    ///
    /// - Parameter commands: The lock that keeps a restore out meanwhile.
    /// - Throws: `StoreOpeningError`: `.usedByOtherVersion` if another version of the server made the database; else SQLite's
    ///   error.
    private convenience init(sharing directory: URL, files: StoreFiles, commands: DirectoryLock) throws {
        let path = files.database(in: directory)
        defer { files.giveToOwner(of: directory) }
        do {
            let shared = try DatabaseQueue(path: path.path, configuration: Self.configuration)
            guard try shared.read(ServerSchema.migrator(epoch: "").hasCompletedMigrations) else {
                throw StoreOpeningError.usedByOtherVersion(database: path.path)
            }
            let reserve = try DiskReserve(directory: directory, name: files.reserve)
            // All migrations are there already, so this one has no effect.
            try self.init(shared, locks: [commands], epoch: "", scheduling: .threads, reserve: reserve)
            try Self.checkMark(of: database, .command)
        } catch let error as DatabaseError {
            throw StoreOpeningError(error, database: path.path) ?? error
        }
    }

    /// Opens the store for a command of its owner, off the cooperative pool, and keeps a restore out until it is closed. As `init(sharing:)` does if there is a
    /// database, which a server may be using, and as `init(directory:)` does otherwise, or if no server uses a database
    /// of an earlier version.
    ///
    /// - Throws: `StoreOpeningError`; else SQLite's error.
    public static func openShared(directory: URL, files: StoreFiles = StoreFiles()) async throws -> SQLiteServerStore {
        try await offPool {
            let commands = try DirectoryLock(
                directory: directory, name: files.commandLock, isShared: true,
                conflict: .beingRestored(directory: directory.path))
            func openAlone() throws -> SQLiteServerStore {
                // It holds the server's lock instead, which keeps a restore out, too.
                defer { commands.release() }
                return try SQLiteServerStore(directory: directory, files: files, keepsReserve: true, use: .command)
            }
            guard FileManager.default.fileExists(atPath: files.database(in: directory).path) else {
                return try openAlone()
            }
            do {
                return try SQLiteServerStore(sharing: directory, files: files, commands: commands)
            } catch StoreOpeningError.usedByOtherVersion(let database) {
                do { return try openAlone() } catch StoreOpeningError.inUse {
                    throw StoreOpeningError.usedByOtherVersion(database: database)
                }
            }
        }
    }

    /// Creates a store in memory with the present content of another one: a snapshot, or the result of restoring one.
    /// The copy has the same epoch until it is marked as restored (`StoreWriting.markRestored`).
    ///
    /// Blocking. The copy is consistent, whatever is written to the other store meanwhile.
    public convenience init(copying other: SQLiteServerStore, scheduling: Scheduling = .threads) throws {
        let copy = try DatabaseQueue(configuration: Self.configuration)
        try other.database.backup(to: copy)
        // The copied database has an epoch already; this one would be for a new database.
        try self.init(copy, locks: [], epoch: "", scheduling: scheduling)
    }

    private init(
        _ database: any DatabaseWriter, locks: [DirectoryLock], epoch: String, scheduling: Scheduling,
        reserve: DiskReserve? = nil, copyBeforeUpgrade: URL? = nil, metrics: (any MetricsFactory)? = nil
    ) throws {
        self.database = database
        self.copyBeforeUpgrade = copyBeforeUpgrade
        self.locks = locks
        self.scheduling = scheduling
        self.reserve = reserve
        self.metrics = metrics.map { StoreMetrics($0) }
        commits = GroupCommit(writer: database, scheduling: scheduling, reserve: reserve, metrics: self.metrics)
        // GRDB sets this to NORMAL when it opens a database in WAL mode, so it is raised afterwards. With NORMAL, a
        // commit that was answered could be lost in a power failure.
        try database.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA synchronous = FULL") }
        // A push changes index pages at random places, more than SQLite's default cache of 2 MiB holds. The write-ahead log
        // keeps its default length: the reserve must have room for it when the disk is full.
        try database.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA cache_size = \(-Self.cacheKibibytes)")
        }
        let migrator = ServerSchema.migrator(epoch: epoch)
        // Before migrating: an older server must not write into tables that it doesn't know.
        if try database.read(migrator.hasBeenSuperseded) { throw StoreOpeningError.newer(database: database.path) }
        try migrator.migrate(database)
        lookUps = database is DatabasePool ? try LookUpConnections(path: database.path) : nil
    }

    /// Refuses a database that the mark of a move excludes from this use.
    static func checkMark(of database: any DatabaseReader, _ use: StoreUse) throws {
        guard let mark = try database.read({ db in try SQLiteTransaction(db).moveMark() }), mark.refuses(use) else {
            return
        }
        throw switch mark {
        case .unfinished(let source, _): StoreOpeningError.unfinished(database: database.path, source: source)
        case .moved(let target, _): StoreOpeningError.moved(database: database.path, target: target)
        case .unknown: StoreOpeningError.unknownMark(database: database.path)
        }
    }

    /// The size of the writer's cache, in KiB.
    private static let cacheKibibytes = 16 << 10

    static var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "server-store"
        // Twice `ReadTurns.reads`: the others are for log-in, and for look-ups without a free connection.
        configuration.maximumReaderCount = 8
        // In seconds: another program, such as `sqlite3`, may lock the database for a moment.
        configuration.busyMode = .timeout(5)
        return configuration
    }

    /// Waits for transactions under way, closes the file, which merges its write-ahead log into it, and releases the
    /// directory.
    ///
    /// Blocking. Later calls fail.
    public func close() throws {
        // Before the pool, whose last connection merges the log.
        lookUps?.close()
        try database.close()
        for lock in locks { lock.release() }
    }

    /// Opens the store as `init(directory:)` does, off the cooperative pool, with a reserve on the disk.
    public static func open(
        directory: URL, files: StoreFiles = StoreFiles(), metrics: (any MetricsFactory)? = nil
    ) async throws -> SQLiteServerStore {
        try await offPool {
            try SQLiteServerStore(directory: directory, files: files, keepsReserve: true, metrics: metrics)
        }
    }

    /// Opens the store for a move (`StoreMove`), off the cooperative pool, and keeps servers, commands of the owner and a
    /// restore out until it is closed.
    ///
    /// - Parameter use: `StoreUse.moveTarget`, or `.moveSource`, which refuses a file without tables.
    public static func openForMove(
        directory: URL, files: StoreFiles = StoreFiles(), use: StoreUse = .moveTarget
    ) async throws -> SQLiteServerStore {
        try await offPool { try SQLiteServerStore(directory: directory, files: files, use: use) }
    }

    /// Closes the store as `close()` does, off the cooperative pool.
    public func shutDown() async throws {
        try await Self.offPool { try self.close() }
    }

    /// Closes the store as `shutDown()` does, but waits only for a limited time. What is committed is safe in any case:
    /// the next start reads the write-ahead log.
    ///
    /// - Returns: Whether the store is closed. If not, it is closed later, unless the process ends before.
    public func shutDown(within limit: Duration) async throws -> Bool {
        let end = AsyncThrowingStream<Bool, any Error>.makeStream()
        // Not a child task: a group would wait for it, and closing can't be cancelled.
        Task {
            do {
                try await shutDown()
                end.continuation.yield(true)
            } catch {
                end.continuation.finish(throwing: error)
            }
        }
        let timer = Task {
            try await Task.sleep(for: limit)
            end.continuation.yield(false)
        }
        defer { timer.cancel() }
        for try await isClosed in end.stream { return isClosed }
        return false
    }

    private static func offPool<Result: Sendable>(
        _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Swift.Result(catching: work)) }
        }
    }

    /// Returns the value of a pragma on the writer's connection.
    ///
    /// Blocking; for tests and diagnostics.
    package func pragma(_ name: String) throws -> String? {
        try database.writeWithoutTransaction { db in try String.fetchOne(db, sql: "PRAGMA \(name)") }
    }

    /// Returns the number of steps of SQLite's virtual machine that the statements of the writer's connection have
    /// taken (sqlite.org/c3ref/stmt_status.html). In memory, readers use the same connection.
    ///
    /// Blocking; for tests and diagnostics.
    package func writerSteps() throws -> Int {
        database.writeWithoutTransaction { db in
            var steps = 0
            var statement = sqlite3_next_stmt(db.sqliteConnection, nil)
            while let present = statement {
                steps += Int(sqlite3_stmt_status(present, SQLITE_STMTSTATUS_VM_STEP, 0))
                statement = sqlite3_next_stmt(db.sqliteConnection, present)
            }
            return steps
        }
    }

    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReading) throws -> Result
    ) async throws -> Result {
        let start = metrics.map { _ in ContinuousClock.now }
        defer { if let start { metrics?.ended(.read, since: start) } }
        do {
            switch scheduling {
            case .threads: return try await database.read { db in try body(SQLiteTransaction(db)) }
            case .inline: return try Self.readInline(database, body)
            }
        } catch let error as DatabaseError {
            throw StoreFailure(error) ?? error
        }
    }

    public func lookUp<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReading) throws -> Result
    ) async throws -> Result {
        // Never a wait for a connection: it would block a thread that the holder of the connection may need.
        guard let lookUps, let connection = lookUps.acquire() else { return try await read(body) }
        let start = metrics.map { _ in ContinuousClock.now }
        defer {
            lookUps.release(connection)
            if let start { metrics?.ended(.lookUp, since: start) }
        }
        do { return try Self.readInline(connection, body) } catch let error as DatabaseError {
            throw StoreFailure(error) ?? error
        }
    }

    /// A function of its own, since in an asynchronous one GRDB's asynchronous method would be chosen.
    private static func readInline<Result>(
        _ database: any DatabaseReader, _ body: (any StoreReading) throws -> Result
    ) throws -> Result {
        try database.read { db in try body(SQLiteTransaction(db)) }
    }

    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreWriting) throws -> Result
    ) async throws -> Result {
        try await write(using: .ordinary, body)
    }

    public func write<Result: Sendable>(
        using space: SpaceUse, _ body: @escaping @Sendable (any StoreWriting) throws -> Result
    ) async throws -> Result {
        try await commit(using: space) { db, usesReserve in try body(SQLiteTransaction(db, usesReserve: usesReserve)) }
    }

    private func commit<Result: Sendable>(
        using space: SpaceUse, _ body: @escaping @Sendable (Database, _ usesReserve: Bool) throws -> Result
    ) async throws -> Result {
        let start = metrics.map { _ in ContinuousClock.now }
        defer { if let start { metrics?.ended(.write, since: start) } }
        do {
            return try await commits.run(using: space, body)
        } catch let error as DatabaseError {
            throw StoreFailure(error) ?? error
        } catch is NoRoomOutsideReserve {
            throw StoreFailure.full(reason: "the free space is less than the reserve for deletions")
        }
    }

    public func statistics() async throws -> StoreStatistics {
        var statistics = try await read { tx in try (tx as? SQLiteTransaction)?.statistics() ?? StoreStatistics() }
        (statistics.databaseBytes, statistics.logBytes) = (
            Self.bytes(database.path), Self.bytes(database.path + "-wal")
        )
        return statistics
    }

    /// Returns the size of a file; nil if there is none.
    private static func bytes(_ path: String) -> Int64? {
        // A store in memory has no file, and a log exists only while it is needed.
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber)?.int64Value
    }

    public func checkSpace() async throws {
        // Changes nothing, and fails as any write would if the file can't be written or the reserve is incomplete.
        try await commit(using: .ordinary) { db, _ in try db.execute(sql: Self.emptyWrite) }
        if let reserve, !reserve.hasRoom {
            throw StoreFailure.full(reason: "the free space outside the reserve is too small for a large request")
        }
    }

    public func foreignCommits() async throws -> Int64? {
        // On the writer's connection: the number changes by commits of other connections only
        // (sqlite.org/pragma.html#pragma_data_version), and no other connection of this process writes.
        try await database.writeWithoutTransaction { db in try Int64.fetchOne(db, sql: "PRAGMA data_version") ?? 0 }
    }
}
