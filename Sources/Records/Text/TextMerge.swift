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
                let markers = Markers(isCRLF: table.isCRLF(around: region, base, earlier, later))
                let isAtEnd = region.base.upperBound == base.count
                merged += markers.around(one, other, isAtEnd: isAtEnd, in: &table)
                hasOverlaps = true
            }
        }
        merged += base[position...]
        text = table.text(of: merged)
        self.hasOverlaps = hasOverlaps
    }
}

/// The lines that show a reader both versions of a region, with the line ends of the text.
struct Markers {
    static let (start, middle, end) = ("<<<<<<< earlier", "=======", ">>>>>>> later")
    let isCRLF: Bool

    /// Both versions between markers; what they share at their ends stays outside.
    ///
    /// - Parameter isAtEnd: whether the versions end with the text, so that their last lines have no line end.
    fileprivate func around(
        _ earlier: ArraySlice<Int>, _ later: ArraySlice<Int>, isAtEnd: Bool, in table: inout LineTable
    ) -> [Int] {
        let head = earlier.prefix(zip(earlier, later).prefix { $0 == $1 }.count)
        var (one, other) = (earlier.dropFirst(head.count), later.dropFirst(head.count))
        let tail = one.suffix(zip(one.reversed(), other.reversed()).prefix { $0 == $1 }.count)
        (one, other) = (one.dropLast(tail.count), other.dropLast(tail.count))
        let isLast = isAtEnd && tail.isEmpty
        if isLast, isCRLF { (one, other) = (table.ended(one), table.ended(other)) }
        var lines = Array(head) + line(Self.start, &table)
        lines += one
        lines += line(Self.middle, &table)
        lines += other
        lines += isLast ? table.numbers(of: Self.end) : line(Self.end, &table)
        return lines + tail
    }

    private func line(_ text: String, _ table: inout LineTable) -> [Int] {
        table.numbers(of: isCRLF ? text + "\r" : text)
    }
}

extension LineTable {
    /// How the lines beside a region end, as git decides it: with CRLF if that is so in both versions, and in the base. A
    /// text of one line that has no end doesn't count.
    fileprivate func isCRLF(around region: ChangedRegion, _ base: [Int], _ earlier: [Int], _ later: [Int]) -> Bool {
        let ends = [
            endsInCR(before: region.earlier.lowerBound, of: earlier),
            endsInCR(before: region.later.lowerBound, of: later), endsInCR(before: 0, of: base),
        ]
        return ends.contains(true) && !ends.contains(false)
    }

    /// Whether the line before a place (the first at the beginning) ends with CRLF; nil where no line ends.
    private func endsInCR(before place: Int, of lines: [Int]) -> Bool? {
        let ended = lines.dropLast()
        if ended.isEmpty { return nil }
        return text(of: [ended[min(max(place - 1, 0), ended.count - 1)]]).utf8.last == UInt8(ascii: "\r")
    }

    /// The lines, the last one with the carriage return that it hadn't at the end of the text.
    fileprivate mutating func ended(_ lines: ArraySlice<Int>) -> ArraySlice<Int> {
        guard let last = lines.last else { return lines }
        return lines.dropLast() + numbers(of: text(of: [last]) + "\r")
    }
}
