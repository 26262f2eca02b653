internal import Foundation
internal import GRDB

/// The file of a home's cache: how it is opened, and what happens when it can't be.
struct CacheFile {
    let home: Home
    let wall: @Sendable () -> UInt64

    /// A cache that is open.
    struct Connection: Sendable {
        var queue: DatabaseQueue
        /// Tells other processes that this one has the file open; nil for a copy of it.
        var presence: FileLock.Held?
        /// Why nothing can be written; nil: it can.
        var refusal: LocalStoreError?
    }

    /// Opens the file, and makes it if it isn't there. One that SQLite can't read is put aside, and a new one built.
    func open() throws -> Connection {
        try home.prepare()
        if let refusal { return try openCopy(refusal) }
        let presence = try waitForLock { try home.cacheLock.attempt(shared: true) }
        do {
            return Connection(queue: try openQueue(), presence: presence)
        } catch  where Self.isDamage(error) {
            presence.release()
            return try rebuild(since: error)
        } catch {
            presence.release()
            throw error
        }
    }

    /// Puts the file aside and builds a new one, with what can still be read of what is unsent.
    ///
    /// - Parameter error: what was wrong with it.
    /// - Throws: `LocalStoreError.inUse` if another process has it open; then nothing has changed.
    func rebuild(since error: any Error, evenIfReadable: Bool = false) throws -> Connection {
        let alone: FileLock.Held
        switch try turn(orReadable: !evenIfReadable) {
        case .alone(let held): alone = held
        case .readable(let connection): return connection
        }
        do {
            // Another process may have done it meanwhile.
            if !evenIfReadable, let queue = try? openQueue() {
                return Connection(queue: queue, presence: alone.shared())
            }
            let swap = CacheSwap(home: home)
            if try swap.unfinished() == nil { try build(swap, since: error) }
            try swap.finish()
            return Connection(queue: try openQueue(), presence: alone.shared())
        } catch {
            alone.release()
            throw error
        }
    }

    /// How a process that wants to rebuild goes on.
    private enum Turn {
        case alone(FileLock.Held)
        /// Another process has rebuilt the file meanwhile, and may keep it open for long.
        case readable(Connection)
    }

    private func turn(orReadable: Bool) throws -> Turn {
        do {
            var readable: Connection?
            let alone = try waitForLock {
                if let alone = try home.cacheLock.attempt() { return alone }
                guard orReadable, let shared = try home.cacheLock.attempt(shared: true) else { return nil }
                if let queue = try? openQueue() {
                    readable = Connection(queue: queue, presence: shared)
                    return shared
                }
                shared.release()
                return nil
            }
            return readable.map(Turn.readable) ?? .alone(alone)
        } catch LocalStoreError.busy {
            throw LocalStoreError.inUse(path: home.cache.path)
        }
    }

    /// Whether an error tells that a file isn't what it should be, not that it can't be used now.
    static func isDamage(_ error: any Error) -> Bool {
        switch error {
        case LocalStoreError.damaged: true
        case let error as DatabaseError: [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode)
        default: false
        }
    }

    /// How long a process waits until another one has rebuilt the file, or let it go.
    private static let patience: Duration = .seconds(3)

    private func waitForLock(_ attempt: () throws -> FileLock.Held?) throws -> FileLock.Held {
        let end = ContinuousClock.now + Self.patience
        while ContinuousClock.now < end {
            if let held = try attempt() { return held }
            usleep(20_000)
        }
        throw LocalStoreError.busy(path: home.cache.path)
    }
}

// MARK: - Opening

extension CacheFile {
    private func openQueue() throws -> DatabaseQueue {
        if try CacheSwap(home: home).unfinished() != nil {
            throw LocalStoreError.damaged(path: home.cache.path, reason: "its rebuilding was interrupted")
        }
        let isNew = try isEmpty()
        try makePrivateFile()
        let queue = try DatabaseQueue(path: home.cache.path, configuration: LocalStore.configuration)
        // The mode is kept in the file: not before it is known to be ours.
        try queue.read { try refuseForeign($0, path: home.cache.path) }
        try queue.writeWithoutTransaction { db in
            _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL")
            try db.execute(sql: "PRAGMA synchronous = FULL")
        }
        try prepare(queue, path: home.cache.path)
        if isNew, let identity = SalvagedIdentity(session: home.credentials) {
            try queue.write { try Cache(db: $0, wall: wall).adopt(identity) }
        }
        return queue
    }

    /// Refuses a database of another program, or one of which tables are missing.
    private func refuseForeign(_ db: Database, path: String) throws {
        let tables = try String.fetchSet(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'")
        if !tables.isEmpty, !tables.contains("grdb_migrations") {
            throw LocalStoreError.damaged(path: path, reason: "it is a database of something else")
        }
        if tables.count > 1, !tables.isSuperset(of: ["meta", "spaces", "records", "mirrors", "outbox", "batches"]) {
            throw LocalStoreError.damaged(path: path, reason: "tables are missing")
        }
    }

    /// Refuses a database of a newer Satchel, and brings the tables of another to the present version.
    func prepare(_ queue: DatabaseQueue, path: String) throws {
        if try queue.read(Schema.migrator.hasBeenSuperseded) { throw LocalStoreError.tooNew(path: path) }
        try Self.migrate(queue)
    }

    /// Brings the tables to the present version. When another process does that at the same time, the later one fails,
    /// sees what the first has done, and goes on.
    private static func migrate(_ queue: DatabaseQueue) throws {
        do { try Schema.migrator.migrate(queue) } catch {
            guard try queue.read(Schema.migrator.hasCompletedMigrations) else { throw error }
        }
    }

    /// Whether there is no cache yet. One of no bytes beside a session has lost what it held (a crash of the disk, a full
    /// one); to go on in it would pass for a new home.
    private func isEmpty() throws -> Bool {
        var status = stat()
        guard stat(home.cache.path, &status) == 0 else { return true }
        guard status.st_size == 0 else { return false }
        if FileManager.default.fileExists(atPath: home.credentials.path) {
            throw LocalStoreError.damaged(
                path: home.cache.path, reason: "it is empty, although somebody has signed in on this home")
        }
        return true
    }

    private func makePrivateFile() throws(LocalStoreError) {
        let path = home.cache.path
        let descriptor = Foundation.open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .unusable(path: path, reason: String(cString: strerror(errno))) }
        close(descriptor)
    }
}

// MARK: - A home that can't be written

extension CacheFile {
    /// Why a cache that is there can only be read; nil: it can be written, or isn't there.
    private var refusal: LocalStoreError? {
        guard access(home.cache.path, R_OK) == 0 else { return nil }
        for path in [home.cache.path, home.directory.path] where access(path, W_OK) != 0 {
            return .readOnly(path: path, reason: String(cString: strerror(errno)))
        }
        return nil
    }

    /// A copy in memory, so that lists have numbers and words can be searched; SQLite would want to write beside the file.
    private func openCopy(_ refusal: LocalStoreError) throws -> Connection {
        let scratch = try ScratchCopy(of: home.cache)
        defer { scratch.remove() }
        let queue = try DatabaseQueue(configuration: LocalStore.configuration)
        let source = try DatabaseQueue(path: scratch.file.path, configuration: LocalStore.configuration)
        try source.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        // A database in memory knows no WAL.
        try source.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
        try source.backup(to: queue)
        try source.close()
        try prepare(queue, path: home.cache.path)
        return Connection(queue: queue, refusal: refusal)
    }
}
