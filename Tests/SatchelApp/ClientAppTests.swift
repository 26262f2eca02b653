import CanonicalJSON
import ControllerKit
import Controllers
import Manual
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
        try await CommandDevice.alone().run(view, of: client, words, on: terminal, input: input, mayWrite: mayWrite)
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
    private func answers(_ requests: [JSONObject], mayWrite: Bool) async throws -> [Int64: JSONObject] {
        let terminal = ScriptedTerminal()
        let client: JSONObject = [
            "protocolVersion": "2025-11-25", "capabilities": [:], "clientInfo": ["name": "Test", "version": "1"],
        ]
        let all = [JSONObject([("method", "initialize"), ("params", .object(client))])] + requests
        let lines = zip(0..., all).map { $1.adding(["jsonrpc": "2.0", "id": .integer($0)]).text }
        #expect(
            try await run("mcp", [], on: terminal, input: lines.joined(separator: "\n"), mayWrite: mayWrite) == .ok)
        let messages = try terminal.data.split(separator: "\n").map { try JSONValue(parsing: String($0)).object ?? [:] }
        return Dictionary(messages.map { ($0["id"]?.integer ?? -1, $0) }) { first, _ in first }
    }

    @Test("An assistant only reads, unless the process may write; never an account, a password, a device or a file")
    func tools() async throws {
        let names = { (answer: JSONObject?) in
            answer?["result"]?.object?["tools"]?.array?.compactMap { $0.object?["name"]?.string } ?? []
        }
        let reading = ["list", "search", "show", "history", "lists", "conflicts", "journal"]
        let writing = [
            "add", "note", "edit", "annotate", "tag", "done", "undone", "resolve", "rm", "restore", "undo", "redo",
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
