public import ControllerKit

/// A screen whose state the prompt shows.
///
///     PromptStatus(SyncScreen.self, verb: "status") { state, prompt in "\(state.unsent) unsent \(prompt)" }
public struct PromptStatus: Sendable {
    let screen: String
    let begin:
        @MainActor @Sendable (
            Coordinator, _ base: String, _ show: @escaping @MainActor (String) -> Void
        ) async throws -> Void

    /// Creates the status from a screen.
    ///
    /// - Parameters:
    ///   - verb: The verb that is performed once, so that the screen reads its state. It must change nothing.
    ///   - text: Returns the prompt for a state. The prompt ends with `base`, the prompt of the session.
    public init<S: Screen>(
        _ screen: S.Type, verb: String, text: @escaping @Sendable (_ state: S.State, _ base: String) -> String
    ) {
        self.screen = S.name
        begin = { session, base, show in
            let outcome: Result<Void, any Error>
            do {
                try await session.perform(verb, on: screen.name)
                outcome = .success(())
            } catch { outcome = .failure(error) }
            // Also after a failure: a later state of the screen is shown all the same.
            if let presentation = session.presentation(of: screen) {
                presentation.attach(PromptView<S> { show(text($0, base)) })
                await presentation.waitForViews()
            }
            try outcome.get()
        }
    }
}

/// A prompt that shows the state of a screen. It has a session of its own, so that it doesn't navigate in the session
/// whose prompt it is.
@MainActor
final class StatusPrompt {
    /// The present prompt.
    private(set) var text: String
    private let base: String
    private let status: PromptStatus?
    private let session: Coordinator
    private let changed: @MainActor (String) -> Void
    private let report: @MainActor (any Error) -> Void

    /// Creates a prompt that ends with `base`.
    ///
    /// - Parameters:
    ///   - status: The screen whose state it shows; nil: none.
    ///   - report: Receives the errors of reading the state.
    ///   - changed: Receives the prompt after each change.
    init(
        _ catalog: Catalog, base: String, status: PromptStatus?, report: @escaping @MainActor (any Error) -> Void,
        changed: @escaping @MainActor (String) -> Void
    ) {
        (self.base, self.status) = (base, status)
        self.changed = changed
        self.report = report
        text = base
        // A session of its own: the verb of the status must not bring a screen to the front of the user's.
        session = Coordinator(catalog, report: report)
    }

    /// Reads the state and shows each change until `end`. Does nothing if the catalogue doesn't have the screen.
    func start() async {
        // The catalogue of another program may lack the screen; the prompt is then only the base.
        guard let status, session.catalog.screens.contains(where: { $0.name == status.screen }) else { return }
        do { try await status.begin(session, base) { [weak self] in self?.show($0) } } catch { report(error) }
    }

    /// Closes the screen.
    func end() { session.end() }

    private func show(_ next: String) {
        // An equal prompt isn't drawn again: the user may be typing after it.
        guard next != text else { return }
        text = next
        changed(next)
    }
}

private final class PromptView<S: Screen>: View {
    typealias Screen = S
    private let show: @MainActor (S.State) -> Void

    init(_ show: @escaping @MainActor (S.State) -> Void) { self.show = show }

    func render(_ state: S.State) { show(state) }
}
