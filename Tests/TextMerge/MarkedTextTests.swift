import Testing

@testable import TextMerge

@Suite("Texts with both versions of some lines")
struct MarkedTextTests {
    @Test(
        "one version of the overlapping lines is chosen, and merged lines are kept",
        arguments: [
            ("a\nb\nc\nd\n", "A\nb\nmine\nd\n", "a\nb\ntheirs\nd\n", "A\nb\nmine\nd\n", "A\nb\ntheirs\nd\n"),
            ("a\nb\nc", "a\nb\nmine", "new\na\nb\ntheirs", "new\na\nb\nmine", "new\na\nb\ntheirs"),
            ("a\nb\nc", "1\nb\n2", "3\nb\n4", "1\nb\n2", "3\nb\n4"),
            ("", "mine", "theirs\n", "mine", "theirs\n"),
            ("a\nb\n", "a\n", "a\ntheirs\n", "a\n", "a\ntheirs\n"),
            ("a\r\nb\r\n", "a\r\nB\r\n", "a\r\nC\r\n", "a\r\nB\r\n", "a\r\nC\r\n"),
            ("a\r\nb", "a\r\nB", "a\r\nC", "a\r\nB", "a\r\nC"),
            ("a\r\nb", "a\r\nB", "a\r\nC\r\n", "a\r\nB", "a\r\nC\r\n"),
            // A heading underlined like a marker, on either side.
            ("x", "Heading\n=======\nx", "Other\n=======\ny", "Heading\n=======\nx", "Other\n=======\ny"),
        ])
    func choice(base: String, earlier: String, later: String, first: String, second: String) throws {
        let merge = MergedText(base: base, earlier: earlier, later: later)
        #expect(merge.hasOverlaps)
        let marked = try #require(MarkedText(merge.text, earlier: earlier, later: later))
        #expect(marked.keeping(.earlier).utf8.elementsEqual(first.utf8))
        #expect(marked.keeping(.later).utf8.elementsEqual(second.utf8))
        #expect(!marked.keeping(.both).contains(Markers.start) && !marked.keeping(.both).contains(Markers.end))
    }

    @Test("both are the lines of both, the earlier first, without markers and without duplicated common lines")
    func both() throws {
        let (earlier, later) = ("A\nb\nmine\nd\n", "a\nb\ntheirs\nd\n")
        let text = MergedText(base: "a\nb\nc\nd\n", earlier: earlier, later: later).text
        #expect(MarkedText(text, earlier: earlier, later: later)?.keeping(.both) == "A\nb\nmine\ntheirs\nd\n")
    }

    @Test("the markers of an earlier merge are unchanged")
    func former() throws {
        let block = "<<<<<<< earlier\nx\n=======\ny\n>>>>>>> later\n"
        let (earlier, later) = (block + "-\nmine\n", block + "-\ntheirs\n")
        let text = MergedText(base: block + "-\nc\n", earlier: earlier, later: later).text
        let marked = try #require(MarkedText(text, earlier: earlier, later: later))
        #expect(marked.keeping(.later) == later)
    }

    @Test(
        "if the versions of lines can't be determined, nothing is chosen",
        arguments: [
            "", "a\nmine\nb", "<<<<<<< earlier\nmine\n=======\ntheirs", "<<<<<<< earlier\nmine\n>>>>>>> later",
            "<<<<<<< earlier\nneither\n=======\ntheirs\n>>>>>>> later",
            "<<<<<<< earlier\n=======\n=======\n>>>>>>> later",
        ])
    func unclear(text: String) {
        #expect(MarkedText(text, earlier: "mine", later: "theirs") == nil)
    }
}
