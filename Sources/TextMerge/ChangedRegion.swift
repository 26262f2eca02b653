/// A run of lines of the base that one side changed, or both; changes that overlap or touch are one.
struct ChangedRegion {
    /// The lines of the base; none where lines were only inserted.
    let base: Range<Int>
    /// The lines of the earlier version in this region.
    let earlier: Range<Int>
    /// The lines of the later version in this region.
    let later: Range<Int>
    /// Which sides changed them.
    let isChanged: (earlier: Bool, later: Bool)

    /// The regions that two differences from one base make, in order.
    static func all(_ earlier: LineDiff, _ later: LineDiff) -> [ChangedRegion] {
        var (one, other) = (Hunks(earlier), Hunks(later))
        var regions: [ChangedRegion] = []
        while let start = [one.nextStart, other.nextStart].compactMap({ $0 }).min() {
            let (oneBefore, otherBefore) = (one, other)
            var end = start
            while one.take(touching: &end) || other.take(touching: &end) {}
            regions.append(
                ChangedRegion(
                    base: start..<end,
                    earlier: start + oneBefore.shift..<end + one.shift,
                    later: start + otherBefore.shift..<end + other.shift,
                    isChanged: (one.taken > oneBefore.taken, other.taken > otherBefore.taken)))
        }
        return regions
    }
}

/// The hunks of one side, applied one after the other.
private struct Hunks {
    private let hunks: [LineDiff.Hunk]
    /// How many have been applied.
    private(set) var taken = 0
    /// The offset of the side's lines from the base's, after the hunks applied so far.
    private(set) var shift = 0

    init(_ diff: LineDiff) { hunks = diff.hunks }

    var nextStart: Int? { taken < hunks.count ? hunks[taken].old.lowerBound : nil }

    /// Applies the next hunk if it starts at `end` or before, and moves `end` behind it.
    mutating func take(touching end: inout Int) -> Bool {
        guard let start = nextStart, start <= end else { return false }
        end = max(end, hunks[taken].old.upperBound)
        shift = hunks[taken].new.upperBound - hunks[taken].old.upperBound
        taken += 1
        return true
    }
}
