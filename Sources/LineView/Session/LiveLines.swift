import ControllerKit

/// Shows a person who sits at the prompt what changes meanwhile on the screen in front, by somebody else's doing: the
/// lines that are new, above the line that is being typed.
@MainActor
final class LiveLines: ViewFactory {
    private let show: @MainActor (any ScreenState, String) async throws -> Void

    /// - Parameter show: Told each state and the name of its screen.
    init(_ show: @escaping @MainActor (any ScreenState, String) async throws -> Void) { self.show = show }

    func makeView<S: Screen>(for screen: S.Type) -> any View<S> {
        LiveView<S> { [show] in try await show($0, S.name) }
    }
}

private final class LiveView<S: Screen>: View {
    typealias Screen = S
    private let show: @MainActor (S.State) async throws -> Void

    init(_ show: @escaping @MainActor (S.State) async throws -> Void) { self.show = show }

    func render(_ state: S.State) async throws { try await show(state) }
}

extension LineSession {
    /// Waits for a line, and shows meanwhile what others change.
    func readLineLive(_ prompt: StatusPrompt) async throws -> String? {
        inFront = coordinator.current?.anyState
        isWaiting = true
        defer { isWaiting = false }
        return try await terminal.readLine(prompt: prompt.text, assistant: language.assistant)
    }

    /// Shows the news, as it comes, until the task is cancelled.
    func tellNews() async {
        for await text in news() {
            // A terminal that is gone ends the session by itself.
            try? await terminal.writeMessage(text)
        }
    }

    /// Shows what a change of the screen in front has brought.
    func showLive(_ state: any ScreenState, of screen: String) async throws {
        guard isWaiting, coordinator.current?.screenName == screen else { return }
        let seen = inFront
        inFront = state
        let new = try news(in: state, since: seen, on: screen)
        guard !new.isEmpty else { return }
        try await terminal.write(new.joined(separator: "\n") + "\n", to: .messages)
    }

    /// Both states are laid out for the page as it is now, so that another width is no news.
    private func news(in state: any ScreenState, since seen: (any ScreenState)?, on screen: String) throws -> [String] {
        let lines = try lines(of: state, on: screen)
        guard let seen else { return lines }
        if let news = polish[screen]?.news(since: seen, in: state, on: terminal.page) { return news }
        return lines.new(since: try self.lines(of: seen, on: screen))
    }
}
