internal import Foundation

extension RecordTypes {
    /// The types that come with Satchel.
    public static let standard = RecordTypes([
        TaskRecord.type,
        NoteRecord.type,
        SavedList.type,
        ConflictRecord.type,
    ])

    /// The collections that a program with these types uses: those of the types, of conflicts and of saved lists.
    public var collectionSet: CollectionSet {
        CollectionSet(collections + [ConflictRecord.type.collection, SavedList.type.collection])
    }
}

/// A note: a typed view of a record's fields. Fields that it doesn't know stay as they are.
public struct NoteRecord: Sendable, Equatable {
    /// All fields, known or not.
    public var fields: JSONObject

    /// The record type of notes.
    public static let type = RecordType(
        collection: "notes", names: ["note", "notes"],
        fields: [
            Field(.title, kind: .title, place: .form), Field(.tags, aliases: ["tag"], place: .form, column: .tags),
            Field(.body, kind: .text, place: .apart), Field(.entry, label: "Created", role: .created),
        ], isDocument: true)

    /// A note with these fields.
    public init(fields: JSONObject) { self.fields = fields }

    /// A new note, made at `entry`.
    public init(title: String, entry: Timestamp) {
        fields = [:]
        self.title = title
        self.entry = entry
    }

    /// What it is about, in one line.
    public var title: String {
        get { fields[.title] ?? "" }
        set { fields[.title] = newValue }
    }

    /// The text, in lines.
    public var body: String? {
        get { fields[.body] }
        set { fields[.body] = newValue }
    }

    /// The tags; a set.
    public var tags: [String] {
        get { fields[.tags] ?? [] }
        set { fields[.tags] = newValue }
    }

    /// When it was made.
    public var entry: Timestamp? {
        get { fields[.entry] }
        set { fields[.entry] = newValue }
    }
}

/// A filter that was given a name: a typed view of a record's fields.
///
/// The name makes the id, so that two devices that give one name to two filters edit one record, whose conflict is shown.
public struct SavedList: Sendable, Equatable {
    /// The name, as it was written.
    public let name: String
    /// The words of the filter.
    public let words: [String]

    /// The record type of saved lists.
    public static let type = RecordType(
        collection: "lists",
        fields: [
            Field(.title, kind: .title, place: .form),
            Field(FieldKey<[String]>(wordsField), merge: .latest, place: .hidden),
        ])
    /// The field that holds the filter's words.
    public static let wordsField = "filter"

    /// A filter under a name.
    public init(name: String, words: [String]) {
        self.name = name
        self.words = words
    }

    /// Reads one from its fields; nil if they aren't those of one.
    public init?(fields: JSONObject) {
        guard let name = fields[.title], let words = fields[Self.wordsField]?.array else { return nil }
        self.init(name: name, words: words.compactMap(\.string))
    }

    /// The fields as stored and synced.
    public var fields: JSONObject {
        ["title": .string(name), Self.wordsField: .array(words.map(JSONValue.string))]
    }

    /// The key under which a list of this name is stored; case makes no difference.
    public static func key(_ name: String) -> RecordKey {
        let form = name.lowercased().precomposedStringWithCanonicalMapping
        return RecordKey(collection: type.collection, id: UUIDText.derived(from: [type.collection, form]))
    }

    /// Whether this may be a name: a letter, then letters, digits, `-`, `_` and `.`, at most 64 in all.
    public static func isName(_ name: String) -> Bool {
        guard let first = name.first, first.isLetter, name.count <= 64, name.utf8.count <= 256 else { return false }
        return name.allSatisfy { $0.isLetter || $0.isNumber || "-_.".contains($0) }
    }
}
