#if DEBUG
    internal import Synchronization
#endif

/// Counts the steps that work on JSON takes, so that tests can compare the cost of a request with that of one twice as
/// large without looking at a clock.
///
/// A step is an examined member or byte. Steps are counted in debug builds only, within `counting`; release builds
/// contain no counting code.
package enum StepCounter {
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
        /// Runs `body` and returns the steps that it took in its task. The steps of a nested count are not added to the
        /// outer one.
        package static func counting(_ body: () async throws -> Void) async rethrows -> Int {
            let counter = Counter()
            try await $counter.withValue(counter) { try await body() }
            return counter.steps.load(ordering: .relaxed)
        }

        /// Same as `counting`, for synchronous work.
        package static func countingNow<Result>(_ body: () throws -> Result) rethrows -> (result: Result, steps: Int) {
            let counter = Counter()
            let result = try $counter.withValue(counter) { try body() }
            return (result, counter.steps.load(ordering: .relaxed))
        }
    #endif
}
