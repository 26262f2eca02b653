import ControllerKit
import Terminal

/// Shows a person at the prompt the changes from elsewhere on the screen in front: prints the new lines above the line
/// that is being typed.
@MainActor
final class LiveLines: ViewFactory {
    // Weak, because the session's coordinator holds this medium.
    private weak var session: LineSession?
    private var views: [WeakView] = []

    private struct WeakView {
        weak var view: (any LiveShowing)?
    }

    init(_ session: LineSession) { self.session = session }

    func makeView<S: Screen>(for screen: S.Type) -> any View<S> {
        let view = LiveView<S>(session)
        views.removeAll { $0.view == nil }
        views.append(WeakView(view: view))
        return view
    }

    /// Notes that the person has seen the present state of a screen.
    func markSeen(_ screen: String) {
        for case let view? in views.map(\.view) where view.screenName == screen { view.markSeen() }
    }
}

/// A view that stores the state that the person has seen last, without the type of its screen.
@MainActor
private protocol LiveShowing: AnyObject {
    var screenName: String { get }
    func markSeen()
}

private final class LiveView<S: Screen>: View, LiveShowing {
    typealias Screen = S
    private weak var session: LineSession?
    private var delegate: ViewDelegate<S>?
    private var seen: S.State?

    init(_ session: LineSession?) { self.session = session }

    var screenName: String { S.name }

    func attached(to delegate: ViewDelegate<S>) { self.delegate = delegate }

    func markSeen() { seen = delegate?.state }

    func render(_ state: S.State) async throws {
        // A running command shows its result itself; `markSeen` is called afterwards.
        guard let session, session.showsLive(S.name) else { return }
        let before = seen
        seen = state
        try await session.showLive(state, since: before, on: S.self)
    }
}

extension LineSession {
    /// Waits for a line and meanwhile shows changes from elsewhere.
    func readLineLive(_ prompt: StatusPrompt) async throws -> String? {
        if let screen = coordinator.current?.screenName { live?.markSeen(screen) }
        terminal.setPrompt(prompt.text)
        isWaiting = true
        defer { isWaiting = false }
        return try await terminal.readLine(assistant: language.assistant)
    }

    /// Shows the news as they occur, until the task is cancelled.
    func showNews() async {
        for await text in news() {
            // The error is ignored: if the terminal is closed, reading the next line ends the session.
            try? await terminal.writeMessage(text)
        }
    }

    /// Returns whether changes of a screen are shown now: it is in front, and the person is at the prompt.
    func showsLive(_ screen: String) -> Bool { isWaiting && coordinator.current?.screenName == screen }

    /// Shows the difference between two states of the front screen. Both are laid out for the present page, so that a
    /// new width of the terminal isn't shown as a change.
    func showLive<S: Screen>(_ state: S.State, since seen: S.State?, on screen: S.Type) async throws {
        let new: [String]
        if let seen {
            new =
                try output.renderer(of: screen)?.news(seen, state, terminal.page)
                ?? output.lines(of: state, on: screen).new(since: output.lines(of: seen, on: screen))
        } else {
            new = try output.lines(of: state, on: screen)
        }
        guard !new.isEmpty else { return }
        try await terminal.write(new.joined(separator: "\n") + "\n", to: .messages)
    }
}
