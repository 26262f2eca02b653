internal import Foundation

/// Threads of its own for work that blocks or computes for long, so that Swift's cooperative pool stays free.
final class ThreadPool: Sendable {
    private let queue: WorkQueue

    /// Starts the threads; they end when the pool is released. No more than `queueLimit` pieces of work wait.
    init(threads: Int, queueLimit: Int) {
        queue = WorkQueue(limit: queueLimit)
        for _ in 0..<threads {
            let thread = Thread { [queue] in
                while let work = queue.next() { work() }
            }
            thread.name = "satcheld-work"
            thread.start()
        }
    }

    deinit { queue.close() }

    /// Runs `work` on a thread of the pool.
    ///
    /// - Throws: `Overloaded` when too much work waits already; else what `work` throws.
    func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            let taken = queue.add { continuation.resume(with: Swift.Result { try work() }) }
            if !taken { continuation.resume(throwing: Overloaded()) }
        }
    }

    /// Too much work waits; a later try may succeed.
    struct Overloaded: Error {}
}

/// What waits for a thread.
///
/// Unchecked: both variables are only touched while `condition` is locked.
private final class WorkQueue: @unchecked Sendable {
    private let condition = NSCondition()
    private let limit: Int
    private var waiting: [@Sendable () -> Void] = []
    private var isOpen = true

    init(limit: Int) { self.limit = limit }

    func add(_ work: @escaping @Sendable () -> Void) -> Bool {
        condition.withLock {
            guard isOpen, waiting.count < limit else { return false }
            waiting.append(work)
            condition.signal()
            return true
        }
    }

    /// Waits for work; nil once the queue is closed and empty.
    func next() -> (@Sendable () -> Void)? {
        condition.withLock {
            while waiting.isEmpty, isOpen { condition.wait() }
            return waiting.isEmpty ? nil : waiting.removeFirst()
        }
    }

    func close() {
        condition.withLock {
            isOpen = false
            condition.broadcast()
        }
    }
}
