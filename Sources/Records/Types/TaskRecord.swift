/// A task: a typed view of a record's fields. Fields that it doesn't know stay as they are.
public struct TaskRecord: Sendable, Equatable {
    /// All fields, known or not.
    public var fields: JSONObject

    /// The kind of record.
    public static let type = RecordType(
        collection: "tasks", rules: ["tags": .set, "annotations": .set, "body": .text])

    /// A task with these fields.
    public init(fields: JSONObject) { self.fields = fields }
}
