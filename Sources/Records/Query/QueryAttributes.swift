internal import Foundation
internal import TextMerge

// The words of a filter with a name and a value: `due:today`, `due:mon..fri`, `due.before:eow`, `has:body`.
extension QueryParser {
    /// Returns the condition of `name:value`; nil if it is a word with a colon, such as an address.
    mutating func attribute(_ name: String, _ relation: Relation, _ value: String) throws(InputError) -> Term? {
        if relation == .notEqual { return try attribute(name, .equal, value).map { .not($0) } }
        if let relation = LastEdit.relation(of: name, relation, in: types.catalog) {
            return try lastEdit(relation, value)
        }
        if let field = types.catalog.field(typed: name) { return try condition(field, relation, value) }
        if relation == .equal, name == Self.presence { return try presence(of: value) }
        if relation == .equal, let term = try modified(name, value) { return term }
        // A search looks for the names of other programs and for addresses.
        if !knowsKeywords { return nil }
        return try unknown(name, relation, value)
    }

    /// The name in `has:body`.
    private static let presence = "has"

    private mutating func condition(
        _ field: Field, _ relation: Relation, _ value: String
    ) throws(InputError) -> Term {
        let closesRecords = noteStatus(field)
        if relation == .equal, let term = try anyValue(field, value) { return term }
        if field.kind.isOrdered { return try comparison(field, relation, value) }
        guard relation == .equal else { throw .noOrder(field: field.name, relation: relation) }
        if closesRecords, value == "open" { return open }
        // As in Taskwarrior, `status:waiting` is the same as `waiting`.
        if closesRecords, let keyword = QueryKeyword(rawValue: value.lowercased()), let term = try term(of: keyword) {
            return term
        }
        return try field.term(typed: value)
    }

    /// Returns the condition of a value that means the same for every field: none, any, a range, or a regular
    /// expression. Nil for any other value.
    private func anyValue(_ field: Field, _ value: String) throws(InputError) -> Term? {
        if value.isEmpty { return .absent(field: field.name) }
        if field.kind.choices?.contains(where: { $0.isMeant(by: value) }) != true {
            switch value.lowercased() {
            case "none": return .absent(field: field.name)
            case "any": return .not(.absent(field: field.name))
            default: break
            }
        }
        if field.kind.isOrdered { return try range(field, value) }
        return try FilterRegex(typed: value).map { .matches(field: field.name, .regex($0)) }
    }

    private func comparison(_ field: Field, _ relation: Relation, _ value: String) throws(InputError) -> Term {
        if field.kind.isDate { return try date(field.name, relation, value) }
        guard let number = Double(value) else {
            throw .wrongKind(field: field.name, value: value, declared: .number)
        }
        return .number(field: field.name, relation, number)
    }

    // MARK: Ranges

    /// Returns the condition of `from..to`, both included; one of them may be missing.
    private func range(_ field: Field, _ value: String) throws(InputError) -> Term? {
        guard let dots = value.range(of: "..") else { return nil }
        let (from, to) = (String(value[..<dots.lowerBound]), String(value[dots.upperBound...]))
        if from.isEmpty { return to.isEmpty ? nil : try comparison(field, .atMost, to) }
        if to.isEmpty { return try comparison(field, .atLeast, from) }
        let readers = field.kind.isDate ? self.readers(of: from, to) : (start: self, end: self)
        let start = try readers.start.comparison(field, .atLeast, from)
        let end = try readers.end.comparison(field, .atMost, to)
        if readers.end.isReversed(from, to, field, startReader: readers.start) {
            throw .filter(.reversedRange(value))
        }
        return .all([start, end])
    }

    /// Returns the condition of the last edit.
    private func lastEdit(_ relation: Relation, _ value: String) throws(InputError) -> Term {
        if relation == .notEqual { return .not(try lastEdit(.equal, value)) }
        if relation == .equal, let range = try range(Field(.lastEdit), value) { return range }
        return try date(FieldKey.lastEdit.name, relation, value)
    }

    /// Returns the parsers for the start and the end of a range of dates. Next Friday may be before next Monday; then
    /// `mon..fri` begins with the Monday before that Friday, so that it is the current week. The end of other reversed
    /// ranges, such as `nov..feb`, is counted from the start.
    private func readers(of from: String, _ to: String) -> (start: QueryParser, end: QueryParser) {
        guard let start = moment(from), let end = moment(to), end < start else { return (self, self) }
        if DateExpression.Context.weekday(from.lowercased()) != nil {
            return (reader(at: dates.start(ofDay: -7)), self)
        }
        return (self, reader(at: start))
    }

    /// Returns the parser with a different `now`.
    private func reader(at now: Timestamp) -> QueryParser {
        var reader = self
        reader.dates = DateExpression.Context(now: now.date, calendar: dates.calendar)
        return reader
    }

