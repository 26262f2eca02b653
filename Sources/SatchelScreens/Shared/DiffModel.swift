import Controllers

/// The differences of two texts as the template `diff` shows them: the old line next to the new one.
struct DiffModel: Equatable {
    let lines: [Line]
    let left: Int
    let isLeft: Bool

    /// A line of the table.
    struct Line: Equatable {
        var old = ""
        var new = ""
        var isRemoved = false
        var isAdded = false
        var isSame = false
        var skipped = 0
        var isSkipped = false
    }

    /// Pairs the lines that went with those that came in their place.
    init(_ diff: TextDiff) {
        var (lines, removed, added): ([Line], [String], [String]) = ([], [], [])
        func close() {
            for index in 0..<max(removed.count, added.count) {
                var line = Line()
                if index < removed.count { (line.old, line.isRemoved) = (removed[index], true) }
                if index < added.count { (line.new, line.isAdded) = (added[index], true) }
                lines.append(line)
            }
            (removed, added) = ([], [])
        }
        for line in diff.lines {
            switch line.kind {
            case .removed: removed.append(line.text)
            case .added: added.append(line.text)
            case .same:
                close()
                lines.append(Line(old: line.text, new: line.text, isSame: true))
            case .skipped:
                close()
                lines.append(Line(skipped: line.count ?? 0, isSkipped: true))
            }
        }
        close()
        self.lines = lines
        left = diff.left
        isLeft = left > 0
    }
}
