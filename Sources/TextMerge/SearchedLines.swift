/// The lines of a text in which a difference is searched; the others are decided in advance, as in git.
///
/// What both texts share at their ends is unchanged. A line that the other text lacks is changed. A line that is very
/// frequent in the other text (a blank one, a brace) counts as changed if the other text lacks nearly all lines around
/// it: as a partner, it would only split the change.
struct SearchedLines {
    /// The lines, in order.
    private(set) var lines: [Int] = []
    /// The indices of the lines in the text.
    private(set) var places: [Int] = []
    /// The indices of the lines that count as changed without a search.
    private(set) var changes: [Int] = []

    /// Returns the lines of both texts to be searched.
    static func of(_ old: [Int], _ new: [Int]) -> (old: SearchedLines, new: SearchedLines) {
        let most = min(old.count, new.count)
        var head = 0
        while head < most, old[head] == new[head] { head += 1 }
        var tail = 0
        while tail < most - head, old[old.count - 1 - tail] == new[new.count - 1 - tail] { tail += 1 }
        return (
            SearchedLines(of: old, in: head..<old.count - tail, against: new),
            SearchedLines(of: new, in: head..<new.count - tail, against: old)
        )
    }

    private init(of text: [Int], in range: Range<Int>, against other: [Int]) {
        let partners = Partners(of: text, in: range, among: other)
        lines.reserveCapacity(range.count)
        places.reserveCapacity(range.count)
        for place in range {
            if partners.areWorthSearching(at: place) {
                lines.append(text[place])
                places.append(place)
            } else {
                changes.append(place)
            }
        }
    }
}

/// The frequency in the other text of each line of a range.
private struct Partners {
    private enum Number { case none, few, many }

    private let range: Range<Int>
    private let numbers: [Number]

    init(of text: [Int], in range: Range<Int>, among other: [Int]) {
        var counts = Array(repeating: 0, count: max(text.max() ?? 0, other.max() ?? 0) + 1)
        for line in other { counts[line] += 1 }
        // git's bound: about the square root of the number of lines, at most 1,024 (XDL_MAX_EQLIMIT).
        let many = min(text.count.roughSquareRoot, 1_024)
        self.range = range
        numbers = text[range].map { counts[$0] == 0 ? .none : counts[$0] < many ? .few : .many }
    }

    func areWorthSearching(at place: Int) -> Bool {
        switch numbers[place - range.lowerBound] {
        case .none: false
        case .few: true
        case .many: !isAmongMissing(place)
        }
    }

    /// Returns whether a line with many partners is among lines of which most have none. Only the run of lines around
    /// it counts, up to the next line with few partners, and at most 100 lines in both directions (git's
    /// XDL_SIMSCAN_WINDOW).
    private func isAmongMissing(_ place: Int) -> Bool {
        let index = place - range.lowerBound
        let before = run(stride(from: index - 1, through: max(0, index - 100), by: -1))
        guard before.missing > 0 else { return false }
        let after = run(stride(from: index + 1, through: min(numbers.count - 1, index + 100), by: 1))
        guard after.missing > 0 else { return false }
        // The line itself is counted twice, once with each run, and the factor is 4 (XDL_KPDIS_RUN), as in git.
        let (missing, many) = (before.missing + after.missing, before.many + after.many + 2)
        return many * 4 < many + missing
    }

    private func run(_ indices: StrideThrough<Int>) -> (missing: Int, many: Int) {
        var (missing, many) = (0, 0)
        for index in indices {
            switch numbers[index] {
            case .none: missing += 1
            case .many: many += 1
            case .few: return (missing, many)
            }
        }
        return (missing, many)
    }
}

extension Int {
    /// A power of two near the square root, as in git, where only the order of magnitude matters.
    var roughSquareRoot: Int { 1 << ((bitWidth - leadingZeroBitCount + 1) / 2) }
}
