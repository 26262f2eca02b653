import Testing

@testable import Terminal

@Suite("Showing completions")
struct ChoiceLinesTests {
    @Test("Names are in columns, read downwards, that fit the width")
    func grid() {
        let choices = ["alpha", "beta", "gamma", "delta", "日本"].map { LineCompletion.Choice($0) }
        #expect(ChoiceLines.lines(of: choices, columns: 16, rows: 9) == ["alpha  delta", "beta   日本", "gamma"])
        #expect(ChoiceLines.lines(of: choices, columns: 4, rows: 9).allSatisfy { $0.displayWidth <= 4 })
    }

    @Test("Records have their titles, cut to the width, escaped")
    func table() {
        let choices = [
            LineCompletion.Choice("3f2a", note: "Buy \u{1B}[2Jmilk and more"),
            LineCompletion.Choice("b001", note: "Paint"),
        ]
        let lines = ChoiceLines.lines(of: choices, columns: 16, rows: 9)
        #expect(lines == ["3f2a  Buy ␛[2Jm…", "b001  Paint"])
    }

    @Test("Those that don't fit on the screen are counted, not shown")
    func long() {
        let choices = (1...50).map { LineCompletion.Choice("\($0)", note: "x") }
        let lines = ChoiceLines.lines(of: choices, columns: 40, rows: 5)
        #expect(lines.count == 5)
        #expect(lines.last == "… and 46 more")
    }
}
