import ControllerKit
import JSONLinesView
import LineView
import TestSupport
import Testing

@testable import square

@MainActor
@Suite("The square works in every view, with no code for it in any")
struct SquareInEveryViewTests {
    private let catalog: Catalog

    init() throws { catalog = try Catalog([.screen(SquareScreen.self) { _ in SquareController() }]) }

    @Test("Lines")
    func lines() async throws {
        let terminal = ScriptedTerminal(lines: ["mvoe 1 2", "move 11 2"])
        #expect(await LineSession(catalog, terminal: terminal).run(prompt: "> ") == .usage)
        #expect(
            terminal.data == """
                x: 11
                y: 2
                zone:
                  width: 10
                  height: 10
                position is valid: no

                """)
        #expect(terminal.messages == "line 1: There is no command “mvoe”. Did you mean “move”?\n")
    }

    @Test("JSON lines")
    func jsonLines() async throws {
        var written: [String] = []
        let session = JSONLinesSession(catalog, version: "1") { written.append($0) }
        let input = AsyncStream { stream in
            stream.yield(Array(#"{"id":1,"verb":"move","arguments":{"x":11,"y":2}}"#.utf8))
            stream.finish()
        }
        try await session.run(input)
        let state = #"{"positionIsValid":false,"x":11,"y":2,"zone":{"height":10,"width":10}}"#
        #expect(
            written.suffix(2) == [
                #"{"id":1,"screen":"square","state":\#(state),"type":"state"}"#, #"{"id":1,"type":"done"}"#,
            ])
    }

    @Test("All at once, on one controller")
    func together() async throws {
        let terminal = ScriptedTerminal()
        let json = OtherMedium("json") { JSONLinesViews(write: $0) }
        let session = LineSession(catalog, terminal: terminal, media: [json])
        #expect(await session.say(["view", "json", "log"]) == .ok)
        #expect(await session.say(["move", "11", "2"]) == .ok)
        #expect(terminal.data.hasSuffix("position is valid: no\n"))
        #expect(try #require(terminal.files["log"]).contains(#""positionIsValid":false,"x":11,"y":2"#))
    }
}
