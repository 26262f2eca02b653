/// The three-way merge of a text, line by line (Khanna, Kunal and Pierce, "A Formal Investigation of Diff3", 2007).
///
/// As in git, changes that overlap or touch make one region. Where both sides changed a region to the same lines, these
/// are taken once; else both versions stay, between markers, the earlier one first.
public struct MergedText: Sendable {
    /// The merged text.
    public let text: String
    /// The lines of which the text has both versions, in their order.
    public let overlaps: [TextOverlap]
    /// Whether the text has both versions of some lines, between markers.
    public var hasOverlaps: Bool { !overlaps.isEmpty }
    /// Whether the one overlap, if any, is at the end of the base.
    private let overlapsAtEndAlone: Bool

    /// Merges two edited versions of a text.
    ///
    /// - Parameters:
    ///   - base: the text that both versions come from.
    ///   - earlier: the version that was edited first.
    ///   - later: the version that was edited last.
    public init(base: String, earlier: String, later: String) {
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
        var merged: [Int] = []
        var position = 0
        var overlaps: [TextOverlap] = []
        var isLastAtEnd = false
        for region in ChangedRegion.all(LineDiff(from: base, to: earlier), LineDiff(from: base, to: later)) {
            merged += base[position..<region.base.lowerBound]
            position = region.base.upperBound
            let (one, other) = (earlier[region.earlier], later[region.later])
            if region.isChanged.later == false || one == other {
                merged += one
            } else if region.isChanged.earlier == false {
                merged += other
            } else {
                let isCRLF = table.isCRLF(around: region, base, earlier, later, as: reading)
                let isAtEnd = region.base.upperBound == base.count
                let endsOpen = isAtEnd && table.endsOpen(earlier, later, as: reading)
                let differing = TextOverlap(earlier, region.earlier, later, region.later)
                merged += Markers(isCRLF: isCRLF).around(
                    differing, of: one, other, endsOpen: endsOpen, as: reading, in: &table)
                overlaps.append(differing)
                isLastAtEnd = isAtEnd
            }
        }
        merged += base[position...]
        text = table.text(of: merged, as: reading)
        self.overlaps = overlaps
        overlapsAtEndAlone = overlaps.count == 1 && isLastAtEnd
    }
}

/// The lines that show a reader both versions of a region, with the line ends of the text.
struct Markers {
    static let (start, middle, end) = ("<<<<<<< earlier", "=======", ">>>>>>> later")
    let isCRLF: Bool

    /// Both versions of a region between markers; what they share at their ends stays outside.
    ///
    /// - Parameters:
    ///   - differing: the lines of the two versions that differ.
    ///   - endsOpen: whether the versions end with the text, so that their last lines have no line end.
    fileprivate func around(
        _ differing: TextOverlap, of earlier: ArraySlice<Int>, _ later: ArraySlice<Int>, endsOpen: Bool,
        as reading: LineTable.Reading, in table: inout LineTable
    ) -> [Int] {
        let head = earlier[..<differing.earlier.lowerBound]
        let tail = earlier[differing.earlier.upperBound...]
        var (one, other) = (earlier[differing.earlier], later[differing.later])
        let isLast = endsOpen && tail.isEmpty
        if isLast, isCRLF { (one, other) = (table.ended(one), table.ended(other)) }
        var lines = Array(head) + line(Self.start, &table)
        lines += one
        lines += line(Self.middle, &table)
        lines += other
        lines += isLast ? table.numbers(of: Self.end, as: reading) : line(Self.end, &table)
        return lines + tail
    }

    private func line(_ text: String, _ table: inout LineTable) -> [Int] {
        table.numbers(of: isCRLF ? text + "\r" : text)
    }
}

extension LineTable {
    /// Whether both texts end without a line end, as far as the reading shows.
    fileprivate func endsOpen(_ earlier: [Int], _ later: [Int], as reading: Reading) -> Bool {
        [earlier, later].allSatisfy { ended($0, as: reading).count < $0.count }
    }

    /// How the lines next to a region end, as git decides it: with CRLF if that is so in both versions, and in the
    /// base. A text of one line that has no end doesn't count.
    fileprivate func isCRLF(
        around region: ChangedRegion, _ base: [Int], _ earlier: [Int], _ later: [Int], as reading: Reading
    ) -> Bool {
        let ends = [
            endsInCR(before: region.earlier.lowerBound, of: ended(earlier, as: reading)),
            endsInCR(before: region.later.lowerBound, of: ended(later, as: reading)),
            endsInCR(before: 0, of: ended(base, as: reading)),
        ]
        return ends.contains(true) && !ends.contains(false)
    }

    /// Whether the line before a place (the first at the beginning) ends with CRLF; nil where no line ends.
    private func endsInCR(before place: Int, of ended: ArraySlice<Int>) -> Bool? {
        if ended.isEmpty { return nil }
        return text(of: [ended[min(max(place - 1, 0), ended.count - 1)]]).utf8.last == UInt8(ascii: "\r")
    }

    /// The lines, the last one with the carriage return that it hadn't at the end of the text.
    fileprivate mutating func ended(_ lines: ArraySlice<Int>) -> ArraySlice<Int> {
        guard let last = lines.last else { return lines }
        return lines.dropLast() + numbers(of: text(of: [last]) + "\r")
    }
}
