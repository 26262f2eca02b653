import ControllerKit
import Terminal
import TestSupport
import Testing

@testable import LineView

@MainActor
@Suite("A session of lines", .timeLimit(.minutes(5)))
struct LineSessionTests {
    private func session(
        _ terminal: ScriptedTerminal, renderers: [any ScreenRenderer<ShelfScreen>] = [], others: [any Frontend] = [],
        unlocked: @escaping (String) -> Void = { _ in }
    ) throws -> LineSession {
        let catalog = try Catalog([.screen(ShelfScreen.self) { _ in ShelfController(unlocked: unlocked) }])
        let shown = catalog.shown(by: [ScreenRendererGroup(ShelfScreen.self) { renderers }])
        return try LineSession(shown, of: .testing, terminal: terminal, others: others)
    }

    @Test("A10 a list is rendered from the controller's state, plainly without a renderer")
    func state() async throws {
        let terminal = ScriptedTerminal()
        #expect(try await session(terminal).say(["list"]) == .ok)
        #expect(
            terminal.data == """
                books:
                  number  title    author
                  1       Emma     Austen
                  2       Beowulf
                is sorted: no

                """)
        #expect(terminal.messages == "")
    }

    @Test("A renderer shows a screen in its own way")
    func renderer() async throws {
        let terminal = ScriptedTerminal()
        let renderer = LineRenderer(ShelfScreen.self) { state, _ in state.books.map(\.title) }
        #expect(try await session(terminal, renderers: [renderer]).say(["li"]) == .ok)
        #expect(terminal.data == "Emma\nBeowulf\n")
    }

    @Test("A command that answers with a notice writes a message and no data")
    func notice() async throws {
        let terminal = ScriptedTerminal()
        #expect(try await session(terminal).say(["put", "Moby Dick", "+sea", "--pages", "600"]) == .ok)
        #expect(terminal.messages == "Put Moby Dick|+sea, 600 pages, all: false\n")
        #expect(terminal.data == "")
    }

    @Test("A text that a screen requests is edited in the editor, and the command is performed with it")
    func editor() async throws {
        let renderer = LineRenderer(ShelfScreen.self) { state in
            state.letter.map { LineDraft(argument: "letter", text: $0, ending: "txt") }
        } lines: { _, _ in
            []
        }
        let terminal = ScriptedTerminal()
        terminal.files = ["letter": "from a file"]
        terminal.edits = { $0.replacing("…", with: "Anna") }
        #expect(try await session(terminal, renderers: [renderer]).say(["write"]) == .ok)
        #expect(terminal.messages == "Wrote Dear Anna\n")
        terminal.edits = { _ in "no" }
        #expect(try await session(terminal, renderers: [renderer]).say(["write"]) == .rejected)
        // Without an editor, or with a given text, there is no request.
        terminal.edits = nil
        #expect(try await session(terminal, renderers: [renderer]).say(["write"]) == .usage)
        #expect(try await session(terminal, renderers: [renderer]).say(["write", "--letter-file", "letter"]) == .ok)
        #expect(
            terminal.messages == """
                Wrote Dear Anna
                That is no letter.
                The letter is missing.
                Usage: write [--letter-file FILE|-]
                Wrote from a file

                """)
    }

    @Test(
        "D5 a failure is a message, and its category the exit status",
        arguments: [
            (["fail", "conflict"], .rejected, "It is conflict.\n"),
            (["fail", "unreachable"], .unreachable, "It is unreachable.\n"),
            (
                ["--plain"], .usage,
                "“--plain” isn't a command. Options of shelf itself: shelf --help; others follow a command.\n"
            ),
            (["quit", "now"], .usage, "Unexpected “now” after “quit”.\n"),
            (["lsit"], .usage, "Unknown command “lsit”. Did you mean “list”?\n"),
            // A name from another program is suggested and not performed: its command there may do something else.
            (["Open", "me"], .usage, "Unknown command “Open”. Did you mean “unlock”?\n"),
            (["help", "open"], .usage, "Unknown command or topic “open”. Did you mean “unlock”?\n"),
            (["bye"], .usage, "Unknown command “bye”. Did you mean “quit”?\n"),
            // No verb of this program declares this name.
            (["delete", "1"], .usage, "Unknown command “delete”. `help` lists them all.\n"),
            (["read"], .usage, "The argument <book> of “read” is missing.\nUsage: read <book>\n"),
            (
                ["keep", "papyrus", "none"], .usage,
                "“papyrus” must be paper or vellum.\nUsage: keep paper|vellum <text>\n"
            ),
            (["notes", "1", "--body-file", "none"], .notFound, "There is no file “none”.\n"),
        ] as [([String], CommandStatus, String)])
    func failures(words: [String], status: CommandStatus, message: String) async throws {
        let terminal = ScriptedTerminal()
        #expect(try await session(terminal).say(words) == status)
        #expect(terminal.messages == message)
        #expect(terminal.data == "")
    }

    @Test("A folder is refused instead of a file, and read if folders are accepted")
    func folders() async throws {
        let terminal = ScriptedTerminal(folders: ["notes": ["a.md": "A"]])
        for words in [["notes", "1", "--body-file", "notes"], ["write", "--letter-file", "notes"]] {
            #expect(try await session(terminal).say(words) == .usage)
        }
        let unlocking = try session(terminal) { _ in Issue.record("A folder was read as a secret.") }
        #expect(await unlocking.say(["unlock", "x", "--code-file", "notes"]) == .usage)
        let refusal = "“notes” is a folder. Give the path of a file."
        #expect(terminal.messages.split(separator: "\n").count { $0 == refusal } == 3)
        #expect(try await session(terminal).say(["bind", "notes"]) == .ok)
        #expect(terminal.messages.hasSuffix("Bound {\"a.md\":\"A\"}\n"))
    }

    @Test(
        "Messages are wrapped between words; an address longer than a line stays whole", arguments: [80, 40])
    func messages(columns: Int) async throws {
        let address = "https://example.org/" + String(repeating: "path/", count: 20)
        let text =
            "Look at \(address) for الطلب رقم واحد and 👩‍👩‍👧 ❤️ 🎉 and " + String(repeating: "many words ", count: 12)
        let terminal = ScriptedTerminal(page: LinePage(columns: columns))
        terminal.files = ["text": text + "\n    indented " + String(repeating: "again ", count: 20)]
        #expect(try await session(terminal).say(["write", "--letter-file", "text"]) == .ok)
        #expect(try await session(terminal).say(["frobnicate", "x"]) == .usage)
        let lines = terminal.messages.split(separator: "\n").map(String.init)
        #expect(lines.filter { $0.displayWidth > columns } == [address])
        #expect(lines.count { $0.hasPrefix("    ") } > 1)
        let words = terminal.messages.split { $0.isWhitespace }
        #expect(words.starts(with: ("Wrote " + (terminal.files["text"] ?? "")).split { $0.isWhitespace }))
    }

    @Test(
        "The pager shows what is longer than the screen, but only at a terminal and not for a script"
    )
    func pager() async throws {
        let list = [
            "books:", "  number  title    author", "  1       Emma     Austen", "  2       Beowulf", "is sorted: no",
        ]
        let text = list.joined(separator: "\n") + "\n"
        for (isInteractive, rows, isBrowsed) in [
            (true, 5, true), (true, 6, false), (true, nil, false), (false, 5, false),
        ] {
            let terminal = ScriptedTerminal(isInteractive: isInteractive, page: LinePage(columns: 80, rows: rows))
            #expect(try await session(terminal).say(["list"]) == .ok)
            #expect(terminal.browsed == (isBrowsed ? [text] : []))
            #expect(terminal.data == (isBrowsed ? "" : text))
        }
    }

    @Test("A missing or failing pager is reported, and the text is written without it")
    func noPager() async throws {
        let terminal = ScriptedTerminal(isInteractive: true, page: LinePage(columns: 80, rows: 2))
        terminal.hasNoPager = true
        #expect(try await session(terminal).say(["list"]) == .ok)
        #expect(terminal.data.hasPrefix("books:\n"))
        #expect(terminal.messages == "There is no pager.\n")
    }

    @Test("A script continues after a failed line, reports its number, and ends with the first failure's status")
    func script() async throws {
        let terminal = ScriptedTerminal(lines: [
            "# a comment", "", "read 1", "fail conflict", "nonsense", "read \"2 b\"", "quit", "read 3",
        ])
        #expect(try await session(terminal).run(prompt: "> ") == .rejected)
        #expect(
            terminal.messages == """
                Read 1
                line 4: It is conflict.
                line 5: Unknown command “nonsense”. `help` lists them all.
                Read 2 b

                """)
    }

    @Test("An invalid line fails like a wrong command, and the next one is read")
    func unreadableLine() async throws {
        let terminal = ScriptedTerminal(lines: ["read 1", ScriptedTerminal.unreadable, "read 2"])
        #expect(try await session(terminal).run(prompt: "> ") == .usage)
        #expect(terminal.messages == "Read 1\nline 2: That is not a text.\nRead 2\n")
    }

    @Test("At a terminal there is a prompt, and failures have no line number; quitting is no failure")
    func prompt() async throws {
        let terminal = ScriptedTerminal(isInteractive: true, lines: ["fail conflict", "q"])
        #expect(try await session(terminal).run(prompt: "> ") == .ok)
        #expect(terminal.prompts == ["> ", "> "])
        #expect(terminal.messages == "It is conflict.\n")
    }

    @Test("A text is read from a file; in a script it can't come from the standard input, since that is the script")
    func contents() async throws {
        let terminal = ScriptedTerminal(lines: ["notes 1 --body-file -"])
        terminal.files = ["notes.md": "Good.", "-": "From the pipe."]
        let session = try session(terminal)
        #expect(await session.say(["notes", "1", "--body-file", "notes.md"]) == .ok)
        #expect(await session.say(["notes", "1", "--body-file", "-"]) == .ok)
        #expect(await session.run(prompt: "> ") == .usage)
        #expect(
            terminal.messages.hasPrefix(
                "Notes on 1: Good.\nNotes on 1: From the pipe.\nline 1: “-” is the script itself"))
    }

    @Test("A secret is asked for, or read from a file up to its line end")
    func secrets() async throws {
        var codes: [String] = []
        let asked = ScriptedTerminal(isInteractive: true)
        asked.secrets = ["hunter2"]
        asked.files = ["code": "swordfish\n"]
        let session = try session(asked) { codes.append($0) }
        #expect(await session.say(["unlock", "me"]) == .ok)
        #expect(await session.say(["unlock", "me", "--code-file", "code"]) == .ok)
        #expect(codes == ["hunter2", "swordfish"])
        #expect(asked.prompts == ["code: "])
        #expect(await session.say(["unlock"]) == .usage)
        #expect(asked.prompts == ["code: "])
        #expect(await session.say(["unlock", "me"]) == .failed)
        #expect(!(asked.data + asked.messages).contains("hunter2"))
    }

    @Test("Errors that don't depend on the secret are reported before the secret is asked for")
    func checkedFirst() async throws {
        var codes: [String] = []
        let asked = ScriptedTerminal(isInteractive: true)
        asked.secrets = ["hunter2", "hunter2"]
        let session = try session(asked) { codes.append($0) }
        #expect(await session.say(["unlock", "stranger"]) == .usage)
        #expect(await session.say(["secure", "stranger"]) == .usage)
        #expect(asked.prompts == [])
        #expect(asked.messages.hasPrefix("A stranger has no code.\n"))
        #expect(codes == [])
    }

    @Test("A new secret is asked for twice; if the two differ, nothing is done")
    func newSecrets() async throws {
        var codes: [String] = []
        let asked = ScriptedTerminal(isInteractive: true)
        asked.secrets = ["hunter2", "hunter3", "hunter2", "hunter2"]
        let session = try session(asked) { codes.append($0) }
        #expect(await session.say(["secure", "me"]) == .usage)
        #expect(asked.messages.hasPrefix("The two entries for “code” do not match. Nothing was changed."))
        #expect(codes == [])
        #expect(await session.say(["secure", "me"]) == .ok)
        #expect(codes == ["hunter2"])
        #expect(asked.prompts == ["code: ", "code again: ", "code: ", "code again: "])
    }

    @Test("Without a terminal and a file, a secret is a clear error")
    func noSecret() async throws {
        let terminal = ScriptedTerminal()
        #expect(try await session(terminal).say(["unlock", "me"]) == .usage)
        #expect(
            terminal.messages.hasPrefix(
                "The input is not a terminal, so “code” can't be asked for. Give --code-file FILE.\n"))
    }

    @Test("Help lists all commands, and shows one")
    func help() async throws {
        let terminal = ScriptedTerminal()
        let session = try session(terminal)
        #expect(await session.say(["help"]) == .ok)
        #expect(terminal.data.contains("Books on a shelf.\n  list"))
        #expect(
            terminal.data.contains(
                "\n\nThis program\n  help         Show examples and all commands, or describe one command or topic.\n")
        )
        let overview = terminal.data
        #expect(await session.say(["help", "pu"]) == .ok)
        #expect(
            terminal.data.dropFirst(overview.count) == """
                put <title>… [--pages <pages>] [--all]
                Put a book on the shelf.
                  <title>…
                  [--pages <pages>]  How many. A whole number.
                  [--all]
                  [--json]           For scripts: the whole state as JSON.

                """)
    }

    @Test("view attaches another medium to the same controllers, with the output or a file, and detaches it")
    func view() async throws {
        let terminal = ScriptedTerminal()
        let session = try session(terminal, others: [NoticesFrontend()])
        #expect(await session.say(["view"]) == .ok)
        #expect(await session.say(["read", "1"]) == .ok)
        #expect(await session.say(["view", "js", "log"]) == .ok)
        #expect(await session.say(["read", "2"]) == .ok)
        #expect(await session.say(["view", "json", "off"]) == .ok)
        #expect(await session.say(["read", "3"]) == .ok)
        for words in [["view", "line"], ["view", "off"], ["view", "json", "off", "now"]] {
            #expect(await session.say(words) == .usage)
        }
        #expect(terminal.messages.contains("Unknown view “off”.\nUsage: view [json [<file>|off]]\n"))
        let states = ["not attached", "attached", "not attached"].map { "line: attached\njson: \($0)\n" }
        #expect(terminal.data == states.joined())
        #expect(terminal.files["log"]?.contains("Read 2\n") == true)
        #expect(terminal.files["log"]?.contains("Read 3") == false)
    }

    private final class NoticesFrontend: Frontend {
        static let name = "json"
        static let purpose = "notices"
        static let canBeAttached = true
        func views(writing write: @escaping @MainActor (String) async throws -> Void) -> (any ViewFactory)? {
            Notices(write)
        }
    }

    /// Views that write each state's notice.
    private final class Notices: ViewFactory {
        private final class NoticeView<S: Screen>: View {
            typealias Screen = S
            let write: @MainActor (String) async throws -> Void
            init(_ write: @escaping @MainActor (String) async throws -> Void) { self.write = write }
            func render(_ state: S.State) async throws { try await write(state.notice ?? "") }
        }

        private let write: @MainActor (String) async throws -> Void
        init(_ write: @escaping @MainActor (String) async throws -> Void) { self.write = write }
        func makeView<S: Screen>(for screen: S.Type) -> any View<S> { NoticeView<S>(write) }
    }

    @Test("When the output is closed, the command fails and the session continues")
    func brokenOutput() async throws {
        let terminal = ScriptedTerminal()
        terminal.isBroken = true
        let session = try session(terminal)
        #expect(await session.say(["list"]) == .failed)
        #expect(await session.say(["list"]) == .failed)
    }

    @Test("Every kind of failure has its exit status", arguments: Failure.Category.allCases)
    func exitStatuses(category: Failure.Category) {
        #expect(CommandStatus(category) != .ok)
    }
}
