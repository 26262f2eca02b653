/// The shortest difference of two sequences in linear space (Myers, "An O(ND) Difference Algorithm and Its Variations",
/// 1986, section 4b): find a point in the middle of a shortest path, then do the same on both sides of it.
struct MyersDiff {
    /// The places of the old lines without a partner, in no particular order.
    private(set) var oldChanges: [Int] = []
    /// The places of the new lines without a partner, in no particular order.
    private(set) var newChanges: [Int] = []

    init(old: [Int], new: [Int]) {
        // Unsafe buffers: the search consists of array accesses, and takes half the time without bounds checks.
        old.withUnsafeBufferPointer { old in
            new.withUnsafeBufferPointer { new in
                let size = MiddleSearch.roomNeeded(old, new)
                withUnsafeTemporaryAllocation(of: Int.self, capacity: size) { room in
                    room.initialize(repeating: 0)
                    run(MiddleSearch(old, new, in: room))
                }
            }
        }
    }

    /// Finds the changes. The work is a stack of boxes instead of a recursion, so that no text can exhaust the thread's
    /// stack.
    private mutating func run(_ search: MiddleSearch) {
        var work = [Box(left: 0, right: search.old.count, top: 0, bottom: search.new.count, exact: false)]
        while let next = work.popLast() {
            let box = search.trimmed(next)
            if box.left == box.right {
                newChanges += box.top..<box.bottom
            } else if box.top == box.bottom {
                oldChanges += box.left..<box.right
            } else {
                work += box.split(at: search.middle(of: box))
            }
        }
    }
}

// The parts of the edit graph in which `MiddleSearch` searches.

/// A point of the edit graph: `x` old lines and `x - diagonal` new lines precede it.
struct Point {
    let x: Int
    let diagonal: Int
    var y: Int { x - diagonal }
    var sum: Int { x + y }
}

/// A point that divides a box, and in which of its two parts the shortest path is required.
struct Split {
    let point: Point
    let isExact: (before: Bool, after: Bool)

    init(_ point: Point, isExact: (before: Bool, after: Bool) = (true, true)) {
        self.point = point
        self.isExact = isExact
    }
}

/// A part of the edit graph: the old lines from `left` to `right`, the new ones from `top` to `bottom`.
struct Box {
    var left: Int
    var right: Int
    var top: Int
    var bottom: Int
    /// Whether the shortest path is required, at any cost.
    let exact: Bool

    func split(at split: Split) -> [Box] {
        let point = split.point
        return [
            Box(left: left, right: point.x, top: top, bottom: point.y, exact: split.isExact.before),
            Box(left: point.x, right: right, top: point.y, bottom: bottom, exact: split.isExact.after),
        ]
    }

    /// Returns the nearest point of the diagonal inside the box.
    func clamped(x: Int, diagonal: Int) -> Point {
        let least = max(left, top + diagonal)
        let most = min(right, bottom + diagonal)
        return Point(x: min(max(x, least), most), diagonal: diagonal)
    }
}

/// The diagonals under search: every second one of a range that grows with each edit, within the box.
struct Diagonals {
    /// The diagonal of the end at which the search starts.
    let start: Int
    private(set) var range: ClosedRange<Int>

    init(_ start: Int) {
        self.start = start
        range = start...start
    }

    /// Widens the range by one edit; `exclude` receives the diagonals just outside, whose entries must not be used.
    mutating func widen(in bounds: ClosedRange<Int>, exclude: (Int) -> Void) {
        var (low, high) = (range.lowerBound, range.upperBound)
        // At the edge of the box the range shrinks: each edit changes the parity of the diagonals that can be reached.
        if low > bounds.lowerBound {
            low -= 1
            exclude(low - 1)
        } else {
            low += 1
        }
        if high < bounds.upperBound {
            high += 1
            exclude(high + 1)
        } else {
            high -= 1
        }
        range = low...high
    }

    var downward: StrideThrough<Int> { stride(from: range.upperBound, through: range.lowerBound, by: -2) }
}
