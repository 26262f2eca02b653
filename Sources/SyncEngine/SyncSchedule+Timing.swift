internal import LocalStore

extension SyncSchedule {
    /// How long things take; the defaults are for use.
    public struct Timing: Sendable, Equatable {
        /// How long after an edit another one is waited for.
        public var debounce = Duration.seconds(1)
        /// How long after the first edit it is sent in any case.
        public var longestDebounce = Duration.seconds(5)
        /// How long the stream of events may take to stand before the first sync is done without it.
        public var startGrace = Duration.milliseconds(500)
        /// How often the server is asked while its events aren't heard.
        public var poll = Duration.seconds(60)
        /// How soon to look again after another process of this home was found syncing.
        public var busy = Duration.seconds(2)
        /// How often to check for writes of other processes of this home.
        public var watch = LocalStore.watchInterval
        /// The longest pause after the first failure.
        public var firstBackOff = Duration.seconds(1)
        /// The longest pause after any number of failures.
        public var longestBackOff = Duration.seconds(300)

        public init() {}

        /// The pause after so many failures in a row: exponential back-off with full jitter (Brooker, "Exponential Backoff
        /// And Jitter", 2015), so that devices that lost a server together don't come back together.
        ///
        /// | failures | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 and more |
        /// | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
        /// | seconds, at most | 1 | 2 | 4 | 8 | 16 | 32 | 64 | 128 | 256 | 300 |
        ///
        /// - Parameter random: from 0 up to 1: which part of that.
        public func backOff(failures: Int, random: Double) -> Duration {
            let doublings = min(max(failures, 1) - 1, 30)
            return min(firstBackOff * (1 << doublings), longestBackOff) * random
        }
    }
}
