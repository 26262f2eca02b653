import TOMLText
import Testing

@Suite("Documents in TOML")
struct TOMLDocumentTests {
    @Test("Values have the names of their tables and their lines")
    func lines() throws {
        let document = try TOMLDocument(
            """
            # settings
            week-start = "monday"
            confirm-above = 3

            [aliases]
            urgent = "list priority:H"
            "two words" = ["list", "+shop"]
            """)
        #expect(
            document.entries == [
                .init(path: ["week-start"], value: .text("monday"), line: 2),
                .init(path: ["confirm-above"], value: .integer(3), line: 3),
                .init(path: ["aliases", "urgent"], value: .text("list priority:H"), line: 6),
                .init(path: ["aliases", "two words"], value: .array([.text("list"), .text("+shop")]), line: 7),
            ])
    }

    @Test("Keys in texts of several lines aren't found as keys; dotted keys and inline tables have their line")
    func shapes() throws {
        let document = try TOMLDocument(
            "a = '''\nb = 1\n'''\naliases.x = \"list\"\nb = true\nother = { c = 1 }\nday = 2026-11-24\n")
        #expect(document.entries.map(\.path) == [["a"], ["aliases", "x"], ["b"], ["other", "c"], ["day"]])
        #expect(document.entries.map(\.line) == [1, 4, 5, 6, 7])
        #expect(document.entries.last?.value == .other("date"))
    }

    @Test("An error of the syntax has its line", arguments: [("a = 1\nb = \n", 2), ("a = 1\na = 2\n", 2), ("[t\n", 1)])
    func errors(text: String, line: Int) {
        #expect { try TOMLDocument(text) } throws: { error in
            (error as? TOMLDocument.SyntaxError)?.line == line
        }
    }

    @Test("A NUL character is refused, and an empty document has no values")
    func bounds() throws {
        #expect(throws: TOMLDocument.SyntaxError.self) { try TOMLDocument("a = 1\n\0") }
        #expect(try TOMLDocument("").entries.isEmpty)
    }
}
