import ControllerKit

/// The kind of word that can be completed at the cursor.
enum CompletionPlace: Equatable {
    /// The name of a command.
    case command
    /// The name of a command or of a topic of `help`.
    case explained
    /// One of these words.
    case own(words: [String])
    /// The name of an option of this verb that isn't given yet.
    case option(of: VerbSignature, given: Set<String>)
    /// A value; `prefix` is the text before it in the same word: `--title=`.
    case value(ArgumentSpec, prefix: String)
    /// The name of another front end, for `view`.
    case attachable
    /// No known word.
    case nothing

    /// The text before the completion in the same word.
    var prefix: String { if case .value(_, let prefix) = self { prefix } else { "" } }

    /// Determines the place of the last word of a line.
    init(
        _ line: UnfinishedLine, commands: Vocabulary, own: [String: FrontendCommand.Words],
        verb: (String) -> VerbSignature?
    ) {
        guard let said = line.words.first else {
            self = .command
            return
        }
        // A verb that several screens have follows the name of its screen: the command's name has two words.
        let qualified = commands.names.filter { $0.hasPrefix(said + " ") }.map { String($0.dropFirst(said.count + 1)) }
        if !qualified.isEmpty, line.words.count == 1 {
            self = .own(words: qualified)
            return
        }
        let isQualified = line.words.count > 1 && qualified.contains(line.words[1])
        let spoken = isQualified ? "\(said) \(line.words[1])" : said
        // The error is ignored: an unknown command has no completions.
        guard let name = try? commands.name(meantBy: spoken) else {
            self = .nothing
            return
        }
        let words = line.words.dropFirst(isQualified ? 2 : 1)
        switch own[name] {
        case .explained: self = words.isEmpty ? .explained : .nothing
        case .attachable: self = words.isEmpty ? .attachable : .nothing
        case .fixed(let fixed): self = .own(words: fixed.filter { !words.contains($0) })
        case nil: self = verb(name).map { Self(words, line.word, of: $0) } ?? .nothing
        }
    }

    /// Determines the place of a word after a verb and other words.
    private init(_ words: ArraySlice<String>, _ word: String, of verb: VerbSignature) {
        var positions = verb.arguments.filter { $0.placement == .position }[...]
        var given: Set<String> = []
        var acceptsOptions = true
        var awaited: ArgumentSpec?
        var awaitsLineOption = false
        for word in words {
            if awaitsLineOption {
                awaitsLineOption = false
            } else if awaited != nil {
                awaited = nil
            } else if acceptsOptions, word == "--" {
                acceptsOptions = false
            } else if acceptsOptions, verb.format(in: word) != nil {
                given.insert(String(word.dropFirst(2)))
            } else if acceptsOptions, let (option, hasValue) = verb.lineOption(in: word) {
                given.insert(option.rawValue)
                awaitsLineOption = option.hasValue && !hasValue
            } else if acceptsOptions, let (spec, value) = verb.option(in: word) {
                given.insert(spec.optionName)
                awaited = spec.kind == .flag || value != nil ? nil : spec
            } else {
                _ = positions.popFirst()
            }
        }
        if awaitsLineOption {
            self = .nothing
        } else if let awaited {
            self = .value(awaited, prefix: "")
        } else if acceptsOptions, word.hasPrefix("--") {
            let written = verb.option(in: word).flatMap { spec, value in value == nil ? nil : spec }
            self = written.map { .value($0, prefix: "--\($0.optionName)=") } ?? .option(of: verb, given: given)
        } else if let spec = positions.first ?? verb.arguments.first(where: { $0.placement == .rest }) {
            self = .value(spec, prefix: "")
        } else {
            self = .nothing
        }
    }
}

extension VerbSignature {
    /// Returns the format that a word requests.
    fileprivate func format(in word: String) -> OutputFormat? { formats.first { word == "--" + $0.rawValue } }

    /// Returns the option of the line that a word names, and whether the word contains its value.
    fileprivate func lineOption(in word: String) -> (option: LineOption, hasValue: Bool)? {
        let option = lineOptions.first { word == "--" + $0.rawValue || word.hasPrefix("--\($0.rawValue)=") }
        return option.map { ($0, word.contains("=")) }
    }

    /// Returns the option that a word names, and the value in the same word.
    fileprivate func option(in word: String) -> (spec: ArgumentSpec, value: Substring?)? {
        guard word.hasPrefix("--") else { return nil }
        let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let spec = arguments.first { $0.placement == .option && $0.optionName == parts.first.map(String.init) }
        return spec.map { ($0, parts.count == 2 ? parts[1] : nil) }
    }
}

/// A line that is being typed: its complete words and the word that ends at the cursor.
struct UnfinishedLine: Equatable {
    /// The complete words.
    let words: [String]
    /// The word that is being typed, without its quotes; empty after a space.
    let word: String
    /// The word as it was typed, with its quotes.
    let written: String

    /// Creates a line from words that a shell has already split.
    init(words: [String], word: String) { (self.words, self.word, written) = (words, word, word) }

    private init(words: [String], word: String, written: String) {
        (self.words, self.word, self.written) = (words, word, written)
    }

    /// Returns the line with an alias at its beginning replaced by the words that it means.
    func expanding(_ aliases: CommandAliases) -> UnfinishedLine {
        UnfinishedLine(words: aliases.expanded(words), word: word, written: written)
    }

    /// Splits the text before the cursor. Of several commands, only the last one counts.
    init(_ text: String) {
        let line = PastedCommands.commands(in: text).last ?? ""
        let parts = CommandWords.unfinished(line)
        (words, word, written) = (parts.words, parts.word, parts.written)
    }
}

/// Splits typed or pasted text into commands, one per line.
///
/// A line that ends within quotes continues in the next one, so that a quoted text may have several lines. If no line
/// closes the quotes, the rest is one command, which is refused as a whole: no half of a command is ever performed.
enum PastedCommands {
    static func commands(in text: String) -> [String] {
        var commands: [String] = []
        var unfinished: String?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let command = (unfinished.map { $0 + "\n" } ?? "") + line
            // The only error of `split` is an open quotation mark.
            if (try? CommandWords.split(command)) == nil {
                unfinished = command
            } else {
                commands.append(command)
                unfinished = nil
            }
        }
        return commands + (unfinished.map { [$0] } ?? [])
    }
}
