/// The lines on which the keys of a valid TOML document begin. TOMLKit has no positions of values.
struct TOMLLines {
    private var lines: [[String]: Int] = [:]

    /// Finds the keys of a document.
    init(_ text: String) {
        var table: [String] = []
        // The delimiter of a text of several lines that isn't closed yet.
        var open: String?
        // `\r\n` is one character.
        let all = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        for (index, line) in all.enumerated() {
            // In a valid document, a byte order mark is only at the beginning.
            let content = line.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
            if let delimiter = open {
                if content.contains(delimiter) { open = nil }
                continue
            }
            if content.hasPrefix("#") { continue }
            if content.hasPrefix("[") {
                table = Self.keys(in: content.drop { $0 == "[" }, until: "]") ?? table
            } else if let keys = Self.keys(in: content, until: "=") {
                // The first one: a valid document has no key twice.
                for count in 1...keys.count where lines[table + keys.prefix(count)] == nil {
                    lines[table + keys.prefix(count)] = index + 1
                }
                open = ["\"\"\"", "'''"].first { content.components(around: $0) % 2 == 1 }
            }
        }
    }

    /// Returns the line of a key, or of the nearest key around it; nil: neither is found.
    func line(of path: [String]) -> Int? {
        // A key in an inline table has the line of the table.
        for count in stride(from: path.count, to: 0, by: -1) {
            if let line = lines[Array(path.prefix(count))] { return line }
        }
        return nil
    }

    /// Returns the parts of a dotted key before a sign: `a."b.c"`; nil: there is no key.
    private static func keys(in text: Substring, until end: Character) -> [String]? {
        var keys: [String] = []
        var key = ""
        var quote: Character?
        for character in text {
            if let open = quote {
                if character == open { quote = nil } else { key.append(character) }
            } else if character == "\"" || character == "'" {
                quote = character
            } else if character == "." || character == end {
                guard !key.isEmpty else { return nil }
                keys.append(key)
                key = ""
                if character == end { return keys }
            } else if !character.isWhitespace {
                key.append(character)
            }
        }
        return nil
    }
}

extension Substring {
    /// Returns how often a delimiter occurs.
    fileprivate func components(around delimiter: String) -> Int { ranges(of: delimiter).count }
}
