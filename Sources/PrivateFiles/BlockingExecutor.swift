internal import Dispatch

/// Runs the jobs of an actor one after the other on a dispatch queue. The jobs may block its thread, for example with
/// SQLite or reading files.
///
/// Dispatch's own executor, `DispatchSerialQueue`, is missing on Linux.
public final class BlockingExecutor: SerialExecutor {
    private let queue: DispatchQueue

    /// Creates an executor whose queue has this label.
    public init(label: String) { queue = DispatchQueue(label: label) }

    /// Adds a job to the queue.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
