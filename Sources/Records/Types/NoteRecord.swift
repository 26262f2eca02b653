/// A note: a typed view of a record's fields. Fields that it doesn't know stay as they are.
public struct NoteRecord: Sendable, Equatable {
    /// All fields, known or not.
    public var fields: JSONObject

    /// The kind of record.
    public static let type = RecordType(
        collection: "notes", rules: ["tags": .set, "body": .text, Record.importMarkField: .set])

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
        get { fields[text: "title"] ?? "" }
        set { fields[text: "title"] = newValue }
    }

    /// The text, in lines.
    public var body: String? {
        get { fields[text: "body"] }
        set { fields[text: "body"] = newValue }
    }

    /// The tags; a set.
    public var tags: [String] {
        get { fields[texts: "tags"] }
        set { fields[texts: "tags"] = newValue }
    }

    /// When it was made.
    public var entry: Timestamp? {
        get { fields[time: "entry"] }
        set { fields[time: "entry"] = newValue }
    }
}
