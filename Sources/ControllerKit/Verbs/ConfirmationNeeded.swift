/// The refusal of a command that changes many records or deletes them by a filter, until the user confirms it. Nothing
/// was changed.
///
/// A controller throws it unless the command contains the flag that `Argument.confirmation` declares. A view that can
/// ask shows the `question`, and performs the command again with the flag. Any other view shows the message.
public struct ConfirmationNeeded: PersonFacing, Equatable {
    /// What the command concerns, with a number: `12 tasks: “Bread”, “Milk”, “Rent” and 9 more`.
    public let subject: String
    /// What it does to them, in the infinitive: `mark them as done`.
    public let action: String

    /// Creates a refusal.
    public init(_ subject: String, action: String) { (self.subject, self.action) = (subject, action) }

    public var category: Failure.Category { .usage }

    public var message: String {
        "\(subject). Nothing was changed. To \(action), repeat the command with --\(ArgumentSpec.confirmationName)."
    }

    /// The question to the user, without the possible answers.
    public var question: String { "\(subject). \(action.prefix(1).uppercased())\(action.dropFirst())?" }
}

extension ArgumentSpec {
    /// The name of the flag with which a command is confirmed in advance.
    public static let confirmationName = "yes"
}

extension Argument where Value == Bool {
    /// The flag with which a command is performed without a question, see `ConfirmationNeeded`. Views that ask the user
    /// themselves don't offer it.
    public static var confirmation: Self {
        flag(ArgumentSpec.confirmationName, help: "Don't ask before many records are changed or deleted.")
            .confirming()
    }
}
