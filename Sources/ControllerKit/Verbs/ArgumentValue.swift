/// The value of an argument, independent of the notation of a medium. New cases may be added.
public enum ArgumentValue: Sendable, Equatable {
    /// A text, a word of a choice, a reference, a secret, or a file's contents.
    case text(String)
    /// A number.
    case number(Double)
    /// An integer. It is accepted for a number, too.
    case integer(Int)
    /// Whether a flag is set.
    case flag(Bool)
    /// The words of the rest of a line.
    case list([String])
}

extension ArgumentValue: Codable {
    /// Decodes a value from its JSON form: a text, a number, a Boolean or a list of texts.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // The errors are ignored: a failed attempt only means that the value has another form.
        // `Int` precedes `Double`, which accepts integers, too.
        if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let integer = try? container.decode(Int.self) {
            self = .integer(integer)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else {
            self = .list(try container.decode([String].self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .number(let number): try container.encode(number)
        case .integer(let integer): try container.encode(integer)
        case .flag(let flag): try container.encode(flag)
        case .list(let texts): try container.encode(texts)
        }
    }
}

/// The arguments of one command, by name. An omitted argument is absent.
public typealias ArgumentValues = [String: ArgumentValue]

extension ArgumentValue: CustomStringConvertible {
    /// The value as it is quoted in messages.
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
    /// Parses a typed text (a word of a line, a field of a form) as the kind of `spec`.
    ///
    /// - Parameter name: The argument's name in errors, such as `--limit`; nil: `spec.name`.
    /// - Throws: `Failure` of category `usage` if the text isn't of this kind.
    public init(parsing text: String, as spec: ArgumentSpec, named name: String? = nil) throws(Failure) {
        switch spec.kind {
        case .text, .record, .secret, .contents:
            self = .text(text)
        case .choice(let words):
            self = .text(try spec.choice(text, of: words))
        case .integer:
            guard let integer = Int(text) else {
                let isTooLong = text.count > 18 && text.drop { $0 == "-" }.allSatisfy { $0.isASCII && $0.isNumber }
                throw spec.refusal(
                    of: text, isTooLong ? "a number of at most 18 digits" : "a whole number", named: name)
            }
            self = .integer(integer)
        case .number:
            // `Double` also parses `nan` and `inf`, which JSON can't represent (RFC 8259, section 6).
            guard let number = Double(text), number.isFinite else {
                throw spec.refusal(of: text, "a number", named: name)
            }
            self = .number(number)
        case .flag:
            guard let flag = Bool(text) else { throw spec.refusal(of: text, "true or false", named: name) }
            self = .flag(flag)
        }
    }
}
