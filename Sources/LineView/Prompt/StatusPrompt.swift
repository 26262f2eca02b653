public import ControllerKit

/// The screens whose states the prompt shows.
///
///     PromptStatus(SyncScreen.self, verb: "status") { state, prompt in "\(state.unsent) unsent \(prompt)" }
public struct PromptStatus: Sendable {
    /// The screens, in the order in which the prompt shows them.
    let parts: [Part]

    /// Returns the prompt with the state of a screen before a base.
    typealias Text = @Sendable (_ base: String) -> String

    /// A screen whose state the prompt shows.
    struct Part: Sendable {
        let screen: String
        let begin:
            @MainActor @Sendable (
                Coordinator, _ show: @escaping @MainActor (@escaping Text) -> Void
            ) async throws -> Void
    }

    /// Creates the status from a screen.
    ///
    /// - Parameters:
    ///   - verb: The verb that is performed once, so that the screen reads its state. It must change nothing.
    ///   - text: Returns the prompt for a state. The prompt ends with `base`, the prompt of the session.
    public init<S: Screen>(
        _ screen: S.Type, verb: String, text: @escaping @Sendable (_ state: S.State, _ base: String) -> String
    ) {
        let part = Part(screen: S.name) { session, show in
            let outcome: Result<Void, any Error>
            do {
                try await session.perform(verb, on: screen.name)
                outcome = .success(())
            } catch { outcome = .failure(error) }
            // Also after a failure: a later state of the screen is shown all the same.
            if let presentation = session.presentation(of: screen) {
                presentation.attach(PromptView<S> { state in show { text(state, $0) } })
                await presentation.waitForViews()
            }
            try outcome.get()
        }
        self.init([part])
    }

    private init(_ parts: [Part]) { self.parts = parts }

    /// Returns a status that shows the states of this one, then those of another one.
    public func followed(by other: PromptStatus) -> PromptStatus { PromptStatus(parts + other.parts) }
}

/// A prompt that shows the states of screens. It has a session of its own, so that it doesn't navigate in the session
/// whose prompt it is.
@MainActor
final class StatusPrompt {
    /// The present prompt.
    private(set) var text: String
    private let base: String
    private let status: PromptStatus?
    /// The texts of the states that were read, by the indices of their screens in the status.
    private var texts: [Int: PromptStatus.Text] = [:]
    private let session: Coordinator
    private let changed: @MainActor (String) -> Void
    private let report: @MainActor (any Error) -> Void

    /// Creates a prompt that ends with `base`.
    ///
    /// - Parameters:
    ///   - status: The screens whose states it shows; nil: none.
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

    /// Reads the states and shows each change until `end`. Screens that the catalogue doesn't have are omitted.
    func start() async {
        guard let status else { return }
        let known = Set(session.catalog.screens.map(\.name))
        // The catalogue of another program may lack a screen; without any, the prompt is only the base.
        for (index, part) in status.parts.enumerated() where known.contains(part.screen) {
            do { try await part.begin(session) { [weak self] in self?.show($0, at: index) } } catch { report(error) }
        }
    }

    /// Closes the screens.
    func end() { session.end() }

    private func show(_ text: @escaping PromptStatus.Text, at index: Int) {
        texts[index] = text
        // The last screen is next to the base.
        let next = texts.sorted { $0.key > $1.key }.reduce(base) { $1.value($0) }
        // An equal prompt isn't drawn again: the user may be typing after it.
        guard next != self.text else { return }
        self.text = next
        changed(next)
    }
}

private final class PromptView<S: Screen>: View {
    typealias Screen = S
    private let show: @MainActor (S.State) -> Void

    init(_ show: @escaping @MainActor (S.State) -> Void) { self.show = show }

    func render(_ state: S.State) { show(state) }
}
