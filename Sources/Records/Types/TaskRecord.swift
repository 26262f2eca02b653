/// A task: a typed view of a record's fields. Fields that it doesn't know stay as they are.
public struct TaskRecord: Sendable, Equatable {
    /// All fields, known or not.
    public var fields: JSONObject

    /// The record type of tasks. `show` and the text to edit have the fields in this order.
    public static let type = RecordType(
        collection: "tasks", names: ["task", "tasks"],
        fields: [
            Field(.title, kind: .title, namesElsewhere: ["description", "name", "text"], place: .form),
            Field(.tags, aliases: ["tag"], place: .form, column: .tags),
            Field(
                .project, kind: .path, namesElsewhere: ["list"], place: .form,
                column: Field.Column("project", order: -10, scriptPlace: 4)),
            Field(
                .due, namesElsewhere: ["by", "deadline", "on"], place: .form, todoTxtKey: "due", role: .deadline,
                column: Field.Column("due", order: -40, scriptPlace: 3)),
            Field(
                .repeating, kind: .custom(Repeat.syntax), label: "Repeats",
                namesElsewhere: ["every", "recur", "recurrence"], place: .form,
                help: "daily, weekdays, weekly, monthly, yearly, every 2 weeks",
                column: Field.Column("repeats", order: -30, layout: .joined, sign: "↻ ", scriptPlace: 7)),
            Field(.until, place: .form, help: "the last day on which it repeats", todoTxtKey: "until"),
            Field(
                .priority, kind: Priority.kind, place: .form, role: .importance,
                column: Field.Column("pri", order: -20, scriptPlace: 2)),
            Field(
                .status, kind: Status.kind, place: .form,
                column: Field.Column("status", order: -50, layout: .mark, scriptPlace: 1)),
            Field(.body, kind: .text, namesElsewhere: ["notes"], place: .apart),
            Field(.entry, label: "Created", role: .created),
            // Two devices that complete the same task agree, though not on the second.
            Field(.end, label: "Completed", merge: .noted, role: .closed),
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

// MARK: - Keys

extension FieldKey<String> {
    /// The project, its levels divided by dots.
    public static var project: Self { Self("project") }
}

extension FieldKey<Timestamp> {
    /// When a task should be done.
    public static var due: Self { Self("due") }
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

extension TaskRecord {
    /// How much a task matters, in Taskwarrior's letters.
    public enum Priority: String, Sendable, CaseIterable, FieldValue {
        /// Before the others.
        case high = "H"
        /// In between.
        case medium = "M"
        /// After the others; tasks without a priority come last.
        case low = "L"

        public static var kind: FieldKind {
            .choice([
                Choice(high.rawValue, label: "High", names: ["high"], tone: .strong),
                Choice(medium.rawValue, label: "Medium", names: ["medium"], tone: .warning),
                Choice(low.rawValue, label: "Low", names: ["low"]),
            ])
        }
    }

    /// The status of a task. Open, since another client may know more values.
    public struct Status: RawRepresentable, Hashable, FieldValue {
        /// The text on the wire.
        public let rawValue: String

        /// A status of this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// To be done.
        public static let pending = Status(rawValue: "pending")
        /// Done.
        public static let completed = Status(rawValue: "completed")
        /// Dropped, as Taskwarrior's `delete` leaves it; a record that is deleted here has no status any more.
        public static let deleted = Status(rawValue: "deleted")
        /// A template of recurring tasks, in Taskwarrior.
        public static let recurring = Status(rawValue: "recurring")

        public static var kind: FieldKind {
            .choice(
                [
                    Choice(pending.rawValue, names: ["open"]),
                    Choice(completed.rawValue, names: ["done"], isClosed: true),
                    Choice(deleted.rawValue, isClosed: true, isOffered: false),
                    Choice(recurring.rawValue, isClosed: true, isOffered: false),
                ], others: true)
        }

        /// Whether the task is still to be done.
        public var isOpen: Bool { self != .completed && self != .deleted && self != .recurring }
    }
}
