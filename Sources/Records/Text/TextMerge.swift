/// The three-way merge of a text, line by line (Khanna, Kunal and Pierce, "A Formal Investigation of Diff3", 2007).
///
/// As in git, changes that overlap or touch make one region. Where both sides changed a region to the same lines, these
/// are taken once; else both versions stay, between markers, the earlier one first.
struct TextMerge {
    /// The merged text.
    let text: String
    /// Whether both versions of some lines stand in it.
    let hasOverlaps: Bool

    init(base: String, earlier: String, later: String) {
        var table = LineTable()
        let base = table.numbers(of: base)
        let (earlier, later) = (table.numbers(of: earlier), table.numbers(of: later))
        let markers = Markers(&table)
        var merged: [Int] = []
        var position = 0
        var hasOverlaps = false
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
                hasOverlaps = true
            }
        }
        merged += base[position...]
        text = table.text(of: merged)
        self.hasOverlaps = hasOverlaps
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
