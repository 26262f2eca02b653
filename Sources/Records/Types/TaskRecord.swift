/// A task: a typed view of a record's fields. Fields that it doesn't know stay as they are.
public struct TaskRecord: Sendable, Equatable {
    /// All fields, known or not.
    public var fields: JSONObject

    /// The kind of record.
    public static let type = RecordType(
        collection: "tasks",
        rules: [
            "tags": .set, "annotations": .set, "body": .text,
            // Two devices that complete the same task agree, though not on the second.
            "end": .noted,
            // Which forms of the task an import has taken in (module Interchange).
            Record.importMarkField: .set,
        ])

    /// A task with these fields.
    public init(fields: JSONObject) { self.fields = fields }

    /// A new task, pending, made at `entry`.
    public init(title: String, entry: Timestamp) {
        fields = [:]
        self.title = title
        self.entry = entry
        status = .pending
    }

    /// What is to be done, in one line (Taskwarrior's description).
    public var title: String {
        get { fields[text: "title"] ?? "" }
        set { fields[text: "title"] = newValue }
    }

    /// Longer text, in lines.
    public var body: String? {
        get { fields[text: "body"] }
        set { fields[text: "body"] = newValue }
    }

    /// The project, its levels divided by dots.
    public var project: String? {
        get { fields[text: "project"] }
        set { fields[text: "project"] = newValue }
    }

    /// The tags; a set.
    public var tags: [String] {
        get { fields[texts: "tags"] }
        set { fields[texts: "tags"] = newValue }
    }

    /// How much it matters; nil for none, or one that isn't known.
    public var priority: Priority? {
        get { fields[text: "priority"].flatMap(Priority.init) }
        set { fields[text: "priority"] = newValue?.rawValue }
    }

    /// Where it stands; a field that is missing means pending.
    public var status: Status {
        get { Status(rawValue: fields[text: "status"] ?? Status.pending.rawValue) }
        set { fields[text: "status"] = newValue.rawValue }
    }

    /// When it should be done.
    public var due: Timestamp? {
        get { fields[time: "due"] }
        set { fields[time: "due"] = newValue }
    }

    /// When it was made.
    public var entry: Timestamp? {
        get { fields[time: "entry"] }
        set { fields[time: "entry"] = newValue }
    }

    /// When it was completed or dropped.
    public var end: Timestamp? {
        get { fields[time: "end"] }
        set { fields[time: "end"] = newValue }
    }

    /// Notes with their times; a set.
    public var annotations: [Annotation] {
        get { fields["annotations"]?.array?.compactMap(Annotation.init(json:)) ?? [] }
        set { fields["annotations"] = newValue.isEmpty ? nil : .array(newValue.map(\.json)) }
    }
}

extension TaskRecord {
    /// Marks it as done at `moment`.
    public mutating func complete(at moment: Timestamp) {
        status = .completed
        end = moment
    }

    /// Marks it as to be done again.
    public mutating func reopen() {
        status = .pending
        end = nil
    }

    /// Adds a remark.
    ///
    /// The other remarks stay as they are, also those of a shape that `annotations` doesn't know.
    public mutating func annotate(_ description: String, at moment: Timestamp) {
        let remark = Annotation(entry: moment, description: description).json
        fields["annotations"] = .array((fields["annotations"]?.array ?? []) + [remark])
    }
}
