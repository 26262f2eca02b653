/// A condition on a record.
indirect enum Term: Sendable, Equatable {
    /// The field is a set that contains this word.
    case word(field: String, String)
    /// The field is this path (such as a project), or one below it.
    case path(field: String, String)
    /// The record is in this collection.
    case collection(String)
    /// The record is open: the field that closes records of its type has no such value.
    case open(ClosingRules)
    /// One of the searched fields contains this word.
    case text(String, in: SearchedFields)
    /// The field, as text, equals this text; case is ignored.
    case equals(field: String, String)
    /// A text of the field matches this pattern.
    case matches(field: String, TextPattern)
    /// A text of the searched fields matches this pattern.
    case textMatches(TextPattern, in: SearchedFields)
    /// The field has no value.
    case absent(field: String)
    /// The field is a day or a time in this range.
    case date(field: String, DateRange)
    /// The field is a number in this relation to the given one.
    case number(field: String, Relation, Double)
    /// The record has an open conflict.
    case conflicted
    /// The field refers to a record whose id begins with this text.
    case reference(field: String, String)
    /// The record is in this state, which follows from other records.
    case state(RecordState)
    /// The condition doesn't hold.
    case not(Term)
    /// All conditions hold.
    case all([Term])
    /// At least one condition holds.
    case any([Term])
    /// An odd number of these conditions hold (xor).
    case xor([Term])

    /// Returns whether the condition holds for a record.
    func holds(for row: QueryRow, in context: QueryContext) -> Bool {
        switch self {
        case .word(let field, let word):
            row.fields[field]?.array?.contains { $0.string.map { Self.same($0, word) } ?? false } ?? false
        case .path(let field, let path): Self.isPath(row.fields[field]?.string ?? "", inside: path)
        case .collection(let name): row.collection == name
        case .open(let closings): !closings.isClosed(row)
        case .text(let word, let searched): searched.contain(in: row.fields, where: TextPattern.contains(word).matches)
        case .textMatches(let pattern, let searched): searched.contain(in: row.fields, where: pattern.matches)
        case .equals(let field, let value): row.fields[field].map { Self.same(Self.plain($0), value) } ?? false
        case .matches(let field, let pattern): Self.texts(row.fields[field]).contains(where: pattern.matches)
        // An empty set or text, which another client may store, counts as absent, too.
        case .absent(let field): row.fields[field].map { $0 == [] || $0 == "" } ?? true
        case .date(let field, let range): row.date(of: field).map(range.contains) ?? false
        case .number(let field, let relation, let number):
            row.fields[field]?.double.map { relation.holds($0, number) } ?? false
        case .conflicted: context.conflicted.contains(RecordKey(collection: row.collection, id: row.id))
        case .reference(let field, let prefix):
            Self.refers(RecordReference.ids(in: row.fields[field]), to: prefix)
        case .state(let state): state.holds(for: row, in: context)
        case .not(let term): !term.holds(for: row, in: context)
        case .all(let terms): Self.hold(terms, for: row, in: context)
        case .any(let terms): Self.holdsAny(terms, for: row, in: context)
        case .xor(let terms): !terms.count { $0.holds(for: row, in: context) }.isMultiple(of: 2)
        }
    }

    // Loops: closures would copy the context for each row.

    private static func hold(_ terms: [Term], for row: QueryRow, in context: QueryContext) -> Bool {
        for term in terms where !term.holds(for: row, in: context) { return false }
        return true
    }

    private static func holdsAny(_ terms: [Term], for row: QueryRow, in context: QueryContext) -> Bool {
        for term in terms where term.holds(for: row, in: context) { return true }
        return false
    }

    /// Returns whether one of the ids begins with a text, as stored or as `ShortID` shows it.
    private static func refers(_ ids: [String], to prefix: String) -> Bool {
        if ids.isEmpty { return false }
        let letters = ShortID.idPrefix(of: prefix)
        return ids.lazy.map { $0.lowercased() }.contains { id in
            id.hasPrefix(prefix) || letters.map { id.hasPrefix($0) } ?? false
        }
    }

    private static func isPath(_ path: String, inside other: String) -> Bool {
        same(path, other) || path.lowercased().hasPrefix(other.lowercased() + ".")
    }

    private static func plain(_ value: JSONValue) -> String { value.string ?? value.text }

    private static func same(_ one: String, _ other: String) -> Bool { one.lowercased() == other.lowercased() }

    /// Returns the texts of a value: of a set, its elements.
    private static func texts(_ value: JSONValue?) -> [String] {
        guard let value else { return [] }
        return value.array?.compactMap(\.string) ?? [plain(value)]
    }
}

