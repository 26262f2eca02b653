internal import Foundation

extension RecordTypes {
    /// The record types of Satchel.
    public static let standard = RecordTypes([
        TaskRecord.type,
        NoteRecord.type,
        SavedList.type,
        ConflictRecord.type,
    ])

    /// The collections that a program with these types uses: those of the types, of conflicts and of saved filters.
    public var collectionSet: CollectionSet {
        CollectionSet(collections + [ConflictRecord.type.collection, SavedList.type.collection])
    }
}

/// A note: a typed view of a record's fields. Unknown fields are kept.
public struct NoteRecord: Sendable, Equatable {
    /// All fields, known or not.
    public var fields: JSONObject

    /// The record type of notes.
    public static let type = RecordType(
        collection: "notes", names: ["note", "notes"],
        fields: [
            Field(.title, kind: .title, aliases: ["description", "desc"], place: .form),
            Field(.tags, aliases: ["tag"], place: .form, column: .tags),
            Field(.project, kind: .path, aliases: ["proj"], role: .project),
            Field(.body, kind: .text, place: .apart),
            Field(.entry, label: "Created", aliases: ["created"], role: .created),
            Field(.pinned, role: .pinned),
            .formerTitles,
        ], isDocument: true)

    /// Creates a note with these fields.
    public init(fields: JSONObject) { self.fields = fields }

    /// Creates a new note.
    public init(title: String, entry: Timestamp) {
        fields = [:]
        self.title = title
        self.entry = entry
    }

    /// The title, in one line.
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

    /// The time at which it was created.
    public var entry: Timestamp? {
        get { fields[.entry] }
        set { fields[.entry] = newValue }
    }
}

extension FieldKey<Bool> {
    /// Whether lists show a note before the others.
    public static var pinned: Self { Self("pinned") }
}

extension FieldKey<[String]> {
    /// The titles that a note or a task had before it was renamed; a set.
    public static var formerTitles: Self { Self("formerTitles") }
}

extension Field {
    /// The titles that a record had before it was renamed.
    static let formerTitles = Field(
        .formerTitles, isSearched: false, place: .hidden, help: "is kept for links and can't be edited",
        role: .formerTitles)
}

extension NoteRecord {
    /// Returns the key of the daily note of a day. Every device derives the same key, so that two devices that create the
    /// note while offline edit one record.
    public static func dailyKey(_ day: CalendarDay) -> RecordKey {
        RecordKey(
            collection: type.collection, id: UUIDText.derived(from: [type.collection, "day", day.description]))
    }
}

/// A saved filter: a typed view of a record's fields.
///
/// The id is derived from the name. If two devices save different filters under the same name, they edit the same
/// record, and a conflict shows both (record 0003 of Records).
public struct SavedList: Sendable, Equatable {
    /// The name, as typed.
    public let name: String
    /// The words of the filter.
    public let words: [String]

    /// The record type of saved filters.
    public static let type = RecordType(
        collection: "lists",
        fields: [
            Field(.title, kind: .title, place: .form),
            Field(FieldKey<[String]>(wordsField), merge: .latest, place: .hidden),
        ])
    /// The field that holds the filter's words.
    static let wordsField = "filter"

    /// Creates a filter with a name.
    public init(name: String, words: [String]) {
        self.name = name
        self.words = words
    }

    /// Reads a saved filter from its fields; nil if they have another shape.
    public init?(fields: JSONObject) {
        guard let name = fields[.title], let words = fields[Self.wordsField]?.array else { return nil }
        self.init(name: name, words: words.compactMap(\.string))
    }

    /// The fields as stored and synced.
    public var fields: JSONObject {
        ["title": .string(name), Self.wordsField: .array(words.map(JSONValue.string))]
    }

    /// Returns the key under which a filter with this name is stored; case is ignored.
    public static func key(_ name: String) -> RecordKey {
        // Normalised: the same accented letter may be typed as one code point or as two.
        let form = name.lowercased().precomposedStringWithCanonicalMapping
        return RecordKey(collection: type.collection, id: UUIDText.derived(from: [type.collection, form]))
    }

    /// Returns whether this is a valid name: see ``FilterPart/isName(_:)``.
    public static func isName(_ name: String) -> Bool { FilterPart.isName(name) }
}
