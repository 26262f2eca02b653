internal import Backend
internal import Foundation
internal import GRDB

/// The file of a home's cache: who may open it when, and what happens when it can't be read.
struct CacheFile {
    let home: Home
    let wall: @Sendable () -> UInt64
    /// How long to wait for another process that rebuilds the file, or must let it go first.
    var patience: Duration = .seconds(10)

    /// A cache that is open.
    struct Connection: Sendable {
        var queue: DatabaseQueue
        /// Detects whether the path still leads to the open file; nil for a copy of it.
        var place: FilePlace?
        /// Shows other processes that this one has the file open; nil for a copy of it.
        var presence: FileLock.Held?
        /// Why nothing can be written; nil: it can.
        var refusal: LocalStoreError?

        /// The same, with the lock that it is held under.
        func held(by presence: FileLock.Held) -> Connection {
            var held = self
            held.presence = presence
            return held
        }
    }

    /// What has come of one try.
    private enum Attempt {
        case opened(Connection)
        /// The file was rebuilt, by this process or another, and can be opened now. No lock is held.
        case rebuilt
        /// Another process is in the way; in the end, that is what to throw.
        case obstructed(LocalStoreError)
    }

    /// Opens the file, and makes it if it isn't there. One that SQLite can't read is put aside, and a new one built. Blocks
    /// the calling thread while another process is in the way.
    ///
    /// - Throws: `LocalStoreError.inUse` if the file must be put aside and another process has it open; then nothing has
    ///   changed.
    func open() throws -> Connection {
        try home.prepare()
        if let refusal { return try openCopy(refusal) }
        do { return try persistently { try attempt() } } catch {
            guard let full = diskFull(error) else { throw error }
            return try openOnFullDisk(full)
        }
    }

    /// Puts the file aside and builds a new one, with what can still be read of what is unsent, even if SQLite can open it.
    ///
    /// - Parameter error: what was wrong with it.
    /// - Throws: `LocalStoreError.inUse` if another process has it open; then nothing has changed.
    func rebuild(since error: any Error) throws -> Connection {
        try persistently { try attemptRebuild(since: error, evenIfReadable: true) }
    }

    /// Whether an error means that a file is damaged, not that it can't be used now.
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
    /// Of several that find the file damaged at once, one gets the lock alone and rebuilds; then the others find it sound.
    private func attempt() throws -> Attempt {
        guard let presence = try home.cacheLock.attempt(shared: true) else {
            return .obstructed(.busy(path: home.cache.path, holder: home.cacheLock.holder()))
        }
        do {
            return .opened(try connect().held(by: presence))
        } catch  where Self.isDamage(error) {
            presence.release()
            return try attemptRebuild(since: error)
        } catch {
            presence.release()
            throw error
        }
    }

    private func attemptRebuild(since error: any Error, evenIfReadable: Bool = false) throws -> Attempt {
        guard let alone = try home.cacheLock.attempt() else { return .obstructed(.inUse(path: home.cache.path)) }
        // The lock isn't exchanged for a shared one: flock(2) may let another process in between, and would block without a
        // limit. The file is opened under a lock of its own instead.
        defer { alone.release() }
        // Another process may have done it meanwhile.
        if !evenIfReadable, (try? connect()) != nil { return .rebuilt }
        let swap = CacheSwap(home: home)
        if try swap.unfinished() == nil { try build(swap, since: error) }
        try swap.finish()
        _ = try connect()
        return .rebuilt
    }

    /// Tries again as long as another process is in the way, until `patience` is over or the task is cancelled. The thread
    /// is blocked meanwhile: the caller opens a cache on a thread that may block (`LocalStore.open`).
    private func persistently(_ first: () throws -> Attempt) throws -> Connection {
        let start = ContinuousClock.now
        var (isRebuilt, isReported) = (false, false)
        while true {
            let waited = start.duration(to: .now)
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
