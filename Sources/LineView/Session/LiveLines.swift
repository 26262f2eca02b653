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
        linesInFront = try coordinator.current.map { try lines(of: $0.anyState, on: $0.screenName) } ?? []
        isWaiting = true
        defer { isWaiting = false }
        return try await terminal.readLine(prompt: prompt.text, assistant: language.assistant)
    }

    /// Shows the news, as it comes, until the task is cancelled.
    func tellNews() async {
        for await text in news() {
            // A terminal that is gone ends the session by itself.
            try? await terminal.write(text + "\n", to: .messages)
        }
    }

    /// Shows the lines that a change of the screen in front has brought.
    func showLive(_ state: any ScreenState, of screen: String) async throws {
        guard isWaiting, coordinator.current?.screenName == screen else { return }
        let lines = try lines(of: state, on: screen)
        let new = lines.filter { !linesInFront.contains($0) }
        linesInFront = lines
        guard !new.isEmpty else { return }
        try await terminal.write(new.joined(separator: "\n") + "\n", to: .messages)
    }
}
