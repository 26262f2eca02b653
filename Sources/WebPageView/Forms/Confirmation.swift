internal import ControllerKit

/// A sent form whose command must be confirmed, see `ConfirmationNeeded`. Nothing has been changed yet.
struct Confirmation {
    /// The question to the user.
    let question: String
    /// What the command does, for the button.
    let action: String
    let isDestructive: Bool
    let isUndoable: Bool
    /// The path to which the form is sent again.
    let path: String
    /// The inputs of the form without the token, and the confirmation.
    let parameters: Parameters

    /// Creates a confirmation; nil if an error doesn't ask for one, or the form already has the one that it asks for.
    ///
    /// - Parameters:
    ///   - path: The path to which the form was sent.
    ///   - parameters: The inputs of the form.
    init?(of error: any Error, _ verb: VerbSignature, path: String, _ parameters: Parameters) {
        guard let needed = error as? ConfirmationNeeded,
            let flag = verb.arguments.first(where: \.isConfirmation),
            flag.confirmation(in: parameters) != needed.confirmation,
            // Passwords are never sent back to the browser.
            !verb.arguments.contains(where: { $0.kind == .secret })
        else { return nil }
        question = needed.question
        action = needed.action.capitalisedFirst
        isDestructive = verb.traits.contains(.destructive)
        isUndoable = verb.traits.contains(.undoable)
        self.path = path
        let sent = parameters.without("csrf").without(flag.name).pairs.map { ($0.name, $0.value) }
        self.parameters = Parameters(sent + [(flag.name, needed.confirmation.description)])
    }
}

extension ArgumentSpec {
    /// Returns the confirmation in a sent form; nil: it has none, or this isn't the argument of a confirmation. No form
    /// offers it; the page that asks for a confirmation adds it.
    func confirmation(in parameters: Parameters) -> ArgumentValue? {
        guard isConfirmation, let text = parameters[name], !text.isEmpty else { return nil }
        return text == ArgumentValue.flag(true).description ? .flag(true) : .text(text)
    }
}
