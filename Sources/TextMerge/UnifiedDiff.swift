/// The difference of two texts as people read it: the lines that differ, with a few common ones around them.
///
/// Lines are compared byte by byte; a line feed that ends both texts is no further line.
public struct UnifiedDiff: Sendable, Equatable {
    /// A line of the difference.
    public enum Line: Sendable, Equatable {
        /// A line of both texts.
        case same(String)
        /// A line of the old text alone.
        case removed(String)
        /// A line of the new text alone.
        case added(String)
        /// So many common lines that are left out.
        case skipped(Int)
    }

    /// The lines in order; of a change, those removed come first. Empty where the texts are equal.
    public let lines: [Line]

    /// - Parameter context: how many common lines are shown before and after a change; nil: all.
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

    /// Common lines without those further away from a change; nil context keeps all.
    private static func shortened(_ common: [Line], after: Int?, before: Int?) -> [Line] {
        guard let after, let before else { return common }
        let skipped = common.count - after - before
        // A note about one line is no shorter than the line.
        guard skipped > 1 else { return common }
        return common.prefix(after) + [.skipped(skipped)] + common.suffix(before)
    }
}
