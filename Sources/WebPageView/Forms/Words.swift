/// The words of a line that was typed into a form. Pure.
enum Words {
    /// Splits at white space. Quotation marks keep a value's words together behind a colon, `due:"friday 15:00"`, and are
    /// what they are anywhere else, as in a title.
    static func split(_ line: String) -> [String] {
        var (words, word, isQuoted) = ([String](), "", false)
        for character in line {
            if character == "\"", isQuoted {
                isQuoted = false
            } else if character == "\"", word.last == ":" {
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
