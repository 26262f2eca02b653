/// Splits a line into words and joins words into a line. The notation is used by the prompt, scripts, web forms and
/// filters shown as text.
///
/// Words are separated by white space. A quotation mark (`"` or `'`) opens a group at the beginning of a word or right
/// after `:` or `=` (`project:"Big house"`); anywhere else it is an ordinary character, so `don't` needs no quotes. A
/// backslash escapes the next character; between single quotes it is an ordinary character.
public enum CommandWords {
    /// Splits a line into words.
    ///
    /// - Throws: `Failure` of category `usage` for a quotation mark that is not closed.
    public static func split(_ line: String) throws(Failure) -> [String] {
        let scan = Scan(line)
        if let quote = scan.openQuote {
            throw Failure(
                .usage,
                "A quotation mark \(quote) is not closed. Close it, or write \\\(quote) for the character itself.")
        }
        return scan.words + (scan.word.map { [$0] } ?? [])
    }

    /// Splits a line into words. The end of the line closes an open quotation mark.
    public static func splitUnclosed(_ line: String) -> [String] {
        let scan = Scan(line)
        return scan.words + (scan.word.map { [$0] } ?? [])
    }

    /// A line that is still being typed.
    public struct Unfinished: Sendable, Equatable {
        /// The words before the one at the end.
        public let words: [String]
        /// The last word without its quotes; empty after a space.
        public let word: String
        /// The last word as it was typed, with its quotes.
        public let written: String
    }

    /// Splits a line that is still being typed into its complete words and its last word.
    public static func unfinished(_ line: String) -> Unfinished {
        let scan = Scan(line)
        guard let word = scan.word else { return Unfinished(words: scan.words, word: "", written: "") }
        return Unfinished(words: scan.words, word: word, written: String(line[scan.beginning...]))
    }

    /// Returns a line that `split` splits into the same words.
    public static func joined(_ words: [String]) -> String { words.map { quoted($0) }.joined(separator: " ") }

    /// Returns a word as it must be written in a line, in quotes if necessary.
    ///
    /// - Parameter isWhole: False if the word will be continued: its quotation mark isn't closed.
    public static func quoted(_ word: String, isWhole: Bool = true) -> String {
        guard needsQuotes(word) || word.isEmpty && isWhole else { return word }
        // The quotation mark follows the colon of a name, so that the name stays readable.
        let name = word.prefix { $0.isLetter || $0 == "." }
        let hasName = !name.isEmpty && word.dropFirst(name.count).first == ":"
        let head = hasName ? word.prefix(name.count + 1) : ""
        // Backslashes first: those that escape the quotation marks must stay single.
        let value = word.dropFirst(head.count).replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return head + "\"" + value + (isWhole ? "\"" : "")
    }

    private static func needsQuotes(_ word: String) -> Bool {
        var before: Character?
        for character in word {
            if character.isWhitespace || character == "\\" { return true }
            if character == "\"" || character == "'", opensGroup(after: before) { return true }
            before = character
        }
        return false
    }

    fileprivate static func opensGroup(after character: Character?) -> Bool {
        character.map { $0 == ":" || $0 == "=" } ?? true
    }
}

/// The result of one pass over a line.
private struct Scan {
    /// The complete words.
    private(set) var words: [String] = []
    /// The incomplete word at the end of the line; nil: the line is empty or ends with white space.
    private(set) var word: String?
    /// The beginning of that word.
    private(set) var beginning: String.Index
    /// The quotation mark that is open at the end of the line.
    private(set) var openQuote: Character?
    private var rest: Substring

    init(_ line: String) {
        rest = line[...]
        beginning = line.startIndex
        while let character = rest.first {
            if word == nil { beginning = rest.startIndex }
            rest.removeFirst()
            switch character {
            case "\"", "'":
                // An empty `word` was an empty group (`""`): the mark after it isn't at the beginning of the word.
                if CommandWords.opensGroup(after: word.flatMap(\.last)), word?.isEmpty != true {
                    readGroup(until: character)
                } else {
                    append(character)
                }
            // At the end of a line it is an ordinary character, since the line may be unfinished.
            case "\\": append(rest.popFirst() ?? "\\")
            case _ where character.isWhitespace: endWord()
            default: append(character)
            }
        }
    }

    private mutating func readGroup(until quote: Character) {
        word = word ?? ""
        while let character = rest.popFirst() {
            switch character {
            case quote: return
            // As in a shell, a backslash between single quotation marks is an ordinary character.
            case "\\" where quote == "\"": append(rest.popFirst() ?? "\\")
            default: append(character)
            }
        }
        openQuote = quote
    }

    private mutating func append(_ character: Character) {
        // Appends in place: a copy for each character would make the cost quadratic in the word's length.
        if word == nil { word = "" }
        word?.append(character)
    }

    private mutating func endWord() {
        if let word { words.append(word) }
        word = nil
    }
}
