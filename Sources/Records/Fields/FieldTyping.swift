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
        case .words: return try words(typed: text)
        case .custom(let syntax): return .string(try canonical(text, syntax))
        case .number: return try value(of: text, as: .number)
        case .flag: return try value(of: text, as: .boolean)
        case .remarks: return try value(of: text, as: .list)
        }
    }

    /// Elements between commas; an element with a comma in a JSON array.
    private func words(typed text: String) throws(InputError) -> JSONValue {
        if text.hasPrefix("[") {
            let value = try value(of: text, as: .list)
            if value.array?.allSatisfy({ $0.string != nil }) == true { return value }
        }
        let words = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        return .array(words.filter { !$0.isEmpty }.map(JSONValue.string))
    }

    /// The text that is typed for a value, as short as it can be; nil if no text is read as this value.
    public func typed(_ value: JSONValue, _ dates: DateExpression.Context) -> String? {
        candidates(for: value, dates.calendar).first { text in
            // A text that can't be read is no candidate.
            (try? self.value(typed: text, dates)) == value
        }
    }

    private func candidates(for value: JSONValue, _ calendar: Calendar) -> [String] {
        switch kind {
        case .title, .text, .word, .path, .choice, .custom, .any: [value.string].compactMap(\.self)
        case .number, .flag, .remarks: [value.text]
        case .words: [value.array?.compactMap(\.string).joined(separator: ", "), value.text].compactMap(\.self)
        case .moment: Timestamp.read(value).map { $0.typed(in: calendar) } ?? []
        }
    }

    /// What a form says may be typed; empty where that is clear.
    public var inputHelp: String {
        if let help { return help.prefix(1).uppercased() + help.dropFirst() + "." }
        return switch kind {
        case .moment: "A date, such as tomorrow, friday 15:00, +3d, eow or 2026-11-21."
        case .words: "Separated by commas."
        case .custom(let syntax): syntax.examples.joined(separator: ", ")
        case .title, .text, .word, .path, .choice, .number, .flag, .remarks, .any: ""
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

extension Timestamp {
    /// Texts that a person types for the moment, the shortest first: the day, with minutes, with seconds.
    fileprivate func typed(in calendar: Calendar) -> [String] {
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
        let digits = { (number: Int?, count: Int) in (number ?? 0).zeroPadded(to: count) }
        let day = [digits(parts.year, 4), digits(parts.month, 2), digits(parts.day, 2)].joined(separator: "-")
        let clock = [parts.hour, parts.minute, parts.second].map { digits($0, 2) }
        return [day, "\(day) \(clock[0]):\(clock[1])", "\(day) " + clock.joined(separator: ":")]
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
