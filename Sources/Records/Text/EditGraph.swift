// The parts of the edit graph in which `MyersDiff` searches.

/// A point of the edit graph: `x` old lines and `x - diagonal` new ones are behind it.
struct Point {
    let x: Int
    let diagonal: Int
    var y: Int { x - diagonal }
    var sum: Int { x + y }
}

/// A point that divides a box, and for which of its two parts the shortest path is wanted.
struct Split {
    let point: Point
    let isExact: (before: Bool, after: Bool)

    init(_ point: Point, isExact: (before: Bool, after: Bool) = (true, true)) {
        self.point = point
        self.isExact = isExact
    }
}

/// A part of the edit graph: old lines from `left` to `right`, new ones from `top` to `bottom`.
struct Box {
    var left: Int
    var right: Int
    var top: Int
    var bottom: Int
    /// Whether the shortest path is wanted at any cost.
    let exact: Bool

    func split(at split: Split) -> [Box] {
        let point = split.point
        return [
            Box(left: left, right: point.x, top: top, bottom: point.y, exact: split.isExact.before),
            Box(left: point.x, right: right, top: point.y, bottom: bottom, exact: split.isExact.after),
        ]
    }

    /// The nearest point of the diagonal inside the box.
    func clamped(x: Int, diagonal: Int) -> Point {
        let least = max(left, top + diagonal)
        let most = min(right, bottom + diagonal)
        return Point(x: min(max(x, least), most), diagonal: diagonal)
    }
}

/// The diagonals under search: every second one of a range that grows with each edit, as far as the box goes.
struct Diagonals {
    private(set) var range: ClosedRange<Int>

    init(_ start: Int) { range = start...start }

    /// Takes in one more edit; returns the diagonals just outside, whose entries must not count.
    mutating func widen(in bounds: ClosedRange<Int>) -> [Int] {
        var outside: [Int] = []
        var (low, high) = (range.lowerBound, range.upperBound)
        if low > bounds.lowerBound {
            low -= 1
            outside.append(low - 1)
        } else {
            low += 1
        }
        if high < bounds.upperBound {
            high += 1
            outside.append(high + 1)
        } else {
            high -= 1
        }
        range = low...high
        return outside
    }

    var downward: StrideThrough<Int> { stride(from: range.upperBound, through: range.lowerBound, by: -2) }
}
