/// A note: a typed view of a record's fields. Fields that it doesn't know stay as they are.
public struct NoteRecord: Sendable, Equatable {
    /// All fields, known or not.
    public var fields: JSONObject

    /// The kind of record.
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
