/// A task: a typed view of a record's fields. Unknown fields are kept.
public struct TaskRecord: Sendable, Equatable {
    /// All fields, known or not.
    public var fields: JSONObject

    /// The record type of tasks. `show` and the text to edit list the fields in this order.
    public static let type = RecordType(
        collection: "tasks", names: ["task", "tasks"],
        fields: [
            Field(
                .title, kind: .title, aliases: ["description", "desc"], namesElsewhere: ["name", "text"], place: .form),
            Field(.tags, aliases: ["tag"], place: .form, column: .tags),
            Field(
                .project, kind: .path, aliases: ["proj"], namesElsewhere: ["list"], place: .form, role: .project,
                column: Field.Column("project", order: -10, scriptPlace: 4)),
            Field(
                .due, namesElsewhere: ["by", "deadline", "on"], place: .form, todoTxtKey: "due", role: .deadline,
                column: Field.Column("due", order: -40, scriptPlace: 3)),
            Field(
                .repeating, kind: .custom(Repeat.syntax), label: "Repeats",
                namesElsewhere: ["every", "recur", "recurrence"], place: .form,
                help: "daily, weekdays, weekly, monthly, yearly, every 2 weeks, every Monday, last Friday",
                column: Field.Column("repeats", order: -30, layout: .sign, sign: "↻", scriptPlace: 7)),
            Field(.until, place: .form, help: "the last day on which it repeats", todoTxtKey: "until"),
            Field(
                .priority, kind: Priority.kind, aliases: ["pri"], place: .form, role: .importance,
                column: Field.Column("pri", order: -20, scriptPlace: 2)),
            Field(
                .status, kind: Status.kind, place: .form,
                column: Field.Column("status", order: -50, layout: .mark, scriptPlace: 1)),
            Field(.body, kind: .text, namesElsewhere: ["notes"], place: .apart),
            Field(.entry, label: "Created", aliases: ["created"], role: .created),
            // Two devices that complete the same task set different times; a conflict would not help the user.
            Field(.end, label: "Completed", aliases: ["completed"], merge: .noted, role: .closed),
            Field(.wait, help: "lists omit it until then", todoTxtKey: "t", role: .hiddenUntil),
            Field(.scheduled, help: "it is ready from then", todoTxtKey: "scheduled", role: .readyFrom),
            // Two devices that start the same task set different times; a conflict would not help the user.
            Field(.start, label: "Started", merge: .noted, role: .started),
            // Of two sums a conflict keeps both: work that was recorded on one device only would be lost otherwise, and
            // adding the sums would count work twice that was stopped on both.
            Field(.spent, kind: .custom(WorkTime.syntax), label: "Time spent", role: .spent),
            Field(.dependencies, label: "Depends on", role: .dependencies),
            // Not `parent`, which Taskwarrior stores in the instances of its recurring tasks.
            Field(
                .parent, label: "Part of", aliases: ["parent"], help: "the task of which it is a part", role: .parent),
            Field(
                .remind, label: "Reminder", help: "stored for other programs; nothing reminds you at that time yet",
                role: .reminder),
            Field(.modified),
            Field(.annotations, aliases: ["notes"], place: .apart),
            .formerTitles,
            Field(.repeatZone, isSearched: false, place: .hidden, help: RepeatingTasks.hint),
            Field(.repeatStart, place: .hidden, help: RepeatingTasks.hint),
            Field(.repeatPredecessor, isSearched: false, place: .hidden, help: RepeatingTasks.hint),
        ],
        policy: RepeatingTasks())

    /// Creates a task with these fields.
    public init(fields: JSONObject) { self.fields = fields }

    /// Creates a new task, which is pending.
    public init(title: String, entry: Timestamp) {
        fields = [:]
        self.title = title
        self.entry = entry
        status = .pending
    }

    /// The title, in one line (Taskwarrior's description).
    public var title: String {
        get { fields[.title] ?? "" }
        set { fields[.title] = newValue }
    }

    /// Longer text, in lines.
    public var body: String? {
        get { fields[.body] }
        set { fields[.body] = newValue }
    }

    /// The project, with levels separated by dots.
    public var project: String? {
        get { fields[.project] }
        set { fields[.project] = newValue }
    }

    /// The tags; a set.
    public var tags: [String] {
        get { fields[.tags] ?? [] }
        set { fields[.tags] = newValue }
    }

