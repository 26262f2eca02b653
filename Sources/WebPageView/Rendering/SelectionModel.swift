/// The form that changes the selected records of a page, for the templates `selection` and `select-all`.
public struct SelectionModel {
    let csrf: String
    /// The address of the page that contains the form; the answer redirects to it.
    let at: String
    /// The number of records of the page.
    let count: Int
    let isOfAll: Bool
    let choices: [FieldModel.Option]
    let hasWords: Bool
    /// The escaped initial value. Unsafe characters are not replaced, since the value is sent back.
    let words: String
    let hints: [Hint]
    /// Whether it contains input of a form that failed or wasn't confirmed.
    let isTyped: Bool

    /// What the words of a verb are.
    struct Hint {
        let effect: String
        let text: String
    }

    init(_ verbs: [SelectionVerb], count: Int, in page: PageFrame) {
        let typed = page.flash.selection
        (csrf, at) = (page.csrf, page.address.text)
        self.count = count
        isOfAll = typed?.isOfAll ?? false
        choices = verbs.map {
            FieldModel.Option(word: $0.value, label: $0.effect, isSelected: $0.value == typed?.verb)
        }
        hasWords = verbs.contains(where: \.hasWords)
        words = (typed?.words ?? "").escaped(sanitizing: false)
        hints = verbs.filter(\.hasWords).map { Hint(effect: $0.effect, text: $0.wordsHelp) }
        isTyped = typed != nil
    }
}

/// The check box of a record, for the template `selection-box`.
public struct SelectionBox {
    let id: String
    /// The escaped id. Unsafe characters are not replaced, since it is sent back.
    let value: String
    /// The name of the record, for screen readers.
    let title: String
    let isSelected: Bool

    init(_ id: String, title: String, isSelected: Bool) {
        (self.id, self.title, self.isSelected) = (id, title, isSelected)
        value = id.escaped(sanitizing: false)
    }
}

extension PageFrame {
    /// Returns the form that changes the selected records; nil if no verb changes several records, or there are none.
    ///
    /// - Parameter count: The number of records of the page that have a check box, see ``selectionBox(_:title:)``.
    public func selectionForm(count: Int) -> SelectionModel? {
        selectionVerbs.isEmpty || count == 0 ? nil : SelectionModel(selectionVerbs, count: count, in: self)
    }

    /// Returns the check box of a record; nil if no verb changes several records. It belongs to the page's
    /// ``selectionForm(count:)``.
    ///
    /// - Parameters:
    ///   - id: The id of the record.
    ///   - title: The name of the record, for screen readers.
    public func selectionBox(_ id: String, title: String) -> SelectionBox? {
        if selectionVerbs.isEmpty { return nil }
        return SelectionBox(id, title: title, isSelected: flash.selection?.records.contains(id) ?? false)
    }
}

/// The page that asks whether a command is performed, for the template `confirm`.
struct ConfirmationModel {
    let brand: String
    let question: String
    let action: String
    let hidden: [FormModel.Hidden]
    let submit: String
    let isDangerous: Bool
    let isUndoable: Bool
    /// The address of the page with the form.
    let back: String

    init(_ confirmation: Confirmation, brand: String, csrf: String, back: PageAddress) {
        self.brand = brand
        question = confirmation.question
        action = confirmation.path
        let token = [FormModel.Hidden("csrf", csrf)]
        hidden = token + confirmation.parameters.pairs.map { FormModel.Hidden($0.name, $0.value) }
        submit = confirmation.action
        isDangerous = confirmation.isDestructive
        isUndoable = confirmation.isUndoable
        self.back = back.text
    }
}
