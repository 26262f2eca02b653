import SafeText
import Testing

@Suite("Texts from outside")
struct SanitizedTests {
    @Test(
        "Invisible characters are named",
        arguments: [
            ("\u{61C}", "‹U+061C›"), ("\u{200B}", "‹U+200B›"), ("\u{200C}", "‹U+200C›"), ("\u{200D}", "‹U+200D›"),
            ("\u{200E}", "‹U+200E›"), ("\u{200F}", "‹U+200F›"), ("\u{FEFF}", "‹U+FEFF›"), ("\u{E0041}", "‹U+E0041›"),
            ("\u{E0001}", "‹U+E0001›"), ("\u{AD}", "‹U+00AD›"), ("\u{2060}", "‹U+2060›"), ("\u{3164}", "‹U+3164›"),
        ])
    func invisible(mark: String, shown: String) {
        #expect(("a" + mark + "b").sanitized == "a" + shown + "b")
        #expect((mark + mark).sanitized == shown + shown)
        #expect(!("a" + mark + "b").isSanitized)
    }

    @Test(
        "Characters of the writing are kept: emoji with their joiners, variation selectors, flags, joiners of scripts, marks",
        arguments: [
            "👩‍👩‍👧", "👩🏽‍💻", "❤️‍🔥", "🏳️‍🌈", "1️⃣", "☎︎", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🇦🇹", "葛\u{E0100}", "می\u{200C}خواهم", "क्\u{200D}ष", "ക്\u{200D} x",
            "\u{200F}مرحبا", "שלום\u{200E}!", "(שלום)\u{200F}ש",
            "Grüße, 日本, Cafe\u{301}", "plain",
        ])
    func writing(text: String) {
        #expect(Array(text.sanitized.unicodeScalars) == Array(text.unicodeScalars))
        #expect(text.isSanitized)
    }

    @Test("Misplaced joiners and tags are named")
    func misplaced() {
        #expect("👩\u{200D}a".sanitized == "👩‹U+200D›a")
        #expect("1\u{200D}2".sanitized == "1‹U+200D›2")
        #expect("می\u{200C}\u{200C}x".sanitized == "می‹U+200C›‹U+200C›x")
        #expect("🏴\u{E0067}x".sanitized == "🏴‹U+E0067›x")
        let hidden = String(
            String.UnicodeScalarView("secret".unicodeScalars.compactMap { Unicode.Scalar(0xE0000 + $0.value) }))
        #expect(("🙂" + hidden).sanitized.count == 1 + 6 * "‹U+E0073›".count)
        #expect(("🏴" + hidden + hidden + "\u{E007F}").sanitized.contains("‹U+E0073›"))
    }

    @Test("Controls are shown as their pictures, reordering ones as U+FFFD; line feeds and tabs are kept")
    func controls() {
        #expect(
            "a\u{1B}[31m\u{9B}\u{7F}\u{2028}\u{202E}\u{2066}\tb\r\n".sanitized
                == "a␛[31m\u{FFFD}␡\u{FFFD}\u{FFFD}\u{FFFD}\tb␍\n")
        #expect(!"a\nb".isSanitized && !"a\tb".isSanitized)
    }
}
