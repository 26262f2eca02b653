/// The history as a text: a line each entry, oldest first; a line feed within one is written `\n`, a backslash `\\`.
enum HistoryText {
    /// How many lines are kept at least, when there are more.
    static let kept = 2_000
    /// How many bytes a line may have to be kept.
    static let maximumLength = 16_384

    /// What becomes of a history file when a line is entered.
    enum Change: Equatable {
        case nothing
        case append(String)
        /// It has grown too long.
        case rewrite(String)
    }

    /// The lines of a file, without repetitions in a row.
    static func lines(in text: String) -> [String] {
        text.split(separator: "\n").map(read).reduce(into: []) { lines, line in
            if lines.last != line { lines.append(line) }
        }
    }

    /// Whether a line is worth keeping: not an empty one, one that begins with a space, so that a person can hide it, or a
    /// very long one.
    static func isUseful(_ line: String) -> Bool {
        !line.allSatisfy(\.isWhitespace) && line.first != " " && line.utf8.count <= maximumLength
    }

    /// How a line is entered: not when it isn't useful, or was the last one, too.
    static func enter(_ line: String, in text: String) -> Change {
        guard isUseful(line), text.split(separator: "\n").last.map(read) != line else { return .nothing }
        // A line that was cut by a crash ends before the next one begins.
        let entry = (text.isEmpty || text.hasSuffix("\n") ? "" : "\n") + written(line) + "\n"
        guard text.utf8.count(where: { $0 == 0x0A }) >= 2 * kept else { return .append(entry) }
        return .rewrite((lines(in: text).suffix(kept - 1) + [line]).map { written($0) + "\n" }.joined())
    }

    private static func written(_ line: String) -> String {
        line.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
    }

    private static func read(_ entry: Substring) -> String {
        var line = ""
        var rest = entry
        while let character = rest.popFirst() {
            guard character == "\\", let next = rest.popFirst() else {
                line.append(character)
                continue
            }
            line.append(next == "n" ? "\n" : next)
        }
        return line
    }
}
