#if DEBUG
    internal import Synchronization
#endif

/// Counts the steps that work on JSON takes, so that tests can compare the cost of a request with that of one twice as
/// large without looking at a clock.
///
/// A step is a member or a byte that was looked at. Steps are counted in debug builds only, within `counting`; in release
/// builds nothing is left of it.
package enum Work {
    #if DEBUG
        @TaskLocal private static var counter: Counter?

        private final class Counter: Sendable {
            let steps = Atomic<Int>(0)
        }
    #endif

    /// Adds steps to the count of the calling task.
    package static func count(_ steps: @autoclosure () -> Int) {
        #if DEBUG
            counter?.steps.add(steps(), ordering: .relaxed)
        #endif
    }

    #if DEBUG
        /// Runs `body` and returns the steps that it took in its task. A count within a count doesn't add to the outer one.
        package static func counting(_ body: () async throws -> Void) async rethrows -> Int {
            let counter = Counter()
            try await $counter.withValue(counter) { try await body() }
            return counter.steps.load(ordering: .relaxed)
        }

        /// As above, for work that is done at once.
        package static func countingNow<Result>(_ body: () throws -> Result) rethrows -> (result: Result, steps: Int) {
            let counter = Counter()
            let result = try $counter.withValue(counter) { try body() }
            return (result, counter.steps.load(ordering: .relaxed))
        }
    #endif
}
