import Backend
import ControllerKit
import CurlTransport
import JSONLinesView
import LineView
import TestSupport
import Testing
import WebPageView

@testable import square

@MainActor
@Suite("The square works in every view, with no code for it in any")
struct SquareInEveryViewTests {
    private let catalog: Catalog
    private let design = PageDesign(.testing)

    init() throws { catalog = try Catalog([.screen(SquareScreen.self) { _ in SquareController() }]) }

    @Test("Lines")
    func lines() async throws {
        let terminal = ScriptedTerminal(lines: ["mvoe 1 2", "move 11 2"])
        #expect(try await LineSession(catalog, of: .testing, terminal: terminal).run(prompt: "> ") == .usage)
        #expect(
            terminal.data == """
                x: 11
                y: 2
                zone:
                  width: 10
                  height: 10
                position is valid: no

                """)
        #expect(terminal.messages == "line 1: Unknown command “mvoe”. Did you mean “move”?\n")
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
            written.suffix(3).dropLast() == [
                #"{"id":1,"screen":"square","state":\#(state),"type":"state"}"#, #"{"id":1,"type":"done"}"#,
            ])
    }

    @Test("A web page")
    func web() async throws {
        let page = try WebPage(catalog, design: design) { Issue.record($0) }
        try await page.start(port: 0)
        let browser = try await Browser(opening: page.link())
        let shown = try await browser.text(of: "/square")
        #expect(shown.contains("<dt>position is valid</dt><dd><span class=\"text\">yes</span>"))
        #expect(shown.contains("Move the square."))
        try await browser.submit("x=11&y=2.625", to: "/square/move")
        let moved = try await browser.text(of: "/square")
        #expect(moved.contains("2.625"))
        #expect(moved.contains("<dt>position is valid</dt><dd><span class=\"text\">no</span>"))
        await page.stop()
    }

    @Test("All views on one controller: a command at the prompt is in the log of JSON lines and on the page")
    func together() async throws {
        let (terminal, root) = (ScriptedTerminal(), Coordinator(catalog) { Issue.record($0) })
        let json = JSONLinesSession(catalog, version: "1") { _ in }
        let session = try LineSession(catalog, of: .testing, terminal: terminal, others: [json], sharingWith: root)
        let page = try WebPage(catalog, design: design, sharingWith: root) { Issue.record($0) }
        try await page.start(port: 0)
        let browser = try await Browser(opening: page.link())
        #expect(await session.say(["view", "json", "log"]) == .ok)
        #expect(await session.say(["move", "11", "2.625"]) == .ok)
        #expect(terminal.data.hasSuffix("position is valid: no\n"))
        #expect(try #require(terminal.files["log"]).contains(#""positionIsValid":false,"x":11,"y":2.625"#))
        #expect(try await browser.text(of: "/square").contains("2.625"))
        await page.stop()
        session.end()
    }
}

/// A browser: it opens the one-time link, keeps the cookie, and requests pages.
private struct Browser {
    private let transport = CurlTransport()
    private let base: String
    private let cookie: String

    init(opening link: String) async throws {
        base = String(link.prefix(while: { $0 != "?" }).dropLast("/open".count))
        let answer = try await transport.send(HTTPRequest(method: "GET", url: link))
        cookie = try #require(answer.head.header("Set-Cookie")).prefix { $0 != ";" }.description
    }

    /// Sends a form of the page, as the browser does: with the session's token, and from the page's own origin.
    func submit(_ fields: String, to path: String) async throws {
        let token = try #require(try await text(of: "/square").firstMatch(of: /name="csrf" value="([^"]+)"/)).1
        let headers = [("Cookie", cookie), ("Origin", base), ("Content-Type", "application/x-www-form-urlencoded")]
        let body = Array("csrf=\(token)&at=/square&\(fields)".utf8)
        let answer = try await transport.send(
            HTTPRequest(method: "POST", url: base + path, headers: headers, body: body))
        #expect(answer.head.status == 303)
    }

    func text(of path: String) async throws -> String {
        let answer = try await transport.send(
            HTTPRequest(method: "GET", url: base + path, headers: [("Cookie", cookie)]))
        #expect(answer.head.status == 200)
        return String(decoding: answer.body, as: UTF8.self)
    }
}
