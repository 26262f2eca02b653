public import ControllerKit
public import Foundation

/// Undoing the last commands.
public enum UndoScreen: Screen {
    public static let name = "undo"
    public static let summary = "Undo and redo your last commands on this device."

    /// What a view shows. In JSON, dates are RFC 3339 in UTC.
    public struct State: ScreenState {
        /// The last commands on this device, the newest first; undone ones come before the others.
        public var commands: [Command] = []
        /// What the last `undo` or `redo` did not change, because it had been changed since; at most `leftMaximum`.
        public var left: [Left] = []
        /// How many records that are in all.
        public var leftTotal = 0
        public var notice: String?

        /// A command.
        public struct Command: Codable, Equatable, Sendable {
            /// What was said: `done`.
            public var command: String
            /// When it was said.
            public var at: Date
            /// How many records it changed.
            public var records: Int
            /// The titles of the first of them.
            public var titles: [String]
            /// Whether it has been taken back; `redo` makes it again.
            public var isUndone: Bool
            /// Who gave it, as `mcp (Claude)`; nil: the person at this device.
            public var actor: String?
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

            /// Why it stays. New cases may be added.
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
        /// Redo the command that was undone last.
        case redo
        /// Show the last commands.
        case journal
    }

    /// How many unchanged records a state lists at most.
    public static let leftMaximum = 50
    /// How many titles a state has of a command's records.
    public static let titlesMaximum = 3

    public static let verbs: [Verb<Intent>] = [
        Verb(
            "undo", answer: .notice, traits: .undoes,
            help: "Undo the last command, even after it was synced; repeat to go further back.",
            examples: [Example("undo", "Undo the last command on this device.")]
        ) { .undo },
        Verb(
            "redo", answer: .notice, help: "Redo the command that was undone last.",
            examples: [Example("redo", "After one undo too many.")]
        ) { .redo },
        Verb(
            "journal", traits: .readOnly, help: "List your last commands on this device.",
            examples: [Example("journal", "The commands that `undo` can undo, newest first.")]
        ) { .journal },
    ]
}
