/// The lines of a text, each with a mark whether it has no partner in the other text.
struct ChangedLines {
    let lines: [Int]
    var changed: [Bool]

    init(_ lines: [Int]) {
        self.lines = lines
        changed = Array(repeating: false, count: lines.count)
    }

    /// Marks the lines at these places as changed.
    mutating func mark(_ places: some Sequence<Int>) {
        for place in places { changed[place] = true }
    }

    /// Moves each group of changed lines as far down as equal lines allow; if the other text has a group at some of
    /// these places, to the last such place.
    ///
    /// With repeated lines, several differences are equally short ("which of the two blank lines is new?"). This is
    /// git's choice, so that texts merge as in git.
    mutating func slideGroups(against other: ChangedLines) {
        var group = Group(firstOf: changed)
        var partner = Group(firstOf: other.changed)
        repeat {
            if !group.isEmpty { slide(&group, &partner, other.changed) }
            partner.moveOn(other.changed)
        } while group.moveOn(changed)
    }

    private mutating func slide(_ group: inout Group, _ partner: inout Group, _ other: [Bool]) {
        var size: Int
        var top: Int
        var isPaired: Bool
        repeat {
            size = group.range.count
            // Up first, as far as possible: on the way, the group is joined with the groups that it meets above.
            while slideUp(&group) { partner.moveBack(other) }
            top = group.range.upperBound
            isPaired = !partner.isEmpty
            while slideDown(&group) {
                partner.moveOn(other)
                if !partner.isEmpty { isPaired = true }
            }
            // A group that was joined with another one may slide further than before.
        } while group.range.count != size
        guard group.range.upperBound != top, isPaired else { return }
        // Return to the last place at which the other text has a group, too: a replacement instead of a deletion and an
        // insertion.
        while partner.isEmpty, slideUp(&group) { partner.moveBack(other) }
    }

    private mutating func slideUp(_ group: inout Group) -> Bool {
        let (start, end) = (group.range.lowerBound, group.range.upperBound)
        guard start > 0, lines[start - 1] == lines[end - 1] else { return false }
        changed[start - 1] = true
        changed[end - 1] = false
        group.range = start - 1..<end - 1
        group.growUp(changed)
        return true
    }

    private mutating func slideDown(_ group: inout Group) -> Bool {
        let (start, end) = (group.range.lowerBound, group.range.upperBound)
        guard end < lines.count, lines[start] == lines[end] else { return false }
        changed[start] = false
        changed[end] = true
        group.range = start + 1..<end + 1
        group.growDown(changed)
        return true
    }
}

/// The changed lines, if any, between two neighbouring unchanged lines. Both texts have the same number of such groups,
/// since the unchanged lines are partners.
private struct Group {
    var range: Range<Int>

    init(firstOf changed: [Bool]) {
        range = 0..<0
        growDown(changed)
    }

    var isEmpty: Bool { range.isEmpty }

    /// Moves to the next group; returns false at the end.
    @discardableResult
    mutating func moveOn(_ changed: [Bool]) -> Bool {
        guard range.upperBound < changed.count else { return false }
        range = range.upperBound + 1..<range.upperBound + 1
        growDown(changed)
        return true
    }

    /// Moves to the previous group.
    mutating func moveBack(_ changed: [Bool]) {
        guard range.lowerBound > 0 else { return }
        range = range.lowerBound - 1..<range.lowerBound - 1
        growUp(changed)
    }

    mutating func growUp(_ changed: [Bool]) {
        var start = range.lowerBound
        while start > 0, changed[start - 1] { start -= 1 }
        range = start..<range.upperBound
    }

    mutating func growDown(_ changed: [Bool]) {
        var end = range.upperBound
        while end < changed.count, changed[end] { end += 1 }
        range = range.lowerBound..<end
    }
}

/// A run of lines of the base that one side or both changed; changes that overlap or touch are one region.
struct ChangedRegion {
    /// The lines of the base; empty if lines were only inserted.
    let base: Range<Int>
    /// The lines of the earlier version in this region.
    let earlier: Range<Int>
    /// The lines of the later version in this region.
    let later: Range<Int>
    /// The versions that differ from the base in this region.
    let isChanged: (earlier: Bool, later: Bool)

    /// Returns the regions of two differences from one base, in order.
    static func all(_ earlier: LineDiff, _ later: LineDiff) -> [ChangedRegion] {
        var (one, other) = (Hunks(earlier), Hunks(later))
        var regions: [ChangedRegion] = []
        while let start = [one.nextStart, other.nextStart].compactMap({ $0 }).min() {
            let (oneBefore, otherBefore) = (one, other)
            var end = start
            // A hunk of one side moves `end`, and may so reach the next hunk of the other side: repeat until neither
            // does.
            while one.next(touching: &end) || other.next(touching: &end) {}
            regions.append(
                // Outside of the hunks, a side has the base's lines, moved by `shift`: this maps both ends of the
                // region to it.
                ChangedRegion(
                    base: start..<end,
                    earlier: start + oneBefore.shift..<end + one.shift,
                    later: start + otherBefore.shift..<end + other.shift,
                    isChanged: (one.used > oneBefore.used, other.used > otherBefore.used)))
        }
        return regions
    }
}

/// The hunks of one side, applied one after the other.
private struct Hunks {
    private let hunks: [LineDiff.Hunk]
    /// The number of hunks applied so far.
    private(set) var used = 0
    /// The offset of the side's lines from the base's lines after the hunks applied so far.
    private(set) var shift = 0

    init(_ diff: LineDiff) { hunks = diff.hunks }

    var nextStart: Int? { used < hunks.count ? hunks[used].old.lowerBound : nil }

    /// Applies the next hunk if it starts at or before `end`, and moves `end` behind it.
    mutating func next(touching end: inout Int) -> Bool {
        // `<=`: changes that only touch are one region, as in git.
        guard let start = nextStart, start <= end else { return false }
        end = max(end, hunks[used].old.upperBound)
        shift = hunks[used].new.upperBound - hunks[used].old.upperBound
        used += 1
        return true
    }
}
