internal import Backend
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
        /// It stood, and for how long.
        case stood(Duration)
        /// It couldn't be opened; the server may say how long to wait.
        case failed(retryAfter: Duration?)
        /// The server has no events: an older one, or another.
        case unknown
    }

    /// A stream that stood for so long was a good one.
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
        case .stood(let life):
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
