/// The difference of two texts, given as the numbers of their lines.
struct LineDiff {
    /// A run of lines of the old text and what replaces it; either may be empty.
    struct Hunk: Equatable {
        let old: Range<Int>
        let new: Range<Int>
    }

    /// The changes, in order; at least one common line stands between two of them.
    let hunks: [Hunk]

    init(from old: [Int], to new: [Int]) {
        var oldSide = ChangedLines(old)
        var newSide = ChangedLines(new)
        Self.markLines(&oldSide, missingIn: new)
        Self.markLines(&newSide, missingIn: old)
        var search = MyersDiff(old: oldSide.unchanged, new: newSide.unchanged)
        search.run()
        oldSide.mark(search.oldChanges)
        newSide.mark(search.newChanges)
        oldSide.slideGroups(beside: newSide)
        newSide.slideGroups(beside: oldSide)
        hunks = Self.hunks(oldSide.changed, newSide.changed)
    }

    /// A line that the other text lacks has surely changed; without them, the search is short even for texts that have
    /// little in common.
    private static func markLines(_ side: inout ChangedLines, missingIn other: [Int]) {
        let known = Set(other)
        for (index, line) in side.lines.enumerated() where !known.contains(line) { side.changed[index] = true }
    }

    private static func hunks(_ old: [Bool], _ new: [Bool]) -> [Hunk] {
        var hunks: [Hunk] = []
        var (i, j) = (0, 0)
        while i < old.count || j < new.count {
            let (oldStart, newStart) = (i, j)
            while i < old.count, old[i] { i += 1 }
            while j < new.count, new[j] { j += 1 }
            if i > oldStart || j > newStart { hunks.append(Hunk(old: oldStart..<i, new: newStart..<j)) }
            i += 1
            j += 1
        }
        return hunks
    }
}
