internal import Foundation
internal import GRDB
internal import Locking
internal import PrivateFiles
public import Records

/// The offline cache of a home: one SQLite file (WAL, `synchronous=FULL`), shared by the processes of that home.
///
/// `readNow` and `writeNow` block the calling thread and belong on threads that may block (the sync engine's); `read`
/// and `write` do the same on the cache's own thread, for all other callers.
public final class LocalStore: Sendable {
    private let connection: Locked<CacheFile.Connection>
    private let path: String
    let broadcast = ChangeBroadcast()
    /// Receives the changes of each transaction, see `watchRecords`.
    let watcher = Locked<(@Sendable (CommittedChanges) -> Void)?>(nil)
    /// The home of the cache; nil: the cache is in memory.
    public let home: Home?
    /// The record types, whose rules local edits follow.
    public let types: RecordTypes
    let wall: @Sendable () -> UInt64
    let scheduling: Scheduling

    /// The thread on which `read` and `write` run.
    public enum Scheduling: Sendable {
        /// On the cache's own thread.
        case ownThread
        /// On the caller's thread, which they block: for a process that runs all jobs on one thread, such as the
        /// simulation.
        case inline
    }

    /// Opens the cache of a home, and creates it if it doesn't exist (mode 0600). A cache that SQLite can't read is put
    /// aside and replaced by a new one with what was recovered; `removeNotice` returns the message. A cache that can't
    /// be written can still be read.
    ///
    /// - Parameters:
    ///   - types: The record types, whose rules local edits follow.
    ///   - wall: This device's clock, in milliseconds since 1970.
    ///   - scheduling: The thread on which `read` and `write` run.
    /// - Throws: `LocalStoreError`.
    public init(
        home: Home, types: RecordTypes, wall: @escaping @Sendable () -> UInt64 = LocalStore.systemWall,
        scheduling: Scheduling = .ownThread
    ) throws {
        let file = CacheFile(home: home, types: types, wall: wall)
        connection = Locked(try Self.mapping(home.cache.path) { try file.open() })
        path = home.cache.path
        self.home = home
        self.types = types
        self.wall = wall
        self.scheduling = scheduling
    }

    // Unless it is released, the lock lasts until the process ends.
    deinit { connection.withLock { $0.presence?.release() } }

    /// Opens the cache of a home like `init(home:types:wall:scheduling:)`, on a thread that may block.
    ///
    /// - Throws: `LocalStoreError`.
    public static func open(
        _ home: Home, types: RecordTypes, wall: @escaping @Sendable () -> UInt64 = LocalStore.systemWall
    ) async throws -> LocalStore { try await Opener().open(home, types, wall) }

    /// Opening runs on a thread that may block, since migrations and a busy file may take long.
    private actor Opener {
        private let executor = BlockingExecutor(label: "store.open")
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        func open(
            _ home: Home, _ types: RecordTypes, _ wall: @escaping @Sendable () -> UInt64
        ) throws -> LocalStore {
            try LocalStore(home: home, types: types, wall: wall)
        }

        func removeUnusedHome(of store: LocalStore) throws { try store.removeUnusedHomeNow() }
    }

    /// Opens a cache read-only: nothing is created, changed or repaired, there is no waiting, and writes fail.
    ///
    /// - Throws: `LocalStoreError`, also for a cache of another version.
    public init(readOnly home: Home, types: RecordTypes) throws {
        path = home.cache.path
        self.home = home
        self.types = types
        wall = Self.systemWall
        scheduling = .ownThread
        connection = Locked(try Self.mapping(home.cache.path) { try CacheFile.openReadOnly(home) })
    }

    /// Creates a cache in memory, for tests and for uses without a home.
    public init(
        inMemoryWithWall wall: @escaping @Sendable () -> UInt64 = LocalStore.systemWall, types: RecordTypes
    ) throws {
        path = "memory"
        home = nil
        self.types = types
        self.wall = wall
        scheduling = .ownThread
        connection = Locked(
            try Self.mapping("memory") {
                let queue = try DatabaseQueue(configuration: .cache)
                try Schema.migrator.migrate(queue)
                return CacheFile.Connection(queue: queue)
            })
    }

    /// The system's clock, in milliseconds since 1970; 0 if it shows an earlier time.
    public static let systemWall: @Sendable () -> UInt64 = {
        UInt64(max(0, Date().timeIntervalSince1970 * 1_000))
    }

