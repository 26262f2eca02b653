import Synchronization

/// Generates ids in a known order: 1abc, 2abc, …
final class Counter: Sendable {
    private let count = Mutex(0)

    func next() -> String {
        count.withLock { count in
            count += 1
            return "\(count)abc"
        }
    }
}
