internal import Foundation

/// The records to show and their order: the words after `list` and `search`, parsed to a pure predicate.
///
/// - `+shop`, `-shop`, `tag:shop`: with or without a tag; `+a,b`: with one of them; `-a,b`: with none
/// - `project:core`: that project or one below it; `project:` or `project:none`: none; `project:any`: any. The same for
///   every field: `due:`, `priority:`
/// - `priority:H`, `priority:H,M` (one of them; also for tags, projects and statuses), `status:completed`
/// - `title:milk`, `body:milk` (contain it), `field.estimate:3`
/// - `repeat:weekly`; `not:repeat:` all that repeat
/// - `due:today`, `due<eow`, `due>=2026-11-21`, `due!=today`: a date field and a `DateExpression`
/// - `due:mon..fri`, `due:..fri`, `rating:2..4`: a range, ends included
/// - `/regex/`, `title:/regex/`: a regular expression, without regard to case
/// - `has:body`: with a value; `has:conflict`: with an open conflict
/// - `due.before:eow`, `project.is:home`, `title.startswith:Buy`: Taskwarrior's modifiers
/// - `edited:today`, `edited>=mon`: the last edit; `modified` is another name
/// - `depends:wkxp`: refers to a record with an id that begins like this, also as stored: `depends:3f2a`
/// - `task`, `note`; `done`, `pending`, `overdue`, `today`, `tomorrow`, `yesterday`, `week`, `month`, `all`
/// - `waiting`, `ready`, `active`, `blocked`, `blocking`
/// - any other word: title, body, project, tags or annotations contain it; case and accents are ignored
/// - `--`: all further words are searched for literally
/// - `not:` before any of these, or `-` before a tag, a word with a colon, or `done`, `note` and the like: the opposite
/// - `or`, `xor`, `and`, `not`, `(` and `)` combine conditions; conditions without an operator between them must all hold
/// - `+OVERDUE`, `-WAITING`: Taskwarrior's virtual tags
/// - `sort:due`, `sort:-entry`, `sort:priority,due`, `sort:edited`, `sort:urgency`; `limit:20`
public struct Query: Sendable, Equatable {
    /// The conditions, all of which a record must satisfy.
    var terms: [Term]
    /// The criteria of the order; the first that differs decides.
    let order: [SortKey]
    /// Whether no word names an order.
    public let isInDefaultOrder: Bool
    /// Whether the filter has neither a condition nor an order: `list`, `list limit:20`.
    package private(set) var isUnfiltered = false
    /// The size of the window that `limit:` names; nil: no word names one.
    public let limit: Int?
    /// The calendar in which days are sorted among times.
    private let calendar: Calendar
    private let linkRules: LinkRules

    /// The largest size that `limit:` can name.
    public static let maximumLimit = 10_000

    /// The records that `list` shows if no word names a status. In `done or +shop`, these are the records of the branch
    /// `+shop`. New cases may be added.
    public enum Scope: Sendable {
        /// Open records, among them all those that can't be completed; without a condition, no documents such as notes.
        case open
        /// All records.
        case all
    }

    /// Creates a query.
    ///
    /// - Parameters:
    ///   - terms: The conditions.
    ///   - order: Nil for the default order of the types.
    ///   - types: The record types.
    ///   - dates: The calendar in which days are sorted among times.
    init(terms: [Term], order: [SortKey]?, limit: Int? = nil, types: RecordTypes, dates: DateExpression.Context) {
        self.terms = terms
        self.limit = limit
        self.order = order ?? types.defaultOrder
        isInDefaultOrder = order == nil
        calendar = dates.calendar
        linkRules = types.linkRules
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
        try self.init(parts: FilterPart.parts(of: words), dates: dates, types: types, scope: scope)
    }

    /// Parses a query from the parts of a filter, in which the names of saved filters are replaced.
    ///
    /// - Throws: `InputError` for the first invalid part.
    public init(
        parts: [FilterPart], dates: DateExpression.Context, types: RecordTypes, scope: Scope = .all
    ) throws(InputError) {
        var parser = QueryParser(dates: dates, types: types)
        try parser.read(parts)
        let defaults = scope == .open ? parser.defaultTypes + parser.defaultStates : []
        self.init(terms: parser.terms + defaults, order: parser.order, limit: parser.limit, types: types, dates: dates)
        let plain = QueryParser(dates: dates, types: types)
        isUnfiltered = isInDefaultOrder && terms == plain.defaultTypes + plain.defaultStates
    }

