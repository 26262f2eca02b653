import TestSupport

/// The executor of one machine's tasks and actors: the loop, which knows from it whose job it runs.
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

    /// Cancels the kill, and releases the closure, which may hold the process that owns this processor.
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

/// The random source of a world for what isn't drawn up front, such as ids and keys.
///
/// Sendable: see `Loop`.
final class RandomSource: @unchecked Sendable {
    private var random: SeededRandom

    /// Never the numbers from which the schedule of this seed was drawn.
    init(seed: UInt64) {
        var mixer = SeededRandom(seed: ~seed)
        random = SeededRandom(seed: mixer.next())
    }

    func number() -> UInt64 { random.next() }

    /// A number from 0 to `bound` - 1.
    func below(_ bound: Int) -> Int { random.below(bound) }

    /// A random number from 0 up to 1, a new one for each call.
    @Sendable func fraction() -> Double { Double(number() >> 11) / Double(1 << 53) }

    func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count { withUnsafeBytes(of: random.next()) { bytes.append(contentsOf: $0) } }
        return Array(bytes.prefix(count))
    }

    /// A UUID of version 4.
    func uuid() -> String {
        var bytes = bytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = bytes.map { ($0 < 0x10 ? "0" : "") + String($0, radix: 16) }
        return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }.joined(separator: "-")
    }
}
