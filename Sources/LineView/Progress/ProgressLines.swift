import ControllerKit
import Terminal

/// Shows on the terminal how far the work of a command is, in one row that is gone when the work is done.
@MainActor
final class ProgressLines: ViewFactory {
    private let terminal: any LineTerminal
    private let now: () -> Duration
    private var pace = ProgressPace()
    /// The screen whose work is under way, and how far it is.
    private var work: (screen: String, progress: WorkProgress)?
    private var waiting: Task<Void, Never>?
    /// Whether the command that is under way may show it: one that writes for programs doesn't.
    var isWanted = true

    /// - Parameter terminal: where it is shown.
    init(_ terminal: any LineTerminal) {
        self.terminal = terminal
        let (clock, start) = (ContinuousClock(), ContinuousClock.now)
        now = { start.duration(to: clock.now) }
    }

    func makeView<S: Screen>(for screen: S.Type) -> any View<S> {
        ProgressView<S> { [weak self] in try await self?.show($0, of: S.name) }
    }

    private func show(_ progress: WorkProgress?, of screen: String) async throws {
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

    /// Checks again at that time, if no progress is reported before.
    private func wait(until moment: Duration) {
        guard waiting == nil else { return }
        waiting = Task { [weak self] in
            guard let now = self?.now(), (try? await Task.sleep(for: moment - now)) != nil else { return }
            self?.waiting = nil
            // If the terminal is gone, the command's own output reports it.
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

/// A long work's progress in one row: `Importing 1,200 of 3,000 [========>           ] 40%`. Pure.
struct ProgressBar {
    /// How far it is.
    let progress: WorkProgress
    /// The records done per second, if the total isn't known; nil: the rate isn't known either.
    let rate: Int?

    /// A bar of this many columns says little.
    private static let narrowest = 6
    private static let widest = 40

    /// The row, in at most this number of columns.
    func line(columns: Int) -> String {
        guard let total = progress.total, total > 0 else { return String(counted.prefix(max(columns, 0))) }
        let done = min(max(progress.done, 0), total)
        let head = "\(progress.what.neutralised()) \(Self.number(done)) of \(Self.number(total))"
        let percent = " \(done * 100 / total)%"
        // Brackets and the spaces around them.
        let width = min(columns - head.count - percent.count - 3, Self.widest)
        if width < Self.narrowest { return String((head + percent).prefix(max(columns, 0))) }
        let full = done * width / total
        let bar = String(repeating: "=", count: full) + (full < width ? ">" : "")
        return head + " [" + bar + String(repeating: " ", count: width - bar.count) + "]" + percent
    }

    private var counted: String {
        let what = progress.what.neutralised()
        if progress.done == 0 { return what + " …" }
        return "\(what) \(Self.number(progress.done))" + (rate.map { ", \(Self.number($0)) a second" } ?? "") + " …"
    }

    /// A number with commas between its thousands.
    static func number(_ number: Int) -> String {
        let digits = String(number)
        return String(
            digits.enumerated().flatMap { place, digit in
                place > 0 && (digits.count - place).isMultiple(of: 3) && digits.first?.isNumber == true
                    ? [",", digit] : [digit]
            })
    }
}
