/// A task: a typed view of a record's fields. Fields that it doesn't know stay as they are.
public struct TaskRecord: Sendable, Equatable {
    /// All fields, known or not.
    public var fields: JSONObject

    /// The kind of record. The order of the fields is that of the text of a task that is edited.
    public static let type = RecordType(
        collection: "tasks", names: ["task", "tasks"],
        fields: [
            Field(.title, kind: .title, namesElsewhere: ["description", "name", "text"], place: .form),
            Field(.tags, aliases: ["tag"], place: .form),
            Field(.project, kind: .path, namesElsewhere: ["list"], place: .form),
            Field(.due, namesElsewhere: ["by", "deadline", "on"], place: .form, todoTxtKey: "due"),
            Field(
                .repeating, kind: .custom(Repeat.syntax), label: "Repeats",
                namesElsewhere: ["every", "recur", "recurrence"], place: .form,
                help: "daily, weekdays, weekly, monthly, yearly, every 2 weeks"),
            Field(.until, place: .form, help: "the last day on which it repeats", todoTxtKey: "until"),
            Field(.priority, kind: Priority.kind, place: .form),
            Field(.status, kind: Status.kind, place: .form),
            Field(.body, kind: .text, namesElsewhere: ["notes"], place: .apart),
            Field(.entry, label: "Created"),
            // Two devices that complete the same task agree, though not on the second.
            Field(.end, label: "Completed", merge: .noted),
            Field(.wait, todoTxtKey: "t"),
            Field(.scheduled, todoTxtKey: "scheduled"),
            Field(.start, label: "Started"),
            Field(.modified),
            Field(.annotations, place: .apart),
            Field(.repeatZone, isSearched: false, place: .hidden, help: RepeatingTasks.hint),
            Field(.repeatStart, place: .hidden, help: RepeatingTasks.hint),
            Field(.repeatPredecessor, isSearched: false, place: .hidden, help: RepeatingTasks.hint),
        ],
        policy: RepeatingTasks())

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
        get { fields[.title] ?? "" }
        set { fields[.title] = newValue }
    }

    /// Longer text, in lines.
    public var body: String? {
        get { fields[.body] }
        set { fields[.body] = newValue }
    }

    /// The project, its levels divided by dots.
    public var project: String? {
        get { fields[.project] }
        set { fields[.project] = newValue }
    }

    /// The tags; a set.
    public var tags: [String] {
        get { fields[.tags] ?? [] }
        set { fields[.tags] = newValue }
    }

    /// How much it matters; nil for none, or one that isn't known.
    public var priority: Priority? {
        get { fields[.priority] }
        set { fields[.priority] = newValue }
    }

    /// The status; a field that is missing means pending.
    public var status: Status {
        get { fields[.status] ?? .pending }
        set { fields[.status] = newValue }
    }

    /// When it should be done.
    public var due: Timestamp? {
        get { fields[.due] }
        set { fields[.due] = newValue }
    }

    /// When it was made.
    public var entry: Timestamp? {
        get { fields[.entry] }
        set { fields[.entry] = newValue }
    }

    /// When it was completed or dropped.
    public var end: Timestamp? {
        get { fields[.end] }
        set { fields[.end] = newValue }
    }

    /// Notes with their times; a set.
    public var annotations: [Annotation] {
        get { fields[.annotations] ?? [] }
        set { fields[.annotations] = newValue }
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
        let name = FieldKey.annotations.name
        let remark = Annotation(entry: moment, description: description).storedElement
        fields[name] = .array((fields[name]?.array ?? []) + [remark])
    }
}

// MARK: - Keys

extension FieldKey<String> {
    /// What a record is called, in one line.
    public static var title: Self { Self("title") }
    /// Longer text, in lines.
    public static var body: Self { Self("body") }
    /// The project, its levels divided by dots.
    public static var project: Self { Self("project") }
}

extension FieldKey<[String]> {
    /// The tags; a set.
    public static var tags: Self { Self("tags") }
}

extension FieldKey<Timestamp> {
    /// When a task should be done.
    public static var due: Self { Self("due") }
    /// When a record was made.
    public static var entry: Self { Self("entry") }
    /// When a task was completed or dropped.
    public static var end: Self { Self("end") }
    /// Until when a task is not shown (Taskwarrior).
    public static var wait: Self { Self("wait") }
    /// From when a task can be worked on (Taskwarrior).
    public static var scheduled: Self { Self("scheduled") }
    /// The last moment at which a task comes again.
    public static var until: Self { Self("until") }
    /// When work on a task began (Taskwarrior).
    public static var start: Self { Self("start") }
    /// When another program last changed a task.
    public static var modified: Self { Self("modified") }
}

extension FieldKey<TaskRecord.Priority> {
    /// How much a task matters.
    public static var priority: Self { Self("priority") }
}

extension FieldKey<TaskRecord.Status> {
    /// Whether a task is to be done, done or dropped.
    public static var status: Self { Self("status") }
}

extension FieldKey<[TaskRecord.Annotation]> {
    /// Remarks with their moments; a set.
    public static var annotations: Self { Self("annotations") }
}
