/// Everything that runs in a simulation, on one thread, in virtual time: the ready jobs, and scheduled events.
///
/// `@unchecked Sendable`, like everything that belongs to a world: it is accessed only within `run`, by the one thread
/// that drains the loop. Nothing in a world waits for another thread.
final class Loop: @unchecked Sendable {
    /// The true time, in milliseconds since 1970. No machine knows it.
    private(set) var now: Int64
    private var ready: [(job: UnownedJob, processor: Processor)] = []
    private var next = 0
    private var events: [Event] = []
    private var lastEvent = 0

    private struct Event {
        var time: Int64
        var number: Int
        var happen: () -> Void
    }

    init(now: Int64) { self.now = now }

    /// Puts a job behind the ready ones.
    func enqueue(_ job: UnownedJob, on processor: Processor) { ready.append((job, processor)) }

    /// Schedules an event in this many milliseconds; events of the same time run in the order of their calls.
    ///
    /// - Returns: the number for `cancel`.
    @discardableResult
    func after(_ delay: Int64, _ happen: @escaping () -> Void) -> Int {
        lastEvent += 1
        let event = Event(time: now + max(0, delay), number: lastEvent, happen: happen)
        let index = events.lastIndex { $0.time <= event.time }.map { $0 + 1 } ?? events.startIndex
        events.insert(event, at: index)
        return lastEvent
    }

    /// Cancels a scheduled event.
    func cancel(_ number: Int) {
        if let index = events.firstIndex(where: { $0.number == number }) { events.remove(at: index) }
    }

    /// Discards all scheduled events.
    func forgetEvents() { events = [] }

    /// Runs all ready jobs, and those that become ready.
    func drain() {
        while next < ready.count {
            let (job, processor) = ready[next]
            next += 1
            processor.run(job)
        }
        ready.removeAll(keepingCapacity: true)
        next = 0
    }

    /// Advances the time, and runs what happens in it.
    func run(for duration: Int64) {
        let end = now + duration
        drain()
        while let event = events.first, event.time <= end {
            step(event)
        }
        now = end
    }

    /// Advances the time until `condition` holds; false if it doesn't within `limit` milliseconds, or if nothing is
    /// scheduled any more.
    func run(until condition: () -> Bool, limit: Int64) -> Bool {
        let end = now + limit
        drain()
        while !condition() {
            guard let event = events.first, event.time <= end else { return false }
            step(event)
        }
        return true
    }

    private func step(_ event: Event) {
        events.removeFirst()
        now = max(now, event.time)
        event.happen()
        drain()
    }
}

/// The tasks of a process that wait for a virtual time. They are resumed at that time, on cancellation, or when the
/// process dies.
///
/// Sendable: see `Loop`.
final class Sleepers: @unchecked Sendable {
    private let loop: Loop
    private var sleeping: [Int: Sleeper] = [:]
    private var lastNumber = 0
    private var isOver = false

    private struct Sleeper {
        var event: Int
        var continuation: UnsafeContinuation<Void, Never>
    }

    init(_ loop: Loop) { self.loop = loop }

    /// Waits for the given number of milliseconds.
    ///
    /// - Throws: `CancellationError`, also when the process is dead.
    func sleep(for time: Int64) async throws {
        lastNumber += 1
        let number = lastNumber
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                if isOver || Task.isCancelled { return continuation.resume() }
                let event = loop.after(time) { [weak self] in self?.wake(number) }
                sleeping[number] = Sleeper(event: event, continuation: continuation)
            }
        } onCancel: {
            wake(number)
        }
        if isOver || Task.isCancelled { throw CancellationError() }
    }

    /// Waits for the given duration, rounded to whole milliseconds, at least one.
    func sleep(for time: Duration) async throws {
        let (seconds, attoseconds) = time.components
        try await sleep(for: max(1, seconds * 1_000 + attoseconds / 1_000_000_000_000_000))
    }

    /// The process is dead.
    func end() {
        isOver = true
        for number in sleeping.keys.sorted() { wake(number) }
    }

    private func wake(_ number: Int) {
        guard let sleeper = sleeping.removeValue(forKey: number) else { return }
        loop.cancel(sleeper.event)
        sleeper.continuation.resume()
    }
}
