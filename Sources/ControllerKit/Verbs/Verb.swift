/// One thing that a person can say on a screen: its name, its typed arguments, and the intent they make.
///
///     Verb("move", .number("x"), .number("y"), help: "Move the square.") { Intent.move(x: $0, y: $1) }
public struct Verb<Intent: Sendable>: Sendable {
    /// What adapters know about it.
    public let signature: VerbSignature
    private let make: @Sendable (ArgumentValues) throws(Failure) -> Intent

    /// A verb whose arguments make an intent.
    ///
    /// - Parameters:
    ///   - name: What is said, unique in a catalogue.
    ///   - arguments: The arguments, in the order of a line; those that stand for the rest come last.
    ///   - answer: What the person wants to see afterwards.
    ///   - traits: What adapters must know of what the verb does.
    ///   - help: One line, for the list of commands.
    ///   - formHelp: What a form says in its place; nil: the same.
    ///   - topics: The names of the help topics that explain more about it.
    ///   - examples: What may be said, the most usual first.
    ///   - intent: Makes the intent; called with values of the arguments' types.
    public init<each Value: Sendable>(
        _ name: String, _ arguments: repeat Argument<each Value>, answer: VerbSignature.Answer = .state,
        traits: VerbTraits = [], help: String, formHelp: String? = nil, topics: [String] = [],
        examples: [Example] = [],
        intent: @escaping @Sendable (repeat each Value) -> Intent
    ) {
        var specs: [ArgumentSpec] = []
        for argument in repeat each arguments { specs.append(argument.spec) }
        signature = VerbSignature(
            name: name, arguments: specs, answer: answer, traits: traits, help: help, formHelp: formHelp ?? help,
            topics: topics, examples: examples)
        make = { values throws(Failure) in intent(repeat try (each arguments).value(in: values)) }
    }

    /// The intent that these values make.
    ///
    /// - Throws: `Failure` of category `usage`, naming the argument that is missing, wrong or unknown.
    public func intent(from values: ArgumentValues) throws(Failure) -> Intent {
        if let unknown = values.keys.filter({ signature.argument(named: $0) == nil }).min() {
            throw Failure(.usage, "“\(signature.name)” has no argument “\(unknown)”.")
        }
        return try make(values)
    }
}

/// What is known about a verb besides its intent: enough for a grammar, for help, completion and a schema.
public struct VerbSignature: Sendable, Equatable {
    /// What is said.
    public let name: String
    /// The arguments in the order of a line.
    public let arguments: [ArgumentSpec]
    /// What the person wants to see afterwards.
    public let answer: Answer
    /// What adapters must know of what the verb does.
    public let traits: VerbTraits
    /// One line of help.
    public let help: String
    /// What a form says in place of `help`.
    public let formHelp: String
    /// The names of the help topics that explain more about it.
    public let topics: [String]
    /// What may be said, the most usual first.
    public let examples: [Example]

    /// What the person wants to see after a verb is done.
    public enum Answer: String, Sendable, Codable {
        /// The screen's state: `list`, `show`.
        case state
        /// Only what happened, the state's `notice`: `add`, `rm`.
        case notice
    }

    /// The same verb under another name.
    func named(_ name: String) -> VerbSignature {
        VerbSignature(
            name: name, arguments: arguments, answer: answer, traits: traits, help: help, formHelp: formHelp,
            topics: topics, examples: examples)
    }

    /// The argument of this name.
    public func argument(named name: String) -> ArgumentSpec? { arguments.first { $0.name == name } }
}

/// What adapters must know of what a verb does, so that none needs to know its name.
public struct VerbTraits: OptionSet, Sendable, Hashable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Changes nothing: it only shows.
    public static let readOnly = VerbTraits(rawValue: 1)
    /// The verb of the trait `undoes` undoes what it did.
    public static let undoable = VerbTraits(rawValue: 2)
    /// Deletes or replaces something, so that an adapter marks it or asks first.
    public static let destructive = VerbTraits(rawValue: 4)
    /// Undoes the last undoable command.
    public static let undoes = VerbTraits(rawValue: 8)
    /// Waits for a server, so that it is carried out only when a person asks for it.
    public static let remote = VerbTraits(rawValue: 16)
}

extension VerbSignature {
    /// How it is said in a line: `edit <record> [--title <title>] [<words>…]`.
    public var usage: String { ([name] + arguments.map(\.usage)).joined(separator: " ") }
}

extension ArgumentSpec {
    /// How the argument is written in a line, in brackets when it may be left out.
    public var usage: String { isRequired && kind != .secret ? form : "[\(form)]" }

    private var form: String {
        switch (placement, kind) {
        case (_, .flag): "--\(optionName)"
        case (.position, .choice(let words)): words.joined(separator: "|")
        case (.position, _): "<\(name)>"
        case (.rest, _): "<\(name)>…"
        case (.option, .secret), (.option, .contents): "--\(optionName) FILE|-"
        case (.option, .choice(let words)): "--\(optionName) \(words.joined(separator: "|"))"
        case (.option, _): "--\(optionName) <\(name)>"
        }
    }
}

/// A line that a person may say, and what it does. Help and manuals show it; tests say it.
///
///     Verb("move", …, help: "Move the square.", examples: [Example("move 3 4", "To the third column, fourth row.")])
public struct Example: Sendable, Equatable {
    /// The line as it is typed at a prompt, beginning with the verb. Written so that a shell cuts it into the same words.
    public let line: String
    /// What it does, in one sentence.
    public let meaning: String

    /// An example.
    public init(_ line: String, _ meaning: String) {
        self.line = line
        self.meaning = meaning
    }
}
