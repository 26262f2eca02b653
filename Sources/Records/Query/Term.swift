internal import Foundation

/// One thing that a record must fulfil.
public indirect enum Term: Sendable, Equatable {
    /// It has this tag.
    case tag(String)
    /// Its project is this one or one below it.
    case project(String)
    /// It is in this collection.
    case collection(String)
    /// It is still to be done: neither completed nor dropped, and no template of recurring tasks. So is every note.
    case open
    /// A text of its contains this word.
    case text(String)
    /// The field, as text, is this, whatever the case.
    case equals(field: String, String)
    /// The field contains this.
    case contains(field: String, String)
    /// The field has no value.
    case absent(field: String)
    /// The field holds a moment in this range, of which each end may be open; the end isn't in it.
    case date(field: String, from: Timestamp?, until: Timestamp?)
    /// The opposite holds.
    case not(Term)
    /// All of these hold.
    case all([Term])
    /// One of these holds.
    case any([Term])

    /// Whether a record fulfils it.
    public func holds(for row: QueryRow) -> Bool {
        switch self {
        case .tag(let tag): row.fields[texts: "tags"].contains { Self.same($0, tag) }
        case .project(let project): Self.isProject(row.fields[text: "project"] ?? "", inside: project)
        case .collection(let name): row.collection == name
        case .open: TaskRecord(fields: row.fields).status.isOpen
        case .text(let word): Self.texts(of: row.fields).contains { Self.contains($0, word) }
        case .equals(let field, let value): row.fields[field].map { Self.same(Self.plain($0), value) } ?? false
        case .contains(let field, let word): Self.contains(row.fields[text: field] ?? "", word)
        case .absent(let field): row.fields[field].map { $0 == [] || $0 == "" } ?? true
        case .date(let field, let from, let until): Self.isMoment(row.fields[time: field], from: from, until: until)
        case .not(let term): !term.holds(for: row)
        case .all(let terms): terms.allSatisfy { $0.holds(for: row) }
        case .any(let terms): terms.contains { $0.holds(for: row) }
        }
    }

    private static func isMoment(_ moment: Timestamp?, from: Timestamp?, until: Timestamp?) -> Bool {
        guard let moment else { return false }
        return from.map { $0 <= moment } ?? true && until.map { moment < $0 } ?? true
    }

    private static func isProject(_ project: String, inside other: String) -> Bool {
        same(project, other) || project.lowercased().hasPrefix(other.lowercased() + ".")
    }

    private static func texts(of fields: JSONObject) -> [String] {
        let single = ["title", "body", "project"].compactMap { fields[text: $0] }
        return single + fields[texts: "tags"] + TaskRecord(fields: fields).annotations.map(\.description)
    }

    private static func plain(_ value: JSONValue) -> String { value.string ?? value.text }

    private static func same(_ one: String, _ other: String) -> Bool { one.lowercased() == other.lowercased() }

    private static func contains(_ text: String, _ word: String) -> Bool {
        text.range(of: word, options: [.caseInsensitive, .diacriticInsensitive]) != nil
    }
}
