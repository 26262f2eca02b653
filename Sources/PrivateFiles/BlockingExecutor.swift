internal import Dispatch

/// Runs an actor's jobs one after the other on a dispatch queue, whose thread they may block: reading files, SQLite.
///
/// Dispatch's own executor, `DispatchSerialQueue`, is missing on Linux.
public final class BlockingExecutor: SerialExecutor {
    private let queue: DispatchQueue

    /// An executor whose queue has this label.
    public init(label: String) { queue = DispatchQueue(label: label) }

    /// Adds a job after those that wait.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
