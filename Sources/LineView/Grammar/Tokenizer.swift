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

    private init(_ line: String) { rest = line[...] }

    /// The words of a line.
    ///
    /// - Throws: `Failure` of category `usage` for a quote without its end.
    static func words(of line: String) throws(Failure) -> [String] {
        var tokenizer = Tokenizer(line)
        try tokenizer.run()
        return tokenizer.words
    }

    private mutating func run() throws(Failure) {
        while let character = rest.popFirst() {
            switch character {
            case "\"", "'":
                if opensGroup { try takeGroup(until: character) } else { append(character) }
            case "\\": append(rest.popFirst() ?? "\\")
            case _ where character.isWhitespace: endWord()
            default: append(character)
            }
        }
        endWord()
    }

    private var opensGroup: Bool { word.map { $0.last == ":" || $0.last == "=" } ?? true }

    private mutating func takeGroup(until quote: Character) throws(Failure) {
        word = word ?? ""
        while let character = rest.popFirst() {
            switch character {
            case quote: return
            case "\\" where quote == "\"": append(rest.popFirst() ?? "\\")
            default: append(character)
            }
        }
        throw Failure(.usage, "A quote \(quote) is not closed.")
    }

    private mutating func append(_ character: Character) { word = (word ?? "") + String(character) }

    private mutating func endWord() {
        if let word { words.append(word) }
        word = nil
    }
}
