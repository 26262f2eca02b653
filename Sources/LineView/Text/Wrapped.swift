extension String {
    /// The text in lines of at most this many columns, broken between words, and within one only where it is longer than a
    /// line. The first line keeps its indentation.
    ///
    /// - Parameters:
    ///   - columns: nil: nothing is broken.
    ///   - hanging: how far the lines after the first are indented.
    func wrapped(to columns: Int?, hanging: Int = 0) -> [String] {
        guard let columns, displayWidth > columns else { return [self] }
        let margin = String(repeating: " ", count: min(hanging, max(columns - 1, 0)))
        var lines: [String] = []
        var line = String(prefix { $0 == " " })
        var isFresh = true
        for word in split(separator: " ") {
            if !isFresh, line.displayWidth + 1 + word.displayWidth > columns {
                lines.append(line)
                (line, isFresh) = (margin, true)
            }
            line += (isFresh ? "" : " ") + word
            isFresh = false
            while line.displayWidth > columns {
                let head = line.head(fitting: columns)
                guard head.count > margin.count, head.count < line.count else { break }
                lines.append(head)
                line = margin + line.dropFirst(head.count)
            }
        }
        return lines + [line]
    }

    /// As many characters as fit.
    private func head(fitting columns: Int) -> String {
        var width = 0
        return String(
            prefix { character in
                width += character.displayWidth
                return width <= columns
            })
    }
}
