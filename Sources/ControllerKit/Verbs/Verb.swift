/// A command of a screen: a name, typed arguments, and the intent that it makes of them.
///
///     Verb("move", .number("x"), .number("y"), help: "Move the square.") { Intent.move(x: $0, y: $1) }
public struct Verb<Intent: Sendable>: Sendable {
    /// The description for adapters.
    public private(set) var signature: VerbSignature
    private let make: @Sendable (ArgumentValues) throws(Failure) -> Intent

    /// Creates a verb.
    ///
    /// - Parameters:
    ///   - name: The name, unique among the screen's verbs.
    ///   - arguments: The arguments, in the order of a line. One for the remaining words comes last.
    ///   - answer: What is shown afterwards.
    ///   - traits: The effects of the verb that adapters must know.
    ///   - help: One line of help, for the list of commands.
    ///   - formHelp: The help in a form; nil: `help`.
    ///   - topics: The names of related help topics.
    ///   - otherNames: Other names by which a line may call the verb, in lower case.
    ///   - namesElsewhere: The names of the same command in other programs, in lower case, for suggestions.
    ///   - examples: Example lines, the most common first.
    ///   - intent: Creates the intent from the values of the arguments.
    public init<each Value: Sendable>(
        _ name: String, _ arguments: repeat Argument<each Value>, answer: VerbSignature.Answer = .state,
        traits: VerbTraits = [], help: String, formHelp: String? = nil, topics: [String] = [],
        otherNames: [String] = [], namesElsewhere: [String] = [], examples: [Example] = [],
        intent: @escaping @Sendable (repeat each Value) -> Intent
    ) {
        var specs: [ArgumentSpec] = []
        for argument in repeat each arguments { specs.append(argument.spec) }
        signature = VerbSignature(
            name: name, arguments: specs, answer: answer, traits: traits, help: help, formHelp: formHelp ?? help,
            topics: topics, otherNames: otherNames, namesElsewhere: namesElsewhere, examples: examples)
        make = { values throws(Failure) in intent(repeat try (each arguments).value(in: values)) }
    }

    /// Returns the verb with only the examples that satisfy a condition, for instance those whose fields a program has.
    package func filteringExamples(_ isIncluded: (Example) -> Bool) -> Self {
        var verb = self
        verb.signature.examples.removeAll { !isIncluded($0) }
        return verb
    }

    /// Creates the intent from values.
    ///
    /// - Throws: `Failure` of category `usage` that names the missing, wrong or unknown argument.
    public func intent(from values: ArgumentValues) throws(Failure) -> Intent {
        // The order of a dictionary is random; the minimum makes the message the same each time.
        if let unknown = values.keys.filter({ signature.argument(named: $0) == nil }).min() {
            throw Failure(.usage, "“\(signature.name)” has no argument “\(unknown)”.")
        }
        return try make(values)
    }
}

/// The description of a verb without its intent, for grammars, help, completion and schemas.
public struct VerbSignature: Sendable, Equatable {
    /// The name.
    public let name: String
    /// The arguments in the order of a line.
    public let arguments: [ArgumentSpec]
    /// What is shown afterwards.
    public let answer: Answer
    /// The effects of the verb that adapters must know.
    public let traits: VerbTraits
    /// One line of help.
    public let help: String
    /// The help in a form.
    public let formHelp: String
    /// The names of related help topics.
    public let topics: [String]
    /// Other names by which a line may call the verb, in lower case: `delete` for `rm`. A verb with such a name as its
    /// own name has priority. Protocols know the verb's own name only.
    public let otherNames: [String]
    /// The names of the same command in other programs, in lower case. They aren't commands: an adapter suggests the
    /// verb if one of them is typed.
    public let namesElsewhere: [String]
    /// Example lines, the most common first.
    public internal(set) var examples: [Example]

    /// What is shown after a verb is done. New cases may be added.
    public enum Answer: String, Sendable, Codable {
        /// The screen's state: `list`, `show`.
        case state
        /// Only the state's `notice`: `add`, `rm`.
        case notice
    }

    /// Returns the verb with another name.
    func named(_ name: String) -> VerbSignature {
        VerbSignature(
            name: name, arguments: arguments, answer: answer, traits: traits, help: help, formHelp: formHelp,
            topics: topics, otherNames: otherNames, namesElsewhere: namesElsewhere, examples: examples)
    }

    /// Returns the argument with a name; nil: there is none.
    public func argument(named name: String) -> ArgumentSpec? { arguments.first { $0.name == name } }

    /// The argument that receives the name of the command to undo, see ``VerbTraits/undoes``; nil: the verb has none.
    public var undoneCommand: ArgumentSpec? {
        traits.contains(.undoes) ? arguments.first { $0.kind == .text && !$0.isRequired } : nil
    }
}

/// The effects of a verb that adapters must know. No adapter depends on the names of verbs.
public struct VerbTraits: OptionSet, Sendable, Hashable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Changes nothing.
    public static let readOnly = VerbTraits(rawValue: 1)
    /// Can be undone with the verb that has the trait `undoes`.
    public static let undoable = VerbTraits(rawValue: 2)
    /// Deletes or replaces something. Adapters mark it or ask for confirmation.
    public static let destructive = VerbTraits(rawValue: 4)
    /// Undoes the last undoable command. Its first optional text argument, if it has one, receives the name of a
    /// command: if that isn't the last one, nothing is undone.
    public static let undoes = VerbTraits(rawValue: 8)
    /// Waits for a server. It is performed only on request, not when a session is restored.
    public static let remote = VerbTraits(rawValue: 16)
    /// Finds what matches a condition, and shows it in rows or counts it. The state says whether there was no match
    /// (`ScreenState.hasNoMatches`).
    public static let finds = VerbTraits(rawValue: 32)
}

extension VerbSignature {
    /// The usage line: `edit <record> [--title <title>] [<words>…]`.
    public var usage: String { ([name] + arguments.map(\.usage)).joined(separator: " ") }
}

extension ArgumentSpec {
    /// The argument in a usage line, in brackets if it may be omitted. A required secret may be: it is asked for.
    public var usage: String { isRequired && kind != .secret ? form : "[\(form)]" }

    private var form: String {
        switch (placement, kind) {
        case (_, .flag): "--\(optionName)"
        case (.position, .choice(let words)): words.joined(separator: "|")
        case (.position, _): continuation == nil ? "<\(name)>" : "<\(name)>…"
        case (.rest, _): "<\(name)>…"
        case (.option, .secret), (.option, .contents): "--\(optionName) FILE|-"
        case (.option, .choice(let words)): "--\(optionName) \(words.joined(separator: "|"))"
        case (.option, _): "--\(optionName) <\(name)>"
        }
    }
}

/// An example line and its effect. Help and manuals show it; tests perform it.
///
///     Verb("move", …, help: "Move the square.", examples: [Example("move 3 4", "To the third column, fourth row.")])
public struct Example: Sendable, Equatable {
    /// The line as it is typed at the prompt, beginning with the verb. A shell must split it into the same words.
    public let line: String
    /// Its effect, in one sentence.
    public let meaning: String

    /// Creates an example.
    public init(_ line: String, _ meaning: String) {
        self.line = line
        self.meaning = meaning
    }
}
