/// The difference of two texts, given as the numbers that a `LineTable` gave their lines.
struct LineDiff {
    /// A run of lines of the old text and what replaces it; either may be empty.
    struct Hunk: Equatable {
        let old: Range<Int>
        let new: Range<Int>
    }

    /// The changes, in order; at least one common line is between two of them.
    let hunks: [Hunk]

    init(from old: [Int], to new: [Int]) {
        var oldSide = ChangedLines(old)
        var newSide = ChangedLines(new)
        let searched = SearchedLines.of(old, new)
        oldSide.mark(searched.old.changes)
        newSide.mark(searched.new.changes)
        let found = MyersDiff(old: searched.old.lines, new: searched.new.lines)
        oldSide.mark(found.oldChanges.lazy.map { searched.old.places[$0] })
        newSide.mark(found.newChanges.lazy.map { searched.new.places[$0] })
        oldSide.slideGroups(beside: newSide)
        newSide.slideGroups(beside: oldSide)
        hunks = Self.hunks(oldSide.changed, newSide.changed)
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
