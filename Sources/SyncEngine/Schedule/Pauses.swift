internal import Backend
internal import LocalStore
internal import SyncAPI

/// The pause before the stream of events is opened again, without a clock of its own.
struct EventPause {
    /// The shortest pause that the server asks for (`retry`).
    var asked = Duration.zero
    private let timing: SyncSchedule.Timing
    private var failures = 0

    init(timing: SyncSchedule.Timing) { self.timing = timing }

    /// How a stream has ended.
    enum Ending: Equatable {
        /// It was open for this time.
        case lasted(Duration)
        /// It couldn't be opened; the server may ask for a pause.
        case failed(retryAfter: Duration?)
        /// The server has no events: it is an older version, or another program.
        case unknown
    }

    /// A stream that was open for this time counts as working.
    static let goodLife = Duration.seconds(30)

    /// The shortest pause if the account has as many streams as it may have: within the time of a heartbeat, the server
    /// notices a reader that has disconnected.
    static let fullPause = Duration.seconds(20)

    /// The time after which a server without events may have been updated.
    static let unknownPause = Duration.seconds(600)

    /// Returns the pause after a stream.
    ///
    /// - Parameter random: A number from 0 up to 1.
    mutating func next(after ending: Ending, random: Double) -> Duration {
        switch ending {
        case .unknown:
            failures = 0
            return Self.unknownPause
        case .lasted(let life):
            // A stream that ends soon after it was opened is a failure, so that the pauses grow.
            failures = life < Self.goodLife ? failures + 1 : 1
            return max(asked, timing.backOff(failures: failures, random: random))
        case .failed(let retryAfter):
            failures += 1
            return max(asked, retryAfter ?? .zero, timing.backOff(failures: failures, random: random))
        }
    }
}

extension EventPause.Ending {
    /// Creates the ending for a stream that couldn't be opened.
    init(_ error: BackendError) {
        switch error {
        case .unsupported: self = .unknown
        case .problem(let problem, _) where [404, 405, 501].contains(problem.status): self = .unknown
        // Not a fault of the server, which answers other requests: changes are polled until another stream ends.
        case .problem(let problem, let wait) where problem.code == .quotaExceeded:
            self = .failed(retryAfter: max(wait ?? .zero, EventPause.fullPause))
        default: self = .failed(retryAfter: error.retryAfter)
        }
    }
}

extension SyncSchedule {
    /// The intervals; the defaults are for production.
    public struct Timing: Sendable, Equatable {
        /// The wait for another edit after an edit.
        public var debounce = Duration.seconds(1)
        /// The longest time until the first edit of a series is sent.
        public var longestDebounce = Duration.seconds(5)
        /// The time for which the first sync waits for the stream of events to open.
        public var startGrace = Duration.milliseconds(500)
        /// The time between two syncs while the server's events aren't received.
        public var poll = Duration.seconds(60)
        /// The time after which to try again if another process of this home was syncing.
        public var busy = Duration.seconds(2)
        /// The time between two checks for writes of other processes of this home.
        public var watch = LocalStore.watchInterval
        /// The longest pause after the first failure.
        public var firstBackOff = Duration.seconds(1)
        /// The longest pause after any number of failures.
        public var longestBackOff = Duration.seconds(300)

        public init() {}

        /// Returns the pause after a number of failures in a row: exponential back-off with full jitter (Brooker,
        /// "Exponential Backoff And Jitter", 2015), so that devices that lost a server together don't return together.
        ///
        /// | failures | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 and more |
        /// | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
        /// | seconds, at most | 1 | 2 | 4 | 8 | 16 | 32 | 64 | 128 | 256 | 300 |
        ///
        /// - Parameter random: The part of that time, from 0 up to 1.
        func backOff(failures: Int, random: Double) -> Duration {
            // Bounded, so that the shift can't overflow; `longestBackOff` is reached earlier.
            let doublings = min(max(failures, 1) - 1, 30)
            return min(firstBackOff * (1 << doublings), longestBackOff) * random
        }
    }
}
