import Testing
import TestSupport

@testable import TextMerge

@Suite("Difference of lines")
struct LineDiffTests {
    @Test("applied to the old lines, it gives the new ones; hunks never touch", arguments: 0..<500 as Range<UInt64>)
    func applied(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let alphabet = 1 + random.below(8)
        let old = (0..<random.below(60)).map { _ in random.below(alphabet) }
        let new = (0..<random.below(60)).map { _ in random.below(alphabet + 1) }
        expectValid(LineDiff(from: old, to: new), old, new, "seed \(seed)")
    }

    @Test("it is the shortest, as far as the search is exact", arguments: 0..<200 as Range<UInt64>)
    func shortest(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let old = (0..<random.below(25)).map { _ in random.below(4) }
        let new = (0..<random.below(25)).map { _ in random.below(4) }
        let size = LineDiff(from: old, to: new).hunks.map { $0.old.count + $0.new.count }.reduce(0, +)
        #expect(size == old.count + new.count - 2 * longestCommonSubsequence(old, new), "seed \(seed)")
    }

    @Test("beyond the cost limit it is still correct")
    func costly() {
        var random = SeededRandom(seed: 3)
        let old = (0..<1_500).map { _ in random.below(300) }
        let new = (0..<1_500).map { _ in random.below(300) }
        expectValid(LineDiff(from: old, to: new), old, new, "costly")
    }

    @Test("of equal lines, the last is the new one")
    func slides() {
        #expect(LineDiff(from: [1, 0, 2], to: [1, 0, 0, 2]).hunks == [.init(old: 2..<2, new: 2..<3)])
    }

    @Test("equal texts have no difference; the difference from an empty text has all lines")
    func extremes() {
        #expect(LineDiff(from: [1, 2], to: [1, 2]).hunks.isEmpty)
        #expect(LineDiff(from: [], to: []).hunks.isEmpty)
        #expect(LineDiff(from: [1, 2], to: []).hunks == [.init(old: 0..<2, new: 0..<0)])
        #expect(LineDiff(from: [], to: [1]).hunks == [.init(old: 0..<0, new: 0..<1)])
    }

    private func expectValid(_ diff: LineDiff, _ old: [Int], _ new: [Int], _ comment: Comment) {
        var made: [Int] = []
        var position = 0
        for (index, hunk) in diff.hunks.enumerated() {
            #expect(hunk.old.lowerBound > position || index == 0, comment)
            made += old[position..<hunk.old.lowerBound]
            #expect(made.count == hunk.new.lowerBound, comment)
            made += new[hunk.new]
            position = hunk.old.upperBound
        }
        made += old[position...]
        #expect(made == new, comment)
    }

    private func longestCommonSubsequence(_ one: [Int], _ other: [Int]) -> Int {
        var row = Array(repeating: 0, count: other.count + 1)
        for a in one {
            var diagonal = 0
            for (j, b) in other.enumerated() {
                let above = row[j + 1]
                row[j + 1] = a == b ? diagonal + 1 : max(above, row[j])
                diagonal = above
            }
        }
        return row[other.count]
    }
}

@Suite struct UnifiedDiffTests {
    private func shown(_ old: String, _ new: String, context: Int? = 1) -> [String] {
        UnifiedDiff(from: old, to: new, context: context).lines.map { line in
            switch line {
            case .same(let text): " \(text)"
            case .removed(let text): "-\(text)"
            case .added(let text): "+\(text)"
            case .skipped(let count): "@\(count)"
            }
        }
    }

    @Test(
        arguments: [
            ("a\nb\nc", "a\nb\nc", []), ("", "", []), ("a\n", "a\n", []),
            ("a\nb\nc\n", "a\nB\nc\n", [" a", "-b", "+B", " c"]),
            ("1\n2\n3\n4\n5\n6\n7\n", "1\n2\n3\nX\n5\n6\n7\n", ["@2", " 3", "-4", "+X", " 5", "@2"]),
            ("1\n2\n3\n4\n5\n6\n", "A\n2\n3\n4\n5\nB\n", ["-1", "+A", " 2", "@2", " 5", "-6", "+B"]),
            ("1\n2\n3\n4\n5\n", "A\n2\n3\n4\nB\n", ["-1", "+A", " 2", " 3", " 4", "-5", "+B"]),
            ("a", "a\n", [" a", "+"]), ("", "a\nb\n", ["+a", "+b"]), ("a\r\n", "a\n", ["-a\r", "+a"]),
        ] as [(String, String, [String])])
    func `differences are shown with their context, the rest is counted`(old: String, new: String, lines: [String]) {
        #expect(shown(old, new) == lines)
    }

    @Test func `without a limit all common lines are shown`() {
        #expect(shown("1\n2\n3\n4\n5\n", "1\n2\n3\n4\nX\n", context: nil) == [" 1", " 2", " 3", " 4", "-5", "+X"])
    }

    @Test func `the lines of a side, joined, are its text`() {
        let (old, new) = ("a\nb\nc\n\nd\ne", "b\nc\n\nx\nd\ne\nf")
        var (one, other): ([String], [String]) = ([], [])
        for line in UnifiedDiff(from: old, to: new, context: nil).lines {
            switch line {
            case .same(let text): (one, other) = (one + [text], other + [text])
            case .removed(let text): one.append(text)
            case .added(let text): other.append(text)
            case .skipped: Issue.record("nothing may be omitted")
            }
        }
        #expect((one.joined(separator: "\n"), other.joined(separator: "\n")) == (old, new))
    }
}

struct EditDistanceTests {
    @Test(
        "The distance of two words counts inserted, deleted, replaced and swapped letters",
        arguments: [("", "ab", 2), ("show", "shwo", 1), ("done", "dome", 1), ("list", "list", 0), ("ca", "abc", 3)])
    func distance(left: String, right: String, distance: Int) {
        #expect(editDistance(left, right) == distance)
        #expect(editDistance(right, left) == distance)
    }
}

@Suite("Suggestions")
struct SuggestionTests {
    @Test(
        "a mistyped word gets the nearest known one",
        arguments: [
            ("lsit", "list"), ("ad", "add"), ("Done", "done"), ("exprot", "export"), ("conflcts", "conflicts"),
            ("conf", "conflicts"),
            ("xyzzy", nil), ("", nil), ("q", nil),
        ] as [(String, String?)])
    func nearest(word: String, expected: String?) {
        #expect(Suggestion.nearest(word, among: ["add", "done", "list", "export", "conflicts"]) == expected)
    }
}
