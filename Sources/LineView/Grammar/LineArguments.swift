import ControllerKit

/// What the words after a verb come to, before any file is read.
struct LineArguments: Equatable {
    /// The values in the line.
    var values: ArgumentValues = [:]
    /// The files that values are to be read from, by argument; `-` is the standard input.
    var files: [String: String] = [:]
    /// The form in which the answer is asked for; nil: the one for people.
    var form: LineForm?

    /// Parses the words after a verb: options anywhere, until `--`; other words by position, then the rest. Words such
    /// as `+tag`, `-tag` and `key:value` are words like others.
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
    private var words: ArraySlice<String>

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

    /// A missing argument is reported before a file is read or a secret is asked for.
    private func checkRequired() throws(Failure) {
        let missing = verb.arguments.first {
            $0.isRequired && $0.kind != .secret && parsed.values[$0.name] == nil && parsed.files[$0.name] == nil
        }
        guard let missing else { return }
        let example = verb.examples.first.map { " Example: \($0.line)" } ?? ""
        throw Failure(.usage, "“\(verb.name)” needs \(missing.usage).\(example)")
    }

    private mutating func readWord(_ word: String) throws(Failure) {
        if let spec = positions.popFirst() {
            // An optional choice is skipped if the word isn't one of its values.
            if spec.givesWay(to: word), let next = positions.popFirst() {
                try set(next, to: word)
            } else {
                try set(spec, to: word)
            }
        } else if rest != nil {
            restWords.append(word)
        } else {
            throw Failure(.usage, "Unexpected “\(word)” after “\(verb.name)”. Put a text with spaces in quotes.")
        }
    }

    private mutating func readOption(_ text: Substring) throws(Failure) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts.first ?? "")
        let given = parts.count == 2 ? String(parts[1]) : nil
        if !options.contains(where: { $0.optionName == name }), let form = LineForm(rawValue: name) {
            return try accept(form, given)
        }
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

    private mutating func accept(_ form: LineForm, _ given: String?) throws(Failure) {
        guard given == nil else { throw Failure(.usage, "--\(form.rawValue) doesn't take a value.") }
        guard parsed.form == nil || parsed.form == form else {
            throw Failure(.usage, "--plain and --json exclude each other. Give one of them.")
        }
        parsed.form = form
    }

    private func option(_ name: String) throws(Failure) -> ArgumentSpec {
        if let spec = options.first(where: { $0.optionName == name }) { return spec }
        if options.contains(where: { $0.kind == .secret && $0.name == name }) {
            throw Failure(
                .usage,
                "--\(name) isn't accepted, since other users could read it. Use --\(name)-file FILE, or wait to be asked."
            )
        }
        let nearest = Vocabulary(noun: "option", names: options.map(\.optionName) + LineForm.allCases.map(\.rawValue))
            .nearest(to: name)
        let hint = nearest.map { " Did you mean --\($0)?" } ?? ""
        throw Failure(.usage, "“\(verb.name)” has no option --\(name).\(hint)")
    }

    private mutating func set(_ spec: ArgumentSpec, to text: String) throws(Failure) {
        switch spec.kind {
        case .contents, .secret: parsed.files[spec.name] = text
        case .text, .number, .integer, .flag, .record, .choice:
            parsed.values[spec.name] = try ArgumentValue(parsing: text, as: spec)
        }
    }
}

extension ArgumentSpec {
    /// Whether it is a choice that may be left out, and the word is none of those to choose from.
    fileprivate func givesWay(to word: String) -> Bool {
        guard !isRequired, case .choice(let words) = kind else { return false }
        return !words.contains(word)
    }
}

/// A form in which a command's answer is written for programs. Every command has it as an option: `list --json`.
public enum LineForm: String, Sendable, CaseIterable {
    /// Lines of fields with tabs between them, nothing cut and nothing emphasised.
    case plain
    /// The whole state as JSON in one line, as the JSON-lines view writes it.
    case json

    /// One line of help.
    public var help: String {
        switch self {
        case .plain: "For scripts: fields separated by tabs, not truncated."
        case .json: "For scripts: the whole state as JSON."
        }
    }
}

extension VerbSignature {
    /// The forms that its answer may be asked for in, as options: those that none of its own has the name of.
    var forms: [LineForm] {
        LineForm.allCases.filter { form in
            (form == .json || answer == .state) && !arguments.contains { $0.optionName == form.rawValue }
        }
    }
}
