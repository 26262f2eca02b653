internal import Foundation

// What people type for a field, and how its values are printed again.
extension Field {
    /// The value of a typed text, which is not empty.
    ///
    /// - Throws: `InputError`, which names what may be written.
    func value(typed text: String, _ dates: DateExpression.Context) throws(InputError) -> JSONValue {
        switch kind {
        case .title, .text, .word, .path, .any: return .string(text)
        case .moment:
            do { return .string(try DateExpression(text, in: dates).moment.description) } catch { throw .date(error) }
        case .choice(let choices, _): return .string(try choice(typed: text, among: choices).value)
        case .words: return .array(text.split(separator: ",").map { .string(String($0)) })
        case .custom(let syntax): return .string(try canonical(text, syntax))
        case .number: return try value(of: text, as: .number)
        case .flag: return try value(of: text, as: .boolean)
        case .remarks: return try value(of: text, as: .list)
        }
    }

    /// Values that completion offers, where they are known beforehand.
    public var completions: [String] {
        switch kind {
        case .moment:
            ["today", "tomorrow", "mon", "tue", "wed", "thu", "fri", "sat", "sun", "eod", "eow", "eom", "eoy"]
        case .choice: kind.offeredChoices ?? []
        case .custom(let syntax): syntax.examples
        case .flag: ["true", "false"]
        case .title, .text, .word, .path, .words, .number, .remarks, .any: []
        }
    }

    /// Whether a text is the canonical form of itself, so that it is printed as it is. True of a field without a syntax.
    public func isCanonical(_ text: String) -> Bool {
        guard case .custom(let syntax) = kind else { return true }
        return syntax.canonical(text) == text
    }

    private func value(of text: String, as kind: InputError.Kind) throws(InputError) -> JSONValue {
        guard let value = kind.value(of: text) else { throw .notOfKind(field: name, value: text, kind: kind) }
        return value
    }

    private func choice(typed text: String, among choices: [Choice]) throws(InputError) -> Choice {
        guard let choice = choices.first(where: { $0.isMeant(by: text) }) else {
            throw .choice(field: name, value: text, allowed: kind.offeredChoices ?? [])
        }
        return choice
    }

    private func canonical(_ text: String, _ syntax: FieldSyntax) throws(InputError) -> String {
        guard let canonical = syntax.canonical(text) else {
            throw .syntax(field: name, value: text, noun: syntax.noun, hint: syntax.hint)
        }
        return canonical
    }

    /// The condition that the field has a value; a text with commas names several, of which one must be so.
    ///
    /// - Parameter text: the text after the colon; not empty.
    func term(typed text: String) throws(InputError) -> Term {
        switch kind {
        case .title, .text: return .contains(field: name, text)
        case .path, .choice, .words:
            let values = text.split(separator: ",").map(String.init)
            if values.isEmpty { return .equals(field: name, text) }
            let terms = try values.map { value throws(InputError) in try term(value: value) }
            return terms.count == 1 ? terms[0] : .any(terms)
        case .custom(let syntax): return .equals(field: name, try canonical(text, syntax))
        case .word, .any, .moment, .number, .flag, .remarks: return .equals(field: name, text)
        }
    }

    private func term(value text: String) throws(InputError) -> Term {
        switch kind {
        case .path: return .path(field: name, text)
        case .words: return .word(field: name, text)
        case .choice(let choices, let others):
            if let choice = choices.first(where: { $0.isMeant(by: text) }) {
                return .equals(field: name, choice.value)
            }
            return others
                ? .equals(field: name, text) : .equals(field: name, try choice(typed: text, among: choices).value)
        case .title, .text, .word, .moment, .number, .flag, .remarks, .custom, .any:
            return .equals(field: name, text)
        }
    }
}

extension InputError.Kind {
    /// The value of a text; nil if it is of another kind.
    func value(of text: String) -> JSONValue? {
        // The caller's error is more specific than the parser's.
        guard let value = try? JSONValue(parsing: text) else { return nil }
        switch (self, value) {
        case (.number, .number), (.boolean, .bool), (.list, .array), (.object, .object): return value
        case (.number, _), (.boolean, _), (.list, _), (.object, _): return nil
        }
    }
}
