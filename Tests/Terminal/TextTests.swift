import Testing

@testable import Terminal

@Suite("Texts in columns")
struct TextTests {
    @Test(
        "Width is counted in columns: wide, combining and joined characters",
        arguments: [
            ("abc", 3), ("", 0), ("日本", 4), ("e\u{301}", 1), ("👩‍👩‍👧", 2), ("❤️", 2), ("\u{200B}", 0), ("한", 2), ("é", 1),
        ])
    func width(text: String, width: Int) {
        #expect(text.displayWidth == width)
    }

    @Test(
        "A text is cut to its columns with an ellipsis, never within a character",
        arguments: [("abcdef", 4, "abc…"), ("abcd", 4, "abcd"), ("日本語", 4, "日…"), ("abc", 0, ""), ("日本", 1, "…")])
    func truncation(text: String, width: Int, cut: String) {
        #expect(text.truncated(toWidth: width) == cut)
        #expect(cut.displayWidth <= width)
    }

    @Test("Characters that could control a terminal or reorder a line are sanitized")
    func sanitizedLine() {
        #expect("a\u{1B}[31mb".sanitizedLine == "a␛[31mb")
        #expect("a\u{9B}31m\u{7F}\u{202E}b".sanitizedLine == "a\u{FFFD}31m␡\u{FFFD}b")
        #expect("a\nb\tc\r".sanitizedLine == "a b␉c␍")
        #expect("Grüße, 日本 👩‍👩‍👧".sanitizedLine == "Grüße, 日本 👩‍👩‍👧")
        #expect("a\u{200B}b".sanitizedLine == "a‹U+200B›b")
    }

    @Test("A text for programs is unchanged in a pipe, and sanitized on a terminal, CR LF as a line's end")
    func shown() {
        let text = "a\u{1B}\r\nb\r\tc\n"
        #expect(text.shown(on: LinePage()).utf8.elementsEqual(text.utf8))
        #expect(text.shown(on: LinePage(columns: 80)).utf8.elementsEqual("a␛\nb␍\tc\n".utf8))
    }

    private let books = Table(
        [
            .init("#", isTrailing: true), .init("title", canShrink: true), .init("lent"),
            .init("author", canShrink: true),
        ],
        [
            .heading("Novels"), .cells(["9", "Emma", "", "Jane Austen"]),
            .heading("Poems"), .cells(["10", "日本の詩", "", ""]),
        ])

    @Test("Columns are aligned across groups; an empty column is omitted; no line ends in spaces")
    func table() {
        #expect(
            books.lines(on: LinePage()) == [
                " #  title     author", "Novels", " 9  Emma      Jane Austen", "Poems", "10  日本の詩",
            ])
    }

    @Test("On a narrow page the widest columns that can shrink are cut")
    func narrow() {
        let lines = books.lines(on: LinePage(columns: 20))
        #expect(lines[2] == " 9  Emma     Jane A…")
        #expect(lines.allSatisfy { $0.displayWidth <= 20 })
    }

    @Test("Emphasis is written on a coloured page only, and has no width")
    func emphasis() {
        let table = Table([.init(""), .init("")], [.cells([.init("late", .bad), "x"]), .cells(["on time", "y"])])
        #expect(table.lines(on: LinePage(isColoured: true)).first == "\u{1B}[31mlate\u{1B}[0m     x")
        #expect(table.lines(on: LinePage()).first == "late     x")
    }

    @Test("Data in a cell can't write emphasis")
    func harmlessCells() {
        let table = Table([.init("")], [.cells([.init("\u{1B}[31mred")])])
        #expect(table.lines(on: LinePage(isColoured: true)) == ["␛[31mred"])
    }

    @Test(
        "Colour and width depend on the terminal and the environment",
        arguments: [
            (true, 100, ["TERM": "xterm"], LinePage(columns: 100, isColoured: true)),
            (true, nil, ["TERM": "xterm", "COLUMNS": "60"], LinePage(columns: 60, isColoured: true)),
            (true, nil, ["TERM": "xterm"], LinePage(columns: 80, isColoured: true)),
            (true, 100, ["TERM": "xterm", "NO_COLOR": "1"], LinePage(columns: 100)),
            (true, 100, ["TERM": "xterm", "NO_COLOR": ""], LinePage(columns: 100, isColoured: true)),
            (true, 100, ["TERM": "dumb"], LinePage(columns: 100, drawsBlocks: false)),
            (true, 100, [:], LinePage(columns: 100, drawsBlocks: false)),
            (true, 100, ["TERM": "xterm", "LANG": "de_DE.UTF-8"], LinePage(columns: 100, isColoured: true)),
            (
                true, 100, ["TERM": "xterm", "LC_ALL": "C", "LANG": "de_DE.UTF-8"],
                LinePage(columns: 100, isColoured: true, drawsBlocks: false)
            ),
            (false, 100, ["TERM": "xterm"], LinePage()),
        ] as [(Bool, Int?, [String: String], LinePage)])
    func traits(isTerminal: Bool, columns: Int?, environment: [String: String], page: LinePage) {
        let decided = TerminalTraits.page(
            isTerminal: isTerminal, terminalColumns: columns, terminalRows: nil, environment: environment)
        #expect(decided == page)
    }

    @Test(
        "A screen has a height if it is a terminal that can do more than print, and the user wants a pager",
        arguments: [
            (true, 24, ["TERM": "xterm"], 24), (true, 24, ["TERM": "xterm", "PAGER": "most"], 24),
            (true, 24, ["TERM": "xterm", "PAGER": "cat"], nil), (true, 24, ["TERM": "xterm", "PAGER": ""], nil),
            (true, 24, ["TERM": "dumb"], nil), (true, 24, [:], nil), (true, 0, ["TERM": "xterm"], nil),
            (true, nil, ["TERM": "xterm"], nil), (false, 24, ["TERM": "xterm"], nil),
        ] as [(Bool, Int?, [String: String], Int?)])
    func rows(isTerminal: Bool, rows: Int?, environment: [String: String], expected: Int?) {
        let decided = TerminalTraits.page(
            isTerminal: isTerminal, terminalColumns: 80, terminalRows: rows, environment: environment)
        #expect(decided.rows == expected)
    }
}
