/// The lines of a text among which a difference is searched; the others are decided beforehand, as git does.
///
/// What both texts share at their ends has surely not changed. A line that the other text lacks surely has. A line that
/// the other text has very often (a blank one, a brace) counts as changed where nearly all lines around it are missing
/// from the other text: as a partner it would only tear the change apart.
struct SearchedLines {
    /// The lines, in order.
    private(set) var lines: [Int] = []
    /// The positions of the lines in the text.
    private(set) var places: [Int] = []
    /// The places of the lines that count as changed without a search.
    private(set) var changes: [Int] = []

    /// The lines of both texts to be searched.
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

/// How often the other text has each line of a range.
private struct Partners {
    private enum Number { case none, few, many }

    private let range: Range<Int>
    private let numbers: [Number]

    init(of text: [Int], in range: Range<Int>, among other: [Int]) {
        var counts = Array(repeating: 0, count: max(text.max() ?? 0, other.max() ?? 0) + 1)
        for line in other { counts[line] += 1 }
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

    /// Whether a line with many partners is among lines of which most have none. The run of lines around it counts, up
    /// to the next line with few partners, and no more than 100 lines either way.
    private func isAmongMissing(_ place: Int) -> Bool {
        let index = place - range.lowerBound
        let before = run(stride(from: index - 1, through: max(0, index - 100), by: -1))
        guard before.missing > 0 else { return false }
        let after = run(stride(from: index + 1, through: min(numbers.count - 1, index + 100), by: 1))
        guard after.missing > 0 else { return false }
        // The line itself counts twice, once with either run.
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
    /// A power of two near the square root: as git takes it where only the order of magnitude counts.
    var roughSquareRoot: Int { 1 << ((bitWidth - leadingZeroBitCount + 1) / 2) }
}
