import Testing

@testable import Terminal

@Suite("The row of the cursor")
struct CursorRowTests {
    private func row(_ text: String, columns: Int) -> Int {
        CursorRow.after(text.unicodeScalars, columns: columns) { scalar in
            scalar.value == 0xE000 ? -1 : Character(scalar).displayWidth
        }
    }

    @Test(
        "Text breaks at the width, or before a wide character; the cursor after a full row is in the next one",
        arguments: [
            ("", 10, 0), ("123456789", 10, 0), ("1234567890", 10, 1), ("12345678901", 10, 1), ("123456789日", 10, 1),
            ("12345678日", 10, 1), ("12345678日", 11, 0), ("日日日日日日", 5, 2), ("e\u{301}e\u{301}e\u{301}", 4, 0),
            ("a\nb\nc", 10, 2), ("1234567890\n", 10, 2), ("a\tb", 10, 0), ("123456789\t", 10, 1),
            ("\u{1}\u{1}", 4, 1), ("\u{E000}", 7, 1), ("\u{E000}", 8, 0), ("a", 0, 1),
        ])
    func rows(text: String, columns: Int, expected: Int) {
        #expect(row(text, columns: columns) == expected)
    }
}
