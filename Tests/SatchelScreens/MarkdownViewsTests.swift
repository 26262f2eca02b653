import Terminal
import Testing

@testable import Controllers
@testable import SatchelScreens

@Suite("Texts of records as Markdown")
struct MarkdownViewsTests {
    private let links = [
        DetailScreen.State.Link(text: "Garden plan", id: "99ab-whole", prefix: "99ab", title: "Garden plan")
    ]

    private func lines(_ body: String, columns: Int = 40) throws -> [String] {
        try #require(MarkdownLines.lines(of: body, links: links, on: LinePage(columns: columns)))
    }

    // MARK: Lines

    @Test("A text that isn't Markdown keeps its lines")
    func plain() throws {
        #expect(try lines("one\ntwo\n\nthree") == ["one", "two", "", "three"])
    }

    @Test("Headings, lists, check boxes with their numbers, quotations, code and tables")
    func blocks() throws {
        let body = "# Plan\n\n- a\n  - b\n- [x] c\n- [ ] d\n\n> e\n\n```\nf  g\n```\n\n| h | i |\n|---|---|\n| j | k |"
        #expect(
            try lines(body) == [
                "Plan", "", "• a", "  • b", "1 [x] c", "2 [ ] d", "", "│ e", "", "  f  g", "", "h | i", "j | k",
            ])
    }

    @Test("Lines are broken between words and indented below the sign of an item")
    func wrapping() throws {
        #expect(try lines("1. one two three four", columns: 14) == ["1. one two", "   three four"])
        #expect(try lines("- one **two** three", columns: 9) == ["• one two", "  three"])
    }

    @Test("A link to a record has its id, any other link its address; control characters are escaped")
    func linesOfLinks() throws {
        #expect(try lines("[[garden PLAN]] [[No]]") == ["garden PLAN (99ab) [[No]]"])
        #expect(try lines("[x](http://a.org) <http://b.org>") == ["x <http://a.org> http://b.org"])
        #expect(try lines("a\u{1B}[31m") == ["a␛[31m"])
    }

    // MARK: HTML

    private func html(_ body: String) -> String { MarkdownPage.html(of: body, links: links) }

    @Test(
        "No text becomes HTML, an attribute or the address of another scheme",
        arguments: [
            "<script>alert(1)</script>", "a <img src=x onerror=alert(1)>", "[x](javascript:alert(1))",
            "[x](JaVaScRiPt:alert(1))", "[x](data:text/html,a)", "![x](javascript:a)", "[x](//a.org)",
            "`<script>`", "```\n<script>\n```", "| <script> |\n|---|\n", "<a href='javascript:a'>x</a>",
        ])
    func hostile(body: String) {
        let html = html(body)
        for forbidden in ["<script", "<img", "<a href='", "href=\"java", "href=\"JaVa", "href=\"data", "href=\"//"] {
            #expect(!html.contains(forbidden), "\(html)")
        }
    }

    @Test("A quotation mark in an address ends no attribute")
    func attribute() {
        #expect(html("[x](http://a.org/\"onclick=\"a)").contains("\" onclick") == false)
        #expect(!html("[x](<http://a.org/\"x>)").contains("/\"x"))
    }

    @Test("Links lead to records and to safe addresses; check boxes are buttons of the form")
    func html() {
        #expect(html("[[Garden plan]]") == "<p><a href=\"/detail?record=99ab-whole\">Garden plan</a></p>")
        #expect(html("[[No]] **a**\nb") == "<p>[[No]] <strong>a</strong><br>b</p>")
        #expect(html("[x](https://a.org)") == "<p><a rel=\"noreferrer\" href=\"https://a.org\">x</a></p>")
        let box = html("- [x] a")
        #expect(box.hasPrefix("<ul><li class=\"task\"><button type=\"submit\" class=\"box\" form=\"form-check\""))
        #expect(box.contains("name=\"boxes\" value=\"1\" aria-pressed=\"true\"") && box.hasSuffix("a</li></ul>"))
    }

    @Test("A text beyond the limits is shown as it is, escaped")
    func long() {
        let body = String(repeating: "<b>", count: 10_000)
        #expect(html(body).hasPrefix("<div class=\"as-typed\">&lt;b&gt;&lt;b&gt;"))
        #expect(MarkdownLines.lines(of: body, links: [], on: LinePage(columns: 40)) == nil)
    }
}
