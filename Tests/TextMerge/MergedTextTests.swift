import TestSupport
import Testing

@testable import TextMerge

@Suite("Three-way merge of texts")
struct TextMergeTests {
    /// Merges in both directions; the text must be the same except for which version is the earlier one.
    private func merge(_ base: String, _ one: String, _ other: String) -> MergedText {
        let merge = MergedText(base: base, earlier: one, later: other)
        let swapped = MergedText(base: base, earlier: other, later: one)
        #expect(merge.hasOverlaps == swapped.hasOverlaps)
        if !merge.hasOverlaps { #expect(merge.text == swapped.text) }
        return merge
    }

    @Test(
        "changes at different places are both applied",
        arguments: [
            ("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", "A\nb\nC\n"),
            ("a\nb\nc", "a\nc", "a\nb\nc\nd", "a\nc\nd"),
            ("a\n\nb\n\nc\n", "a\n\nx\n\nb\n\nc\n", "a\n\nb\n\nc\n\ny\n", "a\n\nx\n\nb\n\nc\n\ny\n"),
            ("x\nx\nx\nx\n", "y\nx\nx\nx\nx\n", "x\nx\nx\nx\nz\n", "y\nx\nx\nx\nx\nz\n"),
            ("a\r\nb\r\nc\r\n", "A\r\nb\r\nc\r\n", "a\r\nb\r\nC\r\n", "A\r\nb\r\nC\r\n"),
            ("a\nb", "A\nb", "a\nb\nc", "A\nb\nc"),
            ("a\nb\nc\n", "A\nb\nc\n", "a\nb\nc", "A\nb\nc"),
        ])
    func clean(base: String, one: String, other: String, expected: String) {
        let merge = merge(base, one, other)
        #expect(merge.text == expected)
        #expect(!merge.hasOverlaps)
    }

    @Test(
        "the same change on both sides is applied once",
        arguments: [("a\nb\n", "a\nx\nb\n"), ("a\nb\n", "b\n"), ("", "new\ntext\n"), ("a", ""), ("same", "same")])
    func same(base: String, changed: String) {
        let merge = merge(base, changed, changed)
        #expect(merge.text == changed)
        #expect(!merge.hasOverlaps)
    }

    @Test("neighbouring changes are both kept, as in git")
    func adjacent() {
        #expect(
            merge("a\nb\n", "A\nb\n", "a\nB\n").text
                == "<<<<<<< earlier\nA\nb\n=======\na\nB\n>>>>>>> later\n")
    }

