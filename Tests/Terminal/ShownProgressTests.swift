import Testing

@testable import Terminal

@Suite("A row that shows progress")
struct ShownProgressTests {
    @Test(
        "It needs a terminal that can remove it",
        arguments: [
            (true, 40, ["TERM": "xterm"], 39), (true, nil, ["TERM": "xterm", "COLUMNS": "100"], 99),
            (true, 40, ["TERM": "xterm", "NO_COLOR": "1"], 39), (true, 40, ["TERM": "dumb"], nil), (true, 40, [:], nil),
            (false, 40, ["TERM": "xterm"], nil), (true, 5, ["TERM": "xterm"], 19),
        ] as [(Bool, Int?, [String: String], Int?)])
    func terminals(isTerminal: Bool, columns: Int?, environment: [String: String], expected: Int?) {
        #expect(
            TerminalTraits.progressColumns(
                isTerminal: isTerminal, terminalColumns: columns, environment: environment) == expected)
    }

    @Test("Other output replaces the row")
    func row() {
        let row = ShownProgress()
        #expect(row.cleared() == "")
        #expect(row.text(showing: "one") == "\r\u{1B}[Kone")
        #expect(row.cleared() == "\r\u{1B}[K")
        #expect(row.text(showing: nil) == "")
    }
}
