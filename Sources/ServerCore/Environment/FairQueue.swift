/// Why a `FairQueue` refused an element. A later try may succeed.
enum QueueRefusal: Error, Equatable {
    /// The key has reached its limit of elements.
    case keyIsBusy
    /// The queue is full with elements of other keys.
    case full
}

/// A round-robin queue for a few workers: each key's elements in their order, and the keys one after another, so that a
/// key
/// with many elements holds up another key by one element at most. A value without threads.
struct FairQueue<Key: Hashable, Element> {
    private let perKey: Int
    private let limit: Int
    private var lanes: [Key: Lane] = [:]
    /// The keys with waiting elements, the next one first.
    private var turns: [Key] = []
    /// How many elements wait.
    private(set) var count = 0

    private struct Lane {
        var waiting: [Element] = []
        var running = 0

        var total: Int { waiting.count + running }
    }

    /// - Parameters:
    ///   - perKey: how many elements a key may have, those that are being worked on included.
    ///   - limit: how many elements may wait in all.
    init(perKey: Int, limit: Int) {
        self.perKey = perKey
        self.limit = limit
    }

    /// Adds an element.
    ///
    /// - Returns: the element that was displaced if the queue was full: the last of a key with several.
    mutating func add(_ element: Element, for key: Key) throws(QueueRefusal) -> Element? {
        guard lanes[key]?.total ?? 0 < perKey else { throw .keyIsBusy }
        var displaced: Element?
        if count >= limit {
            guard lanes[key]?.waiting.isEmpty ?? true, let other = longest() else { throw .full }
            displaced = lanes[other]?.waiting.popLast()
            count -= 1
        }
        if lanes[key]?.waiting.isEmpty ?? true { turns.append(key) }
        lanes[key, default: Lane()].waiting.append(element)
        count += 1
        return displaced
    }

    /// Removes and returns the next element; the caller must call `finished` for its key afterwards.
    mutating func next() -> (key: Key, element: Element)? {
        guard let key = turns.first, var lane = lanes[key], !lane.waiting.isEmpty else { return nil }
        turns.removeFirst()
        let element = lane.waiting.removeFirst()
        lane.running += 1
        if !lane.waiting.isEmpty { turns.append(key) }
        lanes[key] = lane
        count -= 1
        return (key, element)
    }

    /// Records that a worker has finished an element of a key.
    mutating func finished(_ key: Key) {
        lanes[key]?.running -= 1
        if lanes[key]?.total == 0 { lanes[key] = nil }
    }

    /// The key with the most waiting elements, if that is more than one.
    private func longest() -> Key? {
        let key = turns.max { lanes[$0]?.waiting.count ?? 0 < lanes[$1]?.waiting.count ?? 0 }
        return key.flatMap { lanes[$0]?.waiting.count ?? 0 > 1 ? $0 : nil }
    }
}
