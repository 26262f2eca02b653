public import Manual

/// A program's command line as it is while it is typed in a shell: the process's own options, then a command.
public struct ShellCommand: Sendable {
    /// The process's options that were given with values, by their names without dashes.
    public private(set) var options: [String: String] = [:]
    let line: ShellLine
    /// What the word at the end is.
    private(set) var place = Place.command([])

    enum Place: Sendable, Equatable {
        /// The name of an option of the process.
        case option
        /// The value of one, after the text before it in the same word.
        case value(CommandHelp.Argument, prefix: String)
        /// A word of a command, after these.
        case command([String])
    }

    /// Reads the text before the cursor.
    ///
    /// - Parameters:
    ///   - process: the command line of the process.
    ///   - breaks: the characters at which the shell begins a new word when it completes.
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
    /// The option that a word names, and the value in the same word.
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
