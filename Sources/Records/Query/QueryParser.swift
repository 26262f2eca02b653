internal import Foundation
internal import TextMerge

/// Parses the words of a query.
struct QueryParser {
    private(set) var terms: [Term] = []
    private(set) var order: [SortKey]?
    /// Whether a word named the statuses to show.
    private(set) var namesStatus = false
    private let dates: DateExpression.Context
    private let types: RecordTypes
    /// Whether words such as `done` select records; else they are searched for.
    private let knowsKeywords: Bool

    init(dates: DateExpression.Context, types: RecordTypes, knowsKeywords: Bool = true) {
        self.dates = dates
        self.types = types
        self.knowsKeywords = knowsKeywords
    }

    mutating func read(_ words: FilterWords) throws(InputError) {
        for word in words.terms { try read(word) }
        terms += words.texts.filter { !$0.isEmpty }.map { .text($0, in: types.catalog.searched) }
    }

    private mutating func read(_ word: String) throws(InputError) {
        if word.isEmpty { return }
        if word.hasPrefix("sort:") {
            order = try sortKeys(word.dropFirst(5))
        } else if knowsKeywords, word == "all" {
            namesStatus = true
        } else if knowsKeywords, word == "overdue" {
            namesStatus = true
            terms += [open, overdue]
        } else {
            terms.append(try term(word))
        }
    }

    /// The condition that the deadline is past; a deadline of today without a time is past at the end of the day.
    private var overdue: Term {
        let today = dates.start(ofDay: 0)
        let now = Timestamp(dates.now)
        return .any(
            types.catalog.names(of: .deadline).map { name in
                .all([
                    .date(field: name, from: nil, until: now),
                    // The second at the start of today: such a deadline means the whole day.
                    .not(.date(field: name, from: today, until: Timestamp(seconds: today.seconds + 1))),
                ])
            })
    }

    /// The condition that a record is open.
    private var open: Term { .open(types.closings) }

    private func sortKeys(_ text: Substring) throws(InputError) -> [SortKey] {
        let keys = try text.split(separator: ",").map { word throws(InputError) in
            let name = String(word.drop { $0 == "-" || $0 == "+" })
            if name.isEmpty { throw .emptySort }
            guard let field = types.catalog.field(typed: name) else {
                throw .unknownSort(name, nearest: Suggestion.nearest(name, among: types.catalog.typedNames))
            }
            return SortKey(field, descending: word.hasPrefix("-"))
        }
        if keys.isEmpty { throw .emptySort }
        return keys
    }

    private mutating func term(_ word: String) throws(InputError) -> Term {
        if word.hasPrefix("not:"), word.count > 4 { return .not(try term(String(word.dropFirst(4)))) }
        switch Token(word) {
        case .tag(let tag): return .word(field: FieldKey.tags.name, tag)
        // `-done` and `-note` negate keywords; they take precedence over tags of these names.
        case .withoutTag(let word): return .not(keyword(word) ?? .word(field: FieldKey.tags.name, word))
        case .attribute(let name, let relation, let value):
            return try attribute(name, relation, value) ?? .text(word, in: types.catalog.searched)
        case .word(let text):
            if text.hasPrefix("-"), case .attribute = Token(String(text.dropFirst())) {
                return .not(try term(String(text.dropFirst())))
            }
            return keyword(text) ?? .text(text, in: types.catalog.searched)
        }
    }

    private mutating func keyword(_ word: String) -> Term? {
        guard knowsKeywords else { return nil }
        if word == "overdue" { return overdue }
        if let type = types.type(named: word) { return .collection(type.collection) }
        // Several types may have a value of this name: `done` means the completed records of all of them.
        let states = types.closings.all.compactMap { closing -> Term? in
            guard let choice = closing.choices.first(where: { $0.isOffered && $0.isMeant(by: word) }) else {
                return nil
            }
            // The value closes only records of the types that declare it.
            return choice.isClosed ? .all([.equals(field: closing.field, choice.value), .not(open)]) : open
        }
        if !states.isEmpty { namesStatus = true }
        return states.count > 1 ? .any(states) : states.first
    }

    /// Returns the condition of `name:value`; nil if it is a word with a colon, such as an address.
    private mutating func attribute(
        _ name: String, _ relation: Relation, _ value: String
    ) throws(InputError) -> Term? {
        let catalog = types.catalog
        guard let field = catalog.field(typed: name) else {
            // A filter refuses field names of other programs (`recur:`) with a suggestion; a search looks for them.
            let elsewhere = knowsKeywords && relation == .equal ? catalog.name(meantBy: name) : nil
            if let nearest = elsewhere ?? Suggestion.nearest(name, among: catalog.typedNames + ["sort"]) {
                throw .unknownFilter(name, nearest: nearest)
            }
            // A word that is searched for may contain such a sign; in a filter it is meant as a comparison.
            if knowsKeywords, relation != .equal {
                let known = catalog.fields.filter { $0.isTyped && $0.kind.isOrdered }.map(\.name)
                throw .unknownOrder(name, relation, known: known)
            }
            return nil
        }
        let closesRecords = types.closings.all.contains { $0.field == field.name }
        if closesRecords { namesStatus = true }
        if value.isEmpty, relation == .equal { return .absent(field: field.name) }
        if field.kind.isMoment { return try date(field.name, relation, value) }
        if case .number = field.kind {
            guard let number = Double(value) else { throw .wrongKind(field: name, value: value, declared: .number) }
            return .number(field: field.name, relation, number)
        }
        guard relation == .equal else { throw .noOrder(field: name, relation: relation) }
        if closesRecords, value == "open" { return open }
        return try field.term(typed: value)
    }

    private func date(_ field: String, _ relation: Relation, _ value: String) throws(InputError) -> Term {
        let start: Timestamp
        let end: Timestamp
        do {
            let read = try DateExpression(value, in: dates)
            start = read.moment
            // Of a day, all of it; of a time, its second.
            end = read.isDay ? nextDay(start) : Timestamp(seconds: start.seconds + 1)
        } catch { throw .date(error) }
        return switch relation {
        case .equal: .date(field: field, from: start, until: end)
        case .less: .date(field: field, from: nil, until: start)
        case .atMost: .date(field: field, from: nil, until: end)
        case .greater: .date(field: field, from: end, until: nil)
        case .atLeast: .date(field: field, from: start, until: nil)
        }
    }

    private func nextDay(_ start: Timestamp) -> Timestamp {
        dates.calendar.dateInterval(of: .day, for: start.date).flatMap { Timestamp($0.end) } ?? start
    }
}

/// The words of a filter in two parts: those with a syntax such as `+tag` and `due<eow`, and the words after `--`,
/// which are searched for literally.
public struct FilterWords: Sendable, Equatable {
    /// The words before `--`.
    public var terms: [String]
    /// The words after `--`.
    public var texts: [String]

    /// Splits the words of a filter at `--`.
    public init(_ words: [String]) {
        terms = Array(words.prefix { $0 != "--" })
        texts = Array(words.dropFirst(terms.count + 1))
    }

    /// The words as one filter.
    public var words: [String] { terms + (texts.isEmpty ? [] : ["--"] + texts) }

    /// Returns the conjunction of both filters: every condition of both must hold.
    public static func + (left: Self, right: Self) -> Self {
        var sum = left
        sum.terms += right.terms
        sum.texts += right.texts
        return sum
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
            second.isLetter || second == "_", Self.attribute(text.dropFirst()) == nil
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
