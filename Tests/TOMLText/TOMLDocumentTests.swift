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

    @Test("Values have their lines also in a document whose lines end with CR LF")
    func windowsLines() throws {
        let document = try TOMLDocument("a = 1\r\n[b]\r\nc = 2\r\n")
        #expect(document.entries.map(\.path) == [["a"], ["b", "c"]])
        #expect(document.entries.map(\.line) == [1, 3])
    }

    @Test("An array or a text that looks like a header or a key doesn't change the lines of later keys")
    func lookAlikes() throws {
        let document = try TOMLDocument(
            #"""
            a = [
              [1, 2],
              [ "b" ], # '''
            ]
            c = ["\"", "x", """
            a = 1
            [a]"""]
            d = { e = [
              3, ], f.g = '''
            d.f = ''' }
            h = 4
            """#)
        #expect(document.entries.map(\.path) == [["a"], ["c"], ["d", "e"], ["d", "f", "g"], ["h"]])
        #expect(document.entries.map(\.line) == [1, 5, 8, 8, 11])
    }

    @Test("A quoted key has its line, with escapes, dots and signs")
    func quotedKeys() throws {
        let document = try TOMLDocument(
            #"""
            "a \"\u00e9\U0001F600\\" = 1
            'b\n'."" = 2
            "c\t=" = 3
            ["[d.e]"]
            "#".f = 4
            [[g."]"]]
            h = 5
            [[g."]"]]
            """#)
        #expect(
            document.entries.map(\.path) == [
                ["a \"é\u{1F600}\\"], [#"b\n"#, ""], ["c\t="], ["[d.e]", "#", "f"], ["g", "]"],
            ])
        #expect(document.entries.map(\.line) == [1, 2, 3, 5, 6])
    }

    @Test("An error of the syntax has its line", arguments: [("a = 1\nb = \n", 2), ("a = 1\na = 2\n", 2), ("[t\n", 1)])
    func errors(text: String, line: Int) {
        #expect { try TOMLDocument(text) } throws: { error in
            (error as? TOMLDocument.SyntaxError)?.line == line
        }
    }

    private static let stopping: [(String, Int)] = [
        ("a = [1, }", 9), ("a = [}", 6), ("a = [\u{2028}]", 6), ("a = {b = [[], }]}", 15), ("[=]", 2), ("[[ #", 4),
        ("[", 2), ("a = 2026-01-01 1", 16), ("a = [2026-01-01 1]", 17), ("a = 2026-a1-01 1 # b", 16),
        ("a = 2026-01-01T:00", 15), ("a = 2026-01-01t", 15), (#"a = "b\u0000""#, 7), (#"a = """b\U00000000""""#, 9),
        ("a = 2026-01-01\(String(repeating: "_", count: 120)) 1", 5),
        ("\(String(repeating: "a.", count: 16))b = 1", 33),
    ]

    @Test("Errors at which the parser would stop the program are refused with their place", arguments: stopping)
    func hazards(text: String, column: Int) {
        #expect { try TOMLDocument("# é\n\(text)\n") } throws: { error in
            let error = error as? TOMLDocument.SyntaxError
            return error?.line == 2 && error?.column == column
        }
    }

    @Test("A key of very many names is refused, and doesn't exhaust the stack")
    func longKey() {
        let key = String(repeating: "a.", count: 200_000) + "b"
        for text in ["\(key) = 1", "[\(key)]", "[[\(key)]]", "c = { \(key) = 1 }"] {
            #expect(throws: TOMLDocument.SyntaxError.self) { try TOMLDocument(text) }
        }
    }

    @Test("Each form of a valid document is accepted")
    func validForms() throws {
        let document = try TOMLDocument(
            #"""
            a = [ # é
              [], [ 'é#', "]\"" ],
              { x = {}, y . "z é" = [1_000, 1_0e-5] }, # }
            ]
            b = 2026-01-01 09:30:00 # 1
            c = [2026-01-01 , 2026-01-01T09:30:00.5-01:00, 09:30:00]
            2026-01-01Ta = +1
            1-2_3-4 = -inf
            d = """"}" \
              \u00e9 ""a"""""
            e = '''
            [=
            '''''
            [ f . 'é' ]
            [[g]]
            h = 0x1F
            """#)
        #expect(
            document.entries.map(\.path) == [
                ["a"], ["b"], ["c"], ["2026-01-01Ta"], ["1-2_3-4"], ["d"], ["e"], ["g"],
            ])
        #expect(document.entries.map(\.line) == [1, 5, 6, 7, 8, 9, 11, 15])
        #expect(document.entries.first { $0.path == ["d"] }?.value == .text(#""}" é ""a"""#))
        #expect(document.entries.first { $0.path == ["e"] }?.value == .text("[=\n''"))
        let marked = try TOMLDocument("\u{FEFF}a = 1\r\n[b]\r\nc = 2").entries
        #expect(marked.map(\.path) == [["a"], ["b", "c"]])
        #expect(marked.map(\.line) == [1, 3])
    }

    private static let explained: [(String, Int, String)] = [
        ("a = 2026-01-01 1", 16, "a time such as 09:30:00 is expected after the date"),
        ("a = 2026-01-01T:00", 15, "a time such as 09:30:00 is expected after “T”"),
        (#"a = "\u0000""#, 6, "a NUL character isn't allowed"), ("# a\0", 4, "a NUL character isn't allowed"),
    ]

    @Test("The reason of an error says what is expected or isn't allowed", arguments: explained)
    func reasons(text: String, column: Int, reason: String) {
        #expect { try TOMLDocument("b = 1\n\(text)\n") } throws: { error in
            let error = error as? TOMLDocument.SyntaxError
            return error?.line == 2 && error?.column == column && error?.reason == reason
        }
    }

    @Test("A NUL character is refused also after another error, and an empty document has no values")
    func bounds() throws {
        #expect { try TOMLDocument("a = \n\0") } throws: { error in
            (error as? TOMLDocument.SyntaxError)?.line == 2
        }
        #expect(try TOMLDocument("").entries.isEmpty)
    }
}
