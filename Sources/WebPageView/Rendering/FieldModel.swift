internal import ControllerKit

/// An argument as a control of a form, for the template `field`.
struct FieldModel {
    let id: String
    let name: String
    let label: String
    let help: String
    let hasHelp: Bool
    /// The error message; empty if the value is valid.
    let error: String
    let isInvalid: Bool
    let isRequired: Bool
    /// The ids of the elements that describe the control (`aria-describedby`).
    let describedBy: String
    let isDescribed: Bool
    /// The kind of control: exactly one of these is true.
    let isInput: Bool
    let isArea: Bool
    let isCheck: Bool
    let isSelect: Bool
    /// Whether the page's script adds a file chooser that fills the field with the file's text.
    let isFile: Bool
    /// The attributes of the `input` element.
    let type: String
    let autocomplete: String
    let step: String
    let isNumber: Bool
    /// The escaped initial value. Unsafe characters are not replaced, since the value is sent back.
    let value: String
    /// An example of a value.
    let placeholder: String
    let hasPlaceholder: Bool
    let isChecked: Bool
    let options: [Option]
    let isOptional: Bool
    /// Whether the control is in the collapsed part of the form.
    let isFurther: Bool

    /// An option of a `select`.
    struct Option {
        let word: String
        let label: String
        let isSelected: Bool
    }

    init(
        _ spec: ArgumentSpec, of verb: VerbSignature, formID: String, label: String? = nil, value: String?,
        error: String?
    ) {
        id = "\(formID)-\(spec.name)"
        name = spec.name
        self.label = label ?? PagePolicy.label(of: spec)
        help = PagePolicy.help(of: spec)
        hasHelp = !help.isEmpty
        self.error = error ?? ""
        isInvalid = error != nil
        isRequired = spec.isRequired && spec.kind != .flag
        // A field with input or an error must be visible.
        isFurther = spec.placement == .option && spec.kind != .secret && value == nil && error == nil
        isOptional = !isRequired && spec.kind != .flag
        describedBy = [hasHelp ? id + "-help" : nil, isInvalid ? id + "-error" : nil].compactMap(\.self)
            .joined(separator: " ")
        isDescribed = !describedBy.isEmpty
        let control = Control(spec)
        isInput = control == .input
        isArea = control == .area
        isFile = spec.kind == .contents && spec.placement == .position
        isCheck = control == .check
        isSelect = control == .select
        (type, step) = Self.type(of: spec.kind)
        isNumber = !step.isEmpty
        autocomplete = Self.autocomplete(of: spec, in: verb)
        // A password is never sent back to the browser.
        self.value = spec.kind == .secret ? "" : (value ?? "").escaped(sanitizing: false)
        placeholder = PagePolicy.placeholder(for: spec, of: verb)
        hasPlaceholder = !placeholder.isEmpty
        isChecked = value == "true"
        options = spec.words.map { Option(word: $0, label: $0.capitalisedFirst, isSelected: $0 == value) }
    }

    /// Creates the control of an input.
    ///
    /// - Parameters:
    ///   - value: The text that was entered before; nil: the initial value.
    init(_ field: FormField, formID: String, value: String?, error: String?) {
        let value = value ?? field.value
        id = "\(formID)-\(field.name)"
        name = field.input
        (label, help) = (field.label, field.help)
        hasHelp = !help.isEmpty
        self.error = error ?? ""
        isInvalid = error != nil
        isRequired = field.isRequired
        isFurther = field.isFurther
        isOptional = !isRequired && field.control != .check
        describedBy = [hasHelp ? id + "-help" : nil, isInvalid ? id + "-error" : nil].compactMap(\.self)
            .joined(separator: " ")
        isDescribed = !describedBy.isEmpty
        var options: [Option] = []
        if case .select(let choices) = field.control {
            options = choices.map { Option(word: $0.value, label: $0.label, isSelected: $0.value == value) }
        }
        self.options = options
        isInput = field.control == .line || field.control == .number
        isArea = field.control == .area
        isFile = false
        isCheck = field.control == .check
        isSelect = !isInput && !isArea && !isCheck
        isNumber = field.control == .number
        (type, step) = isNumber ? ("number", "any") : ("text", "")
        autocomplete = "off"
        self.value = value.escaped(sanitizing: false)
        (placeholder, hasPlaceholder) = ("", false)
        isChecked = value == "true"
    }

    private enum Control {
        case input, area, check, select

        init(_ spec: ArgumentSpec) {
            switch spec.kind {
            case .contents: self = .area
            case .flag: self = .check
            // In a list of words, the words are typed in one line.
            case .choice where spec.placement != .rest: self = .select
            case .choice, .text, .number, .integer, .record, .secret: self = .input
            }
        }
    }

    private static func type(of kind: ArgumentSpec.Kind) -> (type: String, step: String) {
        switch kind {
        case .number: ("number", "any")
        case .integer: ("number", "1")
        case .secret: ("password", "")
        case .text, .record, .choice, .contents, .flag: ("text", "")
        }
    }

    /// Returns the hint for password managers. Browsers must not store other input.
    private static func autocomplete(of spec: ArgumentSpec, in verb: VerbSignature) -> String {
        if spec.kind == .secret {
            return spec.isNewSecret ? "new-password" : "current-password"
        }
        let hasSecret = verb.arguments.contains { $0.kind == .secret }
        return hasSecret && spec.kind == .text && spec.placement == .position ? "username" : "off"
    }
}

extension ArgumentSpec {
    /// The words of a choice.
    fileprivate var words: [String] { if case .choice(let words) = kind { words } else { [] } }
}
