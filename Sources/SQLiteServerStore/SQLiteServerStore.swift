internal import Dispatch
public import Foundation
internal import GRDB
internal import GRDBSQLite
public import ServerCore

/// The embedded store: one SQLite file in a directory of its own, one writer with group commit, many readers.
///
/// Durable means fsynced: WAL with `synchronous=FULL`.
public final class SQLiteServerStore: ServerStore {
    let database: any DatabaseWriter
    private let commits: GroupCommit
    private let scheduling: Scheduling
    /// Held as long as the store lives.
    private let lock: DirectoryLock?
    private let reserve: DiskReserve?

    /// Where the work is done.
    public enum Scheduling: Sendable {
        /// On GRDB's own threads: the way of production.
        case threads
        /// Where it is asked for, one transaction a commit: for a simulation that drives everything from one thread.
        case inline
    }

    /// Opens the store in a directory, which is made (mode 0700) if it isn't there.
    ///
    /// Blocking, see `open(directory:)`.
    ///
    /// - Parameters:
    ///   - files: the names of its files.
    ///   - epoch: a random id, `[A-Za-z0-9_-]{1,64}`, for a database that is made now.
    ///   - keepsReserve: whether space is kept back on the disk, so that deleting works when it is full: 1 to 16 MiB.
    /// - Throws: `StoreOpeningError` if another process has it open, it can't be written, or it is damaged or newer;
    ///   else what SQLite says.
    public convenience init(
        directory: URL, files: StoreFiles = StoreFiles(),
        epoch: @autoclosure () -> String = UUID().uuidString.lowercased(), scheduling: Scheduling = .threads,
        keepsReserve: Bool = false
    ) throws {
        let lock = try DirectoryLock(directory: directory, name: files.lock)
        let path = files.database(in: directory).path
        do {
            let pool = try DatabasePool(path: path, configuration: Self.configuration)
            let reserve = keepsReserve ? try DiskReserve(directory: directory, name: files.reserve) : nil
            try self.init(pool, lock: lock, epoch: epoch(), scheduling: scheduling, reserve: reserve)
            // SQLite opens a file that it can't write without a word, and says so at the first statement that might.
            try database.write { db in try db.execute(sql: Self.emptyWrite) }
        } catch let error as DatabaseError {
            throw StoreOpeningError(error, database: path) ?? error
        }
    }

    /// Changes nothing, and fails if the database can't be written.
    private static let emptyWrite = "DELETE FROM meta WHERE false"

    /// A store in memory, for tests: nothing is left of it.
    public convenience init(
        epoch: @autoclosure () -> String = UUID().uuidString.lowercased(),
        scheduling: Scheduling = .threads
    ) throws {
        try self.init(
            DatabaseQueue(configuration: Self.configuration), lock: nil, epoch: epoch(), scheduling: scheduling)
    }

    /// A store in memory with what another one, of any kind, holds now: a snapshot, or what comes of restoring one. The
    /// copy goes by the same epoch until it is marked as restored (`StoreWriting.markRestored`).
    ///
    /// Blocking; consistent, whatever is written to the other one meanwhile.
    public convenience init(copying other: SQLiteServerStore, scheduling: Scheduling = .threads) throws {
        let copy = try DatabaseQueue(configuration: Self.configuration)
        try other.database.backup(to: copy)
        // The epoch is for a database that is made now, and this one is made already.
        try self.init(copy, lock: nil, epoch: "", scheduling: scheduling)
    }

    private init(
        _ database: any DatabaseWriter, lock: DirectoryLock?, epoch: String, scheduling: Scheduling,
        reserve: DiskReserve? = nil
    ) throws {
        self.database = database
        self.lock = lock
        self.scheduling = scheduling
        self.reserve = reserve
        commits = GroupCommit(writer: database, scheduling: scheduling, reserve: reserve)
        // GRDB lowers this to NORMAL when it opens a database in WAL mode; only afterwards it can be raised again.
        try database.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA synchronous = FULL") }
        let migrator = ServerSchema.migrator(epoch: epoch)
        if try database.read(migrator.hasBeenSuperseded) { throw StoreOpeningError.newer(database: database.path) }
        try migrator.migrate(database)
    }

    static var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "server-store"
        configuration.maximumReaderCount = 8
        configuration.busyMode = .timeout(5)
        return configuration
    }

    /// Waits for what is under way, closes the file, which puts its write-ahead log back into it, and lets others have
    /// the directory.
    ///
    /// Blocking; later calls fail.
    public func close() throws {
        try database.close()
        lock?.release()
    }

    /// Same as `init(directory:)`, off the cooperative pool, with a reserve on the disk.
    public static func open(directory: URL, files: StoreFiles = StoreFiles()) async throws -> SQLiteServerStore {
        try await offPool { try SQLiteServerStore(directory: directory, files: files, keepsReserve: true) }
    }

    /// As `close()`, off the cooperative pool.
    public func shutDown() async throws {
        try await Self.offPool { try self.close() }
    }

    /// As `shutDown()`, but waits only for a while. What is committed is safe in any case: the next start reads the
    /// write-ahead log.
    ///
    /// - Returns: whether the store is closed. If not, it is closed later, unless the process ends before.
    public func shutDown(within limit: Duration) async throws -> Bool {
        let end = AsyncThrowingStream<Bool, any Error>.makeStream()
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

    /// The value of a pragma on the writer's connection.
    ///
    /// Blocking; for tests and diagnostics.
    package func pragma(_ name: String) throws -> String? {
        try database.writeWithoutTransaction { db in try String.fetchOne(db, sql: "PRAGMA \(name)") }
    }

    /// The steps of SQLite's virtual machine that the statements of the writer's connection have taken
    /// (sqlite.org/c3ref/stmt_status.html); in memory, readers use the same connection.
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
        do {
            switch scheduling {
            case .threads: return try await database.read { db in try body(SQLiteTransaction(db)) }
            case .inline: return try readInline(body)
            }
        } catch let error as DatabaseError {
            throw StoreFailure(error) ?? error
        }
    }

    /// Apart from `read`, since GRDB chooses its asynchronous method wherever it may be awaited.
    private func readInline<Result>(_ body: (any StoreReading) throws -> Result) throws -> Result {
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
        do {
            return try await commits.run(using: space, body)
        } catch let error as DatabaseError {
            throw StoreFailure(error) ?? error
        } catch is NoRoomOutsideReserve {
            throw StoreFailure.full(reason: "the free space is less than the reserve for deletions")
        }
    }

    public func checkSpace() async throws {
        // Changes nothing, and fails as any write would if the file can't be written or the reserve is incomplete.
        try await commit(using: .ordinary) { db, _ in try db.execute(sql: Self.emptyWrite) }
        if let reserve, !reserve.hasRoom {
            throw StoreFailure.full(reason: "the free space outside the reserve is too small for a large request")
        }
    }
}

/// The names of the files in a data directory.
public struct StoreFiles: Sendable, Equatable {
    /// The database.
    public let database: String
    /// Locked by the process that uses the directory.
    public let lock: String
    /// Holds the space that deletions may use when the disk is full.
    public let reserve: String

    /// Names for a program; all its versions must use the same ones.
    public init(database: String = "server.sqlite", lock: String = "server.lock", reserve: String = "server.reserve") {
        (self.database, self.lock, self.reserve) = (database, lock, reserve)
    }

    /// The database in a data directory.
    func database(in directory: URL) -> URL { directory.appending(path: database) }
}