    /// The longest wait for another process's write.
    public static let busyLimit = BusyDatabase.limit

    var queue: DatabaseQueue { connection.withLock { $0.queue } }
    /// See `CacheFile.Connection`.
    var firstDataVersion: Int? { connection.withLock { $0.firstDataVersion } }

    /// The error that a change of a record throws; nil: records can be changed.
    var refusal: LocalStoreError? { connection.withLock { $0.refusal } }

    /// Why nothing can be saved in the home at present; nil: there is no known reason.
    public var obstacle: LocalStoreError? {
        if let refusal { return refusal }
        return home != nil && LocalStoreError.isDiskFull(path) ? .diskFull(path: path) : nil
    }

    // MARK: Access

    /// Reads in one snapshot, on the calling thread.
    package func readNow<Result>(_ body: (Cache) throws -> Result) throws -> Result {
        let (queue, refusal) = connection.withLock { ($0.queue, $0.refusal) }
        return try Self.mapping(path) { try queue.inDatabase { try Self.snapshot($0, wall, types, refusal, body) } }
    }

    /// Runs `body` in one transaction and rolls it back. GRDB's own `read` forbids writing by a pragma, after which
    /// SQLite compiles all statements of the connection again, each time.
    private static func snapshot<Result>(
        _ db: Database, _ wall: @escaping @Sendable () -> UInt64, _ types: RecordTypes, _ refusal: LocalStoreError?,
        _ body: (Cache) throws -> Result
    ) throws -> Result {
        var result: Swift.Result<Result, any Error>?
        try db.inTransaction(.deferred) {
            result = Swift.Result { try body(Cache(db: db, wall: wall, types: types, refusal: refusal)) }
            return .rollback
        }
        return try (result ?? .failure(CancellationError())).get()
    }

    /// Writes in one transaction, on the calling thread; an error rolls it back.
    ///
    /// - Throws: `LocalStoreError.replaced` if the file was removed or replaced since it was opened; what `body`
    ///   throws.
    package func writeNow<Result>(_ body: (Cache) throws -> Result) throws -> Result {
        let result = try writeUnannouncedNow(body)
        broadcast.announce()
        return result
    }

    private func writeUnannouncedNow<Result>(_ body: (Cache) throws -> Result) throws -> Result {
        let (queue, identity, refusal) = connection.withLock { ($0.queue, $0.identity, $0.refusal) }
        try identity?.check()
        let log = changeLog()
        let command = Command(actor: CommandActor.current, receipt: CommandReceipt.current)
        let result = try Self.mapping(path) {
            try queue.write {
                try body(Cache(db: $0, wall: wall, types: types, refusal: refusal, log: log, command: command))
            }
        }
        // The file may have been removed during the transaction; then it must not be reported as saved.
        try identity?.check()
        notify(log)
        return result
    }

    /// Reads in one snapshot, on the cache's own thread.
    package func read<Result: Sendable>(_ body: @escaping @Sendable (Cache) throws -> Result) async throws -> Result {
        if scheduling == .inline { return try readNow(body) }
        let (wall, types) = (wall, types)
        let (queue, refusal) = connection.withLock { ($0.queue, $0.refusal) }
        return try await Self.mapping(path) {
            // Not a read of GRDB, see `snapshot`.
            try await queue.writeWithoutTransaction { try Self.snapshot($0, wall, types, refusal, body) }
        }
    }

    /// Writes in one transaction as `writeNow` does, on the cache's own thread.
    package func write<Result: Sendable>(_ body: @escaping @Sendable (Cache) throws -> Result) async throws -> Result {
        let result = try await writeUnannounced(body)
        broadcast.announce()
        return result
    }

    /// Writes in one transaction, without announcing it to the subscribers of this process.
    private func writeUnannounced<Result: Sendable>(
        _ body: @escaping @Sendable (Cache) throws -> Result
    ) async throws -> Result {
        if scheduling == .inline { return try writeUnannouncedNow(body) }
        let (wall, types) = (wall, types)
        let (queue, identity, refusal) = connection.withLock { ($0.queue, $0.identity, $0.refusal) }
        try identity?.check()
        let isWatched = changeLog() != nil
        // Read here, since the cache's thread has no task and so no task-local values.
        let (actor, receipt) = (CommandActor.current, CommandReceipt.current)
        let (result, committed) = try await Self.mapping(path) {
            try await queue.write { db in
                let log = isWatched ? ChangeLog() : nil
                let cache = Cache(
                    db: db, wall: wall, types: types, refusal: refusal, log: log,
                    command: Command(actor: actor, receipt: receipt))
                return (try body(cache), log?.committed)
            }
        }
        try identity?.check()
        notify(committed)
        return result
    }

