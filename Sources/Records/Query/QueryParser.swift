internal import Foundation

/// Reads the words of a query.
struct QueryParser {
    private(set) var terms: [Term] = []
    private(set) var order: [SortKey]?
    /// Whether a word said which statuses to show.
    private(set) var namesStatus = false
    private let dates: DateExpression.Context
    /// Whether words such as `done` say what to show; else they are words like others.
    private let knowsKeywords: Bool

    init(dates: DateExpression.Context, knowsKeywords: Bool = true) {
        self.dates = dates
        self.knowsKeywords = knowsKeywords
    }

    mutating func take(_ words: FilterWords) throws(InputError) {
        for word in words.terms { try take(word) }
        terms += words.texts.filter { !$0.isEmpty }.map(Term.text)
    }

    private mutating func take(_ word: String) throws(InputError) {
        if word.isEmpty { return }
        if word.hasPrefix("sort:") {
            order = try Self.sortKeys(word.dropFirst(5))
        } else if knowsKeywords, word == "all" {
            namesStatus = true
        } else if knowsKeywords, word == "overdue" {
            namesStatus = true
            terms += [.open, overdue]
        } else {
            terms.append(try term(word))
        }
    }

    /// Due before now; what is due today without a time is so when the day is over.
    private var overdue: Term {
        let today = dates.start(ofDay: 0)
        return .all([
            .date(field: "due", from: nil, until: Timestamp(dates.now)),
            .not(.date(field: "due", from: today, until: Timestamp(seconds: today.seconds + 1))),
        ])
    }

    private static let completed = Term.equals(field: "status", TaskRecord.Status.completed.rawValue)

    private static func sortKeys(_ text: Substring) throws(InputError) -> [SortKey] {
        let keys = try text.split(separator: ",").map { word throws(InputError) in
            let name = String(word.drop { $0 == "-" || $0 == "+" })
            if name.isEmpty { throw .emptySort }
            guard let attribute = Attribute(name) else {
                throw .unknownSort(name, nearest: Suggestion.nearest(name, among: Attribute.names))
            }
            return SortKey(attribute.field, descending: word.hasPrefix("-"))
        }
        if keys.isEmpty { throw .emptySort }
        return keys
    }

    private mutating func term(_ word: String) throws(InputError) -> Term {
        if word.hasPrefix("not:"), word.count > 4 { return .not(try term(String(word.dropFirst(4)))) }
        switch Token(word) {
        case .tag(let tag): return .tag(tag)
        case .withoutTag(let word): return .not(keyword(word) ?? .tag(word))
        case .attribute(let name, let relation, let value):
            return try attribute(name, relation, value) ?? .text(word)
        case .word(let text):
            if text.hasPrefix("-"), case .attribute = Token(String(text.dropFirst())) {
                return .not(try term(String(text.dropFirst())))
            }
            return keyword(text) ?? .text(text)
        }
    }

    private mutating func keyword(_ word: String) -> Term? {
        guard knowsKeywords else { return nil }
        switch word {
        case "task", "tasks": return .collection(TaskRecord.type.collection)
        case "note", "notes": return .collection(NoteRecord.type.collection)
        case "done", "completed":
            namesStatus = true
            return Self.completed
        case "pending", "open":
            namesStatus = true
            return .open
        case "overdue": return overdue
        default: return nil
        }
    }

    /// The term of `name:value`; nil if it's a word that happens to have a colon, such as an address.
    private mutating func attribute(
        _ name: String, _ relation: Relation, _ value: String
    ) throws(InputError) -> Term? {
        guard let attribute = Attribute(name) else {
            // A filter refuses field names of other programs (`recur:`) with a suggestion; for a search they are words.
            let elsewhere = knowsKeywords && relation == .equal ? Attribute.meant(by: name) : nil
            if let nearest = elsewhere ?? Suggestion.nearest(name, among: Attribute.names + ["sort"]) {
                throw .unknownFilter(name, nearest: nearest)
            }
            // What is sought may have such a sign in it; in a filter it was meant to compare.
            if knowsKeywords, relation != .equal { throw .unknownDate(name, relation) }
            return nil
        }
        if attribute == .status { namesStatus = true }
        if value.isEmpty, relation == .equal { return .absent(field: attribute.field) }
        if case .date(let field) = attribute { return try date(field, relation, value) }
        guard relation == .equal else { throw .noOrder(field: name, relation: relation) }
        switch attribute {
        case .title, .body: return .contains(field: attribute.field, value)
        case .repeating: return .equals(field: attribute.field, try Repeat(typed: value).description)
        case .other, .date: return .equals(field: attribute.field, value)
        case .tags, .project, .priority, .status:
            let terms = try value.split(separator: ",").map { part throws(InputError) in
                try self.term(attribute, String(part))
            }
            return terms.count == 1 ? terms[0] : .any(terms)
        }
    }

    /// The term of one of several values, of which one must be so: `priority:H,M`.
    private func term(_ attribute: Attribute, _ value: String) throws(InputError) -> Term {
        switch attribute {
        case .tags: .tag(value)
        case .project: .project(value)
        case .priority: .equals(field: attribute.field, try TaskRecord.Priority(typed: value).rawValue)
        case .status where value == "done": Self.completed
        case .status where value == "open": .open
        case .title, .body, .repeating, .status, .other, .date: .equals(field: attribute.field, value)
        }
    }

    private func date(_ field: String, _ relation: Relation, _ value: String) throws(InputError) -> Term {
        let start: Timestamp
        let end: Timestamp
        do {
            let read = try DateExpression(value, in: dates)
            start = read.moment
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

extension TaskRecord.Priority {
    /// Reads `H`, `high`, `m`, ….
    init(typed text: String) throws(InputError) {
        switch text.lowercased() {
        case "h", "high": self = .high
        case "m", "medium": self = .medium
        case "l", "low": self = .low
        default: throw .priority(text)
        }
    }
}
