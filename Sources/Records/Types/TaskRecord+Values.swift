extension TaskRecord {
    /// How much a task matters, in Taskwarrior's letters.
    public enum Priority: String, Sendable, CaseIterable {
        /// Before the others.
        case high = "H"
        /// In between.
        case medium = "M"
        /// After the others; tasks without a priority come last.
        case low = "L"
    }

    /// Where a task stands. Open, since another client may know more.
    public struct Status: RawRepresentable, Hashable, Sendable {
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

        /// The statuses that have a meaning here.
        static let known: [Status] = [pending, completed, deleted, recurring]

        /// Whether the task is still to be done.
        public var isOpen: Bool { self != .completed && self != .deleted && self != .recurring }
    }

    /// A remark with its time.
    public struct Annotation: Sendable, Equatable {
        /// When it was made.
        public let entry: Timestamp
        /// What it says.
        public let description: String

        /// A remark.
        public init(entry: Timestamp, description: String) {
            self.entry = entry
            self.description = description
        }

        init?(json: JSONValue) {
            guard let members = json.object, let entry = members[time: "entry"],
                let description = members[text: "description"]
            else { return nil }
            self.init(entry: entry, description: description)
        }

        var json: JSONValue { ["entry": .string(entry.description), "description": .string(description)] }
    }
}
