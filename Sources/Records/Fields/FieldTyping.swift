internal import Foundation

// Parsing of typed values, and printing them in a form that can be typed again.
extension Field {
    /// Returns the value of a typed text, which is not empty.
    ///
    /// - Throws: `InputError`, with the forms that are accepted.
    func value(typed text: String, _ dates: DateExpression.Context) throws(InputError) -> JSONValue {
        switch kind {
        case .title, .text, .word, .reference, .any: return .string(text)
        case .path:
            let levels = text.split(separator: ".", omittingEmptySubsequences: false)
            if levels.contains(where: { $0.allSatisfy(\.isWhitespace) }) { throw .emptyLevel(field: name, value: text) }
            return .string(text)
        case .moment:
            do { return .string(try DateExpression(text, in: dates).moment.description) } catch { throw .date(error) }
        case .date:
            do {
                return .string(try DateExpression(text, in: dates, past: .nextDay).value.description)
            } catch { throw .date(error) }
        case .choice(let choices, _): return .string(try offeredChoice(typed: text, among: choices).value)
        case .words, .references: return try words(typed: text)
        case .custom(let syntax): return .string(try canonical(text, syntax))
        case .number: return try value(of: text, as: .number)
        case .flag: return try value(of: text, as: .boolean)
        case .annotations: return try value(of: text, as: .list)
        }
    }

    /// Parses elements separated by commas; an element that contains a comma is written in a JSON array.
    private func words(typed text: String) throws(InputError) -> JSONValue {
        if text.hasPrefix("[") {
            let value = try value(of: text, as: .list)
            if value.array?.allSatisfy({ $0.string != nil }) == true { return value }
        }
        let words = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        return .array(words.filter { !$0.isEmpty }.map(JSONValue.string))
    }

    /// Returns the shortest text that can be typed for a value; nil if no text is parsed as a value with this meaning.
    public func typed(_ value: JSONValue, _ dates: DateExpression.Context) -> String? {
        let meant = canonicalForm(of: value)
        return candidates(for: value, dates.calendar).first { text in
            // `try?`: a text that can't be parsed is not a candidate.
            guard let typed = try? self.value(typed: text, dates) else { return false }
            return canonicalForm(of: typed) == meant || DateValue.meansDay(value, typed, in: dates.calendar)
        }
    }

    /// Returns the canonical form of a value: for a text of an earlier version the one that is stored today, for a time
    /// the same without its time zone.
    func canonicalForm(of value: JSONValue) -> JSONValue {
        switch kind {
        case .custom(let syntax): value.string.flatMap(syntax.canonical).map(JSONValue.string) ?? value
        case .date: DateValue.read(value).map { JSONValue.string($0.withoutZone.description) } ?? value
        case .title, .text, .word, .path, .choice, .words, .moment, .number, .flag, .annotations, .reference,
            .references, .any:
            value
        }
    }

    private func candidates(for value: JSONValue, _ calendar: Calendar) -> [String] {
        switch kind {
        case .title, .text, .word, .path, .choice, .reference, .any: [value.string].compactMap(\.self)
        case .custom(let syntax): value.string.map { [syntax.scriptText($0) ?? $0, syntax.words($0), $0] } ?? []
        case .number, .flag, .annotations: [value.text]
        case .words, .references:
            [value.array?.compactMap(\.string).joined(separator: ", "), value.text].compactMap(\.self)
        case .moment: Timestamp.read(value).map { $0.typed(in: calendar) } ?? []
        case .date: DateValue.read(value).map { $0.typed(in: calendar) } ?? []
        }
    }

    /// The hint of a form about what may be typed; empty if the label is enough.
    public var inputHelp: String {
        if let help { return help.prefix(1).uppercased() + help.dropFirst() + "." }
        return switch kind {
        case .moment, .date: "A date, such as tomorrow, friday 15:00, +3d, eow or 24 dec."
        case .words: "Separated by commas."
        case .reference: "The number of a record in the last list, or the beginning of its id."
        case .references: "Numbers of records in the last list or beginnings of ids, separated by commas."
        case .custom(let syntax): syntax.examples.joined(separator: ", ")
        case .title, .text, .word, .path, .choice, .number, .flag, .annotations, .any: ""
        }
    }

    /// The values that completion offers; empty if they depend on the records.
    public var completions: [String] {
        switch kind {
        case .moment, .date: DateReader.offered
        case .choice: kind.offeredChoices ?? []
        case .custom(let syntax): syntax.examples
        case .flag: ["true", "false"]
        case .title, .text, .word, .path, .words, .number, .annotations, .reference, .references, .any: []
        }
    }

