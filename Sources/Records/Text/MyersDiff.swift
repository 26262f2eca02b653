/// The shortest difference of two sequences in linear space (Myers, "An O(ND) Difference Algorithm and Its Variations",
/// 1986, section 4b): find a point in the middle of a shortest path, then do the same on both sides of it.
///
/// Beyond `costLimit` rounds the furthest point reached stands in for the middle (as in GNU diff), which bounds the time;
/// the difference is then right, though perhaps not the shortest.
struct MyersDiff {
    private let old: [(place: Int, line: Int)]
    private let new: [(place: Int, line: Int)]
    /// The furthest `x` on each diagonal `x - y`, from the start and from the end.
    private var forward: [Int]
    private var backward: [Int]
    private let costLimit: Int

    /// The places of the old lines without a partner.
    private(set) var oldChanges: [Int] = []
    /// The places of the new lines without a partner.
    private(set) var newChanges: [Int] = []

    init(old: [(place: Int, line: Int)], new: [(place: Int, line: Int)]) {
        self.old = old
        self.new = new
        let diagonals = old.count + new.count + 3
        forward = Array(repeating: 0, count: diagonals)
        backward = Array(repeating: 0, count: diagonals)
        costLimit = max(256, Int(Double(diagonals).squareRoot()))
    }

    /// Finds the changes. The work is a stack and no recursion, so that no text can exhaust the thread's own.
    mutating func run() {
        var work = [Box(left: 0, right: old.count, top: 0, bottom: new.count, exact: false)]
        while let next = work.popLast() {
            let box = trimmed(next)
            if box.left == box.right {
                newChanges += new[box.top..<box.bottom].lazy.map(\.place)
            } else if box.top == box.bottom {
                oldChanges += old[box.left..<box.right].lazy.map(\.place)
            } else {
                work += box.split(at: middle(of: box))
            }
        }
    }

    /// The box without what both sequences share at its ends.
    private func trimmed(_ box: Box) -> Box {
        var box = box
        while box.left < box.right, box.top < box.bottom, matches(box.left, box.top) {
            box.left += 1
            box.top += 1
        }
        while box.left < box.right, box.top < box.bottom, matches(box.right - 1, box.bottom - 1) {
            box.right -= 1
            box.bottom -= 1
        }
        return box
    }

    private func matches(_ x: Int, _ y: Int) -> Bool { old[x].line == new[y].line }

    /// Where the array entry of a diagonal is.
    private func entry(_ diagonal: Int) -> Int { diagonal + new.count + 1 }

    /// A point on a shortest path through the box, about its middle.
    private mutating func middle(of box: Box) -> Split {
        var ahead = Diagonals(box.left - box.top)
        var behind = Diagonals(box.right - box.bottom)
        let bounds = box.left - box.bottom...box.right - box.top
        let isOdd = (ahead.range.lowerBound - behind.range.lowerBound) % 2 != 0
        forward[entry(ahead.range.lowerBound)] = box.left
        backward[entry(behind.range.lowerBound)] = box.right
        var cost = 1
        while true {
            for outside in ahead.widen(in: bounds) { forward[entry(outside)] = -1 }
            if let meeting = advance(ahead, in: box, meeting: isOdd ? behind : nil) { return Split(meeting) }
            for outside in behind.widen(in: bounds) { backward[entry(outside)] = .max }
            if let meeting = retreat(behind, in: box, meeting: isOdd ? nil : ahead) { return Split(meeting) }
            if !box.exact, cost >= costLimit { return furthest(ahead, behind, in: box) }
            cost += 1
        }
    }

    /// One more edit from the start on each diagonal; the point where the paths from both ends meet.
    private mutating func advance(_ ahead: Diagonals, in box: Box, meeting behind: Diagonals?) -> Point? {
        for diagonal in ahead.downward {
            let (below, above) = (forward[entry(diagonal - 1)], forward[entry(diagonal + 1)])
            var x = below >= above ? below + 1 : above
            while x < box.right, x - diagonal < box.bottom, matches(x, x - diagonal) { x += 1 }
            forward[entry(diagonal)] = x
            if let behind, behind.range.contains(diagonal), backward[entry(diagonal)] <= x {
                return Point(x: x, diagonal: diagonal)
            }
        }
        return nil
    }

    /// One more edit from the end on each diagonal; the point where the paths from both ends meet.
    private mutating func retreat(_ behind: Diagonals, in box: Box, meeting ahead: Diagonals?) -> Point? {
        for diagonal in behind.downward {
            let (below, above) = (backward[entry(diagonal - 1)], backward[entry(diagonal + 1)])
            var x = below < above ? below : above - 1
            while x > box.left, x - diagonal > box.top, matches(x - 1, x - diagonal - 1) { x -= 1 }
            backward[entry(diagonal)] = x
            if let ahead, ahead.range.contains(diagonal), x <= forward[entry(diagonal)] {
                return Point(x: x, diagonal: diagonal)
            }
        }
        return nil
    }

    /// The furthest point reached from either end. The part behind it has been searched, so it may be exact.
    private func furthest(_ ahead: Diagonals, _ behind: Diagonals, in box: Box) -> Split {
        let reached = ahead.downward.map { box.clamped(x: forward[entry($0)], diagonal: $0) }
        let returned = behind.downward.map { box.clamped(x: backward[entry($0)], diagonal: $0) }
        let start = Point(x: box.left, diagonal: box.left - box.top)
        let end = Point(x: box.right, diagonal: box.right - box.bottom)
        let best = reached.max { $0.sum < $1.sum } ?? start
        let last = returned.min { $0.sum < $1.sum } ?? end
        return end.sum - last.sum < best.sum - start.sum
            ? Split(best, isExact: (true, false)) : Split(last, isExact: (false, true))
    }
}
