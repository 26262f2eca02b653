import ControllerKit
import Terminal

/// Shows a person at the prompt what others change meanwhile on the screen in front: the lines that are new, above the
/// line that is being typed.
@MainActor
final class LiveLines: ViewFactory {
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

    /// The person has seen the present state of this screen.
    func markSeen(_ screen: String) {
        for case let view? in views.map(\.view) where view.screenName == screen { view.markSeen() }
    }
}

/// A view that knows which state the person has seen last.
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
        guard let session, session.showsLive(S.name) else { return }
        let before = seen
        seen = state
        try await session.showLive(state, since: before, on: S.self)
    }
}

extension LineSession {
    /// Waits for a line, and shows meanwhile what others change.
    func readLineLive(_ prompt: StatusPrompt) async throws -> String? {
        if let screen = coordinator.current?.screenName { live?.markSeen(screen) }
        terminal.setPrompt(prompt.text)
        isWaiting = true
        defer { isWaiting = false }
        return try await terminal.readLine(assistant: language.assistant)
    }

    /// Shows the news, as it comes, until the task is cancelled.
    func showNews() async {
        for await text in news() {
            // If the terminal is gone, the session ends anyway.
            try? await terminal.writeMessage(text)
        }
    }

    /// Whether a change of this screen is shown now: it is in front, and the person is at the prompt.
    func showsLive(_ screen: String) -> Bool { isWaiting && coordinator.current?.screenName == screen }

    /// Shows the difference that a change of the front screen makes. Both states are laid out for the page as it is now, so that
    /// another width is no news.
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
