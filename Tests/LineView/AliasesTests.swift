import ControllerKit
import Terminal
import TestSupport
import Testing

@testable import LineView

@MainActor
@Suite("Aliases of commands", .timeLimit(.minutes(5)))
struct AliasesTests {
    private func book(_ meanings: [String: [String]]) throws -> HelpBook {
        let catalog = try Catalog([.screen(ShelfScreen.self) { _ in ShelfController() }])
        return HelpBook(catalog, of: .testing, aliases: CommandAliases(meanings))
    }

    private func session(_ meanings: [String: [String]], _ terminal: ScriptedTerminal) throws -> LineSession {
        let catalog = try Catalog([.screen(ShelfScreen.self) { _ in ShelfController() }])
        return try LineSession(catalog, of: .testing, terminal: terminal, book: book(meanings))
    }

    @Test("An alias is replaced by its words, also by another alias; further words follow")
    func expanded() async throws {
        let terminal = ScriptedTerminal()
        let session = try session(["p": ["put", "--pages", "600"], "sea": ["p", "+sea"]], terminal)
        #expect(await session.say(["sea", "Moby Dick"]) == .ok)
        #expect(terminal.messages == "Put +sea|Moby Dick, 600 pages, all: false\n")
    }

    @Test(
        "An alias that replaces a command, that refers to itself or that begins with no command is refused",
        arguments: [
            (["list": ["put", "x"]], "“list” is a command"), (["exit": ["list"]], "“exit” is a command"),
            (["a": ["b", "1"], "b": ["a"]], "the alias “a” refers to itself: a → b → a."),
            (["a": ["lst"]], "Unknown command “lst”. Did you mean “list”?"),
        ])
    func refused(meanings: [String: [String]], reason: String) throws {
        let refused = try book(meanings).refusedAliases
        #expect(refused.first?.reason.contains(reason) == true, "\(refused)")
        #expect(CommandAliases(meanings).expanded(["a", "x"]).last == "x")
    }

    @Test("Aliases are completed, and so are the words after them; `help` explains them")
    func completed() async throws {
        let aliases = ["nightly": ["put"]]
        let language = LineLanguage(try book(aliases), attachable: [], source: { _, _ in [] })
        #expect(await language.complete("nigh").inserted == "tly ")
        #expect(await language.complete("nightly --pa").inserted == "ges ")
        let terminal = ScriptedTerminal()
        #expect(try await session(aliases, terminal).say(["help", "nightly"]) == .ok)
        #expect(terminal.data == "`nightly` is an alias of `put`. It is defined in your configuration file.\n")
    }

    @Test("A line with an alias of a command with a secret isn't stored in the history")
    func secrets() throws {
        let language = LineLanguage(try book(["u": ["unlock"]]), attachable: [], source: { _, _ in [] })
        #expect(!language.isKept("u ada hunter2"))
        #expect(language.isKept("list"))
    }
}
