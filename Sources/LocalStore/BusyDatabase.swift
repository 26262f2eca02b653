internal import Backend
internal import Foundation

/// Waits for another process's write to the cache, and identifies that process.
enum BusyDatabase {
    /// A busy handler for one connection, which SQLite calls after each try. It waits for at most `limit`, or until the
    /// waiting task is cancelled, which SQLite's own timeout would not notice.
    static func waiting(limit: Duration) -> @Sendable (_ tries: Int) -> Bool {
        let start = Locked(ContinuousClock.now)
        return { tries in
            let now = ContinuousClock.now
            if tries == 0 { start.withLock { $0 = now } }
            if Task.isCancelled || start.withLock({ $0.duration(to: now) }) >= limit { return false }
            // SQLite calls this on the connection's own thread, which may be blocked.
            poll(nil, 0, Int32(min(tries + 1, longestPause)))
            return true
        }
    }

    /// In milliseconds.
    private static let longestPause = 25

    #if os(Linux)
        /// The process that writes to a cache now, as the kernel lists it; nil: none does, or it is unknown.
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
        /// Other kernels don't list locks.
        static func writer(of cache: String) -> LockHolder? { nil }
    #endif

    /// - Parameter locks: as in `/proc/locks`: `1: POSIX  ADVISORY  WRITE 4711 fe:01:131105 120 120`.
    static func writer(ofInode inode: UInt64, in locks: String) -> LockHolder? {
        for line in locks.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 8, words[1] == "POSIX", words[3] == "WRITE",
                words[5].split(separator: ":").last == "\(inode)", let process = Int32(words[4]), process > 0,
                let first = Int(words[6]), first <= writeLock, Int(words[7]).map({ $0 >= writeLock }) ?? true
            else { continue }
            return LockHolder(process: process, since: nil)
        }
        return nil
    }

    /// The byte that a writer locks.
    private static let writeLock = 120
}
