internal import Backend
internal import LocalStore
internal import SyncAPI

/// How long to wait before the stream of events is opened again. Pure.
struct EventPause {
    /// How long the server wants one to wait at least.
    var asked = Duration.zero
    private let timing: SyncSchedule.Timing
    private var failures = 0

    init(timing: SyncSchedule.Timing) { self.timing = timing }

    /// How a stream has ended.
    enum Ending: Equatable {
        /// It was open, and for how long.
        case lasted(Duration)
        /// It couldn't be opened; the server may say how long to wait.
        case failed(retryAfter: Duration?)
        /// The server has no events: an older one, or another.
        case unknown
    }

    /// A stream that was open for this long counts as working.
    static let goodLife = Duration.seconds(30)

    /// When to see whether a server without events has been updated.
    static let unknownPause = Duration.seconds(600)

    /// The pause after a stream.
    ///
    /// - Parameter random: from 0 up to 1.
    mutating func next(after ending: Ending, random: Double) -> Duration {
        switch ending {
        case .unknown:
            failures = 0
            return Self.unknownPause
        case .lasted(let life):
            failures = life < Self.goodLife ? failures + 1 : 1
            return max(asked, timing.backOff(failures: failures, random: random))
        case .failed(let retryAfter):
            failures += 1
            return max(asked, retryAfter ?? .zero, timing.backOff(failures: failures, random: random))
        }
    }
}

extension EventPause.Ending {
    /// What it means that a stream couldn't be opened.
    init(_ error: BackendError) {
        if case .problem(let problem, _) = error, [404, 405, 501].contains(problem.status) {
            self = .unknown
        } else {
            self = .failed(retryAfter: error.retryAfter)
        }
    }
}

extension SyncSchedule {
    /// The intervals; the defaults are for production.
    public struct Timing: Sendable, Equatable {
        /// How long after an edit another one is waited for.
        public var debounce = Duration.seconds(1)
        /// How long after the first edit it is sent in any case.
        public var longestDebounce = Duration.seconds(5)
        /// How long the first sync waits for the stream of events to open.
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

        /// The pause after this number of failures in a row: exponential back-off with full jitter (Brooker, "Exponential Backoff
        /// And Jitter", 2015), so that devices that lost a server together don't come back together.
        ///
        /// | failures | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 and more |
        /// | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
        /// | seconds, at most | 1 | 2 | 4 | 8 | 16 | 32 | 64 | 128 | 256 | 300 |
        ///
        /// - Parameter random: from 0 up to 1: which part of that.
        func backOff(failures: Int, random: Double) -> Duration {
            let doublings = min(max(failures, 1) - 1, 30)
            return min(firstBackOff * (1 << doublings), longestBackOff) * random
        }
    }
}