    @Test("different insertions at one place are both kept")
    func insertions() {
        #expect(
            merge("a\nb", "a\nmine\nb", "a\ntheirs\nb").text
                == "a\n<<<<<<< earlier\nmine\n=======\ntheirs\n>>>>>>> later\nb")
    }

    @Test("what both versions share is outside the markers")
    func shared() {
        #expect(
            merge("", "- a\n- mine\n- z\n", "- a\n- theirs\n- z\n").text
                == "- a\n<<<<<<< earlier\n- mine\n=======\n- theirs\n>>>>>>> later\n- z\n")
    }

    @Test("a last line without a line feed isn't joined with a marker")
    func noLastLineFeed() {
        #expect(merge("a", "b", "c").text == "<<<<<<< earlier\nb\n=======\nc\n>>>>>>> later")
    }

    @Test(
        "markers have the line ends of the lines next to them, as in git",
        arguments: [
            ("a\r\nb\r\n", "a\r\nB\r\n", "a\r\nC\r\n", "a\r\n<\r\nB\r\n=\r\nC\r\n>\r\n"),
            ("a\r\nb", "a\r\nB", "a\r\nC", "a\r\n<\r\nB\r\n=\r\nC\r\n>"),
            ("a\r\nb\r\nz", "a\r\nB\r\nz", "a\r\nC\r\nz", "a\r\n<\r\nB\r\n=\r\nC\r\n>\r\nz"),
            ("b\r\n", "", "c\r\n", "<\r\n=\r\nc\r\n>\r\n"),
            ("x\r\nb\n", "x\r\nB\n", "x\r\nC\n", "x\r\n<\r\nB\n=\r\nC\n>\r\n"),
            ("x\nb\r\n", "x\nB\r\n", "x\nC\r\n", "x\n<\nB\r\n=\nC\r\n>\n"),
            ("b\r\n", "B\n", "C\r\n", "<\nB\n=\nC\r\n>\n"), ("b", "B", "C", "<\nB\n=\nC\n>"),
        ])
    func lineEnds(base: String, one: String, other: String, expected: String) {
        let marked = expected.replacing("<", with: "<<<<<<< earlier").replacing("=", with: "=======")
            .replacing(">", with: ">>>>>>> later")
        #expect(merge(base, one, other).text.utf8.elementsEqual(marked.utf8))
    }

    @Test("lines are compared byte by byte")
    func exactLines() {
        let merge = merge("caf\u{E9}\nb\nc", "cafe\u{301}\nb\nc", "caf\u{E9}\nb\nC")
        #expect(merge.text.utf8.elementsEqual("cafe\u{301}\nb\nC".utf8))
    }

    @Test(
        "repeated lines, moved blocks and line ends keep every change",
        arguments: [
            // The same block twice: an edit in the second one stays there.
            ("{\n}\n\n{\n}\n", "{\n}\n\n{\nx\n}\n", "head\n{\n}\n\n{\n}\n", "head\n{\n}\n\n{\nx\n}\n"),
            // Only the last line feed is added on one side.
            ("a\nb\nc\nd", "A\nb\nc\nd", "a\nb\nc\nd\n", "A\nb\nc\nd\n"),
            // A change of one line's end is a change of that line alone.
            ("a\r\nb\r\nc\r\nd\r\n", "a\nb\r\nc\r\nd\r\n", "a\r\nb\r\nc\r\nD\r\n", "a\nb\r\nc\r\nD\r\n"),
            // The same insertion on both sides, and another change elsewhere.
            ("a\nb\nc\n", "a\nnew\nb\nc\n", "a\nnew\nb\nC\n", "a\nnew\nb\nC\n"),
            // Everything deleted on one side, nothing changed on the other.
            ("a\nb\n", "", "a\nb\n", ""),
        ])
    func traps(base: String, one: String, other: String, expected: String) {
        let merge = merge(base, one, other)
        #expect(merge.text == expected)
        #expect(!merge.hasOverlaps)
    }

    @Test("two appended lines are both kept")
    func appended() {
        let merge = merge("a\n", "a\nmine\n", "a\ntheirs\n")
        #expect(merge.hasOverlaps && merge.text.contains("mine\n") && merge.text.contains("theirs\n"))
    }

    @Test("edits throughout 10,000 lines are all applied")
    func tenThousand() {
        let base = (0..<10_000).map { "line \($0 % 900)" }
        var (one, other) = (base, base)
        for place in stride(from: 10, to: 10_000, by: 40) {
            one[place] = "mine \(place)"
            other[place + 20] = "theirs \(place)"
        }
        let merge = merge(
            base.joined(separator: "\n"), one.joined(separator: "\n"), other.joined(separator: "\n"))
        let lines = merge.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(!merge.hasOverlaps && lines.count == 10_000)
        #expect(lines.count { $0.hasPrefix("mine") } == 250 && lines.count { $0.hasPrefix("theirs") } == 250)
    }

    @Test("merging 1,000 lines shuffled with 1,000 lines reversed ends, and loses no line")
    func large() {
        var random = SeededRandom(seed: 1)
        let base = (0..<1_000).map { "line \($0 % 90)" }
        let shuffled = base.shuffled(using: &random) + ["mine"]
        let reversed = base.reversed() + ["theirs"]
        let merge = merge(
            base.joined(separator: "\n"), shuffled.joined(separator: "\n"), reversed.joined(separator: "\n"))
        #expect(merge.text.contains("\nmine") && merge.text.contains("\ntheirs"))
    }
}
