internal import Backend
internal import Foundation
internal import GRDB
internal import PrivateFiles
internal import Records

/// The file of a home's cache, with the rules of opening it, sharing it between processes and replacing it.
struct CacheFile {
    let home: Home
    /// The record types of the program.
    let types: RecordTypes
    let wall: @Sendable () -> UInt64
    /// The longest wait for another process that rebuilds the file or has it open.
    var patience: Duration = .seconds(10)

    /// An open cache.
    struct Connection: Sendable {
        var queue: DatabaseQueue
        /// Detects whether the path still leads to the open file; nil for a copy of it.
        var identity: OpenPath?
        /// Shows other processes that this one has the file open; nil for a copy of it.
        var presence: FileLock.Held?
        /// The error that a change of a record throws; nil: records can be changed.
        var refusal: LocalStoreError?
        /// SQLite's data version when the file was opened; nil: it couldn't be read.
        let firstDataVersion: Int?

        init(queue: DatabaseQueue, identity: OpenPath? = nil, refusal: LocalStoreError? = nil) {
            (self.queue, self.identity, self.refusal) = (queue, identity, refusal)
            firstDataVersion = try? queue.inDatabase(Self.dataVersion)
        }

        /// Reads SQLite's data version, which changes when another connection has written to the file
        /// (sqlite.org/pragma.html#pragma_data_version).
        static func dataVersion(_ db: Database) throws -> Int? { try Int.fetchOne(db, sql: "PRAGMA data_version") }

        /// Returns the connection with the lock under which it is open.
        func held(by presence: FileLock.Held) -> Connection {
            var held = self
            held.presence = presence
            return held
        }
    }

    /// The result of one try to open the file.
    private enum Attempt {
        case opened(Connection)
        /// The file was rebuilt, by this process or another, and can be opened now. No lock is held.
        case rebuilt
        /// Another process is in the way. This error is thrown when the time limit has passed.
        case obstructed(LocalStoreError)
    }

    /// Opens the file, and creates it if it doesn't exist. A file that SQLite can't read is put aside, and a new one is
    /// built. Blocks the calling thread while another process is in the way.
    ///
    /// - Throws: `LocalStoreError.inUse` if the file must be put aside and another process has it open; then nothing
    ///   has changed.
    func open() throws -> Connection {
        try home.prepare()
        if let refusal { return try openCopy(refusal) }
        do { return try persistently { try attempt() } } catch {
            guard let full = diskFull(error) else { throw error }
            return try openOnFullDisk(full)
        }
    }

    /// Puts the file aside, even if SQLite can open it, and builds a new one with the unsent edits that can be read.
    ///
    /// - Parameter error: The damage, for the notice to the user.
    /// - Throws: `LocalStoreError.inUse` if another process has it open; then nothing has changed.
    func rebuild(since error: any Error) throws -> Connection {
        try persistently { try attemptRebuild(since: error, evenIfReadable: true) }
    }

    /// Returns whether an error means that a file is damaged, not that it can't be used now.
    static func isDamage(_ error: any Error) -> Bool {
        switch error {
        case LocalStoreError.damaged: true
        case let error as DatabaseError: [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode)
        default: false
        }
    }
}

// MARK: - Several processes

extension CacheFile {
    /// Tries to open the file. Of several processes that find it damaged at once, one gets the exclusive lock and
    /// rebuilds it; then the others find it intact.
    private func attempt() throws -> Attempt {
        guard let presence = try home.cacheLock.attempt(shared: true) else {
            return .obstructed(.busy(path: home.cache.path, holder: home.cacheLock.holder()))
        }
        do {
            return .opened(try connect().held(by: presence))
        } catch  where Self.isDamage(error) {
            // The own shared lock would prevent the exclusive one.
            presence.release()
            return try attemptRebuild(since: error)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            // The busy handler has already waited, with one exception: if two processes set the journal mode of a new
            // file, each waits for the other's shared lock, and SQLite returns SQLITE_BUSY to one of them at once.
            presence.release()
            return .obstructed(LocalStoreError(error, path: home.cache.path))
        } catch {
            presence.release()
            throw error
        }
    }

