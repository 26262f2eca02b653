/// The shortest difference of two sequences in linear space (Myers, "An O(ND) Difference Algorithm and Its Variations",
/// 1986, section 4b): find a point in the middle of a shortest path, then do the same on both sides of it.
struct MyersDiff {
    /// The places of the old lines without a partner; no order is promised.
    private(set) var oldChanges: [Int] = []
    /// The places of the new lines without a partner; no order is promised.
    private(set) var newChanges: [Int] = []

    init(old: [Int], new: [Int]) {
        // Unsafe buffers: the search is all array accesses, and takes half the time without a check of each.
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

    /// Finds the changes. The work is a stack and no recursion, so that no text can exhaust the thread's own.
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
