import ControllerKit
import Controllers
import Foundation
import LocalStore
import SatchelApp
import TestSupport
import Testing

@MainActor
@Suite("The client, composed", .timeLimit(.minutes(5)))
struct ClientAppTests {
    /// Runs the client over a cache in memory; it syncs only when it is told to.
    private func run(_ view: String, _ words: [String], on terminal: ScriptedTerminal, input: String = "") async throws
        -> CommandStatus
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let environment = ["SATCHEL_SYNC": "manual"]
        let configuration = ClientConfiguration(home: folder.path, certificates: nil, environment: environment)
        let bytes = AsyncThrowingStream<[UInt8], any Error> { stream in
            stream.yield(Array(input.utf8))
            stream.finish()
        }
        let app = ClientApp(
            try .testing(), configuration, terminal: terminal, input: bytes, environment: environment)
        let view = try #require(ClientApp.views.first { $0.type.name == view })
        return try await app.run(view, words)
    }

    @Test("A command in words is carried out, and the process ends with its status")
    func command() async throws {
        let terminal = ScriptedTerminal()
        #expect(try await run("line", ["add", "Buy milk"], on: terminal) == .ok)
        #expect(terminal.messages.contains("Buy milk"))
        #expect(try await run("line", ["nope"], on: terminal) == .usage)
    }

    @Test("Lines of a script are carried out over one cache, and rendered as Satchel's screens are")
    func script() async throws {
        let terminal = ScriptedTerminal(lines: ["add Buy milk +shop", "list", "view"])
        #expect(try await run("line", [], on: terminal) == .ok)
        #expect(terminal.data.contains("1 record."))
        #expect(terminal.data.contains("line: attached\njson: not attached\n"))
        #expect(!terminal.data.contains("web:"))
    }

    @Test("JSON lines come from the input and go to the output")
    func jsonLines() async throws {
        let terminal = ScriptedTerminal()
        #expect(try await run("json", [], on: terminal, input: #"{"id":1,"verb":"list"}"#) == .ok)
        #expect(terminal.data.contains(#"{"id":1,"type":"done"}"#))
        #expect(terminal.data.hasSuffix("{\"type\":\"end\"}\n"))
    }

    @Test("The command of a front end begins with it, whatever view is named")
    func web() async throws {
        let terminal = ScriptedTerminal()
        await #expect(throws: Failure.self) { try await run("line", ["web", "off"], on: terminal) }
    }
}
