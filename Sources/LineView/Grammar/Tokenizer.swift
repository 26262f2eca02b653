import ControllerKit

/// Cuts a typed line into words, as a shell would, but kinder to prose.
///
/// Words are separated by spaces. A quote (`"` or `'`) groups when it stands at the beginning of a word or right after
/// `:` or `=` (`project:"Big house"`); anywhere else it is a letter, so that `don't` needs no care. A backslash takes
/// the next character as it is; between single quotes it is a letter.
struct Tokenizer {
    private var words: [String] = []
    private var word: String?
    private var rest: Substring
    /// Where the word under way begins.
    private var beginning: String.Index
    /// The quote that the line ends within.
    private var openQuote: Character?

    private init(_ line: String) {
        rest = line[...]
        beginning = line.startIndex
    }

    /// The words of a line.
    ///
    /// - Throws: `Failure` of category `usage` for a quote without its end.
    static func words(of line: String) throws(Failure) -> [String] {
        var tokenizer = Tokenizer(line)
        tokenizer.run()
        tokenizer.endWord()
        if let quote = tokenizer.openQuote { throw Failure(.usage, "A quote \(quote) is not closed.") }
        return tokenizer.words
    }

    /// The words of a line that is still being typed, and apart from them the one at its end: what it says, and how it
    /// is written.
    static func unfinished(_ line: String) -> (words: [String], word: String, written: String) {
        var tokenizer = Tokenizer(line)
        tokenizer.run()
        guard let word = tokenizer.word else { return (tokenizer.words, "", "") }
        return (tokenizer.words, word, String(line[tokenizer.beginning...]))
    }

    private mutating func run() {
        while let character = rest.first {
            if word == nil { beginning = rest.startIndex }
            rest.removeFirst()
            switch character {
            case "\"", "'":
                if opensGroup { takeGroup(until: character) } else { append(character) }
            case "\\": append(rest.popFirst() ?? "\\")
            case _ where character.isWhitespace: endWord()
            default: append(character)
            }
        }
    }

    private var opensGroup: Bool { word.map { $0.last == ":" || $0.last == "=" } ?? true }

    private mutating func takeGroup(until quote: Character) {
        word = word ?? ""
        while let character = rest.popFirst() {
            switch character {
            case quote: return
            case "\\" where quote == "\"": append(rest.popFirst() ?? "\\")
            default: append(character)
            }
        }
        openQuote = quote
    }

    private mutating func append(_ character: Character) {
        // In place: a copy for each character would make a long word cost its length squared.
        if word == nil { word = "" }
        word?.append(character)
    }

    private mutating func endWord() {
        if let word { words.append(word) }
        word = nil
    }
}
