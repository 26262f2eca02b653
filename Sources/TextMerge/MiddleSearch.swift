/// Finds the middle of a path through a box of the edit graph.
///
/// The search ends in one of three ways, with the bounds on time of git (which has them from GNU diff): the paths from
/// both ends meet; a path has come unusually far; or the search has cost too much. In the last two cases the difference
/// is correct, but perhaps not the shortest.
struct MiddleSearch {
    let old: UnsafeBufferPointer<Int>
    let new: UnsafeBufferPointer<Int>
    /// The furthest `x` on each diagonal `x - y`, from the start.
    let forward: UnsafeMutableBufferPointer<Int>
    /// The least `x` on each diagonal, from the end.
    let backward: UnsafeMutableBufferPointer<Int>
    /// The number of rounds after which the furthest point reached is used instead of the middle.
    private let costLimit: Int

    /// Returns the number of integers in the memory of a search.
    static func roomNeeded(_ old: UnsafeBufferPointer<Int>, _ new: UnsafeBufferPointer<Int>) -> Int {
        // For each direction: diagonals from -new.count to old.count, and one excluded diagonal at both ends.
        2 * (old.count + new.count + 3)
    }

    /// Creates a search. The memory belongs to the caller and must outlive it.
    init(_ old: UnsafeBufferPointer<Int>, _ new: UnsafeBufferPointer<Int>, in room: UnsafeMutableBufferPointer<Int>) {
        (self.old, self.new) = (old, new)
        forward = UnsafeMutableBufferPointer(rebasing: room[..<(room.count / 2)])
        backward = UnsafeMutableBufferPointer(rebasing: room[(room.count / 2)...])
        // git's bound (XDL_MAX_COST_MIN). Another one would give other differences, so other merges than git's.
        costLimit = max(256, (room.count / 2).roughSquareRoot)
    }

    /// Returns the box without what both sequences share at its ends.
    func trimmed(_ box: Box) -> Box {
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

    /// Returns a point near the middle of a shortest path through the box, or of one that is good enough.
    func middle(of box: Box) -> Split {
        var ahead = Diagonals(box.left - box.top)
        var behind = Diagonals(box.right - box.bottom)
        let bounds = box.left - box.bottom...box.right - box.top
        // If the difference is odd, paths can meet only in a forward step, else only in a backward step (Myers, section
        // 4b).
        let isOdd = (ahead.start - behind.start) % 2 != 0
        forward[entry(ahead.start)] = box.left
        backward[entry(behind.start)] = box.right
        var cost = 1
        while true {
            var hasRun = false
            // An entry of -1 (here) or `.max` (below) never wins the comparison of two neighbouring diagonals.
            ahead.widen(in: bounds) { forward[entry($0)] = -1 }
            if let meeting = advance(ahead, in: box, meeting: isOdd ? behind : nil, &hasRun) { return Split(meeting) }
            behind.widen(in: bounds) { backward[entry($0)] = .max }
            if let meeting = retreat(behind, in: box, meeting: isOdd ? nil : ahead, &hasRun) { return Split(meeting) }
            if !box.exact {
                // git's XDL_HEUR_MIN_COST: below it, the exact search is fast enough.
                if hasRun, cost > 256, let split = promising(ahead, behind, in: box, cost: cost) { return split }
                if cost >= costLimit { return furthest(ahead, behind, in: box) }
            }
            cost += 1
        }
    }

    func matches(_ x: Int, _ y: Int) -> Bool { old[x] == new[y] }

    /// Returns the index of a diagonal's entry; the offset makes the lowest one 0.
    func entry(_ diagonal: Int) -> Int { diagonal + new.count + 1 }

    /// Makes one more edit from the start on each diagonal; returns the point at which the paths from both ends meet.
    private func advance(_ ahead: Diagonals, in box: Box, meeting behind: Diagonals?, _ hasRun: inout Bool) -> Point? {
        for diagonal in ahead.downward {
            let (below, above) = (forward[entry(diagonal - 1)], forward[entry(diagonal + 1)])
            let begin = below >= above ? below + 1 : above
            var x = begin
            while x < box.right, x - diagonal < box.bottom, matches(x, x - diagonal) { x += 1 }
            if x - begin > Self.longRun { hasRun = true }
            forward[entry(diagonal)] = x
            if let behind, behind.range.contains(diagonal), backward[entry(diagonal)] <= x {
                return Point(x: x, diagonal: diagonal)
            }
        }
        return nil
    }

    /// Makes one more edit from the end on each diagonal; returns the point at which the paths from both ends meet.
    private func retreat(_ behind: Diagonals, in box: Box, meeting ahead: Diagonals?, _ hasRun: inout Bool) -> Point? {
        for diagonal in behind.downward {
            let (below, above) = (backward[entry(diagonal - 1)], backward[entry(diagonal + 1)])
            let begin = below < above ? below : above - 1
            var x = begin
            while x > box.left, x - diagonal > box.top, matches(x - 1, x - diagonal - 1) { x -= 1 }
            if begin - x > Self.longRun { hasRun = true }
            backward[entry(diagonal)] = x
            if let ahead, ahead.range.contains(diagonal), x <= forward[entry(diagonal)] {
                return Point(x: x, diagonal: diagonal)
            }
        }
        return nil
    }
}

// Where the search stops before the paths from both ends meet. The part of the box behind the chosen point has been
// searched, so its shortest path can be found exactly.

extension MiddleSearch {
    /// The number of consecutive common lines that makes a path worth following (git's XDL_SNAKE_CNT).
    static let longRun = 20

    /// Returns the end of a path that has come unusually far for its cost and ends in a long run of common lines; nil
    /// if there is none.
    func promising(_ ahead: Diagonals, _ behind: Diagonals, in box: Box, cost: Int) -> Split? {
        var best: (point: Point, progress: Int)?
        for diagonal in ahead.downward {
            let point = Point(x: forward[entry(diagonal)], diagonal: diagonal)
            let progress = point.sum - box.left - box.top - abs(diagonal - ahead.start)
            // 4 is git's XDL_K_HEUR.
            guard progress > max(4 * cost, best?.progress ?? 0), endsRun(point, in: box) else { continue }
            best = (point, progress)
        }
        if let best { return Split(best.point, isExact: (true, false)) }
        for diagonal in behind.downward {
            let point = Point(x: backward[entry(diagonal)], diagonal: diagonal)
            let progress = box.right + box.bottom - point.sum - abs(diagonal - behind.start)
            guard progress > max(4 * cost, best?.progress ?? 0), beginsRun(point, in: box) else { continue }
            best = (point, progress)
        }
        return best.map { Split($0.point, isExact: (false, true)) }
    }

    private func endsRun(_ point: Point, in box: Box) -> Bool {
        box.left + Self.longRun <= point.x && point.x < box.right
            && box.top + Self.longRun <= point.y && point.y < box.bottom
            && (1...Self.longRun).allSatisfy { matches(point.x - $0, point.y - $0) }
    }

    private func beginsRun(_ point: Point, in box: Box) -> Bool {
        box.left < point.x && point.x <= box.right - Self.longRun
            && box.top < point.y && point.y <= box.bottom - Self.longRun
            && (0..<Self.longRun).allSatisfy { matches(point.x + $0, point.y + $0) }
    }

    /// Returns the furthest point reached from either end.
    func furthest(_ ahead: Diagonals, _ behind: Diagonals, in box: Box) -> Split {
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
