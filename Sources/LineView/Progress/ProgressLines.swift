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
        ProgressView<S> { [weak self] in try await self?.take($0, of: S.name) }
    }

    private func take(_ progress: WorkProgress?, of screen: String) async throws {
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
    private let take: @MainActor (WorkProgress?) async throws -> Void

    init(_ take: @escaping @MainActor (WorkProgress?) async throws -> Void) { self.take = take }

    func render(_ state: S.State) async throws { try await take(state.progress) }
}
