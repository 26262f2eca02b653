import ControllerKit

/// The parsed words after a verb. Parsing reads no files.
struct LineArguments: Equatable {
    /// The values in the line.
    var values: ArgumentValues = [:]
    /// The files that contain values, by argument; `-` is the standard input.
    var files: [String: String] = [:]
    /// The requested format of the answer; nil: the format for people.
    var format: OutputFormat?
    /// The requested columns of the plain format; nil: all that the format has.
    var columns: [String]?
    /// Whether the exit status shows that nothing matches.
    var reportsNoMatch = false

    /// Parses the words after a verb: options anywhere before `--`, other words by position, then the rest. Words such
    /// as `+tag`, `-tag` and `key:value` aren't options.
    ///
    /// If the rest of the line has a syntax of its own (`ArgumentSpec.hasSigns`), `--` is kept among the words, since
    /// it separates that syntax from text.
    ///
    /// - Throws: `Failure` of category `usage`.
    init(_ words: [String], for verb: VerbSignature) throws(Failure) {
        var parser = LineArgumentsParser(verb, words)
        try parser.run()
        self = parser.parsed
    }

    fileprivate init() {}
}

private struct LineArgumentsParser {
    var parsed = LineArguments()
    private let verb: VerbSignature
    private let options: [ArgumentSpec]
    private var positions: ArraySlice<ArgumentSpec>
    private let rest: ArgumentSpec?
    private var restWords: [String] = []
    /// An optional choice, and the word that isn't one of its values.
    private var skipped: (spec: ArgumentSpec, word: String)?
    private var words: ArraySlice<String>
    /// The list that the next word may continue.
    private var list: ArgumentSpec?

    init(_ verb: VerbSignature, _ words: [String]) {
        self.verb = verb
        self.words = words[...]
        options = verb.arguments.filter { $0.placement == .option }
        positions = verb.arguments.filter { $0.placement == .position }[...]
        rest = verb.arguments.first { $0.placement == .rest }
    }

    mutating func run() throws(Failure) {
        var acceptsOptions = true
        while let word = words.popFirst() {
            if acceptsOptions, word == "--" {
                acceptsOptions = false
                list = nil
                // A `--` at the end separates nothing.
                if !words.isEmpty, rest?.hasSigns == true { restWords.append(word) }
            } else if acceptsOptions, word.hasPrefix("--") {
                try readOption(word.dropFirst(2))
            } else {
                try readWord(word)
            }
        }
        if let rest, !restWords.isEmpty { parsed.values[rest.name] = .list(restWords) }
        try checkRequired()
    }

    /// Throws for a missing argument, before a file is read or a secret is asked for.
    private func checkRequired() throws(Failure) {
        let missing = verb.arguments.first {
            $0.isRequired && $0.kind != .secret && parsed.values[$0.name] == nil && parsed.files[$0.name] == nil
        }
        guard let missing else { return }
        let choices = missing.listedBy.map { " Choose one: `\($0)` lists them." } ?? ""
        let example = verb.examples.first.map { " Example: \($0.line)" } ?? ""
        throw Failure(.usage, "The argument \(missing.usage) of “\(verb.name)” is missing.\(choices)\(example)")
    }

    private mutating func readWord(_ word: String) throws(Failure) {
        if let list, list.continuation?.accepts(word) == true, case .text(let parts)? = parsed.values[list.name] {
            return try set(list, to: parts + "," + word)
        }
        list = nil
        if let spec = positions.popFirst() {
            // An optional choice is skipped if the word isn't one of its values.
            if spec.givesWay(to: word), let next = positions.popFirst() {
                skipped = (spec, word)
                try set(next, to: word)
            } else {
                try set(spec, to: word)
                list = spec.continuation?.accepts(word) == true ? spec : nil
            }
        } else if rest != nil {
            restWords.append(word)
        } else if let skipped, case .choice(let words) = skipped.spec.kind, !skipped.word.contains(".") {
            // The first of two words was meant as the choice, unless it is the name of a file.
            throw Vocabulary(noun: skipped.spec.name, names: words).unknown(skipped.word)
        } else {
            throw unexpected(word)
        }
    }

    /// Returns the refusal of a word that no argument receives.
    private func unexpected(_ word: String) -> Failure {
        let positional = verb.arguments.filter { $0.placement == .position }
        let hint =
            switch positional.last {
            case nil: "`\(verb.name)` takes no arguments."
            case let last? where last.continuation != nil:
                "Separate several records by commas, and put a title with spaces in quotes."
            case let last? where last.kind == .record:
                "`\(verb.name)` works on one record. Put a title with spaces in quotes."
            default: "Put a text with spaces in quotes."
            }
        return Failure(.usage, "Unexpected “\(word)” after “\(verb.name)”. \(hint)")
    }