    private func attemptRebuild(since error: any Error, evenIfReadable: Bool = false) throws -> Attempt {
        guard let alone = try home.cacheLock.attempt() else { return .obstructed(.inUse(path: home.cache.path)) }
        // The lock isn't exchanged for a shared one: flock(2) may let another process in between, and would block
        // without a limit. The file is opened under a lock of its own instead.
        defer { alone.release() }
        // Another process may have rebuilt it meanwhile. An error only means that it is still damaged.
        if !evenIfReadable, (try? connect()) != nil { return .rebuilt }
        let swap = CacheSwap(home: home)
        if try swap.unfinished() == nil { try build(swap, since: error) }
        try swap.finish()
        // Only a check: the caller opens the file under a shared lock of its own.
        _ = try connect()
        return .rebuilt
    }

    /// Tries again while another process is in the way, until `patience` is over or the task is cancelled. The thread
    /// is blocked meanwhile: the caller opens a cache on a thread that may block (`LocalStore.open`).
    private func persistently(_ first: () throws -> Attempt) throws -> Connection {
        let start = ContinuousClock.now
        var (isRebuilt, isReported) = (false, false)
        while true {
            let waited = start.duration(to: .now)
            // Once rebuilt, the file is only opened: `first` might rebuild it again.
            switch try isRebuilt ? attempt() : first() {
            case .opened(let connection): return connection
            case .rebuilt:
                if waited >= patience {
                    throw LocalStoreError.damaged(path: home.cache.path, reason: "it was rebuilt and damaged again")
                }
                isRebuilt = true
            case .obstructed(let obstacle):
                if waited >= patience { throw obstacle }
                if Task.isCancelled { throw CancellationError() }
                if !isReported, waited >= WaitNotice.delay {
                    isReported = true
                    WaitNotice.receive?(LockWait(limit: patience).notice(home.cacheLock.holder()))
                }
                // Milliseconds; a random number of them, so that two processes don't obstruct each other repeatedly.
                poll(nil, 0, .random(in: 5...30))
            }
        }
    }
}

// MARK: - Opening

extension CacheFile {
    /// Opens the file, and creates it if it doesn't exist.
    func connect() throws -> Connection {
        if try CacheSwap(home: home).unfinished() != nil {
            throw LocalStoreError.damaged(path: home.cache.path, reason: "its rebuilding was interrupted")
        }
        try refuseEmptied()
        // Before SQLite creates the file, which it would do with mode 0644; its log gets the mode of the file.
        try makePrivateFile()
        let identity = try OpenPath(home.cache.path)
        let queue = try DatabaseQueue(path: home.cache.path, configuration: .cache)
        // The journal mode is stored in the file, so the file is first checked to be a cache.
        try queue.read { try refuseForeign($0, path: home.cache.path) }
        try queue.writeWithoutTransaction { db in
            // Set only if it differs: setting it would wait for another program that writes.
            if try String.fetchOne(db, sql: "PRAGMA journal_mode") != "wal" {
                _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL")
            }
            // With NORMAL, a commit in WAL mode isn't durable: a power failure could lose an edit that was reported as
            // saved.
            try db.execute(sql: "PRAGMA synchronous = FULL")
        }
        try prepare(queue, path: home.cache.path) { try copyBeforeUpgrade(queue, schema: $0) }
        try matchSession(queue)
        if let notice = home.protectSession() {
            try queue.write { try Cache(db: $0, wall: wall, types: types).settings.add(notice: notice) }
        }
        // If the path still leads to the same file, it is the one that SQLite has opened.
        try identity.check()
        return Connection(queue: queue, identity: identity)
    }

