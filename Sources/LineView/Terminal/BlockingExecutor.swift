import Dispatch

/// Runs an actor's jobs on a dispatch queue, whose thread may block: never the cooperative pool's.
///
/// (`DispatchSerialQueue`, which is an executor by itself, is missing on Linux.)
final class BlockingExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
