public import Manual

/// A program's command line that is being typed in a shell: the process's own options, then a command.
public struct ShellCommand: Sendable {
    /// The values of the process's options, by their names without dashes.
    public private(set) var options: [String: String] = [:]
    let line: ShellLine
    /// The place of the last word.
    private(set) var place = Place.command([])

    enum Place: Sendable, Equatable {
        /// The name of an option of the process.
        case option
        /// The value of an option; `prefix` is the text before it in the same word.
        case value(CommandHelp.Argument, prefix: String)
        /// A word of a command, after these words.
        case command([String])
    }

    /// Parses the text before the cursor.
    ///
    /// - Parameters:
    ///   - process: The options of the process.
    ///   - breaks: The characters at which the shell begins a new word for completion.
    public init(_ line: String, of process: CommandHelp, breakingAt breaks: String = "") {
        self.line = ShellLine(line, breakingAt: breaks)
        var words = self.line.words.dropFirst()
        while let word = words.first, word.hasPrefix("-") {
            words.removeFirst()
            let (option, value) = process.option(in: word)
            guard let option, option.kind == .option else { continue }
            if let value = value ?? words.popFirst() {
                options[option.name] = value
            } else {
                place = .value(option, prefix: "")
                return
            }
        }
        let word = self.line.word
        if words.isEmpty, word.hasPrefix("-") {
            let (option, value) = process.option(in: word)
            if let option, let value { place = .value(option, prefix: String(word.dropLast(value.count))) }
            if value == nil { place = .option }
        } else {
            place = .command(Array(words))
        }
    }
}

extension CommandHelp {
    /// Returns the option that a word names, and the value in the same word.
    fileprivate func option(in word: String) -> (option: Argument?, value: String?) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let option = options.first { $0.spellings.contains(parts.first ?? "") }
        return (option, parts.count == 2 ? parts[1] : nil)
    }
}

extension CommandHelp.Argument {
    /// The name without dashes.
    fileprivate var name: String { String((spellings.last ?? "").drop { $0 == "-" }) }
}

/// A shell line that is being typed, split into words as a Bourne shell does it (POSIX.1-2017, Shell Command Language,
/// section 2.2): quotes and backslashes are evaluated, expansions aren't.
struct ShellLine: Equatable {
    /// The words before the last one, the program's name first.
    private(set) var words: [String] = []
    /// The last word as the program would receive it; empty after a space.
    private(set) var word = ""
    /// The quote that is open at the end of the line.
    private(set) var quote: Character?
    /// The part of the word that a shell keeps when it completes: the text before the open quote, or else up to the
    /// last character at which it breaks words.
    private(set) var kept = ""

    private var hasWord = false

    /// Parses a line.
    ///
    /// - Parameter breaks: The characters at which the shell begins a new word for completion.
    init(_ line: String, breakingAt breaks: String = "") {
        var rest = line[...]
        while let character = rest.popFirst() {
            if let open = quote {
                append(character, within: open, &rest)
            } else {
                append(character, &rest, breaks)
            }
        }
    }

    private mutating func append(_ character: Character, _ rest: inout Substring, _ breaks: String) {
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

    private mutating func append(_ character: Character, within open: Character, _ rest: inout Substring) {
        switch character {
        case open:
            quote = nil
            kept = ""
        // Within double quotes, a backslash is special only before these characters (section 2.2.3).
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
