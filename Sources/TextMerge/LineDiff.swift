/// The difference of two texts, given as the numbers of their lines in a `LineTable`.
struct LineDiff {
    /// A run of lines of the old text and the lines that replace it; either may be empty.
    struct Hunk: Equatable {
        let old: Range<Int>
        let new: Range<Int>
    }

    /// The changes, in order; at least one common line is between two neighbouring changes.
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
        // In git's order: the new side is slid against the groups of the old side in their final places.
        oldSide.slideGroups(against: newSide)
        newSide.slideGroups(against: oldSide)
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

/// The difference of two texts for display: the lines that differ, with a few common lines around them.
///
/// Lines are compared byte by byte. A line feed at the end of both texts doesn't begin another line.
public struct UnifiedDiff: Sendable, Equatable {
    /// A line of the difference.
    public enum Line: Sendable, Equatable {
        /// A line of both texts.
        case same(String)
        /// A line of the old text only.
        case removed(String)
        /// A line of the new text only.
        case added(String)
        /// The number of common lines that are omitted.
        case skipped(Int)
    }

    /// The lines in order; of a change, the removed lines come first. Empty if the texts are equal.
    public let lines: [Line]

    /// Compares two texts.
    ///
    /// - Parameters:
    ///   - old: The text before the change.
    ///   - new: The text after the change.
    ///   - context: The number of common lines shown before and after a change; nil for all.
    public init(from old: String, to new: String, context: Int? = 3) {
        var table = LineTable()
        var (old, new) = (table.numbers(of: old), table.numbers(of: new))
        if let last = old.last, last == new.last, table.text(of: [last]).isEmpty {
            old.removeLast()
            new.removeLast()
        }
        var lines: [Line] = []
        var position = 0
        let hunks = LineDiff(from: old, to: new).hunks
        for hunk in hunks {
            let common = old[position..<hunk.old.lowerBound].map { Line.same(table.text(of: [$0])) }
            // Above the first change, no lines are shown as the context of an earlier one.
            lines += Self.shortened(common, after: lines.isEmpty ? context.map { _ in 0 } : context, before: context)
            lines += old[hunk.old].map { .removed(table.text(of: [$0])) }
            lines += new[hunk.new].map { .added(table.text(of: [$0])) }
            position = hunk.old.upperBound
        }
        if !hunks.isEmpty {
            let common = old[position...].map { Line.same(table.text(of: [$0])) }
            lines += Self.shortened(common, after: context, before: context.map { _ in 0 })
        }
        self.lines = lines
    }

    /// Returns common lines without those further away from a change than the context; nil keeps all.
    private static func shortened(_ common: [Line], after: Int?, before: Int?) -> [Line] {
        guard let after, let before else { return common }
        let skipped = common.count - after - before
        // A note that one line is omitted would take as much space as the line.
        guard skipped > 1 else { return common }
        return common.prefix(after) + [.skipped(skipped)] + common.suffix(before)
    }
}
