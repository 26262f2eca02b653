import CanonicalJSON
import ControllerKit
import Controllers
import Manual
import Records
import Terminal
import TestSupport
import Testing

@testable import LineView
@testable import SatchelApp

@MainActor
@Suite("The client, composed", .timeLimit(.minutes(5)))
struct ClientAppTests {
    /// Runs the client over a cache in memory. It syncs only on `sync`.
    private func run(
        _ view: String, of client: ClientProgram = .satchel, _ words: [String], on terminal: ScriptedTerminal,
        input: String = "", mayWrite: Bool = false
    ) async throws -> CommandStatus {
        try await CommandDevice.alone(types: client.types)
            .run(view, of: client, words, on: terminal, input: input, mayWrite: mayWrite)
    }

    /// A program with a front end of its own, which prints the names of the screens.
    private var shelf: ClientProgram {
        var shelf = ClientProgram(Program(name: "Shelf", command: "my-shelf", version: "1.0"))
        shelf.views.append(ClientView(ScreenNames.self) { ScreenNames($0.catalog, on: $0.terminal) })
        return shelf
    }

    @Test("A program of another developer runs a front end of its own, and its prompt has that front end's command")
    func ownFrontend() async throws {
        let terminal = ScriptedTerminal()
        #expect(try await run("names", of: shelf, [], on: terminal) == .ok)
        #expect(terminal.data.contains("list\n"))
        let prompt = ScriptedTerminal(lines: ["screens"])
        #expect(try await run("line", of: shelf, [], on: prompt) == .ok)
        #expect(prompt.data.contains("list\n"))
        #expect(try shelf.help().commands.contains("screens"))
    }

    @Test("The help of a program of another developer has its name, and each topic that a text refers to")
    func ownHelp() throws {
        let process = #"{"serializationVersion": 0, "command": {"commandName": "my-shelf"}}"#
        let manual = try ClientApp.manual(of: CommandHelp(dump: process), shelf).roff
        // `satchel` is the name of a file format.
        let named = manual.lowercased().replacing("satchel|taskwarrior", with: "")
        #expect(!named.contains("satchel"))
        #expect(manual.contains("MY_SHELF_HOME") && manual.contains("my\\-shelf.db"))
        let topics = Set(shelf.topics.map(\.name) + ["fields"])
        let references = manual.matches(of: /help ([a-z]+)\b/).map { String($0.1) }
        #expect(references.contains("dates"))
        let commands = try shelf.help().commands
        for name in references { #expect(topics.contains(name) || commands.contains(name), "\(name)") }
    }

    /// A program without Satchel's tasks and notes. Its records have no tags and can't be completed.
    private var library: ClientProgram {
        let book = RecordType(
            collection: "books", names: ["book", "books"],
            fields: [
                Field(.title, kind: .title, place: .form),
                Field(FieldKey<Double>("rating"), place: .form, column: Field.Column("rating")),
                Field(.body, kind: .text, label: "Review", place: .apart),
            ])
        return ClientProgram(
            Program(name: "Library", command: "library", version: "1.0"),
            types: RecordTypes([book, SavedList.type, ConflictRecord.type]))
    }

    /// The words of a text that name Satchel's own types, fields or states.
    private func wordsOfSatchel(in text: String) -> Set<String> {
        // Bold text of a man page, and the address of a server in examples.
        let plain = text.replacing("\\fB", with: " ").replacing("notes.example.org", with: "")
        let words = plain.lowercased().split { !$0.isLetter }.map(String.init)
        return Set(words).intersection([
            "task", "tasks", "note", "notes", "project", "projects", "priority", "due", "tag", "tags", "done",
        ])
    }

    @Test("A program without tasks and notes has no command that needs them, and adds a record of its first type")
    func ownCommands() async throws {
        let commands = try library.help().commands
        let absent = [
            "note", "done", "undone", "start", "stop", "next", "tag", "agenda", "projects", "tags", "summary", "stats",
        ]
        for name in absent {
            #expect(!commands.contains(name), "\(name)")
        }
        #expect(try await run("line", of: library, ["note", "Dune"], on: ScriptedTerminal()) == .usage)
        let terminal = ScriptedTerminal()
        #expect(try await run("line", of: library, ["add", "Dune", "rating:4"], on: terminal) == .ok)
        #expect(terminal.messages.contains("Added book "))
    }

    @Test("The lists of a program whose records can't be completed don't distinguish open records")
    func ownLists() async throws {
        let empty = ScriptedTerminal()
        #expect(try await run("line", of: library, ["list"], on: empty) == .ok)
        #expect(empty.data.contains("No books. `add TITLE` adds a book."))
        let device = try CommandDevice.alone(types: library.types)
        let terminal = ScriptedTerminal()
        for words in [["add", "Dune", "rating:4"], ["list"]] {
            #expect(try await device.run("line", of: library, words, on: terminal) == .ok)
        }
        #expect(terminal.data.contains("Dune"))
        for text in [empty.data, terminal.data] {
            #expect(wordsOfSatchel(in: text) == [])
            #expect(!text.lowercased().contains("open"))
        }
    }

    @Test("The help of a program without tasks and notes names its own types and fields only")
    func ownWords() throws {
        let process = #"{"serializationVersion": 0, "command": {"commandName": "library"}}"#
        let manual = try ClientApp.manual(of: CommandHelp(dump: process), library).roff
        // The meaning of exit status 0.
        #expect(wordsOfSatchel(in: manual.replacing("Done.", with: "")) == [])
        #expect(manual.contains("List books.") && manual.contains("rating>3"))
    }

    @Test("Programs and assistants receive no words of Satchel's tasks and notes from a program without them")
    func ownDescriptions() async throws {
        let terminal = ScriptedTerminal()
        #expect(try await run("json", of: library, [], on: terminal, input: #"{"id":1,"verb":"list"}"#) == .ok)
        let hello = try JSONValue(parsing: String(terminal.data.prefix { $0 != "\n" })).object
        let screens = hello?["screens"]?.array ?? []
        let verbs = screens.compactMap { $0.object?["verbs"]?.text }
        #expect(verbs.contains { $0.contains("List books.") })
        #expect(wordsOfSatchel(in: verbs.joined(separator: "\n")) == [])
        let answer = try await answers([["method": "tools/list"]], of: library, mayWrite: true)[1]
        let tools = answer?["result"]?.object?["tools"]?.array?.compactMap(\.object) ?? []
        #expect(tools.contains { $0["name"]?.string == "add" })
        let texts = tools.flatMap { [$0["name"], $0["description"], $0["inputSchema"]] }.compactMap { $0?.text }
        #expect(wordsOfSatchel(in: texts.joined(separator: "\n")) == [])
    }

    @Test("A command in words is performed, and the process ends with its status")
    func command() async throws {
        let terminal = ScriptedTerminal()
        #expect(try await run("line", ["add", "Buy milk"], on: terminal) == .ok)
        #expect(terminal.messages.contains("Buy milk"))
        #expect(try await run("line", ["nope"], on: terminal) == .usage)
    }

    @Test("Lines of a script are performed over one cache, and rendered like Satchel's screens")
    func script() async throws {
        let terminal = ScriptedTerminal(lines: ["add Buy milk +shop", "list", "view"])
        #expect(try await run("line", [], on: terminal) == .ok)
        #expect(terminal.data.contains("1 record."))
        #expect(terminal.data.contains("line: attached\njson: not attached\n"))
        #expect(!terminal.data.contains("web:"))
    }

    @Test("JSON lines are read from the input and written to the output")
    func jsonLines() async throws {
        let terminal = ScriptedTerminal()
        #expect(try await run("json", [], on: terminal, input: #"{"id":1,"verb":"list"}"#) == .ok)
        #expect(terminal.data.contains(#"{"id":1,"type":"done"}"#))
        #expect(terminal.data.hasSuffix("{\"type\":\"end\"}\n"))
    }

    /// What a host receives for these requests, by their ids.
    private func answers(
        _ requests: [JSONObject], of program: ClientProgram = .satchel, mayWrite: Bool
    ) async throws -> [Int64: JSONObject] {
        let terminal = ScriptedTerminal()
        let client: JSONObject = [
            "protocolVersion": "2025-11-25", "capabilities": [:], "clientInfo": ["name": "Test", "version": "1"],
        ]
        let all = [JSONObject([("method", "initialize"), ("params", .object(client))])] + requests
        let lines = zip(0..., all).map { $1.adding(["jsonrpc": "2.0", "id": .integer($0)]).text }
        #expect(
            try await run(
                "mcp", of: program, [], on: terminal, input: lines.joined(separator: "\n"), mayWrite: mayWrite) == .ok)
        let messages = try terminal.data.split(separator: "\n").map { try JSONValue(parsing: String($0)).object ?? [:] }
        return Dictionary(messages.map { ($0["id"]?.integer ?? -1, $0) }) { first, _ in first }
    }