    private func isReversed(_ from: String, _ to: String, _ field: Field, startReader: QueryParser) -> Bool {
        if field.kind.isDate {
            guard let start = startReader.moment(from), let end = moment(to) else { return false }
            return end < start
        }
        guard let start = Double(from), let end = Double(to) else { return false }
        return end < start
    }

    private func moment(_ text: String) -> Timestamp? {
        // `try?`: `comparison` reports a text that isn't a date.
        (try? DateExpression(text, in: dates))?.moment
    }

    // MARK: Modifiers

    /// The modifiers that an error names.
    private static let modifiers = [
        "before", "after", "by", "is", "not", "has", "hasnt", "startswith", "endswith", "word", "noword", "none", "any",
    ]

    /// Returns the condition of a name with one of Taskwarrior's modifiers, such as `due.before:eow`; nil: it has none.
    private mutating func modified(_ name: String, _ value: String) throws(InputError) -> Term? {
        guard let dot = name.lastIndex(of: "."), let field = types.catalog.field(typed: String(name[..<dot])) else {
            return nil
        }
        _ = noteStatus(field)
        let modifier = String(name[name.index(after: dot)...])
        switch modifier {
        case "before", "below", "under": return try condition(field, .less, value)
        case "by": return try condition(field, .atMost, value)
        case "after", "above", "over": return try condition(field, .greater, value)
        case "is", "equals": return try exactly(field, value)
        case "isnt", "not": return .not(try exactly(field, value))
        case "has", "contains": return .matches(field: field.name, .contains(value))
        case "hasnt": return .not(.matches(field: field.name, .contains(value)))
        case "startswith", "left": return .matches(field: field.name, .begins(value))
        case "endswith", "right": return .matches(field: field.name, .ends(value))
        case "word": return .matches(field: field.name, .word(value))
        case "noword": return .not(.matches(field: field.name, .word(value)))
        case "none": return .absent(field: field.name)
        case "any": return .not(.absent(field: field.name))
        default:
            if !knowsKeywords { return nil }
            throw .filter(.unknownModifier(modifier, field: field.name, known: Self.modifiers))
        }
    }

    /// Returns the condition that a field has just this value: a path without those below it, a text as a whole, also a
    /// value that only another program stores.
    private mutating func exactly(_ field: Field, _ value: String) throws(InputError) -> Term {
        if value.isEmpty || field.kind.isOrdered { return try condition(field, .equal, value) }
        if case .custom = field.kind { return try field.term(typed: value) }
        if field.kind.isReference { return try field.term(typed: value) }
        if types.catalog.isSet(field.name) { return .word(field: field.name, value) }
        let choice = field.kind.choices?.first { $0.isMeant(by: value) }
        return .equals(field: field.name, choice?.value ?? value)
    }

    /// Notes that a condition names a field; returns whether its value closes records, so that it selects a status.
    private mutating func noteStatus(_ field: Field) -> Bool {
        noteField(field)
        let closesRecords = types.closings.all.contains { $0.field == field.name }
        if closesRecords { named.insert(.status) }
        return closesRecords
    }

    // MARK: Other names

    /// Returns the condition of `has:name`.
    private mutating func presence(of name: String) throws(InputError) -> Term {
        let catalog = types.catalog
        if let field = catalog.field(shown: name) {
            noteField(field)
            return .not(.absent(field: field.name))
        }
        if name == "conflict" || name == "conflicts" { return .conflicted }
        let known = catalog.fields.filter { $0.place != .hidden }.flatMap { [$0.name] + $0.aliases } + ["conflict"]
        throw .filter(.unknownPresence(name, nearest: Suggestion.nearest(name, among: known)))
    }

    /// Refuses a name that isn't known; returns nil if the word is a text with such a sign.
    private func unknown(_ name: String, _ relation: Relation, _ value: String) throws(InputError) -> Term? {
        let options = ["sort", "limit", Self.presence]
        let nearest = types.catalog.name(meantBy: name) ?? Suggestion.nearest(name, among: options)
        if relation == .equal {
            let isText = value.isEmpty ? nearest == nil : !Edit.isValue(value)
            if options.dropLast().contains(name) { throw .filter(.negatedOption("\(name):\(value)")) }
            if isText || Edit.schemes.contains(name.lowercased()) { return nil }
            throw .unknownFilter(name, value: value, nearest: nearest)
        }
        if nearest != nil { throw .unknownFilter(name, value: value, nearest: nearest) }
        let known = types.catalog.fields.filter { $0.isTyped && $0.kind.isOrdered }.map(\.name)
        throw .unknownOrder(name, relation, known: known)
    }

    /// Refuses `due=today`, with the name of a field.
    func checkEqualSign(in word: String) throws(InputError) {
        guard let sign = word.firstIndex(of: "=") else { return }
        let name = String(word[..<sign])
        guard types.catalog.field(typed: name) != nil else { return }
        let value = word[sign...].drop { $0 == "=" }
        throw .filter(.equalSign(name, value: String(value), word: word))
    }
}
