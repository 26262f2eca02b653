/// A note: a typed view of a record's fields. Fields that it doesn't know stay as they are.
public struct NoteRecord: Sendable, Equatable {
    /// All fields, known or not.
    public var fields: JSONObject

    /// The kind of record.
    public static let type = RecordType(collection: "notes", rules: ["tags": .set, "body": .text])

    /// A note with these fields.
    public init(fields: JSONObject) { self.fields = fields }
}
