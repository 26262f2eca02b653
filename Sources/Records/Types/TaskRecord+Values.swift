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
                Choice(high.rawValue, names: ["high"]), Choice(medium.rawValue, names: ["medium"]),
                Choice(low.rawValue, names: ["low"]),
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
    }
}

extension TaskRecord.Annotation: FieldElement {
    public static func element(_ json: JSONValue) -> Self? {
        guard let members = json.object, let entry = members[FieldKey.entry],
            let description = members["description"]?.string
        else { return nil }
        return Self(entry: entry, description: description)
    }

    public var storedElement: JSONValue { ["entry": .string(entry.description), "description": .string(description)] }

    public static var setKind: FieldKind { .remarks }
}
