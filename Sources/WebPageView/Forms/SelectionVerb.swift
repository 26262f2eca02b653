package import ControllerKit

/// A verb that changes any number of records, for the form of the selected records. It is derived from the signature: one
/// argument names several records, and at most one other argument receives words.
struct SelectionVerb {
    /// The name of the screen.
    let screen: String
    let verb: VerbSignature
    /// The argument that names the records.
    private let records: ArgumentSpec
    /// The argument that receives words; nil: there is none. It is `records` if the words follow the records.
    private let words: ArgumentSpec?

    /// Returns the verbs of these screens, in their order.
    static func all(of screens: [ScreenDescription]) -> [SelectionVerb] {
        screens.flatMap { screen in screen.verbs.compactMap { SelectionVerb($0, of: screen.name) } }
    }

    /// Creates the description of a verb; nil if the verb doesn't change several records, or needs other arguments.
    init?(_ verb: VerbSignature, of screen: String) {
        guard !verb.traits.contains(.readOnly), verb.answer == .notice,
            let records = verb.arguments.first(where: \.namesSeveralRecords)
        else { return nil }
        let words = verb.arguments.first { $0.placement == .rest && $0.kind != .record && !PagePolicy.isWithheld($0) }
        // The form has no input for further arguments.
        let isComplete = verb.arguments.allSatisfy { !$0.isRequired || $0 == records || $0 == words }
        guard isComplete else { return nil }
        (self.screen, self.verb, self.records, self.words) = (screen, verb, records, words)
    }

    /// The value of the form's choice.
    var value: String { "\(screen)/\(verb.name)" }

    /// The effect in a few words: the first clause of the verb's help.
    var effect: String {
        let clause = verb.help.prefix { $0 != ";" }
        return String(clause.hasSuffix(".") ? clause.dropLast() : clause)
    }

    /// Whether the verb receives words.
    var hasWords: Bool { words != nil }

    /// What the words are; empty if the verb receives none.
    var wordsHelp: String {
        guard let words else { return "" }
        if words == records { return "Words that begin with + or -." }
        return words.help.isEmpty ? "Any words." : words.help
    }

    /// Returns the arguments of the verb.
    ///
    /// - Parameters:
    ///   - ids: The ids of the selected records, at least one.
    ///   - typed: The words.
    ///   - parameters: The form, which may contain the confirmation.
    /// - Throws: `Failure` of category `usage` if words are missing or not expected.
    func values(_ ids: [String], _ typed: [String], of parameters: Parameters) throws(Failure) -> ArgumentValues {
        if hasWords, typed.isEmpty { throw Failure(.usage, "Fill in “Changes or text” for “\(effect)”. \(wordsHelp)") }
        // Words that would be ignored may be meant for another verb.
        if !hasWords, !typed.isEmpty {
            throw Failure(.usage, "“\(effect)” needs no text. Clear the field, or choose another action.")
        }
        var values: ArgumentValues = [:]
        if let words, words == records {
            // Any other word could name a further record.
            if let other = typed.first(where: { !$0.hasPrefix("+") && !$0.hasPrefix("-") }) {
                throw Failure(.usage, "Words must begin with + (add) or - (remove): change “\(other)”.")
            }
            values[records.name] = .list(ids + typed)
        } else {
            values[records.name] = records.placement == .rest ? .list(ids) : .text(ids.joined(separator: ","))
            if let words { values[words.name] = .list(typed) }
        }
        for spec in verb.arguments where spec.isConfirmation { values[spec.name] = spec.confirmation(in: parameters) }
        return values
    }
}

extension ArgumentSpec {
    /// Whether it names any number of records: by all its words, by those before other words, or as a list.
    fileprivate var namesSeveralRecords: Bool {
        switch placement {
        case .rest: kind == .record || completion.namesRecords
        case .position: kind == .record && continuation != nil
        case .option: false
        }
    }
}

/// The content of a sent form of selected records.
struct SelectionInput: Equatable {
    /// The path to which the form is sent.
    static let path = "/selection"

    /// Whether all records of the page are selected.
    let isOfAll: Bool
    /// The ids of the records whose boxes are checked.
    let records: [String]
    /// The ids of all records of the page.
    let shown: [String]
    /// `SelectionVerb.value`.
    let verb: String
    let words: String

    init(_ parameters: Parameters) {
        isOfAll = parameters["all"] == "true"
        (records, shown) = (parameters[all: "record"], parameters[all: "shown"])
        (verb, words) = (parameters["verb"] ?? "", parameters["words"] ?? "")
    }

    /// The ids of the selected records.
    var selected: [String] { isOfAll ? shown : records }
}

/// A verb with its arguments, from a form of selected records.
package struct SelectionCommand {
    package let screen: String
    package let verb: VerbSignature
    package let values: ArgumentValues

    /// Reads a form.
    ///
    /// - Throws: `Failure` of category `usage` that says what is missing.
    package init(_ parameters: Parameters, in screens: [ScreenDescription]) throws(Failure) {
        let input = SelectionInput(parameters)
        let ids = input.selected
        if ids.isEmpty { throw Failure(.usage, "No records are selected. Select the records to change.") }
        guard let choice = SelectionVerb.all(of: screens).first(where: { $0.value == input.verb }) else {
            throw Failure(.usage, "Choose an action for the selected records.")
        }
        let words = try CommandWords.split(input.words)
        (screen, verb) = (choice.screen, choice.verb)
        values = try choice.values(ids, words, of: parameters)
    }
}
