/// The three-way merge of a text, line by line (Khanna, Kunal and Pierce, "A Formal Investigation of Diff3", 2007).
///
/// As in git, changes that overlap or touch make one region. Where both sides changed a region to the same lines, these
/// are taken once; else both versions stay, between markers, the earlier one first.
struct TextMerge {
    /// The merged text.
    let text: String
    /// Whether both versions of some lines stand in it.
    let hasOverlaps: Bool
    /// Whether the one overlap, if any, is at the end of the base.
    private let overlapsAtEndAlone: Bool

    init(base: String, earlier: String, later: String) {
        self.init(base: base, earlier: earlier, later: later, as: .ended)
        // Where a last line feed is missing, the other reading may find no overlap at the end.
        if overlapsAtEndAlone, [base, earlier, later].contains(where: LineTable.leavesOpen) {
            self.init(base: base, earlier: earlier, later: later, as: .separated)
        }
    }

    private init(base: String, earlier: String, later: String, as reading: LineTable.Reading) {
        var table = LineTable()
        let base = table.numbers(of: base, as: reading)
        let (earlier, later) = (table.numbers(of: earlier, as: reading), table.numbers(of: later, as: reading))
        let markers = Markers(&table)
        var merged: [Int] = []
        var position = 0
        var (overlaps, atEnd) = (0, 0)
        for region in ChangedRegion.all(LineDiff(from: base, to: earlier), LineDiff(from: base, to: later)) {
            merged += base[position..<region.base.lowerBound]
            position = region.base.upperBound
            let (one, other) = (earlier[region.earlier], later[region.later])
            if region.isChanged.later == false || one == other {
                merged += one
            } else if region.isChanged.earlier == false {
                merged += other
            } else {
                merged += markers.around(one, other)
                overlaps += 1
                atEnd += region.base.upperBound == base.count ? 1 : 0
            }
        }
        merged += base[position...]
        text = table.text(of: merged, as: reading)
        hasOverlaps = overlaps > 0
        overlapsAtEndAlone = overlaps == 1 && atEnd == 1
    }
}

/// The lines that show a reader both versions of a region.
private struct Markers {
    private let start: [Int]
    private let middle: [Int]
    private let end: [Int]

    init(_ table: inout LineTable) {
        start = table.numbers(of: "<<<<<<< earlier")
        middle = table.numbers(of: "=======")
        end = table.numbers(of: ">>>>>>> later")
    }

    /// Both versions between markers; what they share at their ends stays outside.
    func around(_ earlier: ArraySlice<Int>, _ later: ArraySlice<Int>) -> [Int] {
        let head = earlier.prefix(zip(earlier, later).prefix { $0 == $1 }.count)
        let (one, other) = (earlier.dropFirst(head.count), later.dropFirst(head.count))
        let tail = one.suffix(zip(one.reversed(), other.reversed()).prefix { $0 == $1 }.count)
        return head + start + one.dropLast(tail.count) + middle + other.dropLast(tail.count) + end + tail
    }
}
