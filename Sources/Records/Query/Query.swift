/// Which records to show, in which order: the words behind `list` and `search`, read into a pure predicate.
///
/// - `+shop`, `-shop`, `tag:shop`: with or without a tag
/// - `project:core`: that project or one below it; `project:` none. So for any field: `due:`, `priority:`
/// - `priority:H`, `priority:H,M` (one of them; so for tags, projects and statuses), `status:completed`
/// - `title:milk`, `body:milk` (contain it), `field.estimate:3`
/// - `repeat:weekly`; `not:repeat:` all that come again
/// - `due:today`, `due<eow`, `due>=2026-11-21`: a date field and a `DateExpression`
/// - `task`, `note`; `done`, `pending`, `overdue`, `all`
/// - `sort:due`, `sort:-entry`, `sort:priority,due`
/// - any other word: title, body, project, tags or annotations contain it, whatever the case and the accents
/// - `--`: all further words are searched for literally
/// - `not:` before any of these, or `-` before a tag, one with a colon, or `done`, `note` and the like: the opposite
///
/// All of them must hold.
public struct Query: Sendable, Equatable {
    /// What a record must fulfil, all of it.
    public var terms: [Term]
    /// What to sort by; the first that differs decides.
    public let order: [SortKey]
    /// Whether no word names an order.
    public let isInUsualOrder: Bool

    /// What `list` shows if no word says which: what is to be done, or all.
    public enum Scope: Sendable {
        /// Only what is still to be done, and notes.
        case open
        /// All records.
        case all
    }

    /// A query of these terms.
    ///
    /// - Parameter order: nil: the usual one of the types.
    init(terms: [Term], order: [SortKey]?, types: RecordTypes) {
        self.terms = terms
        self.order = order ?? types.usualOrder
        isInUsualOrder = order == nil
    }

    /// Reads a query.
    ///
    /// - Parameters:
    ///   - words: the typed words, quotes removed.
    ///   - dates: when and where dates are read.
    ///   - types: whose fields can be named.
    ///   - scope: what holds if no word is about the status.
    public init(
        _ words: [String], dates: DateExpression.Context, types: RecordTypes = .standard, scope: Scope = .all
    ) throws(InputError) {
        var parser = QueryParser(dates: dates, types: types)
        try parser.read(FilterWords(words))
        let open: [Term] = scope == .open && !parser.namesStatus ? [.open(types.catalog.closings)] : []
        self.init(terms: parser.terms + open, order: parser.order, types: types)
    }

    /// Whether a record is to be shown.
    public func matches(_ row: QueryRow) -> Bool { terms.allSatisfy { $0.holds(for: row) } }

    /// The records to be shown, in order.
    public func select(from rows: some Sequence<QueryRow>) -> [QueryRow] {
        rows.filter(matches)
            .map { row in (row: row, values: order.map { $0.value(of: row) }) }
            .sorted { left, right in
                for (key, values) in zip(order, zip(left.values, right.values)) {
                    if let precedes = key.precedes(values.0, values.1) { return precedes }
                }
                return left.row.id < right.row.id
            }
            .map(\.row)
    }
}

/// The words behind `search`: those to be found in the texts, and filters of the same form as behind `list`.
///
/// `+tag`, `-tag`, `name:value`, `name<value`, `not:…` and `sort:…` are filters; every other word is sought, also one that
/// means something else to `list`, such as `done`. After `--` every word is searched for.
public struct SearchQuery: Sendable, Equatable {
    /// The words and phrases that must occur.
    public let words: [String]
    /// What must hold besides.
    public let filter: Query

    /// Whether there is nothing but words.
    public var isPlain: Bool { filter.terms.isEmpty && filter.isInUsualOrder }

    /// Reads a search.
    ///
    /// - Parameters:
    ///   - words: the typed words, quotes removed.
    ///   - filter: the words of a filter besides, which mean what they mean to `list`.
    ///   - dates: when and where dates are read.
    ///   - types: whose fields can be named.
    public init(
        _ words: [String], filter: [String] = [], dates: DateExpression.Context, types: RecordTypes = .standard
    ) throws(InputError) {
        var named = QueryParser(dates: dates, types: types)
        try named.read(FilterWords(filter))
        var parser = QueryParser(dates: dates, types: types, knowsKeywords: false)
        try parser.read(FilterWords(words))
        var sought: [String] = []
        var terms = named.terms
        for term in parser.terms {
            if case .text(let word, _) = term { sought.append(word) } else { terms.append(term) }
        }
        self.words = sought
        self.filter = Query(terms: terms, order: parser.order ?? named.order, types: types)
    }
}