    /// Assigns the cache to the account and the device of the home's session if it doesn't know them, because it is
    /// new, or a copy of another device's cache.
    private func matchSession(_ queue: DatabaseQueue) throws {
        guard let session = SessionIdentityFile(home.credentials),
            try queue.read({ try Cache(db: $0, wall: wall, types: types).account.differs(from: session) })
        else { return }
        try queue.write { db in
            let cache = Cache(db: db, wall: wall, types: types)
            // Another process may have done it since the read.
            guard try cache.account.differs(from: session) else { return }
            if try cache.replica.state().remote == nil {
                try cache.settings.add(notice: newCacheNotice(session.username))
                try cache.setMeta(.rebuilt, "The previous one is missing.")
            }
            try cache.account.adopt(session)
        }
    }

    private func newCacheNotice(_ username: String) -> String {
        "The cache \(home.cache.path) is new, although \(username) has signed in on this home: the one that was here is "
            + "gone, and with it any unsent edits. `sync` receives everything else from the server."
    }

    /// Throws if the file is a database of another program, or if tables are missing.
    private func refuseForeign(_ db: Database, path: String) throws {
        let tables = try String.fetchSet(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'")
        if !tables.isEmpty, !tables.contains("grdb_migrations") {
            throw LocalStoreError.damaged(path: path, reason: "it is a database of another program")
        }
        // `grdb_migrations` alone: no migration has been applied yet.
        if tables.count > 1, !tables.isSuperset(of: MissingTables.essential) {
            throw LocalStoreError.damaged(path: path, reason: "tables are missing")
        }
    }

    /// Throws if a newer version wrote the database, migrates the tables of an older one, and creates missing ones.
    ///
    /// - Parameter beforeUpgrade: Called before tables are changed, with the number of their schema; 0: it is a new cache.
    func prepare(_ queue: DatabaseQueue, path: String, beforeUpgrade: (_ schema: Int) throws -> Void = { _ in }) throws
    {
        if try queue.snapshot(Schema.migrator.hasBeenSuperseded) { throw LocalStoreError.tooNew(path: path) }
        try Self.migrate(queue, beforeUpgrade)
        if try queue.read({ try MissingTables(Cache(db: $0, wall: wall, types: types)).names.isEmpty }) { return }
        try queue.write { db in
            let cache = Cache(db: db, wall: wall, types: types)
            // Another process may have created them since the read.
            let missing = try MissingTables(cache)
            if !missing.names.isEmpty { try missing.create(in: cache) }
        }
    }

    /// Migrates the tables to the present version. If another process does that at the same time, a migration fails
    /// that the other one has applied; the rest is then tried again, at most once for each migration.
    private static func migrate(_ queue: DatabaseQueue, _ beforeUpgrade: (_ schema: Int) throws -> Void) throws {
        let migrator = Schema.migrator
        var applied = try queue.snapshot(migrator.appliedIdentifiers)
        if applied.count < migrator.migrations.count { try beforeUpgrade(applied.count) }
        while try !queue.snapshot(migrator.hasCompletedMigrations) {
            do { try migrator.migrate(queue) } catch {
                let before = applied
                applied = try queue.snapshot(migrator.appliedIdentifiers)
                guard applied.count > before.count else { throw error }
            }
        }
    }

    /// Throws if the file is empty next to a session: it has lost its contents (a crash of the disk, a full disk), and
    /// continuing with it would look like a new home.
    private func refuseEmptied() throws(LocalStoreError) {
        var status = stat()
        guard stat(home.cache.path, &status) == 0, status.st_size == 0,
            FileManager.default.fileExists(atPath: home.credentials.path)
        else { return }
        throw .damaged(path: home.cache.path, reason: "it is empty, although this home has been signed in")
    }

    private func makePrivateFile() throws(LocalStoreError) {
        let path = home.cache.path
        let descriptor = Foundation.open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .unusable(path: path, reason: SystemError.last) }
        close(descriptor)
    }
}

// MARK: - A home that can't be written

