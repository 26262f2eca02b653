extension Shell {
    /// How an offer is handed to the shell; nil where it has no way to write it.
    ///
    /// zsh and fish take the whole word, and quote it themselves. Bash replaces only the part of the word that it has broken
    /// off, or the text after an open quote, and takes that as it is written.
    func reply(_ text: String, completing line: ShellLine) -> String? {
        // A line each, with a tab behind.
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else { return nil }
        switch self {
        case .zsh, .fish: return text
        case .bash:
            guard text.hasPrefix(line.kept) else { return nil }
            return Self.escaped(text.dropFirst(line.kept.count), within: line.quote)
        }
    }

    private static func escaped(_ text: Substring, within quote: Character?) -> String {
        switch quote {
        case "'"?: String(text).replacing("'", with: "'\\''")
        case .some: escaped(text, ["\"", "\\", "$", "`"])
        case nil: escaped(text, Array(" \t\\\"'`$&|;()<>*?[]#~!{}"))
        }
    }

    private static func escaped(_ text: Substring, _ special: [Character]) -> String {
        text.reduce(into: "") { escaped, character in
            if special.contains(character) { escaped += "\\" }
            escaped.append(character)
        }
    }
}
