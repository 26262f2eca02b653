/// What the tasks and actors of one machine run on: the loop, which knows by it whose job it runs.
///
/// Sendable: see `Loop`.
final class Processor: TaskExecutor, SerialExecutor, @unchecked Sendable {
    private let loop: Loop
    /// Jobs until the machine is killed; nil: it isn't.
    private var jobsLeft: Int?
    private var kill: () -> Void = {}
    /// Called after each job.
    var afterJob: () -> Void = {}

    init(_ loop: Loop) { self.loop = loop }

    /// Calls `kill` before the job after the next `jobs`.
    func kill(afterJobs jobs: Int, _ kill: @escaping () -> Void) {
        jobsLeft = jobs
        self.kill = kill
    }

    /// Nothing is killed any more. The closure is released, which may hold the process that owns this processor.
    func spare() {
        jobsLeft = nil
        kill = {}
    }

    func enqueue(_ job: consuming ExecutorJob) { loop.enqueue(UnownedJob(job), on: self) }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    func run(_ job: UnownedJob) {
        if let left = jobsLeft {
            let kill = kill
            if left == 0 { spare() } else { jobsLeft = left - 1 }
            if left == 0 { kill() }
        }
        job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
        afterJob()
    }
}
