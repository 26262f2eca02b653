internal import ControllerKit

/// A verb as a form, for the template `form`. Pure: derived from the signature and the input so far.
public struct FormModel {
    /// Unique in the page.
    let id: String
    let verb: String
    let title: String
    let help: String
    let action: String
    let csrf: String
    /// The address of the page that contains the form; the answer redirects to it.
    let at: String
    let hidden: [Hidden]
    var fields: [FieldModel]
    /// The optional fields, in the collapsed part of the form.
    var further: [FieldModel]
    var hasFurther: Bool
    let isFurtherOpen: Bool
    let submit: String
    /// The purpose of the form if its button doesn't say it, for screen readers.
    let label: String
    let hasLabel: Bool
    let isCompact: Bool
    let isDangerous: Bool
    /// Whether it contains input of a form that failed.
    let isOpen: Bool

    /// A hidden input.
    struct Hidden {
        let name: String
        /// The escaped value. Unsafe characters are not replaced, since the value is sent back.
        let value: String

        init(_ name: String, _ value: String) {
            self.name = name
            self.value = value.escaped(sanitizing: false)
        }
    }

    /// Creates the form of a verb.
    ///
    /// - Parameters:
    ///   - fixed: Arguments as hidden inputs.
    ///   - values: The initial values of the fields.
    ///   - without: Arguments that the form doesn't offer.
    ///   - labels: Labels of arguments, in place of those that the verb declares.
    ///   - inputs: Inputs whose values are words of an argument.
    ///   - keepsBase: Whether it contains digests of the initial values, so that only changed fields are edits.
    init(
        _ verb: VerbSignature, of screen: String, in page: PageFrame, id: String? = nil, fixed: [(String, String)] = [],
        values: [String: String] = [:], keepsBase: Bool = false, without: Set<String> = [],
        labels: [String: String] = [:], inputs: [FormField] = [], submit: String? = nil, label: String = "",
        isCompact: Bool = false
    ) {
        let id = id ?? "form-\(verb.name)"
        // A page may have several forms of a verb; the input belongs to the one with the same arguments.
        let typed = page.flash.typed.flatMap {
            $0.isOf(verb, fixed) && without.isDisjoint(with: $0.values.keys) ? $0 : nil
        }
        self.id = id
        self.verb = verb.name
        title = Outline.label(of: verb.name).capitalisedFirst
        help = verb.formHelp
        action = "/\(screen)/\(verb.name)"
        csrf = page.csrf
        at = page.address.text
        let values = values.merging(inputs.map { ($0.input, $0.value) }) { given, _ in given }
        let bases =
            // A form that failed keeps its first bases, so that changes elsewhere are still detected when it is sent
            // again.
            keepsBase ? values.map { (Base.name(of: $0.key), typed?.bases[$0.key] ?? Base.digest(of: $0.value)) } : []
        hidden = (fixed + bases.sorted { $0.0 < $1.0 }).map { Hidden($0.0, $0.1) }
        let offered = PagePolicy.fields(of: verb).filter { spec in
            !without.contains(spec.name) && !fixed.contains { $0.0 == spec.name }
        }
        // A flag, or a word of a choice: only those decide whether another field is required.
        let given = fixed.map { ($0.0, $0.1 == "true" ? ArgumentValue.flag(true) : .text($0.1)) }
        let chosen = ArgumentValues(given) { first, _ in first }
        let isChosen = offered.allSatisfy { spec in !offered.contains { $0.name == spec.condition?.argument } }
        let arguments = offered.map { spec in
            FieldModel(
                // While the form offers the choice, the browser can't know which fields are required.
                isChosen ? spec.settled(by: chosen) : spec, of: verb, formID: id, label: labels[spec.name],
                value: typed?.values[spec.name]?.joined(separator: " ") ?? values[spec.name],
                error: typed?.errors[spec.name])
        }
        let fields =
            arguments
            + inputs.map { input in
                FieldModel(
                    input, formID: id, value: typed?.values[input.input]?.first, error: typed?.errors[input.input])
            }
        self.fields = fields.filter { !$0.isFurther }
        further = fields.filter(\.isFurther)
        hasFurther = !further.isEmpty
        isFurtherOpen = further.contains { $0.isInvalid || !$0.value.isEmpty }
        self.submit = submit ?? title
        self.label = label
        hasLabel = !label.isEmpty
        self.isCompact = isCompact
        isDangerous = verb.traits.contains(.destructive)
        isOpen = typed != nil
    }
}

extension FormModel {
    /// The form without fields.
    public var bare: FormModel {
        var bare = self
        (bare.fields, bare.further, bare.hasFurther) = ([], [], false)
        return bare
    }
}
