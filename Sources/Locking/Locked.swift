import Foundation

/// A value behind a lock, for state that C callbacks or synchronous callers share with tasks.
///
/// `@unchecked Sendable`: `value` is used only in `withLock`, while `lock` is held, and may leave it, since it is
/// `Sendable`. `lock` is an NSLock and not `Synchronization.Mutex`, which ThreadSanitizer doesn't understand on Linux.
package final class Locked<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    package init(_ value: Value) { self.value = value }

    /// Runs `body` under the lock; `body` must not wait for anything.
    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
