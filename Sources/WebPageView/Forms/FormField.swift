internal import ControllerKit

/// An input of a form whose value becomes a word `name:value` of an argument, for example a field of a record. So a
/// form can have an input for each field that a command line can name, without an argument of the verb for each.
public struct FormField: Equatable, Sendable {
    let name: String
    let argument: String
    let label: String
    let help: String
    let control: Control
    let value: String
    let isRequired: Bool
    let isFurther: Bool

    /// The kind of control. New cases may be added.
    public enum Control: Equatable, Sendable {
        /// A line of text.
        case line
        /// A text of several lines.
        case area
        /// A number.
        case number
        /// A check box; checked, its value is `true`.
        case check
        /// One of a few values.
        case select([Option])
    }

    /// A choice of a `select`.
    public struct Option: Equatable, Sendable {
        let value: String
        let label: String

        /// Creates a choice.
        ///
        /// - Parameters:
        ///   - value: The value that is sent.
        ///   - label: The text that is shown for it.
        public init(_ value: String, _ label: String) { (self.value, self.label) = (value, label) }
    }

    /// Creates an input.
    ///
    /// - Parameters:
    ///   - name: The name before the colon: letters, `_` and `.`.
    ///   - argument: The argument of the verb that contains the word.
    ///   - value: The initial value.
    ///   - isFurther: Whether it is in the collapsed part of the form.
    public init(
        _ name: String, of argument: String, label: String, help: String = "", control: Control = .line,
        value: String = "", isRequired: Bool = false, isFurther: Bool = false
    ) {
        (self.name, self.argument, self.label, self.help) = (name, argument, label, help)
        (self.control, self.value, self.isRequired, self.isFurther) = (control, value, isRequired, isFurther)
    }

    /// The name of the input in the form.
    public var input: String { "\(argument).\(name)" }
}

/// An input of a sent form as a word of an argument.
struct FormWord {
    /// The name of the input.
    let input: String
    /// The name before the colon.
    let name: String
    /// The value that was entered.
    let text: String
    /// The initial value.
    let base: Base

    /// Returns the inputs of an argument, in the order of the form.
    static func all(of spec: ArgumentSpec, in parameters: Parameters) -> [FormWord] {
        guard spec.placement == .rest else { return [] }
        let prefix = spec.name + "."
        var inputs: [String] = []
        // A cleared check box is present only by its base, so names are collected from both.
        for pair in parameters.pairs {
            let name = Base.input(of: pair.name) ?? pair.name
            if name.hasPrefix(prefix), !inputs.contains(name) { inputs.append(name) }
        }
        return inputs.compactMap { input in
            let base = Base(input, parameters)
            // Browsers send nothing for a cleared check box. If it was checked initially, that is a change.
            guard let text = parameters[input] ?? (base.isGiven("true") ? nil : "") else { return nil }
            return FormWord(
                input: input, name: String(input.dropFirst(prefix.count)), text: text.withLineFeeds, base: base)
        }
    }

    /// Returns the words of the inputs that were changed. Names that can't precede a colon are ignored.
    static func changed(of spec: ArgumentSpec, in parameters: Parameters) -> [String] {
        all(of: spec, in: parameters).filter { word in
            // The client sends the names: one that begins with `+`, for example, would make the word a tag.
            word.base.isGiven(word.text)
                && !word.name.isEmpty && word.name.allSatisfy { $0.isASCII && $0.isLetter || $0 == "." || $0 == "_" }
        }.map { "\($0.name):\($0.text)" }
    }
}
