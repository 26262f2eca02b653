import ControllerKit
import Terminal
import TestSupport
import Testing

@testable import LineView

@MainActor
@Suite("Changes by others while the prompt waits", .timeLimit(.minutes(5)))
struct LiveLinesTests {
    /// The messages when, after `list`, another session changes the shelf during the prompt.
    private func messages(interactive: Bool, change: @escaping @MainActor (ShelfController) -> Void) async throws
        -> String
    {
        let controller = ShelfController()
        let catalog = try Catalog([.screen(ShelfScreen.self) { _ in controller }])
        let terminal = ScriptedTerminal(isInteractive: interactive, lines: ["list", "quit"])
        let session = try LineSession(catalog, of: .testing, terminal: terminal)
        terminal.whileWaiting = { typed in
            guard typed == 1 else { return }
            change(controller)
            await session.coordinator.current?.waitForViews()
        }
        _ = await session.run(prompt: "> ")
        session.end()
        return terminal.messages
    }

    @Test("Only the lines that are new are shown")
    func news() async throws {
        let shown = try await messages(interactive: true) {
            $0.state.books.append(.init(number: 3, title: "Ulysses"))
        }
        #expect(shown == "  3       Ulysses\n")
    }

    @Test("A notice for another session is not shown")
    func notice() async throws {
        let shown = try await messages(interactive: true) { $0.state.notice = "Read Emma" }
        #expect(shown == "")
    }

    @Test(
        "News is shown whatever screen is in front, but not to a script",
        arguments: [true, false])
    func news(interactive: Bool) async throws {
        let (news, source) = AsyncStream.makeStream(of: String.self)
        let terminal = ScriptedTerminal(isInteractive: interactive, lines: ["quit"])
        let catalog = try Catalog([.screen(ShelfScreen.self) { _ in ShelfController() }])
        let session = try LineSession(catalog, of: .testing, terminal: terminal, news: { news })
        terminal.whileWaiting = { _ in
            source.yield("Sync: 1 new.")
            while interactive, terminal.messages.isEmpty { await Task.yield() }
        }
        _ = await session.run(prompt: "> ")
        session.end()
        #expect(terminal.messages == (interactive ? "Sync: 1 new.\n" : ""))
    }

    @Test("A script shows only what it requested")
    func script() async throws {
        let shown = try await messages(interactive: false) { $0.state.isSorted = true }
        #expect(shown == "")
    }
}