    /// Runs `body`, which reads what a view shows and stores what belongs to that, such as the numbers of a list. On a
    /// full disk, nothing is stored. What is stored isn't announced to this process: no other view shows it. If one
    /// does, `announceWrite` follows.
    package func view<Result: Sendable>(_ body: @escaping @Sendable (Cache) throws -> Result) async throws -> Result {
        // `read` rolls back what `body` writes.
        do { return try await writeUnannounced(body) } catch LocalStoreError.diskFull { return try await read(body) }
    }

    /// Announces a write of `view` to the watches of this process.
    package func announceWrite() { broadcast.announce() }

    /// Runs `body` on the cache outside of any transaction, on the cache's own thread; it must change nothing.
    func inspect<Result: Sendable>(_ body: @escaping @Sendable (Cache) throws -> Result) async throws -> Result {
        let (wall, types) = (wall, types)
        return try await Self.mapping(path) {
            try await queue.writeWithoutTransaction { try body(Cache(db: $0, wall: wall, types: types)) }
        }
    }

    /// Continues in a new file. The old one is closed first: closing it later would delete the new one's log.
    func rebuildNow(_ reason: String) throws {
        guard let home else { throw LocalStoreError.unusable(path: path, reason: "it is in memory") }
        if let refusal { throw refusal }
        let file = CacheFile(home: home, types: types, wall: wall)
        try Self.mapping(path) {
            try connection.withLock { connection in
                // SQLite may fail to close a damaged file; what its log holds then stays there.
                try? connection.queue.close()
                connection.presence?.release()
                connection.presence = nil
                do {
                    let damage = LocalStoreError.damaged(path: path, reason: reason)
                    connection = try file.rebuild(since: damage)
                } catch {
                    // If the old file is still in place and can be opened, it stays in use.
                    if let same = try? file.open() { connection = same }
                    throw error
                }
            }
        }
        broadcast.announce()
    }

    /// Closes the cache, and removes its home if nothing is stored in it and no other process has it open. The cache can't
    /// be used any more.
    ///
    /// - Throws: `LocalStoreError`; then the home stays.
    package func removeUnusedHome() async throws { try await Opener().removeUnusedHome(of: self) }

    private func removeUnusedHomeNow() throws {
        guard let home else { return }
        let file = CacheFile(home: home, types: types, wall: wall)
        try Self.mapping(path) {
            try connection.withLock { connection in
                try connection.queue.close()
                connection.presence?.release()
                connection.presence = nil
                try file.removeUnusedHome()
            }
        }
    }

    /// Returns the value of a pragma on the cache's connection.
    func pragma(_ name: String) throws -> String? {
        try queue.writeWithoutTransaction { try String.fetchOne($0, sql: "PRAGMA \(name)") }
    }

    // MARK: Errors

    private static func mapping<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as DatabaseError { throw meaning(of: error, path) }
    }

    private static func mapping<Result>(_ path: String, _ body: () async throws -> Result) async throws -> Result {
        do { return try await body() } catch let error as DatabaseError { throw meaning(of: error, path) }
    }

    private static func meaning(of error: DatabaseError, _ path: String) -> any Error {
        let error = LocalStoreError(error, path: path)
        // Cancelling the task ends the wait for another process's write, see `BusyDatabase`.
        if case .busy = error, Task.isCancelled { return CancellationError() }
        return error
    }
}

extension LocalStore {
    /// Performs a command of the user in one transaction, like `write`: all its edits are one step of `undo`.
    ///
    /// Edits of a plain `write` are recorded, too, under the name `edit`, so none is missing from the journal.
    ///
    /// - Parameter name: The name of the command, for the list of the journal.
    package func command<Result: Sendable>(
        _ name: String, _ body: @escaping @Sendable (Cache) throws -> Result
    ) async throws -> Result {
        try await write { cache in
            var cache = cache
            cache.command = cache.command.named(name)
            return try body(cache)
        }
    }
}
