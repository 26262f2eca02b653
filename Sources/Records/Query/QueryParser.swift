internal import Foundation
internal import TextMerge

/// Parses the parts of a query.
struct QueryParser {
    /// The conditions, all of which must hold.
    var trees: [FilterTree] = []
    /// The states that the current word names.
    var named: NamedStates = []
    /// Whether words such as `done` select records; else they are searched for.
    var knowsKeywords: Bool
    /// Whether the words of a saved filter are being parsed.
    var isInSaved = false
    /// The number of groups around the current part.
    var depth = 0
    var dates: DateExpression.Context
    let types: RecordTypes
    private var typed = Options()
    private var saved = Options()

    /// The words that aren't conditions.
    private struct Options {
        var order: [SortKey]?
        var limit: Int?
    }

    init(dates: DateExpression.Context, types: RecordTypes, knowsKeywords: Bool = true) {
        self.dates = dates
        self.types = types
        self.knowsKeywords = knowsKeywords
    }

    // Typed options replace those of saved filters.

    /// The order that a word names.
    var order: [SortKey]? { typed.order ?? saved.order }
    /// The maximum number of records that a word names.
    var limit: Int? { typed.limit ?? saved.limit }

    /// All conditions, without the default states of a list.
    var terms: [Term] { FilterTree.all(trees).term.conjuncts }

    /// The condition that a record is open.
    var open: Term { .open(types.closings) }

    // MARK: Options

    /// Applies an option, `sort:` or `limit:`; returns false for any other word.
    mutating func readOption(_ word: String) throws(InputError) -> Bool {
        if word.isEmpty { return true }
        var options = isInSaved ? saved : typed
        if word.hasPrefix("sort:") {
            options.order = try sortKeys(word.dropFirst(5))
        } else if word.hasPrefix("limit:"), types.catalog.field(typed: "limit") == nil {
            options.limit = try size(word.dropFirst(6))
        } else {
            return false
        }
        if isInSaved { saved = options } else { typed = options }
        return true
    }

    private func size(_ text: Substring) throws(InputError) -> Int {
        guard let size = Int(text), (1...Query.maximumLimit).contains(size) else {
            throw .filter(.limit(String(text), maximum: Query.maximumLimit))
        }
        return size
    }

    private func sortKeys(_ text: Substring) throws(InputError) -> [SortKey] {
        let keys = try text.split(separator: ",").map { word throws(InputError) in
            let name = String(word.drop { $0 == "-" || $0 == "+" })
            if name.isEmpty { throw .emptySort }
            let isDescending = word.hasPrefix("-")
            if LastEdit.isMeant(by: name, in: types.catalog) { return SortKey.byLastEdit(descending: isDescending) }
            if let field = types.catalog.field(typed: name) { return SortKey(field, descending: isDescending) }
            let hasUrgency = !types.completableTypes.isEmpty
            if hasUrgency, name == Urgency.name {
                // The most urgent record is first.
                return .urgency(Urgency(types, dates: dates), descending: !isDescending)
            }
            let known = types.catalog.typedNames + [LastEdit.name] + (hasUrgency ? [Urgency.name] : [])
            throw .unknownSort(name, nearest: Suggestion.nearest(name, among: known))
        }
        if keys.isEmpty { throw .emptySort }
        return keys
    }

    // MARK: Conditions

    mutating func term(_ word: String) throws(InputError) -> Term {
        var (rest, isNegated) = (word[...], false)
        while let length = negation(rest) {
            rest = rest.dropFirst(length)
            isNegated.toggle()
        }
        let term = try condition(String(rest))
        return isNegated ? .not(term) : term
    }

    /// Returns the length of `not:`, or of `-` before a word with a colon; nil for `-shop`, which is a form of its own.
    private func negation(_ word: Substring) -> Int? {
        if word.hasPrefix("not:"), word != "not:" { return 4 }
        guard word.hasPrefix("-") else { return nil }
        let rest = String(word.dropFirst())
        if case .attribute = Token(rest) { return 1 }
        return knowsKeywords && rest.hasPrefix("/") ? 1 : nil
    }

    private mutating func condition(_ word: String) throws(InputError) -> Term {
        switch Token(word) {
        case .tag(let names): return .one(of: Self.parts(of: names).map { tag($0) })
        // `-done` and `-note` negate keywords; they take precedence over tags of these names.
        case .withoutTag(let names):
            let terms = try Self.parts(of: names).map { name throws(InputError) -> Term in
                if let keyword = try keyword(name) { return keyword }
                return tag(name)
            }
            return .not(.one(of: terms))
        case .attribute(let name, let relation, let value):
            return try attribute(name, relation, value) ?? .text(word, in: types.catalog.searched)
        case .word(let text):
            if let keyword = try keyword(text) { return keyword }
            if knowsKeywords {
                if let tag = numericTag(text) { return tag }
                if let regex = try FilterRegex(typed: text) {
                    return .textMatches(.regex(regex), in: types.catalog.searched)
                }
                try checkEqualSign(in: text)
            }
            return .text(text, in: types.catalog.searched)
        }
    }

