public import ControllerKit

/// Taking back one's last commands.
public enum UndoScreen: Screen {
    public static let name = "undo"
    public static let summary = "Take back your last commands on this device."

    /// What a view shows. Times are RFC 3339 in UTC.
    public struct State: ScreenState {
        /// The last commands on this device, the newest first; those that are taken back stand at the top.
        public var commands: [Command] = []
        /// What the last `undo` or `redo` left as it was, because it had been changed since; at most `leftMaximum`.
        public var left: [Left] = []
        /// How many records that are in all.
        public var leftTotal = 0
        public var notice: String?

        /// A command.
        public struct Command: Codable, Equatable, Sendable {
            /// What was said: `done`.
            public var command: String
            /// When it was said.
            public var at: String
            /// How many records it changed.
            public var records: Int
            /// The titles of the first of them.
            public var titles: [String]
            /// Whether it has been taken back; `redo` makes it again.
            public var isUndone: Bool
        }

        /// A record of which something stays as it was.
        public struct Left: Codable, Equatable, Sendable {
            /// Its id, whole.
            public var id: String
            /// What it is about.
            public var title: String
            /// The fields that stay; none where it is about the record as a whole.
            public var fields: [String]
            /// `changed`: the fields were changed since. `edited`: the command made the record, and it was edited since.
            /// `deleted`: it was deleted since.
            public var reason: Reason

            /// Why it stays.
            public enum Reason: String, Codable, Sendable, CaseIterable {
                /// See `Left.reason`.
                case changed, edited, deleted
            }
        }

        public init() {}
    }

    /// What a person can do.
    public enum Intent: Sendable {
        /// Take the last command back that isn't taken back.
        case undo
        /// Make the command again that was taken back last.
        case redo
        /// Show the last commands.
        case journal
    }

    /// How many records a state lists of which something was left as it was.
    public static let leftMaximum = 50
    /// How many titles a state has of a command's records.
    public static let titlesMaximum = 3

    public static let verbs: [Verb<Intent>] = [
        Verb(
            "undo", answer: .notice, traits: .undoes,
            help: "Take back your last command, also when it was synced; again: the one before.",
            examples: [Example("undo", "The last command on this device, whole.")]
        ) { .undo },
        Verb(
            "redo", answer: .notice, help: "Make the command again that was taken back last.",
            examples: [Example("redo", "After an undo too many.")]
        ) { .redo },
        Verb(
            "journal", traits: .readOnly, help: "List your last commands on this device, and which are taken back.",
            examples: [Example("journal", "The commands that `undo` would undo, the newest first.")]
        ) { .journal },
    ]
}
