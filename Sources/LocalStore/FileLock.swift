internal import Foundation

/// A lock between processes: `flock` on a file, so that it dies with its holder.
public struct FileLock: Sendable {
    private let path: String

    /// Names the file, which is made when the lock is first taken.
    public init(path: String) { self.path = path }

    /// A lock that is held until `release`, or until the process ends.
    public struct Held: Sendable {
        fileprivate let descriptor: Int32
        /// Lets the next one in, also while a child process that was just forked still has the file open.
        public func release() {
            flock(descriptor, LOCK_UN)
            close(descriptor)
        }

        /// The same lock, from now on shared with others that want no more.
        func shared() -> Held {
            flock(descriptor, LOCK_SH)
            return self
        }
    }

    /// Takes the lock if nobody holds it; nil if somebody does.
    ///
    /// - Parameter shared: whether others may have it, too, as long as they share it.
    /// - Throws: `LocalStoreError.unusable`.
    public func attempt(shared: Bool = false) throws(LocalStoreError) -> Held? {
        let descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .unusable(path: path, reason: String(cString: strerror(errno))) }
        if flock(descriptor, (shared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 { return Held(descriptor: descriptor) }
        let reason = errno
        close(descriptor)
        if reason == EWOULDBLOCK { return nil }
        throw .unusable(path: path, reason: String(cString: strerror(reason)))
    }

    /// Takes the lock, however long somebody else holds it; looks again every `interval`, on the caller's actor.
    ///
    /// - Throws: `LocalStoreError.unusable`, `CancellationError`.
    public func take(
        every interval: Duration = .milliseconds(20), isolation: isolated (any Actor)? = #isolation
    ) async throws -> Held {
        while true {
            if let held = try attempt() { return held }
            try await Task.sleep(for: interval)
        }
    }
}