    /// Returns the condition of `+name`.
    private mutating func tag(_ name: String) -> Term {
        if let term = VirtualTag(rawValue: name)?.term(in: &self) { return term }
        return .word(field: FieldKey.tags.name, name)
    }

    /// Returns the condition of `+2026` or `-2026`; nil for any other word. Other programs and imports create such tags. In
    /// a text, `+49` is also the beginning of a telephone number.
    private func numericTag(_ word: String) -> Term? {
        let names = Self.parts(of: String(word.dropFirst()))
        guard let sign = word.first, "+-".contains(sign), names.allSatisfy({ $0.first?.isNumber == true }),
            !names.isEmpty
        else { return nil }
        let tagged = Term.one(of: names.map { .word(field: FieldKey.tags.name, $0) })
        return sign == "-" ? .not(tagged) : .one(of: [tagged, .text(word, in: types.catalog.searched)])
    }

    /// Returns the names in a list such as `shop,garden`.
    private static func parts(of names: String) -> [String] { names.split(separator: ",").map(String.init) }

    private mutating func keyword(_ word: String) throws(InputError) -> Term? {
        guard knowsKeywords else { return nil }
        if let keyword = QueryKeyword(rawValue: word), let term = try term(of: keyword) { return term }
        if let type = types.type(named: word) { return .collection(type.collection) }
        // Several types may have a value of this name: `done` means the completed records of all of them.
        let states = types.closings.all.compactMap { closing -> Term? in
            guard let choice = closing.choices.first(where: { $0.isOffered && $0.isMeant(by: word) }) else {
                return nil
            }
            // The value closes only records of the types that declare it.
            return choice.isClosed ? .all([.equals(field: closing.field, choice.value), .not(open)]) : open
        }
        if !states.isEmpty { named.insert(.status) }
        return states.count > 1 ? .any(states) : states.first
    }

    func date(_ field: String, _ relation: Relation, _ value: String) throws(InputError) -> Term {
        let start: Timestamp
        let end: Timestamp
        do {
            let read = try DateExpression(value, in: dates)
            start = read.moment
            // Of a day, all of it; of a time, its second.
            end = read.isDay ? nextDay(start) : Timestamp(seconds: start.seconds + 1)
        } catch { throw .date(error) }
        let range = { (from: Timestamp?, until: Timestamp?) in
            Term.date(field: field, DateRange(from: from, until: until, in: dates))
        }
        return switch relation {
        case .equal: range(start, end)
        case .notEqual: .not(range(start, end))
        case .less: range(nil, start)
        case .atMost: range(nil, end)
        case .greater: range(end, nil)
        case .atLeast: range(start, nil)
        }
    }

    private func nextDay(_ start: Timestamp) -> Timestamp {
        dates.calendar.dateInterval(of: .day, for: start.date).flatMap { Timestamp($0.end) } ?? start
    }
}

/// A typed word, classified by its form: `+tag`, `-tag`, `name:value`, `name<value`, or plain.
///
/// The line was already split into words, without quotes: `"due:next friday"` is one word.
enum Token: Equatable {
    case tag(String)
    case withoutTag(String)
    case attribute(name: String, relation: Relation, value: String)
    case word(String)

    init(_ text: String) {
        if let first = text.first, first == "+" || first == "-", let second = text.dropFirst().first,
            second.isLetter || second == "_" || second.isPictograph, Self.attribute(text.dropFirst()) == nil
        {
            self = first == "+" ? .tag(String(text.dropFirst())) : .withoutTag(String(text.dropFirst()))
        } else {
            self = Self.attribute(text[...]) ?? .word(text)
        }
    }

    /// Parses letters, perhaps with dots, and then a sign. A word such as `http://x.org` also has this form; the
    /// callers check whether the name is a field.
    private static func attribute(_ text: Substring) -> Token? {
        let name = text.prefix { $0.isASCII && $0.isLetter || $0 == "." || $0 == "_" }
        let rest = text.dropFirst(name.count)
        guard !name.isEmpty, let relation = Relation.allCases.first(where: { rest.hasPrefix($0.rawValue) }) else {
            return nil
        }
        return .attribute(
            name: String(name), relation: relation, value: String(rest.dropFirst(relation.rawValue.count)))
    }
}

extension Character {
    /// Whether it is a symbol such as an emoji: no letter, punctuation, currency or mathematical sign.
    fileprivate var isPictograph: Bool { unicodeScalars.first?.properties.generalCategory == .otherSymbol }
}
