internal import ControllerKit

/// A verb as a form, as the template `form` shows it. Pure: derived from the signature and what is typed already.
public struct FormModel {
    /// Unique in the page.
    let id: String
    let verb: String
    let title: String
    let help: String
    let action: String
    let csrf: String
    /// The address that the page comes back to.
    let at: String
    let hidden: [Hidden]
    var fields: [FieldModel]
    /// The options, in the collapsed part of the form.
    var further: [FieldModel]
    var hasFurther: Bool
    let isFurtherOpen: Bool
    let submit: String
    /// What the form is for, where its button alone doesn't say it.
    let label: String
    let hasLabel: Bool
    let isCompact: Bool
    let isDangerous: Bool
    /// Whether something was typed in it that needs another look.
    let isOpen: Bool

    /// A value that goes along unseen.
    struct Hidden {
        let name: String
        /// Escaped, and else as it is: it comes back.
        let value: String

        init(_ name: String, _ value: String) {
            self.name = name
            self.value = value.escaped(neutralising: false)
        }
    }

    /// A form of a verb.
    ///
    /// - Parameters:
    ///   - fixed: Arguments that the page knows: they go along unseen.
    ///   - values: What its fields begin with.
    ///   - without: Arguments that it doesn't offer.
    ///   - inputs: Inputs whose values are words of an argument.
    ///   - keepsBase: Whether it carries along what they begin with, so that only what the person changes is an edit.
    init(
        _ verb: VerbSignature, of screen: String, in page: PageFrame, id: String? = nil, fixed: [(String, String)] = [],
        values: [String: String] = [:], keepsBase: Bool = false, without: Set<String> = [], inputs: [FormField] = [],
        submit: String? = nil, label: String = "", isCompact: Bool = false
    ) {
        let id = id ?? "form-\(verb.name)"
        // A form of the same verb that offers other arguments is another form.
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
            keepsBase ? values.map { (Base.name(of: $0.key), typed?.bases[$0.key] ?? Base.digest(of: $0.value)) } : []
        hidden = (fixed + bases.sorted { $0.0 < $1.0 }).map { Hidden($0.0, $0.1) }
        let offered = PagePolicy.fields(of: verb).filter { spec in
            !without.contains(spec.name) && !fixed.contains { $0.0 == spec.name }
        }
        let arguments = offered.map { spec in
            FieldModel(
                spec, of: verb, formID: id,
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
    /// The same with nothing to fill in.
    public var bare: FormModel {
        var bare = self
        (bare.fields, bare.further, bare.hasFurther) = ([], [], false)
        return bare
    }
}
