import ControllerKit
import Controllers
import LineView
import MarkdownView
import TestSupport
import Testing

@MainActor
@Suite("Markdown as a custom medium")
struct MarkdownViewsTests {
    @Test("Attached at a prompt, it shows the screens that commands use")
    func withAPrompt() async throws {
        let terminal = ScriptedTerminal()
        let session = try LineSession(
            .standard(.testing()), of: .testing, terminal: terminal, others: [MarkdownFrontend()])
        #expect(await session.say(["view", "markdown", "log.md"]) == .ok)
        #expect(await session.say(["add", "Buy milk", "+shop"]) == .ok)
        #expect(await session.say(["list"]) == .ok)
        #expect(await session.say(["status"]) == .ok)
        let log = try #require(terminal.files["log.md"])
        #expect(log.contains("## \(ListScreen.summary)\n"))
        #expect(log.contains("**title** Buy milk"))
        #expect(log.contains("## \(SyncScreen.summary)\n"))
    }

    @Test("It works without another view, and escapes texts")
    func alone() async throws {
        enum NoteScreen: Screen {
            struct State: ScreenState {
                var text = "# Not a *title*\n<b>"
                var tags = ["a", "b"]
            }
            enum Intent: Sendable {}
            static let name = "note"
            static let summary = "A note."
            static let verbs: [Verb<Intent>] = []
        }
        final class NoteController: Controller {
            typealias Screen = NoteScreen
            let model = Model(NoteScreen.State())
            func handle(_ intent: NoteScreen.Intent) async throws {}
        }
        var written: [String] = []
        let views = MarkdownViews { written.append($0) }
        let presentation = Presentation(NoteController()) { Issue.record($0) }
        presentation.attach(views.makeView(for: NoteScreen.self))
        await presentation.waitForViews()
        #expect(
            written == [
                """
                ## A note.

                - **text** \\# Not a \\*title\\*<br>\\<b\\>
                - **tags**
                  - a
                  - b

                """
            ])
    }
}
