import TestSupport
import Testing

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

    @Test("beyond the cost limit it is still right")
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

    @Test("equal texts have no difference; an empty one has all")
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
