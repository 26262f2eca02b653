import ControllerKit

/// When a work's progress is shown: not at all if it is short, and not so often that it flickers. Pure; times count from
/// anywhere.
struct ProgressPace {
    /// How long an operation runs before its progress is shown.
    static let delay = Duration.milliseconds(300)
    /// How long what is shown stays at least.
    static let interval = Duration.milliseconds(100)

    /// When the work began; nil: there is none.
    private var began: Duration?
    /// When it was shown last; nil: it isn't.
    private var shown: Duration?

    /// What is to be done.
    enum Step: Equatable {
        /// Show it now.
        case show
        /// Look again at this time, when it may be shown.
        case wait(until: Duration)
        /// Remove what is shown.
        case erase
        case nothing
    }

    /// Decides, for how far the work is now; nil: there is none.
    mutating func step(_ progress: WorkProgress?, at now: Duration) -> Step {
        guard progress != nil else {
            defer { (began, shown) = (nil, nil) }
            return shown == nil ? .nothing : .erase
        }
        let start = began ?? now
        began = start
        let next = shown.map { $0 + Self.interval } ?? start + Self.delay
        if now < next { return .wait(until: next) }
        shown = now
        return .show
    }

    /// How long the work has gone on.
    func age(at now: Duration) -> Duration { began.map { now - $0 } ?? .zero }
}