    private func value(of text: String, as kind: InputError.Kind) throws(InputError) -> JSONValue {
        guard let value = kind.value(of: text) else { throw .wrongKind(field: name, value: text, declared: kind) }
        return value
    }

    /// Returns the beginning of an id in a filter. The numbers of a list aren't known here.
    private func idPrefix(typed text: String) throws(InputError) -> String {
        let isNumber = text.utf8.count <= 6 && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        if isNumber {
            let hint = "\(name):wkxp, as `list` shows it"
            throw .syntax(field: name, value: text, noun: "the beginning of an id", reason: nil, hint: hint)
        }
        return text.lowercased()
    }

    private func choice(typed text: String, among choices: [Choice]) throws(InputError) -> Choice {
        guard let choice = choices.first(where: { $0.isMeant(by: text) }) else {
            throw .choice(field: name, value: text, allowed: kind.offeredChoices ?? [])
        }
        return choice
    }

    /// Returns the value of a typed text if an edit may set it.
    private func offeredChoice(typed text: String, among choices: [Choice]) throws(InputError) -> Choice {
        let choice = try choice(typed: text, among: choices)
        if choice.isOffered { return choice }
        throw .choiceOfOthers(
            field: name, value: choice.value, allowed: kind.offeredChoices ?? [], instead: choice.instead)
    }

    private func canonical(_ text: String, _ syntax: FieldSyntax) throws(InputError) -> String {
        guard let canonical = syntax.canonical(text) else {
            throw .syntax(
                field: name, value: text, noun: syntax.noun, reason: syntax.problem(text), hint: syntax.hint)
        }
        return canonical
    }

    /// Returns the condition that the field has a value; a text with commas names alternatives.
    ///
    /// - Parameter text: The text after the colon; not empty.
    /// - Throws: `InputError`, with the values that are accepted.
    func term(typed text: String) throws(InputError) -> Term {
        switch kind {
        case .title, .text: return .matches(field: name, .contains(text))
        case .path, .choice, .words, .reference, .references:
            let values = text.split(separator: ",").map(String.init)
            // A text of commas only names no alternatives; it is compared as it is.
            if values.isEmpty { return .equals(field: name, text) }
            let terms = try values.map { value throws(InputError) in try term(value: value) }
            return terms.count == 1 ? terms[0] : .any(terms)
        case .custom(let syntax):
            let canonical = try canonical(text, syntax)
            let texts = [canonical, syntax.scriptText(canonical)].compactMap(\.self)
            return texts.count == 1
                ? .equals(field: name, canonical) : .any(texts.map { .equals(field: name, $0) })
        case .word, .any, .moment, .date, .number, .flag, .annotations: return .equals(field: name, text)
        }
    }

    private func term(value text: String) throws(InputError) -> Term {
        switch kind {
        case .path: return .path(field: name, text)
        case .words: return .word(field: name, text)
        case .reference, .references: return .reference(field: name, try idPrefix(typed: text))
        case .choice(let choices, _): return .equals(field: name, try choice(typed: text, among: choices).value)
        case .title, .text, .word, .moment, .date, .number, .flag, .annotations, .custom, .any:
            return .equals(field: name, text)
        }
    }
}

extension DateValue {
    /// Returns whether a stored value is a time that means the same day as a typed one.
    fileprivate static func meansDay(_ stored: JSONValue, _ typed: JSONValue, in calendar: Calendar) -> Bool {
        guard case .time(let time, _) = read(stored), case .day(let day) = read(typed) else { return false }
        return day.start(in: calendar) == time
    }

    /// Returns the texts that can be typed for the value, the shortest first.
    fileprivate func typed(in calendar: Calendar) -> [String] {
        switch self {
        case .day(let day): [day.description]
        case .time(let time, _): time.typed(in: calendar)
        }
    }
}

extension Timestamp {
    /// Returns the texts that can be typed for the time, the shortest first: the day, with minutes, with seconds.
    fileprivate func typed(in calendar: Calendar) -> [String] {
        let day = LocalTime.day(date, in: calendar)
        let times = [false, true].map { LocalTime.time(date, withSeconds: $0, in: calendar) }
        return [day] + times.map { "\(day) \($0)" }
    }
}

extension InputError.Kind {
    /// Returns the value of a text; nil if it is of another kind.
    func value(of text: String) -> JSONValue? {
        // `try?`: the caller's error is more specific than the parser's.
        guard let value = try? JSONValue(parsing: text) else { return nil }
        switch (self, value) {
        case (.number, .number), (.boolean, .bool), (.list, .array), (.object, .object): return value
        case (.number, _), (.boolean, _), (.list, _), (.object, _): return nil
        }
    }
}
