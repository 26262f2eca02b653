internal import Foundation
internal import GRDB
internal import Locking

extension GRDB.Configuration {
    /// The configuration of all connections to caches.
    static var cache: GRDB.Configuration {
        var configuration = GRDB.Configuration()
        configuration.busyMode = .callback(BusyDatabase.waiting(limit: BusyDatabase.limit))
        configuration.label = "store"
        return configuration
    }
}

/// The wait for another process's write to the cache, and the identification of that process.
enum BusyDatabase {
    /// The longest wait for another process's write.
    static let limit = Duration.seconds(10)

    /// Returns a busy handler for one connection, which SQLite calls after each failed try. It waits for at most
    /// `limit`, or until the waiting task is cancelled, which SQLite's own timeout would not notice.
    static func waiting(limit: Duration) -> @Sendable (_ tries: Int) -> Bool {
        let start = Locked(ContinuousClock.now)
        return { tries in
            let now = ContinuousClock.now
            // For each lock that it waits for, SQLite counts from 0 (sqlite.org/c3ref/busy_handler.html).
            if tries == 0 { start.withLock { $0 = now } }
            if Task.isCancelled || start.withLock({ $0.duration(to: now) }) >= limit { return false }
            // SQLite calls this on the connection's own thread, which may be blocked.
            poll(nil, 0, Int32(min(tries + 1, longestPause)))
            return true
        }
    }

    /// The longest pause between two tries, in milliseconds.
    private static let longestPause = 25

    #if os(Linux)
        /// Returns the process that writes to a cache now, as the kernel lists it; nil: none does, or it is unknown.
        ///
        /// A writer in WAL mode locks byte 120 of the `-shm` file (sqlite.org/walformat.html, "Locks"). The file itself
        /// mustn't be opened for the query: closing it would release this process's own locks on it (fcntl(2)).
        static func writer(of cache: String) -> LockHolder? {
            var status = stat()
            guard stat(cache + "-shm", &status) == 0, let file = FileHandle(forReadingAtPath: "/proc/locks"),
                let text = try? file.readToEnd()
            else { return nil }
            return writer(ofInode: UInt64(status.st_ino), in: String(decoding: text, as: UTF8.self))
        }
    #else
        /// Returns nil: other kernels don't list locks.
        static func writer(of cache: String) -> LockHolder? { nil }
    #endif

    /// Returns the process that holds the lock of a writer.
    ///
    /// - Parameter locks: The contents of `/proc/locks`. One of its lines is, for example,
    ///   `1: POSIX  ADVISORY  WRITE 4711 fe:01:131105 120 120`.
    static func writer(ofInode inode: UInt64, in locks: String) -> LockHolder? {
        for line in locks.split(separator: "\n") {
            let words = line.split(separator: " ")
            // The last word is `EOF` if the lock has no end (proc(5)).
            guard words.count == 8, words[1] == "POSIX", words[3] == "WRITE",
                words[5].split(separator: ":").last == "\(inode)", let process = Int32(words[4]), process > 0,
                let first = Int(words[6]), first <= writeLock, Int(words[7]).map({ $0 >= writeLock }) ?? true
            else { continue }
            return LockHolder(process: process, since: nil)
        }
        return nil
    }

    /// The byte of the `-shm` file that a writer locks.
    private static let writeLock = 120
}

extension LocalStoreError {
    /// Creates the error for the user that corresponds to an SQLite error.
    init(_ error: DatabaseError, path: String) {
        let reason = error.message ?? "SQLite error \(error.resultCode.rawValue)"
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED: self = .busy(path: path, holder: BusyDatabase.writer(of: path))
        case .SQLITE_FULL: self = .diskFull(path: path)
        // On a full disk, SQLite can't enlarge the `-shm` file, and reports that as an I/O error.
        case .SQLITE_CANTOPEN where Self.isDiskFull(path), .SQLITE_IOERR where Self.isDiskFull(path):
            self = .diskFull(path: path)
        case .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_IOERR:
            self = .unusable(path: path, reason: reason)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .damaged(path: path, reason: reason)
        default: self = .unusable(path: path, reason: reason)
        }
    }
}