extension CacheFile {
    /// Why an existing cache can only be read; nil: it can be written, or doesn't exist.
    var refusal: LocalStoreError? {
        guard access(home.cache.path, R_OK) == 0 else { return nil }
        // The directory, too: SQLite creates its log next to the file.
        for path in [home.cache.path, home.directory.path] where access(path, W_OK) != 0 {
            return .readOnly(path: path, reason: SystemError.last)
        }
        return nil
    }

    /// Opens a copy in memory, in which numbers of lists and the search index can be written. To open the file itself,
    /// SQLite would have to write next to it.
    func openCopy(_ refusal: LocalStoreError) throws -> Connection {
        let scratch = try ScratchCopy(of: home.cache)
        defer { scratch.remove() }
        let source = try DatabaseQueue(path: scratch.file.path, configuration: .cache)
        try source.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        // A database in memory can't use WAL.
        try source.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
        return try inMemory(source, refusal)
    }

    private func inMemory(_ source: DatabaseQueue, _ refusal: LocalStoreError) throws -> Connection {
        let queue = try DatabaseQueue(configuration: .cache)
        try source.backup(to: queue)
        try source.close()
        try prepare(queue, path: home.cache.path)
        return Connection(queue: queue, refusal: refusal)
    }

    /// Returns the error as one of a full disk; nil: it has another cause, or there is no cache to read.
    func diskFull(_ error: any Error) -> LocalStoreError? {
        guard access(home.cache.path, R_OK) == 0 else { return nil }
        let path = home.cache.path
        let meaning = (error as? DatabaseError).map { LocalStoreError($0, path: path) } ?? error as? LocalStoreError
        guard case .diskFull = meaning else { return nil }
        return meaning
    }

    /// Opens a copy in memory of a cache on a full disk, which may be the disk of temporary files, too. SQLite can't
    /// create the index of the log next to the file; in exclusive locking mode it keeps that index in memory
    /// (sqlite.org/wal.html, "Use of WAL Without Shared-Memory").
    func openOnFullDisk(_ refusal: LocalStoreError) throws -> Connection {
        var configuration = GRDB.Configuration.cache
        configuration.busyMode = .immediateError
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
        do {
            return try inMemory(try DatabaseQueue(path: home.cache.path, configuration: configuration), refusal)
        } catch {
            // Another process may have the file open, which excludes that mode.
            return try openCopy(refusal)
        }
    }
}

extension CacheFile {
    /// Opens the file of a home for reading only, without migration or repair.
    static func openReadOnly(_ home: Home) throws -> Connection {
        var configuration = GRDB.Configuration.cache
        configuration.readonly = true
        configuration.busyMode = .immediateError
        let queue = try DatabaseQueue(path: address(of: home.cache), configuration: configuration)
        if try queue.snapshot(Schema.migrator.hasBeenSuperseded) {
            throw LocalStoreError.tooNew(path: home.cache.path)
        }
        guard try queue.snapshot(Schema.migrator.hasCompletedMigrations) else {
            throw LocalStoreError.unusable(path: home.cache.path, reason: "its tables are those of an older version")
        }
        return Connection(queue: queue, refusal: .readOnly(path: home.cache.path, reason: "it was opened to be read"))
    }

    /// Returns the address to open. Without a log next to it, the file is complete; it is opened with `immutable`,
    /// since SQLite would create a log to read it (sqlite.org/uri.html). If another process writes at that moment, the
    /// result may be wrong: it is only good for a quick look.
    private static func address(of file: URL) -> String {
        FileManager.default.fileExists(atPath: file.path + "-wal") ? file.path : file.absoluteString + "?immutable=1"
    }
}

extension DatabaseQueue {
    /// Reads from one snapshot. The snapshot begins with the first query that succeeds, so a query comes first;
    /// otherwise GRDB's queries about migrations fail if another process creates their table between them.
    fileprivate func snapshot<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try read { db in
            _ = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sqlite_schema")
            return try body(db)
        }
    }
}
