/// The words of a line that was typed into a form. Pure.
enum Words {
    /// Splits at white space. Quotation marks keep a value's words together behind a colon, `due:"friday 15:00"`, and are
    /// what they are anywhere else, as in a title.
    static func split(_ line: String) -> [String] { split(line) { $0.last == ":" } }

    /// Splits a filter or what is searched for: quotation marks also make a phrase, and a backslash within them has the next
    /// character stand for itself; the inverse of `FilterText.joined`.
    static func splitFilter(_ line: String) -> [String] {
        split(line, hasEscapes: true) { $0.isEmpty || $0.last == ":" }
    }

    private static func split(
        _ line: String, hasEscapes: Bool = false, quotesBegin: (_ word: String) -> Bool
    ) -> [String] {
        var (words, word, isQuoted, isEscaped) = ([String](), "", false, false)
        for character in line {
            if isEscaped {
                word.append(character)
                isEscaped = false
            } else if character == "\\", isQuoted, hasEscapes {
                isEscaped = true
            } else if character == "\"", isQuoted {
                isQuoted = false
            } else if character == "\"", quotesBegin(word) {
                isQuoted = true
            } else if character.isWhitespace, !isQuoted {
                if !word.isEmpty { words.append(word) }
                word = ""
            } else {
                word.append(character)
            }
        }
        if !word.isEmpty { words.append(word) }
        return words
    }
}