    /// The priority; nil if there is none, or an unknown one.
    public var priority: Priority? {
        get { fields[.priority] }
        set { fields[.priority] = newValue }
    }

    /// The status; a missing field means pending.
    public var status: Status {
        get { fields[.status] ?? .pending }
        set { fields[.status] = newValue }
    }

    /// The day or the time at which it should be done.
    public var due: DateValue? {
        get { fields[.due] }
        set { fields[.due] = newValue }
    }

    /// The time at which it was created.
    public var entry: Timestamp? {
        get { fields[.entry] }
        set { fields[.entry] = newValue }
    }

    /// The time at which it was completed or dropped.
    public var end: Timestamp? {
        get { fields[.end] }
        set { fields[.end] = newValue }
    }

    /// The annotations; a set.
    public var annotations: [Annotation] {
        get { fields[.annotations] ?? [] }
        set { fields[.annotations] = newValue }
    }
}

// MARK: - Keys

extension FieldKey<String> {
    /// The project, with levels separated by dots.
    public static var project: Self { Self("project") }
}

extension FieldKey<DateValue> {
    /// The day or the time at which a task should be done.
    public static var due: Self { Self("due") }
    /// The day or the time until which a task is not displayed (Taskwarrior).
    public static var wait: Self { Self("wait") }
    /// The day or the time from which a task can be worked on (Taskwarrior).
    public static var scheduled: Self { Self("scheduled") }
    /// The last day or time at which a task repeats.
    public static var until: Self { Self("until") }
    /// The day or the time at which to remind the user of a task.
    public static var remind: Self { Self("remind") }
}

extension FieldKey<Timestamp> {
    /// The time at which a task was completed or dropped.
    public static var end: Self { Self("end") }
    /// The time at which work on a task began (Taskwarrior).
    public static var start: Self { Self("start") }
    /// The time at which another program last changed a task.
    public static var modified: Self { Self("modified") }
}

extension FieldKey<String> {
    /// The time that was spent on a task, as an ISO 8601 duration.
    public static var spent: Self { Self("spent") }
}

extension FieldKey<[RecordReference]> {
    /// The tasks that must be completed before a task.
    public static var dependencies: Self { Self("depends") }
}

extension FieldKey<RecordReference> {
    /// The task of which a task is a part.
    public static var parent: Self { Self("partof") }
}

extension FieldKey<TaskRecord.Priority> {
    /// The importance of a task.
    public static var priority: Self { Self("priority") }
}

extension FieldKey<TaskRecord.Status> {
    /// The state of a task: pending, completed or dropped.
    public static var status: Self { Self("status") }
}

extension TaskRecord {
    /// The importance of a task, in Taskwarrior's letters.
    public enum Priority: String, Sendable, CaseIterable, FieldValue {
        /// Above the others.
        case high = "H"
        /// Between the others.
        case medium = "M"
        /// Below the others; tasks without a priority are last.
        case low = "L"

        public static var kind: FieldKind {
            .choice([
                Choice(high.rawValue, label: "High", names: ["high"], tone: .strong),
                Choice(medium.rawValue, label: "Medium", names: ["medium"], tone: .warning),
                Choice(low.rawValue, label: "Low", names: ["low"]),
            ])
        }
    }

    /// The status of a task. A struct, since another client may store other values.
    public struct Status: RawRepresentable, Hashable, FieldValue {
        /// The text on the wire.
        public let rawValue: String

        /// Creates a status of this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// To be done.
        public static let pending = Status(rawValue: "pending")
        /// Done.
        public static let completed = Status(rawValue: "completed")
        /// Dropped, as by Taskwarrior's `delete`; a record that is deleted here has no status.
        public static let deleted = Status(rawValue: "deleted")
        /// A template of recurring tasks in Taskwarrior.
        public static let recurring = Status(rawValue: "recurring")

        public static var kind: FieldKind {
            .choice(
                [
                    Choice(pending.rawValue, names: ["open"]),
                    Choice(completed.rawValue, names: ["done"], isClosed: true),
                    Choice(
                        deleted.rawValue, isClosed: true, isOffered: false, instead: "To delete a task, use `rm`."),
                    Choice(
                        recurring.rawValue, isClosed: true, holdsUpOthers: true, isOffered: false,
                        instead: "For a repeating task, write repeat:weekly."),
                ], others: true)
        }

        /// Whether the task is open.
        public var isOpen: Bool { self != .completed && self != .deleted && self != .recurring }
    }
}
