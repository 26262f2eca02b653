import Testing

@testable import TextMerge

@Suite("Choosing between the versions of lines in conflict, in a text that was changed since")
struct ConflictingLinesTests {
    private let earlier = "top\nmine\nmiddle\nend\n"
    private let later = "title\ntop\ntheirs\nmiddle\nend\n"
    private var overlaps: [TextOverlap] {
        MergedText(base: "top\nold\nmiddle\nend\n", earlier: earlier, later: later).overlaps
    }
    private func lines() throws -> ConflictingLines {
        try #require(ConflictingLines(earlier: earlier, later: later, overlaps: overlaps))
    }

    @Test("a merge returns which lines of both texts are in conflict")
    func places() {
        #expect(overlaps == [TextOverlap(earlier: 1..<2, later: 2..<3)])
        let several = MergedText(
            base: "a\nb\nc\nd\ne", earlier: "same\n1\nc\nd\n2", later: "same\n3\nc\nd\n4\n5")
        #expect(
            several.overlaps == [
                TextOverlap(earlier: 1..<2, later: 1..<2), TextOverlap(earlier: 4..<5, later: 4..<6),
            ])
        #expect(MergedText(base: "a\nb\n", earlier: "A\nb\n", later: "a\nb\nc\n").overlaps.isEmpty)
    }

    @Test(
        "only the lines in conflict change, whatever they contain now",
        arguments: ["mine", "theirs", "mine\ntheirs"],
        [
            (MarkedText.Version.earlier, "mine"), (.later, "theirs"), (.both, "mine\ntheirs"),
        ])
    func choosing(present: String, choice: (version: MarkedText.Version, lines: String)) throws {
        let text = { (lines: String) in "title\ntop\n\(lines)\nmiddle\nend, changed\nnew\n" }
        let chosen = try lines().choosing(choice.version, in: text(present))
        #expect(chosen == text(choice.lines))
    }

    @Test("a second choice reverts the first one", arguments: [MarkedText.Version.earlier, .later, .both])
    func again(version: MarkedText.Version) throws {
        let text = "title\ntop\nmine\nmiddle\nend, changed\n"
        let first = try #require(try lines().choosing(version, in: text))
        #expect(try lines().choosing(.earlier, in: first) == text)
    }

    @Test("lines in conflict that were changed to something else are not replaced, but shown with the later version")
    func changed() throws {
        let text = "title\ntop\nneither\nmiddle\nend, changed\n"
        for version in [MarkedText.Version.earlier, .later, .both] {
            #expect(try lines().choosing(version, in: text) == nil)
        }
        let shown = try lines().marked(in: text)
        #expect(
            shown
                == "title\ntop\n<<<<<<< earlier\nneither\n=======\ntheirs\n>>>>>>> later\nmiddle\nend, changed\n")
    }

    @Test("the present text is shown with both versions between markers", arguments: ["mine", "theirs"])
    func marked(present: String) throws {
        let shown = try lines().marked(in: "title\ntop\n\(present)\nmiddle\nend, changed\n")
        #expect(
            shown
                == "title\ntop\n<<<<<<< earlier\nmine\n=======\ntheirs\n>>>>>>> later\nmiddle\nend, changed\n")
    }

    @Test("a version without the lines is chosen like another")
    func removed() throws {
        let (earlier, later) = ("a\nc\n", "a\nB\nc\n")
        let overlaps = MergedText(base: "a\nb\nc\n", earlier: earlier, later: later).overlaps
        let lines = try #require(ConflictingLines(earlier: earlier, later: later, overlaps: overlaps))
        #expect(lines.choosing(.earlier, in: "a\nB\nc\nd\n") == "a\nc\nd\n")
        #expect(lines.choosing(.later, in: "a\nc\nd\n") == "a\nB\nc\nd\n")
    }

    @Test(
        "invalid positions are refused",
        arguments: [
            [], [TextOverlap(earlier: 0..<9, later: 0..<1)], [TextOverlap(earlier: 0..<1, later: 5..<7)],
            [TextOverlap(earlier: 1..<2, later: 1..<2), TextOverlap(earlier: 0..<1, later: 2..<3)],
        ])
    func refused(overlaps: [TextOverlap]) {
        #expect(ConflictingLines(earlier: earlier, later: later, overlaps: overlaps) == nil)
    }
}
