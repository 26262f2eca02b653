import ControllerKit
import Controllers
import Records
import Terminal

extension TextDiff {
    /// Returns the lines as in a unified difference: `-` for the old, `+` for the new, a space for both.
    ///
    /// - Parameter whole: The command that shows all lines, if some are omitted.
    func lines(on page: LinePage, whole: String? = nil) -> [String] {
        let shown = lines.map { line in
            switch line.kind {
            case .same: "  " + line.text.sanitizedLine
            case .removed: page.text("- " + line.text.sanitizedLine, .bad)
            case .added: page.text("+ " + line.text.sanitizedLine, .good)
            case .skipped: page.text("… \(line.count ?? 0) equal lines", .faint)
            }
        }
        let rest = whole.map { "; `\($0)` shows all" } ?? ""
        return shown + (left > 0 ? [page.text("… \(left) more lines of difference\(rest)", .faint)] : [])
    }
}

/// The author of an edit, as text.
enum Maker {
    /// Returns `this device`, the device's name, or the beginning of its id.
    static func name(isMine: Bool, name: String?, id: String?) -> String {
        // A name in quotation marks can't be confused with these words: another device chose it.
        if isMine { return "this device" }
        return name.map { "“\($0.sanitizedLine)”" } ?? id.map { "device \($0.prefix(8))".sanitizedLine }
            ?? "unknown device"
    }
}

/// The difference of two texts for the template `diff`, with the old line next to the new one.
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

    /// Creates the difference. Removed lines are paired with the lines added in their place.
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

/// A piece of a text for the template `pieces`, which marks matches.
struct TextPieceModel: Equatable {
    let text: String
    let isHit: Bool

    init(_ piece: TextPiece) { (text, isHit) = (piece.text, piece.isHit) }

    /// Creates a piece of a text without matches.
    init(_ text: String) { (self.text, isHit) = (text, false) }
}
