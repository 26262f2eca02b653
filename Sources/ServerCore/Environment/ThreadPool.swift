internal import Foundation

/// Dedicated threads for work that blocks or computes for long, so that Swift's cooperative pool stays free. Callers
/// are served in turn, by key.
final class ThreadPool<Key: FairQueueKey & Sendable>: Sendable {
    private let queue: WorkQueue<Key>

    /// Starts the threads. They end when the pool is released.
    ///
    /// - Parameters:
    ///   - perKey: The number of pieces of work that one key may have, waiting and running.
    ///   - limit: The number of pieces of work that may wait.
    ///   - niceness: The scheduling priority of the threads, from 0 to 19; higher numbers leave more of a busy processor to
    ///     other threads (setpriority(2)). Only Linux has a niceness for each thread.
    init(threads: Int, perKey: Int, limit: Int, niceness: Int32 = 0) {
        queue = WorkQueue(perKey: perKey, limit: limit)
        for _ in 0..<threads {
            // A thread captures the queue, not the pool, whose `deinit` ends the threads.
            let thread = Thread { [queue] in
                #if os(Linux)
                    // If the system refuses, the threads only run at the priority of all others.
                    if niceness > 0 { _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness) }
                #endif
                while let (key, work) = queue.next() {
                    work.run()
                    queue.finished(key)
                }
            }
            thread.name = "server-work"
            thread.start()
        }
    }

    deinit { queue.close() }

    /// Number of pieces of work that wait for a thread.
    var waiting: Int { queue.count }

    /// Refuses waiting work with `QueueRefusal.full`. Running work is finished, and later work is accepted.
    func refuseWaiting() { queue.refuseWaiting() }

    /// Runs `work` on a thread of the pool.
    ///
    /// - Parameter key: The caller for whom the work counts.
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

/// The work that waits for a thread.
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
        // The refused caller is resumed outside the lock.
        case .success(let displaced): displaced?.refuse(QueueRefusal.full)
        case .failure(let refusal): work.refuse(refusal)
        }
    }

    /// Waits for work and returns it; nil once the queue is closed and empty.
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

/// The reason for which a `FairQueue` refused an element. A later attempt may succeed.
enum QueueRefusal: Error, Equatable {
    /// The key has reached its limit of elements.
    case keyIsBusy
    /// The queue is full with elements of other keys.
    case full
}

/// The key of elements that take turns in a `FairQueue`.
protocol FairQueueKey: Hashable {
    associatedtype Crowd: Hashable

    /// Groups the keys that may belong to one client, since a client can use any number of keys. When the queue is
    /// full, an element of the crowd with the most waiting elements is displaced.
    var crowd: Crowd { get }
}

/// A round-robin queue for a few workers. The elements of a key keep their order, and the keys take turns, so that a
/// key with many elements delays another key by one element at most. A value without threads.
struct FairQueue<Key: FairQueueKey, Element> {
    private let perKey: Int
    private let runningPerKey: Int
    private let limit: Int
    private var lanes: [Key: Lane] = [:]
    /// The keys with waiting elements, the next one first.
    private var turns: [Key] = []
    /// Number of waiting elements.
    private(set) var count = 0

    fileprivate struct Lane {
        var waiting: [Element] = []
        var running = 0

        var total: Int { waiting.count + running }
    }

    /// - Parameters:
    ///   - perKey: The number of elements that a key may have, waiting and running.
    ///   - runningPerKey: The number of elements of a key that may run at once.
    ///   - limit: The number of elements that may wait in all.
    init(perKey: Int, runningPerKey: Int = .max, limit: Int) {
        self.perKey = perKey
        self.runningPerKey = runningPerKey
        self.limit = limit
    }

    /// Adds an element.
    ///
    /// - Returns: The element that was displaced if the queue was full. It is the newest one of a key in the crowd with
    ///   the most waiting elements: of that crowd's keys with the most, the one whose turn is last. A key that already
    ///   has waiting elements displaces none, and neither does one whose crowd would then have as many as the other.
    /// - Throws: `QueueRefusal`.
    mutating func add(_ element: Element, for key: Key) throws(QueueRefusal) -> Element? {
        guard lanes[key]?.total ?? 0 < perKey else { throw .keyIsBusy }
        var displaced: Element?
        if count >= limit {
            guard lanes[key]?.waiting.isEmpty ?? true, let other = crowded(besides: key) else { throw .full }
            // The newest one: it has waited least.
            displaced = lanes[other]?.waiting.popLast()
            if lanes[other]?.waiting.isEmpty ?? true { turns.removeAll { $0 == other } }
            if lanes[other]?.total == 0 { lanes[other] = nil }
            count -= 1
        }
        if lanes[key]?.waiting.isEmpty ?? true { turns.append(key) }
        lanes[key, default: Lane()].waiting.append(element)
        count += 1
        return displaced
    }

    /// Removes and returns the next element of a key that may run another one. The caller must call `finished` for the
    /// key afterwards.
    mutating func next() -> (key: Key, element: Element)? {
        guard let index = turns.firstIndex(where: { lanes[$0]?.running ?? 0 < runningPerKey }),
            var lane = lanes[turns[index]], !lane.waiting.isEmpty
        else { return nil }
        let key = turns.remove(at: index)
        let element = lane.waiting.removeFirst()
        lane.running += 1
        // To the end, so that every other key comes first.
        if !lane.waiting.isEmpty { turns.append(key) }
        lanes[key] = lane
        count -= 1
        return (key, element)
    }

    /// Removes and returns all waiting elements, in no particular order.
    mutating func removeWaiting() -> [Element] {
        let waiting = turns.flatMap { lanes[$0]?.waiting ?? [] }
        for key in turns {
            lanes[key]?.waiting = []
            if lanes[key]?.total == 0 { lanes[key] = nil }
        }
        (turns, count) = ([], 0)
        return waiting
    }

    /// Records that a worker has finished an element of a key.
    mutating func finished(_ key: Key) {
        lanes[key]?.running -= 1
        if lanes[key]?.total == 0 { lanes[key] = nil }
    }

    /// Returns the key from which an element is removed in favour of `key`, if any.
    private func crowded(besides key: Key) -> Key? {
        var crowds: [Key.Crowd: Int] = [:]
        for turn in turns { crowds[turn.crowd, default: 0] += lanes[turn]?.waiting.count ?? 0 }
        let most = crowds.values.max() ?? 0
        // At least two more, so that no two crowds displace each other's elements in turn.
        guard most > crowds[key.crowd, default: 0] + 1 else { return nil }
        let candidates = turns.filter { crowds[$0.crowd] == most }
        let longest = candidates.map { lanes[$0]?.waiting.count ?? 0 }.max() ?? 0
        return candidates.last { lanes[$0]?.waiting.count == longest }
    }
}

extension FairQueue: Sendable where Key: Sendable, Element: Sendable {}
extension FairQueue.Lane: Sendable where Key: Sendable, Element: Sendable {}
