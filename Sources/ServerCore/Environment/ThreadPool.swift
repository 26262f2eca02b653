internal import Foundation

/// Dedicated threads for work that blocks or computes for long, so that Swift's cooperative pool stays free. Callers
/// are served in turn, by key.
final class ThreadPool<Key: FairQueueKey & Sendable>: Sendable {
    private let queue: WorkQueue<Key>

    /// Starts the threads; they end when the pool is released.
    ///
    /// - Parameters:
    ///   - perKey: how many pieces of work one key may have, waiting and running.
    ///   - limit: how many pieces of work may wait.
    init(threads: Int, perKey: Int, limit: Int) {
        queue = WorkQueue(perKey: perKey, limit: limit)
        for _ in 0..<threads {
            let thread = Thread { [queue] in
                while let (key, work) = queue.next() {
                    work.run()
                    queue.finished(key)
                }
            }
            thread.name = "satcheld-work"
            thread.start()
        }
    }

    deinit { queue.close() }

    /// How many pieces of work wait for a thread.
    var waiting: Int { queue.count }

    /// Refuses waiting work with `QueueRefusal.full`. Running work is finished, and later work is accepted.
    func refuseWaiting() { queue.refuseWaiting() }

    /// Runs `work` on a thread of the pool.
    ///
    /// - Parameter key: the caller for whom the work counts.
    /// - Throws: `QueueRefusal`; else what `work` throws.
    func run<Result: Sendable>(for key: Key, _ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            let piece = Work(
                run: { continuation.resume(with: Swift.Result { try work() }) },
                refuse: { continuation.resume(throwing: $0) })
            queue.add(piece, for: key)
        }
    }
}

private struct Work: Sendable {
    let run: @Sendable () -> Void
    let refuse: @Sendable (any Error) -> Void
}

/// What waits for a thread.
///
/// `@unchecked Sendable`: both variables are used only while `condition` is locked.
private final class WorkQueue<Key: FairQueueKey & Sendable>: @unchecked Sendable {
    private let condition = NSCondition()
    private var waiting: FairQueue<Key, Work>
    private var isOpen = true

    init(perKey: Int, limit: Int) { waiting = FairQueue(perKey: perKey, limit: limit) }

    func add(_ work: Work, for key: Key) {
        let result = condition.withLock {
            Result { () throws(QueueRefusal) in
                let displaced = try waiting.add(work, for: key)
                condition.signal()
                return displaced
            }
        }
        switch result {
        case .success(let displaced): displaced?.refuse(QueueRefusal.full)
        case .failure(let refusal): work.refuse(refusal)
        }
    }

    /// Waits for work; nil once the queue is closed and empty.
    func next() -> (key: Key, work: Work)? {
        condition.withLock {
            while true {
                if let next = waiting.next() { return (next.key, next.element) }
                guard isOpen else { return nil }
                condition.wait()
            }
        }
    }

    func finished(_ key: Key) { condition.withLock { waiting.finished(key) } }

    var count: Int { condition.withLock { waiting.count } }

    func refuseWaiting() {
        let refused = condition.withLock { waiting.removeWaiting() }
        for work in refused { work.refuse(QueueRefusal.full) }
    }

    func close() {
        condition.withLock {
            isOpen = false
            condition.broadcast()
        }
    }
}
