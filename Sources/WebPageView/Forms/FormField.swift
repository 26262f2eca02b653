internal import ControllerKit

/// An input of a form whose value is a word `name:value` among the words of a verb: a field of a record, for instance. So a form
/// has an input for each field that a line of words can name, and the verb needs no argument for it.
public struct FormField: Equatable, Sendable {
    let name: String
    let argument: String
    let label: String
    let help: String
    let control: Control
    let value: String
    let isRequired: Bool
    let isFurther: Bool

    /// What is entered into. New cases may be added.
    public enum Control: Equatable, Sendable {
        /// A line of text.
        case line
        /// A text of several lines.
        case area
        /// A number.
        case number
        /// Yes or nothing.
        case check
        /// One of a few values.
        case select([Option])
    }

    /// A value to choose.
    public struct Option: Equatable, Sendable {
        let value: String
        let label: String

        /// A value with what is shown for it.
        public init(_ value: String, _ label: String) { (self.value, self.label) = (value, label) }
    }

    /// An input.
    ///
    /// - Parameters:
    ///   - name: The name before the colon: letters, `_` and `.`.
    ///   - argument: The argument of the verb that has the words.
    ///   - value: What it begins with.
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

/// A word that an input of a sent form stands for.
struct FormWord {
    /// The name of the input.
    let input: String
    /// The name before the colon.
    let name: String
    /// What was entered.
    let text: String
    /// What the input began with.
    let base: Base

    /// The inputs of an argument in a form, in its order.
    static func all(of spec: ArgumentSpec, in parameters: Parameters) -> [FormWord] {
        guard spec.placement == .rest else { return [] }
        let prefix = spec.name + "."
        var inputs: [String] = []
        for pair in parameters.pairs {
            let name = Base.input(of: pair.name) ?? pair.name
            if name.hasPrefix(prefix), !inputs.contains(name) { inputs.append(name) }
        }
        return inputs.compactMap { input in
            let base = Base(input, parameters)
            // Of a box that isn't ticked a browser sends nothing.
            guard let text = parameters[input] ?? (base.isGiven("true") ? nil : "") else { return nil }
            return FormWord(
                input: input, name: String(input.dropFirst(prefix.count)), text: text.withLineFeeds, base: base)
        }
    }

    /// The words of the inputs that were changed. A name that can't precede a colon is none of a form's.
    static func changed(of spec: ArgumentSpec, in parameters: Parameters) -> [String] {
        all(of: spec, in: parameters).filter { word in
            word.base.isGiven(word.text)
                && !word.name.isEmpty && word.name.allSatisfy { $0.isASCII && $0.isLetter || $0 == "." || $0 == "_" }
        }.map { "\($0.name):\($0.text)" }
    }
}
