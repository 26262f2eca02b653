internal import Backend
public import Foundation
internal import GRDB

/// The offline cache of a home: one SQLite file (WAL, `synchronous=FULL`), shared by the processes of that home.
///
/// `readNow` and `writeNow` block the calling thread and belong on threads that may block (the sync engine's);
/// `read` and `write` do the same work on the cache's own thread, for everybody else.
public final class LocalStore: Sendable {
    private let queue: DatabaseQueue
    private let path: String
    private let broadcast = ChangeBroadcast()
    let wall: @Sendable () -> UInt64

    /// Opens the cache of a home, and makes it if it isn't there (mode 0600).
    ///
    /// - Parameter wall: this device's clock, milliseconds since 1970.
    /// - Throws: `LocalStoreError`.
    public convenience init(home: Home, wall: @escaping @Sendable () -> UInt64 = LocalStore.systemWall) throws {
        try home.prepare()
        let path = home.cache.path
        try Self.refuseEmptied(home)
        try Self.makePrivateFile(path)
        try self.init(path: path, wall: wall) { configuration in
            var configuration = configuration
            configuration.journalMode = .wal
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            // GRDB lowers this to NORMAL when it opens a file in WAL mode.
            try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            return queue
        }
    }

    /// Opens the cache of a home as `init(home:wall:)` does, on a thread that may block.
    ///
    /// - Throws: `LocalStoreError`.
    public static func open(
        _ home: Home, wall: @escaping @Sendable () -> UInt64 = LocalStore.systemWall
    ) async throws -> LocalStore { try await Opener().open(home, wall) }

    /// Migrations and a busy file may take their time: nobody else's thread waits for them.
    private actor Opener {
        private let executor = BlockingExecutor(label: "satchel.cache.open")
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        func open(_ home: Home, _ wall: @escaping @Sendable () -> UInt64) throws -> LocalStore {
            try LocalStore(home: home, wall: wall)
        }
    }

    /// A cache in memory, for tests.
    public convenience init(inMemoryWithWall wall: @escaping @Sendable () -> UInt64 = LocalStore.systemWall) throws {
        try self.init(path: "memory", wall: wall) { try DatabaseQueue(configuration: $0) }
    }

    /// The system's clock, milliseconds since 1970; 0 if it stands before that.
    public static let systemWall: @Sendable () -> UInt64 = {
        UInt64(max(0, Date().timeIntervalSince1970 * 1_000))
    }

    /// How long a process waits for another one's write, in seconds.
    public static let busyTimeout: TimeInterval = 10

    private init(
        path: String, wall: @escaping @Sendable () -> UInt64, open: (GRDB.Configuration) throws -> DatabaseQueue
    ) throws {
        self.path = path
        self.wall = wall
        var configuration = GRDB.Configuration()
        configuration.busyMode = .timeout(Self.busyTimeout)
        configuration.label = "satchel.cache"
        queue = try Self.mapping(path) {
            let queue = try open(configuration)
            if try queue.read(Schema.migrator.hasBeenSuperseded) { throw LocalStoreError.tooNew(path: path) }
            try Self.migrate(queue)
            return queue
        }
    }

    /// Brings the tables to the present version. When another process does that at the same time, the later one fails,
    /// sees what the first has done, and goes on.
    private static func migrate(_ queue: DatabaseQueue) throws {
        do { try Schema.migrator.migrate(queue) } catch {
            guard try queue.read(Schema.migrator.hasCompletedMigrations) else { throw error }
        }
    }

    // MARK: Access

    /// Reads in one snapshot, on the calling thread.
    public func readNow<Result>(_ body: (Cache) throws -> Result) throws -> Result {
        try Self.mapping(path) { try queue.inDatabase { try Self.snapshot($0, wall, body) } }
    }

    /// What `body` reads in one transaction. GRDB's own `read` forbids writing by a pragma, by which SQLite has to compile
    /// all statements of the connection anew, each time.
    private static func snapshot<Result>(
        _ db: Database, _ wall: @escaping @Sendable () -> UInt64, _ body: (Cache) throws -> Result
    ) throws -> Result {
        var result: Swift.Result<Result, any Error>?
        try db.inTransaction(.deferred) {
            result = Swift.Result { try body(Cache(db: db, wall: wall)) }
            return .rollback
        }
        return try (result ?? .failure(CancellationError())).get()
    }

