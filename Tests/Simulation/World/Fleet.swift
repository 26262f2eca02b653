import Foundation

/// Runs many schedules on several threads.
package struct Fleet: Sendable {
    private let threads: Int

    /// - Parameter threads: their number, at least one; each needs a core.
    package init(threads: Int) { self.threads = max(1, threads) }

    /// Runs the schedules of seeds; blocks until all are done.
    ///
    /// - Parameter report: called with each failed schedule, on some thread, one at a time.
    /// - Returns: the number of failed ones.
    package func run(_ seeds: Range<UInt64>, report: @escaping @Sendable (Schedule, Fault) -> Void) throws -> Int {
        let queue = Queue(seeds, report: report)
        let group = DispatchGroup()
        for _ in 0..<threads {
            group.enter()
            let thread = Thread {
                queue.work()
                group.leave()
            }
            thread.stackSize = 8 << 20
            thread.start()
        }
        group.wait()
        return try queue.outcome()
    }

    /// What is left to run.
    ///
    /// `@unchecked Sendable`: mutable members are accessed only while `lock` is held.
    private final class Queue: @unchecked Sendable {
        private let lock = NSLock()
        private let end: UInt64
        private let report: @Sendable (Schedule, Fault) -> Void
        private var next: UInt64
        private var failed = 0
        private var failure: (any Error)?

        init(_ seeds: Range<UInt64>, report: @escaping @Sendable (Schedule, Fault) -> Void) {
            (next, end) = (seeds.lowerBound, seeds.upperBound)
            self.report = report
        }

        func work() {
            do {
                let runner = try Runner()
                while let seed = take() {
                    let schedule = Schedule(seed: seed)
                    if let fault = runner.run(schedule).faults.first { note(schedule, fault) }
                }
            } catch {
                lock.withLock { failure = error }
            }
        }

        func outcome() throws -> Int {
            try lock.withLock {
                if let failure { throw failure }
                return failed
            }
        }

        private func take() -> UInt64? {
            lock.withLock {
                defer { next += next < end ? 1 : 0 }
                return next < end ? next : nil
            }
        }

        private func note(_ schedule: Schedule, _ fault: Fault) {
            lock.withLock {
                failed += 1
                report(schedule, fault)
            }
        }
    }
}
