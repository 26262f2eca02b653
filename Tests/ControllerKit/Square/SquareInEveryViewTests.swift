import ControllerKit
import JSONLinesView
import LineView
import TestSupport
import Testing

@MainActor
@Suite("The square works in every view, with no code for it in any")
struct SquareInEveryViewTests {
    private func catalog() throws -> Catalog {
        try Catalog([
            .screen(SquareScreen.self) { _ in SquareController() }
        ])
    }

    @Test("Lines")
    func lines() async throws {
        let terminal = ScriptedTerminal(lines: ["mvoe 1 2", "move 11 2", "re"])
        let session = LineSession(try catalog(), terminal: terminal)
        #expect(await session.run(prompt: "> ") == .usage)
        #expect(
            terminal.data == """
                x: 11
                y: 2
                position is valid: no
                x: 5
                y: 5
                position is valid: yes

                """)
        #expect(terminal.messages == "line 1: There is no command “mvoe”. Did you mean “move”?\n")
    }

    @Test("JSON lines")
    func jsonLines() async throws {
        var written: [String] = []
        let session = JSONLinesSession(try catalog(), version: "1") { written.append($0) }
        let input = AsyncStream { stream in
            stream.yield(Array(#"{"id":1,"verb":"move","arguments":{"x":11,"y":2}}"#.utf8))
            stream.finish()
        }
        try await session.run(input)
        #expect(
            written.suffix(3).dropLast() == [
                #"{"id":1,"screen":"square","state":{"positionIsValid":false,"x":11,"y":2},"type":"state"}"#,
                #"{"id":1,"type":"done"}"#,
            ])
    }

    @Test("Lines and JSON lines at once, on one controller")
    func together() async throws {
        let terminal = ScriptedTerminal()
        let json = OtherMedium("json") { JSONLinesViews(write: $0) }
        let session = LineSession(try catalog(), terminal: terminal, media: [json])
        #expect(await session.say(["view", "json", "log"]) == .ok)
        #expect(await session.say(["move", "11", "2"]) == .ok)
        #expect(terminal.data.hasSuffix("x: 11\ny: 2\nposition is valid: no\n"))
        let log = try #require(terminal.files["log"])
        #expect(
            log.hasSuffix(#"{"screen":"square","state":{"positionIsValid":false,"x":11,"y":2},"type":"state"}"# + "\n"))
    }
}
