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
    ///   - help: One line, for the list of commands.
    ///   - examples: What may be said, the most usual first.
    ///   - intent: Makes the intent; called with values of the arguments' types.
    public init<each Value: Sendable>(
        _ name: String, _ arguments: repeat Argument<each Value>, answer: VerbSignature.Answer = .state, help: String,
        examples: [Example] = [], intent: @escaping @Sendable (repeat each Value) -> Intent
    ) {
        var specs: [ArgumentSpec] = []
        for argument in repeat each arguments { specs.append(argument.spec) }
        signature = VerbSignature(name: name, arguments: specs, answer: answer, help: help, examples: examples)
        make = { values throws(Failure) in intent(repeat try (each arguments).value(in: values)) }
    }

    /// The intent that these values make.
    ///
    /// - Throws: `Failure` of category `usage`, naming the argument that is missing, wrong or unknown.
    public func intent(from values: ArgumentValues) throws(Failure) -> Intent {
        if let unknown = values.keys.filter({ signature.argument(named: $0) == nil }).min() {
            throw Failure(.usage, "\(signature.name) takes no \(unknown).")
        }
        return try make(values)
    }
}

extension Screen {
    /// The intent that a verb of this screen makes of these values.
    ///
    /// - Throws: `Failure` of category `usage`.
    static func intent(_ verb: String, _ values: ArgumentValues) throws(Failure) -> Intent {
        guard let verb = verbs.first(where: { $0.signature.name == verb }) else {
            throw Failure(.usage, "“\(name)” has no command “\(verb)”.")
        }
        return try verb.intent(from: values)
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
    /// One line of help.
    public let help: String
    /// What may be said, the most usual first.
    public let examples: [Example]

    /// What the person wants to see after a verb is done.
    public enum Answer: String, Sendable, Codable {
        /// The screen's state: `list`, `show`.
        case state
        /// Only what happened, the state's `notice`: `add`, `rm`.
        case notice
    }

    /// The argument of this name.
    public func argument(named name: String) -> ArgumentSpec? { arguments.first { $0.name == name } }
}
