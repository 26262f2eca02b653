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
