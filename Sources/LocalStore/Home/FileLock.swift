internal import Backend
internal import Foundation
internal import PrivateFiles
public import Records

/// A lock between processes: `flock` on a file, which the kernel releases when the holder ends.
///
/// An exclusive holder writes its process id and the time into the file, for messages. Only `flock` decides whether the
/// lock is held: the text that a killed process left behind is ignored.
package struct FileLock: Sendable {
    private let path: String
    private let now: @Sendable () -> Timestamp

    /// Creates a reference to a lock; the file is created when the lock is first acquired.
    ///
    /// - Parameter now: This device's clock.
    package init(path: String, now: @escaping @Sendable () -> Timestamp = FileLock.systemTime) {
        (self.path, self.now) = (path, now)
    }

    /// The system's clock.
    package static let systemTime: @Sendable () -> Timestamp = {
        Timestamp(clamping: Date())
    }

    /// A lock that is held until `release`, or until the process ends.
    package struct Held: Sendable {
        fileprivate let descriptor: Int32
        fileprivate let isShared: Bool

        /// Releases the lock, also if a child process that was just forked still has the file open.
        package func release() {
            // While the lock is held: later, this could remove what the next holder has written.
            if !isShared { ftruncate(descriptor, 0) }
            // Closing isn't enough: `flock` is released only when all copies of the descriptor are closed.
            flock(descriptor, LOCK_UN)
            close(descriptor)
        }
    }

    /// Acquires the lock if no other process holds it; nil: one does.
    ///
    /// - Parameter shared: Whether other processes may hold the lock at the same time if they share it, too.
    /// - Throws: `LocalStoreError.unusable`.
    package func attempt(shared: Bool = false) throws(LocalStoreError) -> Held? {
        // O_NOFOLLOW: through a symbolic link, another user could choose a file that is emptied. O_CLOEXEC: a program
        // that is started, such as a hook, must not keep the lock.
        let descriptor = open(path, O_CREAT | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw errno == ENOSPC
                ? .diskFull(path: path) : .unusable(path: path, reason: SystemError.last)
        }
        if flock(descriptor, (shared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 {
            if !shared { LockHolder(process: getpid(), since: now()).write(to: descriptor) }
            return Held(descriptor: descriptor, isShared: shared)
        }
        // `close` may change `errno`.
        let reason = errno
        close(descriptor)
        if reason == EWOULDBLOCK { return nil }
        throw .unusable(path: path, reason: SystemError.text(reason))
    }

    /// Acquires the lock, and waits while another process holds it; runs on the caller's actor.
    ///
    /// - Throws: `LocalStoreError.busy`, which names the holder, after `wait.limit`; `LocalStoreError.unusable`;
    ///   `CancellationError`.
    package func acquire(_ wait: LockWait, isolation: isolated (any Actor)? = #isolation) async throws -> Held {
        guard let held = try await wait.acquire(holder: holder, attempt: { try attempt() }) else {
            throw LocalStoreError.busy(path: path, holder: holder())
        }
        return held
    }

    /// Returns the process that holds the lock exclusively; nil: none does, or it is unknown.
    package func holder() -> LockHolder? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // Trying the lock would obstruct another process for a moment, so it is tried only if the file names a living
        // process.
        guard let holder = LockHolder(readFrom: descriptor), holder.isAlive else { return nil }
        return flock(descriptor, LOCK_SH | LOCK_NB) == 0 ? nil : holder
    }
}

// MARK: - Holders

/// A process that holds a lock.
public struct LockHolder: Sendable, Equatable {
    /// The process id.
    public var process: Int32
    /// The time at which it acquired the lock; nil: unknown.
    public var since: Timestamp?

    public init(process: Int32, since: Timestamp?) { (self.process, self.since) = (process, since) }

    /// Whether it is the calling process.
    public var isThisProcess: Bool { process == getpid() }

    /// Whether the process exists; EPERM means that it belongs to another user.
    fileprivate var isAlive: Bool { kill(process, 0) == 0 || errno == EPERM }

    /// The time at which it acquired the lock, in local time: `12:03:04`, with the date if that isn't today.
    public var localTime: String? {
        guard let date = since?.date else { return nil }
        let isToday = LocalTime.systemCalendar.isDateInToday(date)
        return isToday ? LocalTime.time(date, withSeconds: true) : LocalTime.short(date, withSeconds: true)
    }
}

extension LockHolder {
    /// Parses the contents of a lock file: `4711 2026-11-22T07:03:04Z`; nil if it is empty or has another form.
    fileprivate init?(readFrom descriptor: Int32) {
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return nil }
        let words = String(decoding: buffer[..<count], as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard words.count == 2, let process = Int32(words[0]), process > 0, let since = Timestamp(String(words[1]))
        else { return nil }
        self.init(process: process, since: since)
    }

    /// Writes the holder to the file of a lock. If the disk is full, the lock is held without naming its holder.
    fileprivate func write(to descriptor: Int32) {
        let text = Array("\(process) \(since.map { "\($0)" } ?? "")\n".utf8)
        ftruncate(descriptor, 0)
        _ = pwrite(descriptor, text, text.count, 0)
    }
}

// MARK: - Waiting

/// The limits and the clock of a wait for a lock that another process holds.
package struct LockWait: Sendable {
    /// The longest wait.
    package var limit: Duration
    /// The pause between two tries.
    package var interval: Duration
    /// The work for which the lock is held, as a noun. The notice names it if this process itself holds the lock.
    package var work = "work"
    private let now: @Sendable () -> Duration
    private let sleep: @Sendable (_ until: Duration) async throws -> Void

    /// Creates a wait by the given clock.
    ///
    /// - Parameters:
    ///   - now: Returns the present time, measured from an arbitrary fixed point.
    ///   - sleep: Waits until such a time; throws `CancellationError`.
    package init(
        limit: Duration, interval: Duration = .milliseconds(20), now: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (_ until: Duration) async throws -> Void
    ) {
        (self.limit, self.interval, self.now, self.sleep) = (limit, interval, now, sleep)
    }

    /// Creates a wait by the machine's clock, which continues while the machine is suspended.
    package init(limit: Duration, interval: Duration = .milliseconds(20)) {
        let (clock, start) = (ContinuousClock(), ContinuousClock.now)
        self.init(
            limit: limit, interval: interval, now: { start.duration(to: clock.now) },
            sleep: { try await clock.sleep(until: start.advanced(by: $0)) })
    }

    /// Tries until `attempt` succeeds; nil: the limit has passed. After `WaitNotice.delay` the user gets a notice.
    ///
    /// - Parameter holder: Returns the holder of the lock.
    /// - Throws: What `attempt` throws; `CancellationError`.
    package func acquire<Held>(
        holder: () -> LockHolder?, attempt: () throws -> Held?, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Held? {
        let start = now()
        var isReported = false
        while true {
            if let held = try attempt() { return held }
            let waited = now() - start
            if waited >= limit { return nil }
            if !isReported, waited >= WaitNotice.delay {
                isReported = true
                WaitNotice.receive?(notice(holder()))
            }
            try await sleep(start + min(waited + interval, limit))
        }
    }

    /// Returns the notice for a user who waits for the lock.
    func notice(_ holder: LockHolder?) -> String {
        guard let holder, let since = holder.localTime else { return "Waiting for another process with this home …" }
        if holder.isThisProcess { return "Waiting for this session's own \(work), running since \(since) …" }
        return "Waiting for another process with this home (process \(holder.process), running since \(since)) …"
    }
}
