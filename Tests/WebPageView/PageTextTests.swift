import Testing

@testable import WebPageView

@Suite struct PageTextTests {
    @Test(arguments: [
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("\" onfocus='x' &amp;", "&quot; onfocus=&#39;x&#39; &amp;amp;"),
        // A mark that combines with the preceding character makes another character of it, and no other scalar.
        ("\"\u{338} onfocus=x <\u{338}b", "&quot;\u{338} onfocus=x &lt;\u{338}b"),
    ])
    func `characters that are special in HTML stay text`(text: String, html: String) {
        #expect(PageText().escapeText(text) == html)
        #expect(text.escaped(sanitizing: false) == html)
    }

    @Test func `control and reordering characters are shown as such`() {
        #expect(PageText().escapeText("a\u{1B}[2J\u{202E}b\u{85}\r\u{7F}") == "a␛[2J\u{FFFD}b\u{FFFD}␍␡")
        #expect(PageText().escapeText("two\n\tlines") == "two\n\tlines")
    }

    @Test func `an edited text is returned unchanged`() {
        #expect("a\u{202E}b\r\nc".escaped(sanitizing: false) == "a\u{202E}b&#13;\nc")
    }
}
