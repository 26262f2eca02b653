/// A word of a filter with a meaning of its own, besides the names of types and statuses.
enum QueryKeyword: String, CaseIterable {
    case all, overdue, today, tomorrow, yesterday, week, month
    case waiting, ready, active, blocked, blocking
}

extension QueryParser {
    /// Returns the condition of a keyword; nil: it is about a state for which no type has a field.
    mutating func term(of keyword: QueryKeyword) throws(InputError) -> Term? {
        if !types.hasField(for: keyword) { return nil }
        switch keyword {
        case .all:
            named.insert(.status)
            return .all([])
        case .overdue: return .all([open, overdue])
        case .today, .tomorrow, .yesterday: return try due(from: keyword.rawValue, to: keyword.rawValue)
        case .week: return try due(from: "sow", to: "eow")
        case .month: return try due(from: "som", to: "eom")
        case .waiting: return waitingRecords()
        case .ready: return readyRecords
        case .active: return activeRecords
        case .blocked: return linked(.blocked)
        case .blocking: return linked(.blocking)
        }
    }

    /// The condition that the deadline is past; a deadline of today without a time is past at the end of the day.
    private var overdue: Term {
        let today = dates.start(ofDay: 0)
        let startOfToday = DateRange(from: today, until: Timestamp(seconds: today.seconds + 1), in: dates)
        let now = Timestamp(dates.now)
        return .any(
            types.catalog.names(of: .deadline).map { name in
                .all([
                    .date(field: name, DateRange(from: nil, until: now, in: dates)),
                    // The second at the start of today: such a deadline means the whole day.
                    .not(.date(field: name, startOfToday)),
                ])
            })
    }

    /// Returns the condition that a record is open and its deadline is in a range, ends included.
    private func due(from: String, to: String) throws(InputError) -> Term {
        let deadlines = try types.catalog.names(of: .deadline).map { name throws(InputError) -> Term in
            .all([try date(name, .atLeast, from), try date(name, .atMost, to)])
        }
        return .all([open, .one(of: deadlines)])
    }
}

extension RecordTypes {
    /// The words of a filter with a fixed meaning, for completion: operators, states, names of types and statuses, and the
    /// beginnings of words with a value.
    package var filterWords: [String] {
        let keywords = QueryKeyword.allCases.filter { hasField(for: $0) }.map(\.rawValue)
        let states = closings.all.flatMap { rule in
            rule.choices.filter(\.isOffered).map { rule.mark(of: $0.value) ?? $0.value }
        }
        let operators: [FilterPart.Operator] = [.or, .xor, .and, .not]
        let beginnings = [LastEdit.name, "has", "limit", "sort"].map { $0 + ":" }
        let words = operators.map(\.rawValue) + keywords + states + listedTypes.map(\.noun) + beginnings
        return words.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Returns whether a type has the field that a keyword is about.
    fileprivate func hasField(for keyword: QueryKeyword) -> Bool {
        switch keyword {
        case .all: true
        case .overdue, .today, .tomorrow, .yesterday, .week, .month: declares(.deadline)
        case .waiting: declares(.hiddenUntil)
        case .ready: !completableTypes.isEmpty
        case .active: declares(.started)
        case .blocked, .blocking: declares(.dependencies)
        }
    }
}
