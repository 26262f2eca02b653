import Controllers
import Records
import WebPageView

extension FormInput {
    /// Whether it is the title.
    var isTitle: Bool {
        if case .title = field.kind { true } else { false }
    }

    /// Returns the input of the field in a form of `add` or `edit`.
    ///
    /// - Parameter isFurther: Whether it is in the collapsed part of the form.
    func formField(isFurther: Bool = false) -> FormField {
        FormField(
            field.name, of: "words", label: field.label, help: field.inputHelp, control: control, value: text,
            isRequired: isTitle, isFurther: isFurther)
    }

    private var control: FormField.Control {
        switch field.kind {
        case .title, .word, .path, .words, .moment, .date, .reference, .references, .custom, .any, .annotations: .line
        case .text: .area
        case .number: .number
        case .flag: .check
        case .choice(let choices, _):
            // A value that isn't offered was set by another program. It is added, so that saving the form keeps it.
            .select(
                choices.filter { $0.isOffered || $0.value == text }.map { .init($0.value, $0.label) }
                    + (text.isEmpty || choices.contains { $0.value == text } ? [] : [.init(text, text)]))
        }
    }
}
