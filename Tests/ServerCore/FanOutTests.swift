import NIOConcurrencyHelpers
import TestSupport
import Testing

@testable import ServerCore

/// News for many streams.
@Suite struct FanOutTests {
    private let hub = EventHub(streams: 100)
    private let queue = HeldExecutor()

    /// Opens streams of an account that follow the space `s`.
    private func listen(_ count: Int) throws -> [EventHub.Listening] {
        let streams = try (1...count).map { _ in try hub.listen(account: "a", address: "192.0.2.1", limit: 100) }
        _ = hub.follow(["s"], account: "a")
        return streams
    }

    @Test func fewStreamsAreNotifiedAtOnceAndTheOthersAfterThem() async throws {
        let streams = try listen(100)
        let readers = streams.map { stream in Task(executorPreference: queue) { await stream.wakeup.next() } }
        queue.runAll()
        hub.changed("s", version: 1)
        // The streams of the first batch have to run before others are notified.
        #expect(queue.count == FanOut.batchSize)
        queue.runAll()
        try await eventually("the next batch is notified") { queue.count == FanOut.batchSize }
        // More news during the fan-out reach those that are still waiting, once.
        hub.changed("s", version: 2)
        hub.changed("s", version: 3)
        #expect(queue.count == FanOut.batchSize)
        queue.runAlways()
        for reader in readers { #expect(await reader.value == .commit) }
        #expect(hub.committedVersions(of: ["s"]) == ["s": 3])
    }

    @Test func newsDuringAFanOutReachTheStreamsThatHaveRunAlready() async throws {
        let streams = try listen(20)
        let readers = streams.map { stream in
            Task(executorPreference: queue) {
                let first = await stream.wakeup.next()
                return (first, await stream.wakeup.next())
            }
        }
        queue.runAll()
        hub.changed("s", version: 1)
        queue.runAll()
        hub.changed("s", version: 2)
        queue.runAlways()
        for reader in readers {
            let (first, second) = await reader.value
            #expect(first == .commit && second == .commit)
        }
    }

    @Test func aStreamThatOpensDuringAFanOutIsNotifiedOfLaterNews() async throws {
        let streams = try listen(20)
        let readers = streams.map { stream in Task(executorPreference: queue) { await stream.wakeup.next() } }
        queue.runAll()
        hub.changed("s", version: 1)
        let later = try hub.listen(account: "a", address: "192.0.2.1", limit: 100)
        hub.changed("s", version: 2)
        queue.runAlways()
        #expect(await later.wakeup.next() == .commit)
        for reader in readers { #expect(await reader.value == .commit) }
    }

    @Test func aCancelledStreamDoesNotKeepTheNewsFromOthers() async throws {
        let streams = try listen(20)
        let readers = streams.map { stream in Task(executorPreference: queue) { await stream.wakeup.next() } }
        queue.runAll()
        hub.changed("s", version: 1)
        for reader in readers.prefix(10) { reader.cancel() }
        queue.runAlways()
        for (index, reader) in readers.enumerated() {
            let news = await reader.value
            #expect(index < 10 || news == .commit)
        }
    }

    @Test func streamsInTheSameStateShareTheTextOfTheirEvents() {
        let sent = SentEvents()
        let old = EventSnapshot(epoch: "e", versions: ["s": 1])
        let new = EventSnapshot(epoch: "e", versions: ["s": 2])
        for (present, known) in [(new, old), (new, old), (new, nil), (old, new), (new, new)] {
            let text = sent.text(of: present, since: known, for: "a")
            #expect(text == present.text(since: known))
            #expect(text.isEmpty == (present == known))
        }
    }

    /// Holds jobs until the test runs them.
    private final class HeldExecutor: TaskExecutor {
        private let state = NIOLockedValueBox<(jobs: [UnownedJob], isHeld: Bool)>(([], true))

        var count: Int { state.withLockedValue(\.jobs.count) }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            let isHeld = state.withLockedValue { state in
                if state.isHeld { state.jobs.append(job) }
                return state.isHeld
            }
            if !isHeld { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }

        /// Runs the jobs that wait now.
        func runAll() {
            let jobs = state.withLockedValue { state in
                defer { state.jobs = [] }
                return state.jobs
            }
            for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }

        /// Runs the jobs that wait, and all later ones.
        func runAlways() {
            state.withLockedValue { $0.isHeld = false }
            runAll()
        }
    }
}
