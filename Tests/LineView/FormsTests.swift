import ControllerKit
import Controllers
import Foundation
import SafeText
import SatchelScreens
import Terminal
import TestSupport
import Testing

@testable import LineView

@MainActor
@Suite("Output for programs", .timeLimit(.minutes(5)))
struct FormsTests {
    private func say(_ words: String...) async throws -> (terminal: ScriptedTerminal, status: CommandStatus) {
        let terminal = ScriptedTerminal(isInteractive: true, page: LinePage(columns: 20, rows: 3, isColoured: true))
        let catalog = try Catalog([.screen(ShelfScreen.self) { _ in ShelfController() }])
        let session = try LineSession(catalog, of: .testing, terminal: terminal)
        defer { session.end() }
        return (terminal, await session.say(words))
    }

    @Test("--json writes the whole state in one line, without colour, truncation or pager")
    func json() async throws {
        let (terminal, status) = try await say("list", "--json")
        #expect(status == .ok)
        #expect(terminal.browsed.isEmpty)
        #expect(terminal.data.hasSuffix("}\n") && terminal.data.count(where: \.isNewline) == 1)
        let state = try JSONDecoder().decode(ShelfScreen.State.self, from: Data(terminal.data.utf8))
        #expect(state == ShelfScreen.State())
    }

    @Test("--plain writes a row for each value of a screen without a plain form of its own")
    func plain() async throws {
        let (terminal, status) = try await say("list", "--plain")
        #expect(status == .ok)
        #expect(
            terminal.data == """
                books.1.number\t1
                books.1.title\tEmma
                books.1.author\tAusten
                books.2.number\t2
                books.2.title\tBeowulf
                isSorted\tno

                """)
    }

    @Test("With --json a command that shows nothing writes its outcome; --plain is refused before it does anything")
    func notices() async throws {
        let json = try await say("put", "Emma", "--json", "--all")
        #expect(json.terminal.data.contains(#""notice":"Put Emma, no pages, all: true""#))
        let plain = try await say("put", "Emma", "--plain")
        #expect(plain.status == .usage && plain.terminal.data.isEmpty)
        #expect(plain.terminal.unwrappedMessages.hasPrefix("“put” has no output for --plain. Use --json."))
    }

    @Test("A format is an option like others: not after --, not with a value, not two of them; errors are reported")
    func grammar() async throws {
        #expect(try await say("put", "--", "--json").terminal.unwrappedMessages == "Put --json, no pages, all: false")
        #expect(
            try await say("put", "x", "--json=1").terminal.unwrappedMessages.hasPrefix("--json doesn't take a value."))
        #expect(
            try await say("list", "--json", "--plain").terminal.unwrappedMessages.hasPrefix(
                "--plain and --json exclude each other."))
        #expect(try await say("list", "--jsn").terminal.unwrappedMessages.contains("Did you mean --json?"))
    }

    private static let hostile = "Bell\u{7} \u{1B}]52;c;\u{9B}31m \u{7F}\u{202E}\u{200B}"

    private func exported(_ words: [String], page: LinePage) async throws -> String {
        let terminal = ScriptedTerminal(page: page)
        let session = try LineSession(try .satchel(.testing()), of: .testing, terminal: terminal)
        defer { session.end() }
        #expect(await session.say(["add", Self.hostile]) == .ok)
        #expect(await session.say(words) == .ok)
        return terminal.data
    }

    @Test(
        "Exports and output for programs can't control the terminal that shows them",
        arguments: [
            ["export", "csv"], ["export", "todotxt"], ["export", "taskwarrior"], ["export"],
            ["export", "csv", "--plain"],
            ["export", "csv", "--json"], ["list", "--json"], ["list", "--plain"],
        ])
    func onTerminal(words: [String]) async throws {
        let shown = try await exported(words, page: LinePage(columns: 80))
        #expect(shown.contains("Bell"))
        #expect(
            shown.split(separator: "\n").allSatisfy { $0.split(separator: "\t").allSatisfy { String($0).isSanitized } })
    }

    @Test("An export to a pipe or a file is unchanged, byte for byte", arguments: ["csv", "todotxt"])
    func inPipe(format: String) async throws {
        #expect(try await exported(["export", format], page: LinePage()).contains(Self.hostile))
        #expect(try await exported(["export", format, "--plain"], page: LinePage()).contains(Self.hostile))
    }

    @Test("The last row of CSV ends with CR LF in a pipe, like all others (RFC 4180, section 2)")
    func lastRow() async throws {
        let bytes = Array(try await exported(["export", "csv"], page: LinePage()).utf8)
        #expect(bytes.suffix(2) == [13, 10] && bytes.suffix(4).first != 13)
    }
}

extension ScriptedTerminal {
    /// The messages in one line, however narrow the page is.
    fileprivate var unwrappedMessages: String { messages.split { $0.isWhitespace }.joined(separator: " ") }
}
