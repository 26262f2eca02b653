internal import Foundation

/// Runs an actor's jobs on one thread of its own, so that they may block (SQLite does). The thread ends with the executor.
public final class ThreadExecutor: SerialExecutor {
    private let jobs = JobQueue()

    /// Starts the thread.
    public init(name: String) {
        let thread = Thread { [jobs] in
            while let next = jobs.next() { next.job.runSynchronously(on: next.executor) }
        }
        thread.name = name
        thread.start()
    }

    deinit { jobs.close() }

    public func enqueue(_ job: consuming ExecutorJob) {
        jobs.append((UnownedJob(job), asUnownedSerialExecutor()))
    }
}

/// Jobs that wait for the thread.
///
/// `@unchecked Sendable`: everything is touched under `condition` alone.
private final class JobQueue: @unchecked Sendable {
    typealias Entry = (job: UnownedJob, executor: UnownedSerialExecutor)
    private let condition = NSCondition()
    private var entries: [Entry] = []
    private var isClosed = false

    func append(_ entry: Entry) {
        condition.withLock {
            entries.append(entry)
            condition.signal()
        }
    }

    func close() {
        condition.withLock {
            isClosed = true
            condition.signal()
        }
    }

    /// The next job; waits for one; nil once the queue is closed and empty.
    func next() -> Entry? {
        condition.withLock {
            while entries.isEmpty, !isClosed { condition.wait() }
            return entries.isEmpty ? nil : entries.removeFirst()
        }
    }
}
