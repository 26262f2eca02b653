import ControllerKit
import Controllers

/// A prompt that says how things stand with the sync: a view of that screen, in a session of its own, so that it moves
/// nothing in the one that it prompts for. In a catalogue without that screen the prompt says nothing besides.
@MainActor
final class StatusPrompt {
    /// The prompt as it is now.
    private(set) var text: String
    private let base: String
    private let session: Coordinator
    private let changed: @MainActor (String) async -> Void
    private let report: @MainActor (any Error) -> Void

    /// A prompt that ends with `base`.
    ///
    /// - Parameters:
    ///   - report: Told what goes wrong with finding out.
    ///   - changed: Told the prompt whenever it changes.
    init(
        _ catalog: Catalog, base: String, report: @escaping @MainActor (any Error) -> Void,
        changed: @escaping @MainActor (String) async -> Void
    ) {
        self.base = base
        self.changed = changed
        self.report = report
        text = base
        session = Coordinator(catalog, report: report)
    }

    /// Finds out how things stand, and goes on doing so until the end.
    func start() async {
        guard session.catalog.screens.contains(where: { $0.name == SyncScreen.name }) else { return }
        session.attach(PromptViews { [weak self] in await self?.show($0) })
        do { try await session.perform("status") } catch { report(error) }
    }

    /// Ends it.
    func end() { session.end() }

    private func show(_ prompt: PromptText) async {
        let next = prompt.text(before: base)
        guard next != text else { return }
        text = next
        await changed(next)
    }
}

/// Makes a view of the sync screen; of others, views that show nothing.
private final class PromptViews: ViewFactory {
    private let show: @MainActor (PromptText) async -> Void

    init(_ show: @escaping @MainActor (PromptText) async -> Void) { self.show = show }

    func makeView<S: Screen>(for screen: S.Type) -> any View<S> { PromptView<S>(show) }
}

private final class PromptView<S: Screen>: View {
    typealias Screen = S
    private let show: @MainActor (PromptText) async -> Void

    init(_ show: @escaping @MainActor (PromptText) async -> Void) { self.show = show }

    func render(_ state: S.State) async throws {
        guard let state = state as? SyncScreen.State else { return }
        await show(PromptText(state))
    }
}
