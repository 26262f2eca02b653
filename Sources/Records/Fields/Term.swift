internal import Foundation

/// One thing that a record must fulfil.
public indirect enum Term: Sendable, Equatable {
    /// The field is a set with this word in it.
    case word(field: String, String)
    /// The field is this path (such as a project), or one below it.
    case path(field: String, String)
    /// It is in this collection.
    case collection(String)
    /// It is still to be done: no field has a value that closes a record.
    case open([Closing])
    /// One of the searched fields contains this word.
    case text(String, in: SearchedFields)
    /// The field, as text, is this, whatever the case.
    case equals(field: String, String)
    /// The field contains this.
    case contains(field: String, String)
    /// The field has no value.
    case absent(field: String)
    /// The field holds a moment in this range, of which each end may be open; the end isn't in it.
    case date(field: String, from: Timestamp?, until: Timestamp?)
    /// The field holds a number that relates so to this one.
    case number(field: String, Relation, Double)
    /// The opposite holds.
    case not(Term)
    /// All of these hold.
    case all([Term])
    /// One of these holds.
    case any([Term])

    /// Whether a record fulfils it.
    public func holds(for row: QueryRow) -> Bool {
        switch self {
        case .word(let field, let word):
            row.fields[field]?.array?.contains { $0.string.map { Self.same($0, word) } ?? false } ?? false
        case .path(let field, let path): Self.isPath(row.fields[field]?.string ?? "", inside: path)
        case .collection(let name): row.collection == name
        case .open(let closings): !closings.contains { $0.isClosed(row.fields) }
        case .text(let word, let searched): searched.contain(in: row.fields) { Self.contains($0, word) }
        case .equals(let field, let value): row.fields[field].map { Self.same(Self.plain($0), value) } ?? false
        case .contains(let field, let word): Self.contains(row.fields[field]?.string ?? "", word)
        case .absent(let field): row.fields[field].map { $0 == [] || $0 == "" } ?? true
        case .date(let field, let from, let until): Self.isMoment(row.fields[FieldKey(field)], from: from, until: until)
        case .number(let field, let relation, let number):
            row.fields[field]?.double.map { relation.holds($0, number) } ?? false
        case .not(let term): !term.holds(for: row)
        case .all(let terms): terms.allSatisfy { $0.holds(for: row) }
        case .any(let terms): terms.contains { $0.holds(for: row) }
        }
    }

    private static func isMoment(_ moment: Timestamp?, from: Timestamp?, until: Timestamp?) -> Bool {
        guard let moment else { return false }
        return from.map { $0 <= moment } ?? true && until.map { moment < $0 } ?? true
    }

    private static func isPath(_ path: String, inside other: String) -> Bool {
        same(path, other) || path.lowercased().hasPrefix(other.lowercased() + ".")
    }

    private static func plain(_ value: JSONValue) -> String { value.string ?? value.text }

    private static func same(_ one: String, _ other: String) -> Bool { one.lowercased() == other.lowercased() }

    private static func contains(_ text: String, _ word: String) -> Bool {
        text.range(of: word, options: [.caseInsensitive, .diacriticInsensitive]) != nil
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
        }
    }
}

/// A record as a query sees it.
public struct QueryRow: Sendable, Equatable {
    /// Its collection.
    public let collection: String
    /// Its id.
    public let id: String
    /// Its fields.
    public let fields: JSONObject

    /// A row.
    public init(collection: String, id: String, fields: JSONObject) {
        self.collection = collection
        self.id = id
        self.fields = fields
    }
}

/// How a field must compare with a value.
public enum Relation: String, Sendable, CaseIterable {
    /// `due<=eow`: at that moment or before. Longer signs come first, so that they are found first.
    case atMost = "<="
    /// `due>=eow`: at that moment or after.
    case atLeast = ">="
    /// `due<eow`: before that moment.
    case less = "<"
    /// `due>eow`: after that moment; after the whole day, where a day is named.
    case greater = ">"
    /// `due:today`: then; the whole day, where a day is named.
    case equal = ":"
}