extension Term {
    /// Returns the condition that one of these holds.
    static func one(of terms: [Term]) -> Term { terms.count == 1 ? terms[0] : .any(terms) }

    /// The conditions of a conjunction; of any other condition, only it.
    var conjuncts: [Term] { if case .all(let terms) = self { terms } else { [self] } }

    /// Whether the condition needs `QueryContext.conflicted`.
    var readsConflicts: Bool { contains { $0 == .conflicted } }

    /// Whether the condition needs `QueryContext.links`.
    var readsLinks: Bool { contains { if case .state = $0 { true } else { false } } }

    /// Whether the condition needs `QueryRow.edited`.
    var readsEdits: Bool { contains { if case .date(FieldKey.lastEdit.name, _) = $0 { true } else { false } } }

    /// A regular expression of the condition whose matches were ended; nil: there is none.
    var exhaustedRegex: FilterRegex? {
        var exhausted: FilterRegex?
        _ = contains { term in
            guard let regex = term.regex, regex.isExhausted else { return false }
            exhausted = regex
            return true
        }
        return exhausted
    }

    /// The regular expression, if this is a condition with one.
    private var regex: FilterRegex? {
        if case .matches(_, .regex(let regex)) = self { return regex }
        if case .textMatches(.regex(let regex), _) = self { return regex }
        return nil
    }

    /// Returns whether the condition or one of its parts satisfies a predicate.
    private func contains(where isMeant: (Term) -> Bool) -> Bool {
        switch self {
        case .not(let term): term.contains(where: isMeant)
        case .all(let terms), .any(let terms), .xor(let terms): terms.contains { $0.contains(where: isMeant) }
        case .word, .path, .collection, .open, .text, .equals, .matches, .textMatches, .absent, .date, .number,
            .reference, .state, .conflicted:
            isMeant(self)
        }
    }
}

extension Relation {
    fileprivate func holds(_ left: Double, _ right: Double) -> Bool {
        switch self {
        case .less: left < right
        case .atMost: left <= right
        case .greater: left > right
        case .atLeast: left >= right
        case .equal: left == right
        case .notEqual: left != right
        }
    }
}

/// A record as a query reads it.
public struct QueryRow: Sendable, Equatable {
    /// The record's collection.
    public let collection: String
    /// The record's id.
    public let id: String
    /// The record's fields.
    public let fields: JSONObject
    /// The time of the record's last edit; nil: unknown, since neither a condition nor the query's
    /// order needs it.
    public let edited: HLC?
    /// The position in the order in which this device stored the records; 0 if it isn't known. Records that are equal in
    /// a requested order, such as those that were added in the same second, are in this order.
    public let position: Int64

    /// Creates a row.
    public init(collection: String, id: String, fields: JSONObject, edited: HLC? = nil, position: Int64 = 0) {
        self.collection = collection
        self.id = id
        self.fields = fields
        self.edited = edited
        self.position = position
    }

    /// Returns the day or time in a field; nil if it has none.
    fileprivate func date(of field: String) -> DateValue? {
        if field == FieldKey.lastEdit.name { return edited.map { .time($0.timestamp) } }
        return fields[field].flatMap(DateValue.read)
    }
}

/// The facts that a query reads besides the record that it looks at. They are read only for queries that need them.
public struct QueryContext: Sendable {
    /// The records with an open conflict, for ``Query/readsConflicts``.
    public var conflicted: Set<RecordKey>
    /// The links between the records, for ``Query/readsLinks``.
    public var links: RecordLinks

    /// Creates a context.
    public init(conflicted: Set<RecordKey> = [], links: RecordLinks = RecordLinks()) {
        self.conflicted = conflicted
        self.links = links
    }
}

/// A comparison of a field with a value. The longer signs are declared first, since the parser uses the first that
/// fits. New cases may be added.
public enum Relation: String, Sendable, CaseIterable {
    /// `due<=eow`: at that time or before.
    case atMost = "<="
    /// `due>=eow`: at that time or after.
    case atLeast = ">="
    /// `due<eow`: before that time.
    case less = "<"
    /// `due>eow`: after that time; after the whole day if a day is given.
    case greater = ">"
    /// `due!=today`: not at that time.
    case notEqual = "!="
    /// `due:today`: at that time; on the whole day if a day is given.
    case equal = ":"
}

extension FieldKey where Value == DateValue {
    /// The last edit as the field of a condition, under a name that can't be typed.
    static var lastEdit: Self { Self("edited:") }
}
