import ControllerKit
import LineView
import Terminal
import TestSupport
import Testing

@MainActor
@Suite("Input of a command's arguments, field after field")
struct AskedFieldsTests {
    private enum SafeScreen: Screen {
        static let name = "safe"
        static let summary = "A safe."
        struct State: ScreenState { var isOpen = false }
        enum Intent: Sendable {
            case turn(old: String, new: String)
            case open(key: String?, code: String?)
        }
        static let verbs = [
            Verb("turn", .secret("old"), .secret("new"), help: "Change the code.") { Intent.turn(old: $0, new: $1) },
            Verb("renew", .secret("new-code", isNew: true), help: "Set the code.") { Intent.open(key: nil, code: $0) },
            Verb(
                "open", .without("coded", .secret("key")), .flag("coded"), .with("coded", .secret("code")),
                help: "Open it."
            ) { key, _, code in Intent.open(key: key, code: code) },
            Verb(
                "keys", .optional(.choice("action", ["list", "add"])), .with("action", "add", .secret("code")),
                help: "List the keys, or add one."
            ) { _, code in Intent.open(key: nil, code: code) },
        ]
    }

    private final class SafeController: Controller {
        typealias Screen = SafeScreen
        let model = Model(SafeScreen.State())
        var turned: [String] = []
        func handle(_ intent: SafeScreen.Intent) async throws {
            switch intent {
            case .turn(let old, let new): turned += [old, new]
            case .open(let key, let code): turned += [key ?? "-", code ?? "-"]
            }
        }
    }

    private let controller = SafeController()

    private func session(_ terminal: ScriptedTerminal) throws -> LineSession {
        try LineSession(
            try Catalog([.screen(SafeScreen.self) { [controller] _ in controller }]), of: .testing, terminal: terminal)
    }

    @Test("D7 return moves from one field to the next, and submits from the last")
    func nextField() async throws {
        let terminal = ScriptedTerminal(isInteractive: true)
        terminal.secrets = ["1234", "5678"]
        #expect(try await session(terminal).say(["turn"]) == .ok)
        #expect(terminal.prompts == ["old: ", "new: "])
        #expect(controller.turned == ["1234", "5678"])
    }

    @Test("A secret that depends on a flag is asked for only with it, or only without it")
    func dependentSecrets() async throws {
        let terminal = ScriptedTerminal(isInteractive: true)
        terminal.secrets = ["key", "code"]
        #expect(try await session(terminal).say(["open"]) == .ok)
        #expect(try await session(terminal).say(["open", "--coded"]) == .ok)
        #expect(terminal.prompts == ["key: ", "code: "])
        #expect(controller.turned == ["key", "-", "-", "code"])
    }

    @Test("A secret that depends on a word of a choice is asked for only with that word")
    func secretOfOneWord() async throws {
        let terminal = ScriptedTerminal(isInteractive: true)
        terminal.secrets = ["code"]
        #expect(try await session(terminal).say(["keys"]) == .ok)
        #expect(try await session(terminal).say(["keys", "list"]) == .ok)
        #expect(try await session(terminal).say(["keys", "add"]) == .ok)
        #expect(terminal.prompts == ["code: "])
        #expect(controller.turned == ["-", "-", "-", "-", "-", "code"])
    }

    @Test("A field is asked for by its name as words")
    func label() async throws {
        let terminal = ScriptedTerminal(isInteractive: true)
        terminal.secrets = ["1", "1"]
        #expect(try await session(terminal).say(["renew"]) == .ok)
        #expect(terminal.prompts == ["new code: ", "new code again: "])
    }

    @Test("Cancelling a field submits nothing")
    func cancelled() async throws {
        let terminal = ScriptedTerminal(isInteractive: true)
        terminal.secrets = ["1234"]
        #expect(try await session(terminal).say(["turn"]) == .failed)
        #expect(controller.turned == [])
    }
}