    private mutating func readOption(_ text: Substring) throws(Failure) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts.first ?? "")
        let given = parts.count == 2 ? String(parts[1]) : nil
        // An option of the verb itself hides the format with the same name, see `VerbSignature.formats`.
        if !options.contains(where: { $0.optionName == name }), let format = OutputFormat(rawValue: name) {
            return try accept(format, given)
        }
        if let option = verb.lineOptions.first(where: { $0.rawValue == name }) { return try accept(option, given) }
        let spec = try option(name)
        guard parsed.values[spec.name] == nil, parsed.files[spec.name] == nil else {
            throw Failure(.usage, "--\(name) is given twice.")
        }
        if spec.kind == .flag {
            guard given == nil else { throw Failure(.usage, "--\(name) doesn't take a value.") }
            parsed.values[spec.name] = .flag(true)
        } else if let value = given ?? words.popFirst() {
            try set(spec, to: value)
        } else {
            throw Failure(.usage, "--\(name) needs a value.")
        }
    }

    private mutating func accept(_ format: OutputFormat, _ given: String?) throws(Failure) {
        guard given == nil else { throw Failure(.usage, "--\(format.rawValue) doesn't take a value.") }
        guard parsed.format == nil || parsed.format == format else {
            throw Failure(.usage, "--plain and --json exclude each other. Give one of them.")
        }
        parsed.format = format
    }

    private mutating func accept(_ option: LineOption, _ given: String?) throws(Failure) {
        switch option {
        case .exitStatus:
            guard given == nil else { throw Failure(.usage, "--\(option.rawValue) doesn't take a value.") }
            parsed.reportsNoMatch = true
        case .columns:
            guard parsed.columns == nil else { throw Failure(.usage, "--\(option.rawValue) is given twice.") }
            let names = (given ?? words.popFirst() ?? "").split(separator: ",").map(String.init)
            if names.isEmpty { throw Failure(.usage, "--\(option.rawValue) needs a value.") }
            parsed.columns = names
        }
    }

    private func option(_ name: String) throws(Failure) -> ArgumentSpec {
        if let spec = options.first(where: { $0.optionName == name }) { return spec }
        // Other users of the machine can read the arguments of a process, for example with `ps`.
        if options.contains(where: { $0.kind == .secret && $0.name == name }) {
            throw Failure(
                .usage,
                "--\(name) isn't accepted, since other users could read it. Use --\(name)-file FILE, or wait to be asked."
            )
        }
        let nearest = Vocabulary(
            noun: "option",
            names: options.map(\.optionName) + OutputFormat.allCases.map(\.rawValue)
                + verb.lineOptions.map(\.rawValue)
        )
        .nearest(to: name)
        let hint = nearest.map { " Did you mean --\($0)?" } ?? ""
        throw Failure(.usage, "“\(verb.name)” has no option --\(name).\(hint)")
    }

    private mutating func set(_ spec: ArgumentSpec, to text: String) throws(Failure) {
        switch spec.kind {
        case .contents, .secret: parsed.files[spec.name] = text
        case .text, .number, .integer, .flag, .record, .choice:
            let name = spec.placement == .option ? "--\(spec.optionName)" : nil
            parsed.values[spec.name] = try ArgumentValue(parsing: text, as: spec, named: name)
        }
    }
}

extension ArgumentSpec {
    /// Returns whether the argument is an optional choice without this word.
    fileprivate func givesWay(to word: String) -> Bool {
        guard !isRequired, case .choice(let words) = kind else { return false }
        return !words.contains(word)
    }
}

/// A format of the output of a command for programs. It is requested with an option: `list --json`.
enum OutputFormat: String, Sendable, CaseIterable {
    /// Lines of fields separated by tabs, without truncation and emphasis.
    case plain
    /// The whole state as JSON on one line, as the JSON-lines view writes it.
    case json

    /// One line of help.
    var help: String {
        switch self {
        case .plain: "For scripts: fields separated by tabs, not truncated."
        case .json: "For scripts: the whole state as JSON."
        }
    }
}

extension VerbSignature {
    /// The formats that may be requested. A notice has no plain format, and an option of the verb hides the format with the
    /// same name.
    var formats: [OutputFormat] {
        OutputFormat.allCases.filter { format in
            (format == .json || answer == .state) && !arguments.contains { $0.optionName == format.rawValue }
        }
    }
}
