import ControllerKit
import Terminal

/// Shows the progress of a command in one row of the terminal, which is erased when the work is done.
@MainActor
final class ProgressLines: ViewFactory {
    private let terminal: any LineTerminal
    private let now: () -> Duration
    private var pace = ProgressPace()
    /// The screen that performs the work, and its progress.
    private var work: (screen: String, progress: WorkProgress)?
    private var waiting: Task<Void, Never>?
    /// Whether the current command may show progress. One with output for programs doesn't.
    var isWanted = true

    /// Creates the medium for a terminal.
    init(_ terminal: any LineTerminal) {
        self.terminal = terminal
        let (clock, start) = (ContinuousClock(), ContinuousClock.now)
        now = { start.duration(to: clock.now) }
    }

    func makeView<S: Screen>(for screen: S.Type) -> any View<S> {
        ProgressView<S> { [weak self] in try await self?.show($0, of: S.name) }
    }

    private func show(_ progress: WorkProgress?, of screen: String) async throws {
        // Each open screen renders; one without work must not erase the progress of another.
        if progress == nil, work?.screen != screen { return }
        work = progress.map { (screen, $0) }
        try await step()
    }

    private func step() async throws {
        switch pace.step(isWanted ? work?.progress : nil, at: now()) {
        case .nothing: stopWaiting()
        case .wait(let moment): wait(until: moment)
        case .show: try await terminal.showProgress(line)
        case .erase:
            stopWaiting()
            try await terminal.showProgress(nil)
        }
    }

    private var line: String? {
        guard let progress = work?.progress, let columns = terminal.progressColumns else { return nil }
        let seconds = pace.age(at: now()) / .seconds(1)
        let rate = seconds > 1 ? Int(Double(progress.done) / seconds) : nil
        return ProgressBar(progress: progress, rate: rate).line(columns: columns)
    }

    /// Takes the next step at a later time, unless progress is reported before.
    private func wait(until moment: Duration) {
        guard waiting == nil else { return }
        waiting = Task { [weak self] in
            // The only error of `sleep` is cancellation: the work has ended.
            guard let now = self?.now(), (try? await Task.sleep(for: moment - now)) != nil else { return }
            self?.waiting = nil
            // The error is ignored: if the terminal is closed, the command's own output reports it.
            try? await self?.step()
        }
    }

    private func stopWaiting() {
        waiting?.cancel()
        waiting = nil
    }
}

private final class ProgressView<S: Screen>: View {
    typealias Screen = S
    private let show: @MainActor (WorkProgress?) async throws -> Void

    init(_ show: @escaping @MainActor (WorkProgress?) async throws -> Void) { self.show = show }

    func render(_ state: S.State) async throws { try await show(state.progress) }
}

/// Decides when progress is shown: not for short work, and not so often that it flickers. It does no I/O; times have
/// any common origin.
struct ProgressPace {
    /// Time that work runs before its progress is shown.
    static let delay = Duration.milliseconds(300)
    /// Minimum time between two updates.
    static let interval = Duration.milliseconds(100)

    /// The beginning of the work; nil: there is none.
    private var began: Duration?
    /// The time of the last update; nil: nothing is shown.
    private var shown: Duration?

    /// The next action.
    enum Step: Equatable {
        /// Show the progress now.
        case show
        /// Decide again at this time.
        case wait(until: Duration)
        /// Erase the row.
        case erase
        case nothing
    }

    /// Decides on the next action.
    ///
    /// - Parameter progress: The present progress; nil: there is no work.
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

    /// Returns the time since the work began.
    func age(at now: Duration) -> Duration { began.map { now - $0 } ?? .zero }
}

/// The progress of long work in one row: `Importing 1,200 of 3,000 [========>           ] 40%`.
struct ProgressBar {
    /// The present progress.
    let progress: WorkProgress
    /// Records per second, shown if the total isn't known; nil: the rate isn't known either.
    let rate: Int?

    /// The smallest useful width of a bar, in columns.
    private static let narrowest = 6
    private static let widest = 40

    /// Returns the row, in at most `columns` columns.
    func line(columns: Int) -> String {
        guard let total = progress.total, total > 0 else { return String(counted.prefix(max(columns, 0))) }
        let done = min(max(progress.done, 0), total)
        let head = "\(progress.what.sanitizedLine) \(Self.number(done)) of \(Self.number(total))"
        let percent = " \(done * 100 / total)%"
        // 3: the brackets and the space before them.
        let width = min(columns - head.count - percent.count - 3, Self.widest)
        if width < Self.narrowest { return String((head + percent).prefix(max(columns, 0))) }
        let full = done * width / total
        let bar = String(repeating: "=", count: full) + (full < width ? ">" : "")
        return head + " [" + bar + String(repeating: " ", count: width - bar.count) + "]" + percent
    }

    private var counted: String {
        let what = progress.what.sanitizedLine
        if progress.done == 0 { return what + " …" }
        return "\(what) \(Self.number(progress.done))" + (rate.map { ", \(Self.number($0)) a second" } ?? "") + " …"
    }

    /// Returns a number with commas as thousands separators.
    static func number(_ number: Int) -> String {
        let digits = String(number)
        return String(
            digits.enumerated().flatMap { place, digit in
                place > 0 && (digits.count - place).isMultiple(of: 3) && digits.first?.isNumber == true
                    ? [",", digit] : [digit]
            })
    }
}
