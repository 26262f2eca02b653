internal import SafeText

extension String {
    /// The text on one line, without characters that could control a terminal, reorder the displayed text or be
    /// invisible (`sanitized`). A line feed becomes a space, and a tab U+2409.
    public var sanitizedLine: String {
        let text = sanitized
        guard text.utf8.contains(where: { $0 == 0x0A || $0 == 0x09 }) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": result.append(" ")
            case "\t": result.append("\u{2409}")
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// Returns a text for programs as it is written on a page: unchanged for a file or a pipe, sanitized on a
    /// terminal, where CR LF is a line end.
    public func shown(on page: LinePage) -> String {
        page.columns == nil ? self : replacing("\r\n", with: "\n").sanitized
    }
}

extension String {
    /// Returns the text as lines of limited width, broken between words. The first line keeps its indentation.
    ///
    /// A word that is longer than a line isn't broken, so that an address or a path can be copied. There are two
    /// exceptions: it is broken next to wide characters (Chinese, Japanese) and after `|` (choices in a usage line).
    ///
    /// - Parameters:
    ///   - columns: The width; nil: nothing is broken.
    ///   - hanging: The indentation of the lines after the first, in columns.
    public func wrapped(to columns: Int?, hanging: Int = 0) -> [String] {
        guard let columns, displayWidth > columns else { return [self] }
        // A word that doesn't fit after the indentation is indented less.
        let margin = { (width: Int) in String(repeating: " ", count: min(hanging, max(columns - width, 0))) }
        var lines: [String] = []
        var line = String(prefix { $0 == " " })
        var isFresh = true
        for word in split(separator: " ") {
            if !isFresh, line.displayWidth + 1 + word.displayWidth > columns {
                lines.append(line)
                (line, isFresh) = (margin(word.displayWidth), true)
            }
            line += (isFresh ? "" : " ") + word
            isFresh = false
            while line.displayWidth > columns, let end = line.lastBreak(within: columns, after: hanging) {
                lines.append(String(line[..<end]))
                line = margin(line[end...].displayWidth) + line[end...]
            }
        }
        return lines + [line]
    }

    /// Returns a message for a terminal: sanitized, with each line wrapped below its own indentation.
    public func message(columns: Int?) -> String {
        sanitized.split(separator: "\n", omittingEmptySubsequences: false)
            .flatMap { String($0).wrapped(to: columns, hanging: $0.prefix { $0 == " " }.count) }
            .joined(separator: "\n")
    }

    /// Returns the last place at which a word that is longer than a line may be broken; nil: it stays whole.
    private func lastBreak(within columns: Int, after start: Int) -> Index? {
        var width = 0
        var found: Index?
        for index in indices.dropLast() {
            width += self[index].displayWidth
            if width > columns { break }
            let next = self.index(after: index)
            let isBreak = self[index] == "|" || self[index].displayWidth > 1 || self[next].displayWidth > 1
            if isBreak, distance(from: startIndex, to: next) > start { found = next }
        }
        return found
    }
}
