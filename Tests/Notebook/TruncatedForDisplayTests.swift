import Notebook
import Testing

@Suite("A long text in a state")
struct TruncatedForDisplayTests {
    @Test(
        "a text of at most 1 000 Unicode scalars is shown whole",
        arguments: ["", "Buy milk", String(repeating: "x", count: 1_000), String(repeating: "é", count: 1_000)])
    func whole(text: String) {
        #expect(text.truncatedForDisplay == text)
    }

    @Test("a longer text is cut after 1 000 Unicode scalars")
    func cut() {
        #expect(String(repeating: "é", count: 1_001).truncatedForDisplay == String(repeating: "é", count: 1_000))
    }

    @Test("a single character of many scalars is cut, too")
    func combiningMarks() {
        let text = "a" + String(repeating: "\u{301}", count: 5_000)
        #expect(text.count == 1)
        #expect(text.truncatedForDisplay.unicodeScalars.count == 1_000)
    }
}
