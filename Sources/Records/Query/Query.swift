/// The records to show and their order: the words after `list` and `search`, parsed to a pure predicate. A record must
/// satisfy all of them.
///
/// - `+shop`, `-shop`, `tag:shop`: with or without a tag
/// - `project:core`: that project or one below it; `project:` none. The same for any field: `due:`, `priority:`
/// - `priority:H`, `priority:H,M` (one of them; also for tags, projects and statuses), `status:completed`
/// - `title:milk`, `body:milk` (contain it), `field.estimate:3`
/// - `repeat:weekly`; `not:repeat:` all that repeat
/// - `due:today`, `due<eow`, `due>=2026-11-21`: a date field and a `DateExpression`
/// - `task`, `note`; `done`, `pending`, `overdue`, `all`
/// - `sort:due`, `sort:-entry`, `sort:priority,due`
/// - any other word: title, body, project, tags or annotations contain it; case and accents are ignored
/// - `--`: all further words are searched for literally
/// - `not:` before any of these, or `-` before a tag, a word with a colon, or `done`, `note` and the like: the opposite
public struct Query: Sendable, Equatable {
    /// The conditions, all of which a record must satisfy.
    var terms: [Term]
    /// The criteria of the order; the first that differs decides.
    let order: [SortKey]
    /// Whether no word names an order.
    public let isInUsualOrder: Bool

    /// The records that `list` shows if no word names a status. New cases may be added.
    public enum Scope: Sendable {
        /// Open records, among them all those that can't be completed.
        case open
        /// All records.
        case all
    }

    /// Creates a query.
    ///
    /// - Parameters:
    ///   - terms: The conditions.
    ///   - order: Nil for the usual order of the types.
    ///   - types: The record types.
    init(terms: [Term], order: [SortKey]?, types: RecordTypes) {
        self.terms = terms
        self.order = order ?? types.usualOrder
        isInUsualOrder = order == nil
    }

    /// Parses a query.
    ///
    /// - Parameters:
    ///   - words: The typed words, without quotes.
    ///   - dates: The time and the calendar with which dates are read.
    ///   - types: The types whose fields can be named.
    ///   - scope: The records that are shown if no word names a status.
    /// - Throws: `InputError` for the first invalid word.
    public init(
        _ words: [String], dates: DateExpression.Context, types: RecordTypes, scope: Scope = .all
    ) throws(InputError) {
        var parser = QueryParser(dates: dates, types: types)
        try parser.read(FilterWords(words))
        let open: [Term] = scope == .open && !parser.namesStatus ? [.open(types.closings)] : []
        self.init(terms: parser.terms + open, order: parser.order, types: types)
    }

    /// Returns whether a record satisfies all conditions.
    public func matches(_ row: QueryRow) -> Bool { terms.allSatisfy { $0.holds(for: row) } }

    /// Returns the matching records, in order.
    public func select(from rows: some Sequence<QueryRow>) -> [QueryRow] {
        rows.filter(matches)
            // The values are computed once for each row, and not in each comparison.
            .map { row in (row: row, values: order.map { $0.value(of: row) }) }
            .sorted { left, right in
                for (key, values) in zip(order, zip(left.values, right.values)) {
                    if let precedes = key.precedes(values.0, values.1) { return precedes }
                }
                // The id decides at last, so that equal records are in the same order in every list.
                return left.row.id < right.row.id
            }
            .map(\.row)
    }
}

/// The words after `search`: those to be found in the texts, and filters of the same form as after `list`.
///
/// `+tag`, `-tag`, `name:value`, `name<value`, `not:…` and `sort:…` are filters; every other word is searched for, also
/// one with a meaning for `list`, such as `done`. After `--`, every word is searched for.
public struct SearchQuery: Sendable, Equatable {
    /// The words and phrases that must occur.
    public let words: [String]
    /// The further conditions.
    public let filter: Query

    /// Whether there are only words.
    public var isPlain: Bool { filter.terms.isEmpty && filter.isInUsualOrder }

    /// Parses a search.
    ///
    /// - Parameters:
    ///   - words: The typed words, without quotes.
    ///   - filter: The words of an additional filter, with the same meaning as for `list`.
    ///   - dates: The time and the calendar with which dates are read.
    ///   - types: The types whose fields can be named.
    /// - Throws: `InputError` for the first invalid word.
    public init(
        _ words: [String], filter: [String] = [], dates: DateExpression.Context, types: RecordTypes
    ) throws(InputError) {
        var named = QueryParser(dates: dates, types: types)
        try named.read(FilterWords(filter))
        var parser = QueryParser(dates: dates, types: types, knowsKeywords: false)
        try parser.read(FilterWords(words))
        var sought: [String] = []
        var terms = named.terms
        for term in parser.terms {
            // Only words that were typed to be found go to the index; those of the filter stay conditions, with the
            // meaning of `list`.
            if case .text(let word, _) = term { sought.append(word) } else { terms.append(term) }
        }
        self.words = sought
        self.filter = Query(terms: terms, order: parser.order ?? named.order, types: types)
    }
}
