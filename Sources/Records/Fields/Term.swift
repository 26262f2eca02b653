internal import Foundation

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
    /// The field contains this text.
    case contains(field: String, String)
    /// The field has no value.
    case absent(field: String)
    /// The field is a time in this range; each end may be open, and the upper end is excluded.
    case date(field: String, from: Timestamp?, until: Timestamp?)
    /// The field is a number in this relation to the given one.
    case number(field: String, Relation, Double)
    /// The condition doesn't hold.
    case not(Term)
    /// All conditions hold.
    case all([Term])
    /// At least one condition holds.
    case any([Term])

    /// Returns whether the condition holds for a record.
    func holds(for row: QueryRow) -> Bool {
        switch self {
        case .word(let field, let word):
            row.fields[field]?.array?.contains { $0.string.map { Self.same($0, word) } ?? false } ?? false
        case .path(let field, let path): Self.isPath(row.fields[field]?.string ?? "", inside: path)
        case .collection(let name): row.collection == name
        case .open(let closings): !closings.isClosed(row)
        case .text(let word, let searched): searched.contain(in: row.fields) { Self.contains($0, word) }
        case .equals(let field, let value): row.fields[field].map { Self.same(Self.plain($0), value) } ?? false
        case .contains(let field, let word): Self.contains(row.fields[field]?.string ?? "", word)
        // An empty set or text, which another client may store, counts as absent, too.
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

/// A record as a query reads it.
public struct QueryRow: Sendable, Equatable {
    /// The record's collection.
    public let collection: String
    /// The record's id.
    public let id: String
    /// The record's fields.
    public let fields: JSONObject

    /// Creates a row.
    public init(collection: String, id: String, fields: JSONObject) {
        self.collection = collection
        self.id = id
        self.fields = fields
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
    /// `due:today`: at that time; on the whole day if a day is given.
    case equal = ":"
}
