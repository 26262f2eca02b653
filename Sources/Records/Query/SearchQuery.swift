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
