/// The three-way merge of a text, line by line (Khanna, Kunal and Pierce, "A Formal Investigation of Diff3", 2007).
///
/// As in git, changes that overlap or touch form one region. If both sides changed a region to the same lines, these
/// are used once; else both versions are kept between markers, the earlier one first.
public struct MergedText: Sendable {
    /// The merged text.
    public let text: String
    /// The lines of which the text has both versions, in order.
    public let overlaps: [TextOverlap]
    /// Whether the text has both versions of some lines, between markers.
    public var hasOverlaps: Bool { !overlaps.isEmpty }
    /// Whether there is exactly one overlap, at the end of the base.
    private let overlapsAtEndAlone: Bool

    /// Merges two edited versions of a text.
    ///
    /// - Parameters:
    ///   - base: The text from which both versions derive.
    ///   - earlier: The version that was edited first.
    ///   - later: The version that was edited last.
    public init(base: String, earlier: String, later: String) {
        self.init(base: base, earlier: earlier, later: later, as: .ended)
        // If a last line feed is missing, the other reading may find no overlap at the end (record 0001 of Records).
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

/// The marker lines around both versions of a region, with the line ends of the text.
struct Markers {
    // Not "mine" and "theirs": all devices must write the same text (record 0001 of Records).
    static let (start, middle, end) = ("<<<<<<< earlier", "=======", ">>>>>>> later")
    let isCRLF: Bool

    /// Returns both versions of a region between markers; equal lines at their ends are outside of the markers.
    ///
    /// - Parameters:
    ///   - differing: The lines of the two versions that differ.
    ///   - endsOpen: Whether the versions are at the end of the text, so that their last lines have no line end.
    fileprivate func around(
        _ differing: TextOverlap, of earlier: ArraySlice<Int>, _ later: ArraySlice<Int>, endsOpen: Bool,
        as reading: LineTable.Reading, in table: inout LineTable
    ) -> [Int] {
        let head = earlier[..<differing.earlier.lowerBound]
        let tail = earlier[differing.earlier.upperBound...]
        var (one, other) = (earlier[differing.earlier], later[differing.later])
        let isLast = endsOpen && tail.isEmpty
        // A marker now follows these lines, so that they need a line end like the others.
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
    /// Returns whether both texts end without a line end, as far as the reading distinguishes that.
    fileprivate func endsOpen(_ earlier: [Int], _ later: [Int], as reading: Reading) -> Bool {
        [earlier, later].allSatisfy { ended($0, as: reading).count < $0.count }
    }

    /// Returns whether the lines next to a region end in CRLF, by git's rule: in both versions and in the base. A text
    /// without a line end is ignored.
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

    /// Returns whether the line before a place (the first line at the beginning) ends in CRLF; nil if no line has an
    /// end.
    private func endsInCR(before place: Int, of ended: ArraySlice<Int>) -> Bool? {
        if ended.isEmpty { return nil }
        return text(of: [ended[min(max(place - 1, 0), ended.count - 1)]]).utf8.last == UInt8(ascii: "\r")
    }

    /// Returns the lines, the last one with the carriage return that it lacked at the end of the text.
    fileprivate mutating func ended(_ lines: ArraySlice<Int>) -> ArraySlice<Int> {
        guard let last = lines.last else { return lines }
        return lines.dropLast() + numbers(of: text(of: [last]) + "\r")
    }
}