    /// Writes in one transaction, on the calling thread; whatever is thrown undoes it whole.
    public func writeNow<Result>(_ body: (Cache) throws -> Result) throws -> Result {
        let result = try Self.mapping(path) { try queue.write { try body(Cache(db: $0, wall: wall)) } }
        broadcast.announce()
        return result
    }

    /// Reads in one snapshot, on the cache's own thread.
    public func read<Result: Sendable>(_ body: @escaping @Sendable (Cache) throws -> Result) async throws -> Result {
        let wall = wall
        return try await Self.mapping(path) {
            try await queue.writeWithoutTransaction { try Self.snapshot($0, wall, body) }
        }
    }

    /// Writes in one transaction, on the cache's own thread; whatever is thrown undoes it whole.
    public func write<Result: Sendable>(_ body: @escaping @Sendable (Cache) throws -> Result) async throws -> Result {
        let wall = wall
        let result = try await Self.mapping(path) { try await queue.write { try body(Cache(db: $0, wall: wall)) } }
        broadcast.announce()
        return result
    }

    // MARK: Changes

    /// Tells, from now on, that something was written, by this process or within `interval` by another one. Several
    /// writes may be told as one; what was written while the watch began is told, too, so that the first element may
    /// come without a write.
    public func changes(interval: Duration = .milliseconds(500)) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let subscription = broadcast.subscribe { continuation.yield() }
        let poll = Task { [weak self] in
            var last: Int?
            while !Task.isCancelled {
                guard let self else { break }
                let now = try? await dataVersion()
                if let now, now != last { continuation.yield() }
                last = now ?? last
                try? await Task.sleep(for: interval)
            }
            continuation.finish()
        }
        continuation.onTermination = { [broadcast] _ in
            poll.cancel()
            broadcast.unsubscribe(subscription)
        }
        return stream
    }

    /// SQLite's count of what other connections have written to the file.
    private func dataVersion() async throws -> Int? {
        try await queue.read { try Int.fetchOne($0, sql: "PRAGMA data_version") }
    }

    /// The value of a pragma on the cache's connection.
    func pragma(_ name: String) throws -> String? {
        try queue.writeWithoutTransaction { try String.fetchOne($0, sql: "PRAGMA \(name)") }
    }

    // MARK: Opening and errors

    /// A cache of no bytes beside a session has lost what it held (a crash of the disk, a full one); to go on in it would
    /// pass for a new home.
    private static func refuseEmptied(_ home: Home) throws(LocalStoreError) {
        var status = stat()
        guard stat(home.cache.path, &status) == 0, status.st_size == 0,
            FileManager.default.fileExists(atPath: home.credentials.path)
        else { return }
        throw .damaged(path: home.cache.path, reason: "it is empty, although somebody has signed in on this home")
    }

    private static func makePrivateFile(_ path: String) throws(LocalStoreError) {
        let descriptor = Foundation.open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .unusable(path: path, reason: String(cString: strerror(errno))) }
        close(descriptor)
    }

    private static func mapping<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as DatabaseError { throw LocalStoreError(error, path: path) }
    }

    private static func mapping<Result>(_ path: String, _ body: () async throws -> Result) async throws -> Result {
        do { return try await body() } catch let error as DatabaseError { throw LocalStoreError(error, path: path) }
    }
}

extension LocalStoreError {
    /// What a SQLite error means for the person.
    init(_ error: DatabaseError, path: String) {
        let reason = error.message ?? "SQLite error \(error.resultCode.rawValue)"
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED: self = .busy(path: path)
        case .SQLITE_FULL: self = .diskFull(path: path)
        case .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_IOERR:
            self = .unusable(path: path, reason: reason)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .damaged(path: path, reason: reason)
        default: self = .unusable(path: path, reason: reason)
        }
    }
}

/// Tells subscribers that something was written.
private final class ChangeBroadcast: Sendable {
    private let subscribers = Locked<[UInt64: @Sendable () -> Void]>([:])

    func subscribe(_ notify: @escaping @Sendable () -> Void) -> UInt64 {
        subscribers.withLock { all in
            let token = (all.keys.max() ?? 0) + 1
            all[token] = notify
            return token
        }
    }

    func unsubscribe(_ token: UInt64) { subscribers.withLock { $0[token] = nil } }

    func announce() { for notify in subscribers.withLock({ Array($0.values) }) { notify() } }
}
