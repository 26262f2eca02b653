import ControllerKit
import Controllers
import Foundation
import LineView
import LocalStore
import MCPView
import SatchelApp
import Terminal
import TestSupport
import Testing
import WebPageView

@MainActor
@Suite("Front ends that a program composes itself, from public API only", .timeLimit(.minutes(5)))
struct OwnFrontendsTests {
    private static let prompt = ClientView(LineSession.self) { parts in
        try LineSession(
            parts.catalog, of: parts.client.program, terminal: parts.terminal, book: parts.help,
            others: try parts.frontends(besides: LineSession.self), sharingWith: parts.root,
            memory: .file(of: parts.home), status: parts.client.status, completions: parts.completions,
            news: parts.news)
    }

    private static let assistants = ClientView(MCPSession.self) { parts in
        try MCPSession(
            parts.screens(onTerminal: "mcp"), of: parts.client.program, granting: parts.client.tools,
            mayWrite: parts.mayWrite, input: try #require(parts.input),
            acting: { try await CommandActor.named($0, $1) }, subjects: parts.callSubjects,
            write: { [terminal = parts.terminal] in try await terminal.write($0 + "\n", to: .data) })
    }

    private static let page = ClientView(WebFrontend.self) { parts in
        let terminal = parts.terminal
        let page = try WebPage(
            parts.catalog, design: parts.client.design, sharingWith: parts.root,
            ownScreens: parts.screens(onTerminal: "web"), memory: .file(of: parts.home)
        ) { Issue.record($0) }
        return WebFrontend(
            { _ in page }, of: parts.client.program, folder: parts.home.directory.appending(path: "page"),
            openBrowser: { try BrowserLaunch.open($0) }, write: { try await terminal.write($0, to: .data) })
    }

    private static let own = [prompt, .jsonLines, assistants, page]

    private let services: Services

    init() throws { services = try .testing() }

    /// Runs the front end with this name over the cache of the test, and returns its output.
    private func run(
        _ name: String, of views: [ClientView], lines: [String] = [], input: [String] = []
    ) async throws -> String {
        var shelf = ClientProgram(Program(name: "Shelf", command: "shelf", version: "1.0"))
        shelf.views = views
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        // The front ends may have stored nothing.
        defer { try? FileManager.default.removeItem(at: folder) }
        let environment = [shelf.program.variable("SYNC"): "manual"]
        var configuration = ClientConfiguration(shelf, home: folder.path, environment: environment)
        configuration.mayWrite = true
        let bytes = AsyncThrowingStream<[UInt8], any Error> { stream in
            for line in input { stream.yield(Array((line + "\n").utf8)) }
            stream.finish()
        }
        let terminal = ScriptedTerminal(lines: lines)
        let app = ClientApp(services, configuration, terminal: terminal, input: bytes, environment: environment)
        let view = try #require(views.first { $0.type.name == name })
        #expect(try await app.run(view, []) == .ok)
        return terminal.data + terminal.messages
    }

    @Test("A prompt answers like the standard one, and offers the same front ends")
    func samePrompt() async throws {
        _ = try await run("line", of: ClientView.standard, lines: ["add Buy milk +shop"])
        let lines = ["list", "view", "journal", "help", "help web"]
        let answers = try await run("line", of: Self.own, lines: lines)
        let expected = try await run("line", of: ClientView.standard, lines: lines)
        #expect(answers == expected)
        #expect(answers.contains("Buy milk") && answers.contains("json: not attached"))
    }

    @Test("Assistants have the standard tools, and the journal names the assistant of a command")
    func sameTools() async throws {
        let hello = """
            {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},\
            "clientInfo":{"name":"Test","version":"1"}}}
            """
        let list = #"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#
        let tools = try await run("mcp", of: Self.own, input: [hello, list])
        let expected = try await run("mcp", of: ClientView.standard, input: [hello, list])
        #expect(tools == expected)
        #expect(tools.contains(#""resolve""#))

        let add = """
            {"jsonrpc":"2.0","id":1,"method":"tools/call",\
            "params":{"name":"add","arguments":{"words":["Buy milk"]}}}
            """
        _ = try await run("mcp", of: Self.own, input: [hello, add])
        let journal = try await run("line", of: Self.own, lines: ["journal"])
        #expect(journal.contains("by mcp (Test)"))
    }
}