    /// Whether it needs ``QueryContext/conflicted``.
    public var readsConflicts: Bool { terms.contains(where: \.readsConflicts) }

    /// Whether it needs ``QueryContext/links``.
    public var readsLinks: Bool { terms.contains(where: \.readsLinks) || order.contains(where: \.readsLinks) }

    /// Whether it needs ``QueryRow/edited``.
    public var readsEdits: Bool { order.contains(where: \.readsEdits) || terms.contains(where: \.readsEdits) }

    /// Returns whether a record satisfies all conditions.
    public func matches(_ row: QueryRow, in context: QueryContext = QueryContext()) -> Bool {
        // A loop: a closure would copy the context for each row.
        for term in terms where !term.holds(for: row, in: context) { return false }
        return true
    }

    /// Returns the matching records, in order.
    ///
    /// - Parameter context: Nil: `rows` are all records, so their links are determined, and no record has a conflict.
    public func select(from rows: some Sequence<QueryRow>, in context: QueryContext? = nil) -> [QueryRow] {
        if let context { return matching(rows, in: context) }
        let rows = Array(rows)
        let links = readsLinks ? RecordLinks(rows, linkRules) : RecordLinks()
        return matching(rows, in: QueryContext(links: links))
    }

    /// Checks, after ``matches(_:in:)`` or ``select(from:in:)``, that no match of a regular expression was ended: the
    /// records that were found would not be all.
    ///
    /// - Throws: `InputError` with the regular expression.
    package func checkMatches() throws(InputError) {
        for term in terms {
            guard let regex = term.exhaustedRegex else { continue }
            throw .filter(.costlyPattern(regex.pattern, seconds: FilterRegex.maximumTime.components.seconds))
        }
    }

    private func matching(_ rows: some Sequence<QueryRow>, in context: QueryContext) -> [QueryRow] {
        var found: [QueryRow] = []
        for row in rows where matches(row, in: context) { found.append(row) }
        // The values are computed once for each row, and not in each comparison. They are one array, and the indices in
        // it are sorted, since rows and arrays of values are expensive to move.
        var starts = DayStarts(in: calendar)
        var values: [SortKey.Value?] = []
        values.reserveCapacity(found.count * order.count)
        for row in found {
            for key in order { values.append(key.value(of: row, in: context, &starts)) }
        }
        let indices = found.indices.sorted { left, right in
            for offset in order.indices {
                let (first, second) = (values[left * order.count + offset], values[right * order.count + offset])
                if let precedes = order[offset].precedes(first, second) { return precedes }
            }
            // The id decides at last, so that equal records are in the same order in every list.
            return (found[left].position, found[left].id) < (found[right].position, found[right].id)
        }
        return indices.map { found[$0] }
    }
}

/// The words after `search`: those to be found in the texts, and filters of the same form as after `list`.
///
/// `+tag`, `-tag`, `name:value`, `name<value`, `not:…`, `@name`, `sort:…` and `limit:…` are filters if the name is known;
/// every other word is searched for, also one with a meaning for `list`, such as `done`, `or` and `(`. After `--`, every
/// word is searched for.
public struct SearchQuery: Sendable, Equatable {
    /// The words and phrases that must occur.
    public let words: [String]
    /// The further conditions.
    public let filter: Query

    /// Whether there are only words.
    public var isPlain: Bool { filter.terms.isEmpty && filter.isInDefaultOrder }

    /// Parses a search.
    ///
    /// - Parameters:
    ///   - words: The typed words, without quotes.
    ///   - dates: The time and the calendar with which dates are read.
    ///   - types: The types whose fields can be named.
    /// - Throws: `InputError` for the first invalid word.
    public init(_ words: [String], dates: DateExpression.Context, types: RecordTypes) throws(InputError) {
        try self.init(parts: FilterPart.parts(of: words, isSearch: true), dates: dates, types: types)
    }

    /// Parses a search from its parts, in which the names of saved filters are replaced. The parts of a saved filter have
    /// the same meaning as for `list`.
    ///
    /// - Throws: `InputError` for the first invalid part.
    public init(parts: [FilterPart], dates: DateExpression.Context, types: RecordTypes) throws(InputError) {
        var parser = QueryParser(dates: dates, types: types, knowsKeywords: false)
        words = try parser.readSearch(parts)
        filter = Query(terms: parser.terms, order: parser.order, limit: parser.limit, types: types, dates: dates)
    }
}
