/// The value of an argument between an adapter and a verb: what every medium's notation comes down to.
public enum ArgumentValue: Sendable, Equatable {
    /// A text, a word of a choice, a reference, a secret, or a file's contents.
    case text(String)
    /// A number.
    case number(Double)
    /// A whole number; it is taken where a number is wanted.
    case integer(Int)
    /// Whether a flag is set.
    case flag(Bool)
    /// The words of the rest of a line.
    case list([String])
}

/// The arguments of one utterance, by name; an absent one was not given.
public typealias ArgumentValues = [String: ArgumentValue]

extension ArgumentValue: CustomStringConvertible {
    /// The value as a message quotes it.
    public var description: String {
        switch self {
        case .text(let text): text
        case .number(let number): "\(number)"
        case .integer(let integer): "\(integer)"
        case .flag(let flag): "\(flag)"
        case .list(let texts): texts.joined(separator: " ")
        }
    }
}

extension ArgumentValue {
    /// Reads a typed text (a word of a line, a field of a form) as the kind that `spec` asks for.
    ///
    /// - Throws: `Failure` of category `usage`.
    public init(parsing text: String, as spec: ArgumentSpec) throws(Failure) {
        switch spec.kind {
        case .text, .record, .secret, .contents:
            self = .text(text)
        case .choice(let words):
            self = .text(try spec.choice(text, of: words))
        case .integer:
            guard let integer = Int(text) else { throw spec.refusal(of: text, "a whole number") }
            self = .integer(integer)
        case .number:
            guard let number = Double(text), number.isFinite else { throw spec.refusal(of: text, "a number") }
            self = .number(number)
        case .flag:
            guard let flag = Bool(text) else { throw spec.refusal(of: text, "true or false") }
            self = .flag(flag)
        }
    }
}
