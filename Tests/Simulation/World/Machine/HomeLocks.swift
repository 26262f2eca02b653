import LocalStore
import SyncEngine

/// The locks that the processes of a home share, in virtual time.
///
/// Sendable: see `Loop`.
final class HomeLocks: @unchecked Sendable {
    /// Held by the process that syncs.
    let sync = SimulatedLock()
    /// Held by the background process that sends the edits that commands have left to it.
    let background = SimulatedLock()
    /// Held by the process that refreshes the tokens.
    let session = SimulatedLock()

    /// Releases the locks of a process that has ended.
    func release(all process: ClientProcess) {
        for lock in [sync, background, session] { lock.release(all: process) }
    }
}

/// A lock like `FileLock`, in virtual time: it is released when its process ends, and waiting is polling.
///
/// Sendable: see `Loop`.
final class SimulatedLock: @unchecked Sendable {
    private var holder: Holder?
    private var lastNumber = 0

    /// One acquisition of the lock.
    private struct Holder {
        var number: Int
        unowned let process: ClientProcess
    }

    /// The polling interval of a waiting process.
    static let interval = Duration.milliseconds(50)

    var isTaken: Bool { holder != nil }

    /// Acquires the lock if it is free, and returns the function that releases it; nil if it is held, also by the same
    /// process.
    func attempt(by process: ClientProcess) -> (@Sendable () -> Void)? {
        guard holder == nil, process.isAlive else { return nil }
        lastNumber += 1
        let number = lastNumber
        holder = Holder(number: number, process: process)
        return { if self.holder?.number == number { self.holder = nil } }
    }

    /// Acquires the lock as soon as it is free.
    ///
    /// - Throws: `LocalStoreError.busy` after `limit`; `CancellationError`, also when the process is dead.
    func acquire(by process: ClientProcess, limit: Duration) async throws -> @Sendable () -> Void {
        let clock = process.clock
        let wait = LockWait(limit: limit, interval: Self.interval, now: clock.now, sleep: clock.sleep)
        guard let release = try await wait.acquire(holder: { nil }, attempt: { attempt(by: process) }) else {
            throw LocalStoreError.busy(path: "a lock", holder: nil)
        }
        return release
    }

    /// A process has ended.
    func release(all process: ClientProcess) {
        if holder?.process === process { holder = nil }
    }
}
