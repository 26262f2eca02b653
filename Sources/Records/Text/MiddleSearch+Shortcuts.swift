// Where the search stops before the paths from both ends meet. The part behind the point chosen has been searched, so it
// may be exact.

extension MiddleSearch {
    /// So many common lines in a row make a path worth following.
    static let longRun = 20

    /// A path that has come unusually far for its cost, and has a long run of common lines at its end.
    func promising(_ ahead: Diagonals, _ behind: Diagonals, in box: Box, cost: Int) -> Split? {
        var best: (point: Point, progress: Int)?
        for diagonal in ahead.downward {
            let point = Point(x: forward[entry(diagonal)], diagonal: diagonal)
            let progress = point.sum - box.left - box.top - abs(diagonal - ahead.start)
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

    /// The furthest point reached from either end.
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
