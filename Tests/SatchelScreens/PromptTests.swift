import ControllerKit
import Controllers
import Terminal
import TestSupport
import Testing

@testable import LineView
@testable import SatchelScreens

@MainActor
@Suite("The prompt", .timeLimit(.minutes(5)))
struct PromptTests {
    @Test(
        "Shows the account, and why it isn't in sync",
        arguments: [
            (SyncSummary(), "satchel>"), (SyncSummary(unsent: 3), "satchel>"),
            (SyncSummary(conflicts: 1), "!1 satchel>"),
            (SyncSummary(account: "ada", isSignedIn: true), "ada satchel>"),
            (
                SyncSummary(account: "ada", isSignedIn: true, isOffline: true, unsent: 3, conflicts: 1),
                "ada offline ↑3 !1 satchel>"
            ),
            (SyncSummary(account: "ada", isOffline: true), "ada signed-out satchel>"),
            (SyncSummary(account: "a\u{1B}[2J", isSignedIn: true), "a␛[2J satchel>"),
            (SyncSummary(account: "maria.magdalena.of.bethany", isSignedIn: true), "maria.magdalena… satchel>"),
        ])
    func text(prompt: SyncSummary, text: String) { #expect(prompt.prompt(before: "satchel>") == text) }

    @Test("A sync state is shown, too: what stopped the last sync means offline")
    func state() {
        var state = SyncScreen.State()
        (state.username, state.isSignedIn, state.unsent, state.conflicts) = ("ada", true, 2, 1)
        #expect(SyncSummary(state).prompt(before: ">") == "ada ↑2 !1 >")
        state.lastProblem = "The server can't be reached."
        #expect(SyncSummary(state).prompt(before: ">") == "ada offline ↑2 !1 >")
        state.isLive = true
        #expect(SyncSummary(state).prompt(before: ">") == "ada ↑2 !1 >", "the server only refuses the edits")
    }

    @Test("In a catalogue without syncing the prompt is unchanged")
    func plain() async throws {
        let catalog = try Catalog([])
        let prompt = StatusPrompt(catalog, base: "> ", status: .sync, report: { Issue.record($0) }, changed: { _ in })
        await prompt.start()
        #expect(prompt.text == "> ")
        prompt.end()
    }

    /// A sync screen whose state a test sets.
    private final class ScriptedSync: Controller {
        typealias Screen = SyncScreen
        let model = Model(SyncScreen.State())
        func handle(_ intent: SyncScreen.Intent) async throws { state.username = "ada" }
    }

    @Test("The states of several screens are shown in order, the last one next to the base")
    func several() async throws {
        let controller = ScriptedSync()
        let services = try Services.testing()
        let contexts = Presentation(ContextController(services.notebook)) { Issue.record($0) }
        try await contexts.send(.define(name: "house", filter: ["+house"]))
        try await contexts.send(.use("house"))
        let catalog = try Catalog([
            .screen(SyncScreen.self) { _ in controller },
            .screen(ContextScreen.self) { _ in ContextController(services.notebook) },
        ])
        let prompt = StatusPrompt(
            catalog, base: "> ", status: .syncAndContext, report: { Issue.record($0) }, changed: { _ in })
        await prompt.start()
        #expect(prompt.text == "ada signed-out (house) > ")
        try await contexts.send(.use(nil))
        try await eventually("the prompt says so") { prompt.text == "ada signed-out > " }
        prompt.end()
    }

    @Test("It changes with the state, and reports each change once")
    func live() async throws {
        let controller = ScriptedSync()
        let catalog = try Catalog([.screen(SyncScreen.self) { _ in controller }])
        var reported: [String] = []
        let prompt = StatusPrompt(
            catalog, base: "> ", status: .sync, report: { Issue.record($0) }, changed: { reported.append($0) })
        await prompt.start()
        #expect(prompt.text == "ada signed-out > ")
        controller.state.isSignedIn = true
        try await eventually("the prompt says so") { prompt.text == "ada > " }
        controller.state.notice = "Nothing new."
        controller.state.conflicts = 2
        try await eventually("the prompt says so") { prompt.text == "ada !2 > " }
        #expect(reported == ["ada signed-out > ", "ada > ", "ada !2 > "])
        prompt.end()
    }
}
