import Markdown
import Testing

@Suite("Markdown as values")
struct MarkdownTests {
    @Test("Blocks, pieces of text, check boxes with their lines, and tables")
    func document() throws {
        let text = """
            # A *b*

            - [ ] open
            - [x] done

            > 3. c `d`

            | h |
            |---|
            | ~~x~~ |

            <b>**e**</b> [l](http://a.org)
            f
            """
        let document = try #require(MarkdownDocument(text))
        let boxes: [MarkdownBlock.Item] = [
            .init([.paragraph([.text("open")])], isChecked: false, line: 3),
            .init([.paragraph([.text("done")])], isChecked: true, line: 4),
        ]
        let numbered: [MarkdownBlock.Item] = [.init([.paragraph([.text("c "), .code("d")])], line: 6)]
        let rows: [[[MarkdownInline]]] = [[[.text("h")]], [[.deleted([.text("x")])]]]
        let pieces: [MarkdownInline] = [
            .html("<b>"), .strong([.text("e")]), .html("</b>"), .text(" "),
            .link([.text("l")], address: "http://a.org"), .lineEnd, .text("f"),
        ]
        let blocks: [MarkdownBlock] = [
            .heading(1, [.text("A "), .emphasis([.text("b")])]), .list(boxes, start: nil),
            .quote([.list(numbered, start: 3)]), .table(rows), .paragraph(pieces),
        ]
        #expect(document.blocks == blocks)
    }

    @Test("Code, rules and blocks of HTML are as typed")
    func verbatim() throws {
        let document = try #require(MarkdownDocument("```\n<a>\n```\n\n---\n\n<div>\n*x*\n</div>\n"))
        #expect(document.blocks == [.code("<a>\n"), .rule, .html("<div>\n*x*\n</div>\n")])
    }

    @Test("A link to a record stays one text")
    func recordLink() {
        #expect(MarkdownDocument("See [[a_b c]].")?.blocks == [.paragraph([.text("See [[a_b c]].")])])
    }

    /// A table with two sections of many bars.
    private static func bars(_ lines: Int) -> String {
        let section = String(repeating: String(repeating: "|", count: 150) + "\n", count: lines)
        return section + "\n" + section
    }

    /// Lists within lists.
    private static func nested(_ levels: Int) -> String {
        (0..<levels).map { String(repeating: "  ", count: $0) + "- x" }.joined(separator: "\n")
    }

    @Test(
        "A text beyond a limit isn't parsed, and one at the limit is",
        arguments: [
            (String(repeating: "x\n\n", count: (256 << 10) / 3), String(repeating: "x\n\n", count: 88_000)),
            (String(repeating: "x", count: (16 << 10) - 1), String(repeating: "x", count: 16 << 10)),
            (String(repeating: ">", count: 16) + "x", String(repeating: ">", count: 17) + "x"),
            (String(repeating: "- ", count: 16) + "x", String(repeating: "- ", count: 17) + "x"),
            (bars(60), bars(70)), (nested(15), nested(30)),
        ])
    func limits(within: String, beyond: String) {
        #expect(MarkdownDocument(within) != nil)
        #expect(MarkdownDocument(beyond) == nil)
    }

    @Test(
        "Hostile texts of the largest size are answered",
        arguments: [
            "_", "*", "[", "![[]()", "[a](<b", "`a``b", "[a][b]", "~~a", "**a_", "&", "\\[", "<?", "| a\n", "- ",
        ])
    func hostile(pattern: String) {
        let section = String(repeating: pattern, count: (16 << 10) / pattern.utf8.count - 2) + "\n\n"
        let text = String(repeating: section, count: (256 << 10) / section.utf8.count)
        #expect(text.utf8.count <= MarkdownLimits.textBytes)
        _ = MarkdownDocument(text)
        #expect(MarkdownDocument(String(repeating: text, count: 5)) == nil)
    }

    @Test("Documents are parsed by several tasks at the same time")
    func concurrent() async {
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<50 {
                group.addTask {
                    MarkdownDocument("~~\(number)~~")?.blocks == [.paragraph([.deleted([.text("\(number)")])])]
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
