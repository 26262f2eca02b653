/// A line of a shell as it is while it is typed, cut into words as a shell of the Bourne family does (POSIX.1-2017, Shell
/// Command Language, section 2.2): quotes anywhere, backslashes. Expansions are not made.
struct ShellLine: Equatable {
    /// The words before the one at the end, the program's name first.
    private(set) var words: [String] = []
    /// The word at the end as the program would get it; empty after a space.
    private(set) var word = ""
    /// The quote that the line ends within.
    private(set) var quote: Character?
    /// How much of the word a shell keeps when it completes: the text before the open quote, or else up to the last of
    /// the characters at which it breaks words.
    private(set) var kept = ""

    private var hasWord = false

    /// Reads a line.
    ///
    /// - Parameter breaks: the characters at which the shell begins a new word when it completes.
    init(_ line: String, breakingAt breaks: String = "") {
        var rest = line[...]
        while let character = rest.popFirst() {
            if let open = quote {
                take(character, within: open, &rest)
            } else {
                take(character, &rest, breaks)
            }
        }
    }

    private mutating func take(_ character: Character, _ rest: inout Substring, _ breaks: String) {
        switch character {
        case "\"", "'":
            (quote, hasWord, kept) = (character, true, word)
        case "\\": append(rest.popFirst() ?? "\\")
        case _ where character.isWhitespace: endWord()
        default:
            append(character)
            if breaks.contains(character) { kept = word }
        }
    }

    private mutating func take(_ character: Character, within open: Character, _ rest: inout Substring) {
        switch character {
        case open:
            quote = nil
            kept = ""
        case "\\" where open == "\"" && ["\"", "\\", "$", "`"].contains(rest.first): append(rest.removeFirst())
        default: append(character)
        }
    }

    private mutating func append(_ character: Character) {
        word.append(character)
        hasWord = true
    }

    private mutating func endWord() {
        if hasWord { words.append(word) }
        (word, kept, hasWord) = ("", "", false)
    }
}
