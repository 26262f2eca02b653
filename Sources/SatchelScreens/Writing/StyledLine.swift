import Terminal

/// A text with emphases that is broken between words.
struct StyledLine {
    private struct Piece {
        var text: String
        let emphasis: Emphasis
    }

    /// The words of each line. A word may have several emphases: `*a*,`.
    private var rows: [[[Piece]]] = [[[]]]

    /// Adds a text, which is sanitized. A space ends a word.
    mutating func add(_ text: String, _ emphasis: Emphasis = .none) {
        let words = text.sanitizedLine.split(separator: " ", omittingEmptySubsequences: false)
        for (index, word) in words.enumerated() {
            let row = rows.count - 1
            if index > 0 { rows[row].append([]) }
            guard !word.isEmpty else { continue }
            rows[row][rows[row].count - 1].append(Piece(text: String(word), emphasis: emphasis))
        }
    }

    /// Ends the line.
    mutating func endLine() { rows.append([[]]) }

    /// Returns the lines that fit a page, with emphasis.
    ///
    /// - Parameters:
    ///   - first: The beginning of the first line: the list marker.
    ///   - others: The beginning of all further lines.
    func lines(on page: LinePage, first: Margin, others: Margin) -> [String] {
        var result: [String] = []
        for words in rows {
            let margin = result.isEmpty ? first : others
            var (line, used, isEmpty) = (margin.text, margin.width, true)
            for word in words where !word.isEmpty {
                let width = word.reduce(0) { $0 + $1.text.displayWidth }
                if !isEmpty, let columns = page.columns, used + 1 + width > columns {
                    result.append(line)
                    (line, used, isEmpty) = (others.text, others.width, true)
                }
                line += (isEmpty ? "" : " ") + word.map { page.text($0.text, $0.emphasis) }.joined()
                used += (isEmpty ? 0 : 1) + width
                isEmpty = false
            }
            result.append(isEmpty ? margin.end : line)
        }
        return result
    }
}

/// The beginning of a line: an indentation and markers, with emphasis.
struct Margin {
    /// The beginning of the line.
    private(set) var text = ""
    /// Its width in columns. The codes of an emphasis have none.
    private(set) var width = 0
    /// The line if nothing follows.
    private(set) var end = ""

    /// Returns the margin with a marker after it, or with spaces of the same width.
    func adding(_ marker: String, _ emphasis: Emphasis = .none, on page: LinePage) -> Margin {
        var margin = self
        let bare = String(marker.reversed().drop { $0 == " " }.reversed())
        let spaces = String(repeating: " ", count: marker.count - bare.count)
        margin.end = bare.isEmpty ? end : text + page.text(bare, emphasis)
        margin.text += page.text(bare, emphasis) + spaces
        margin.width += marker.displayWidth
        return margin
    }
}