    @Test("An assistant only reads, unless the process may write; never an account, a password, a device or a file")
    func tools() async throws {
        let names = { (answer: JSONObject?) in
            answer?["result"]?.object?["tools"]?.array?.compactMap { $0.object?["name"]?.string } ?? []
        }
        let reading = ["list", "search", "show", "history", "report", "conflicts", "journal"]
        let writing = [
            "add", "edit", "annotate", "tag", "done", "undone", "start", "stop", "resolve", "rm", "restore", "undo",
            "redo",
        ]
        #expect(names(try await answers([["method": "tools/list"]], mayWrite: false)[1]) == reading)
        #expect(names(try await answers([["method": "tools/list"]], mayWrite: true)[1]) == reading + writing)
    }

    @Test("What an assistant adds is stored under its name")
    func assistant() async throws {
        let add: JSONValue = ["name": "add", "arguments": ["words": ["Buy milk"]]]
        let answer = try await answers([["method": "tools/call", "params": add]], mayWrite: true)[1]
        let state = answer?["result"]?.object?["structuredContent"]?.object?["result"]?.object
        #expect(state?["changed"]?.array?.count == 1)
        #expect(state?["notice"]?.string?.hasSuffix("“Buy milk”.") == true)
    }

    @Test("The command of a front end selects it, whatever view is named")
    func web() async throws {
        let terminal = ScriptedTerminal()
        await #expect(throws: Failure.self) { try await run("line", ["web", "off"], on: terminal) }
    }
}

/// Prints the names of the screens.
@MainActor
private final class ScreenNames: Frontend {
    nonisolated static let name = "names"
    nonisolated static let purpose = "the names of the screens"
    private let names: [String]
    private let terminal: any LineTerminal

    init(_ catalog: Catalog, on terminal: any LineTerminal) {
        (names, self.terminal) = (catalog.screens.map(\.name), terminal)
    }

    nonisolated static func commands(of program: Program) -> [FrontendCommand] {
        [FrontendCommand("screens", usage: "screens", help: "Print the names of the screens.")]
    }

    func run(_ words: [String]) async throws -> CommandStatus {
        for name in names { try await terminal.write(name + "\n", to: .data) }
        return .ok
    }

    func perform(_ command: String, _ words: [String]) async throws -> [String] { names }
}
