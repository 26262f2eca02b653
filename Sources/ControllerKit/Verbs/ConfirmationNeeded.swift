/// The refusal of a command that changes many records or deletes them by a filter, until the user confirms it. Nothing
/// was changed.
///
/// A controller throws it unless the command contains the flag that `Argument.confirmation` declares. A view that can
/// ask shows the `question`, and performs the command again with the `confirmation`. Any other view shows the message.
///
/// Between the question and the answer, another process may change what the command concerns. With a `token`, the
/// answer is valid only for what the question was about: if that isn't the same any more, the controller throws the
/// error again.
public struct ConfirmationNeeded: PersonFacing, Equatable {
    /// What the command concerns, with a number: `12 tasks: “Bread”, “Milk”, “Rent” and 9 more`.
    public let subject: String
    /// What it does to them, in the infinitive: `mark them as done`.
    public let action: String
    /// A text that identifies what the command concerns, such as a digest of the records; nil: the answer is valid for
    /// whatever the command concerns when it is performed.
    public let token: String?
    /// Whether the user has confirmed the command already, but for something else.
    public let hasChanged: Bool

    /// Creates a refusal.
    public init(_ subject: String, action: String, token: String? = nil, hasChanged: Bool = false) {
        (self.subject, self.action, self.token, self.hasChanged) = (subject, action, token, hasChanged)
    }

    /// The value of the flag with which the command is performed if the user says yes.
    public var confirmation: ArgumentValue { token.map(ArgumentValue.text) ?? .flag(true) }

    public var category: Failure.Category { .usage }

    public var message: String {
        "\(lead)\(subject). Nothing was changed. "
            + "To \(action), repeat the command with --\(ArgumentSpec.confirmationName)."
    }

    /// The question to the user, without the possible answers.
    public var question: String { "\(lead)\(subject). \(action.prefix(1).uppercased())\(action.dropFirst())?" }

    private var lead: String { hasChanged ? "The selection has changed since the question. " : "" }
}

/// The confirmation in a command, see `ConfirmationNeeded`. New cases may be added.
public enum GivenConfirmation: Sendable, Equatable {
    /// There is none.
    case notGiven
    /// The command is confirmed whatever it concerns, as with `--yes`.
    case inAdvance
    /// The command is confirmed for what the question with this `ConfirmationNeeded.token` was about.
    case answer(to: String)
}

extension GivenConfirmation: ExpressibleByBooleanLiteral {
    /// `true` is `inAdvance`, `false` is `notGiven`.
    public init(booleanLiteral isGiven: Bool) { self = isGiven ? .inAdvance : .notGiven }
}

extension ArgumentSpec {
    /// The name of the flag with which a command is confirmed in advance.
    public static let confirmationName = "yes"
}

extension Argument where Value == GivenConfirmation {
    /// The flag with which a command is performed without a question, see `ConfirmationNeeded`. Views that ask the user
    /// themselves don't offer it, and set it to `ConfirmationNeeded.confirmation`.
    public static var confirmation: Self {
        let flag = Argument<Bool>.flag(
            ArgumentSpec.confirmationName, help: "Don't ask before many records are changed or deleted."
        ).confirming()
        return Argument(flag.spec, absent: .notGiven) { value throws(Failure) in
            if case .text(let token) = value { return .answer(to: token) }
            return try flag.read(value) ? .inAdvance : .notGiven
        }
    }
}
