public import ControllerKit
public import Foundation

/// The screen that undoes and redoes the last commands.
public enum UndoScreen: Screen {
    public static let name = "undo"
    public static let summary = "Undo and redo your last commands on this device."

    /// The state that views show. In JSON, dates are RFC 3339 in UTC.
    public struct State: ScreenState {
        /// The last commands on this device, the newest first; undone ones before the others.
        public var commands: [Command] = []
        /// The first records that the last `undo` or `redo` didn't change, because they were changed since.
        public var left: [Left] = []
        /// The number of these records, listed or not.
        public var leftTotal = 0
        public var notice: String?

        /// A command.
        public struct Command: Codable, Equatable, Sendable {
            /// Its name: `done`.
            public var command: String
            /// When it was carried out.
            public var at: Date
            /// The number of records that it changed.
            public var records: Int
            /// The titles of the first of these records.
            public var titles: [String]
            /// What it changed, in words: `due tomorrow → Fri 27 Nov`. For several records, only the changes that all have
            /// in common.
            public var changes: [String] = []
            /// Whether it was undone; `redo` redoes it.
            public var isUndone: Bool
            /// Its actor, such as `mcp (Claude)`; nil: the user of this device.
            public var actor: String?
            /// Its name for `undo --entry`.
            public var entry = ""
        }

        /// A record that was not changed, or not completely.
        public struct Left: Codable, Equatable, Sendable {
            /// Its full id.
            public var id: String
            /// Its title.
            public var title: String
            /// The unchanged fields; empty: the record as a whole.
            public var fields: [String]
            /// `changed`: the fields were changed since. `edited`: the command created the record, and it was edited
            /// since. `deleted`: the record was deleted since.
            public var reason: Reason

            /// Why something was not changed. New cases may be added.
            public enum Reason: String, Codable, Sendable, CaseIterable {
                /// See `Left.reason`.
                case changed, edited, deleted
            }
        }

        public init() {}
    }

    /// The intents of the screen. New cases may be added.
    public enum Intent: Sendable, Hashable {
        /// Undo the last command that isn't undone.
        case undo
        /// Undo the command with this `State.Command.entry` if it is the last one that isn't undone.
        case undoOnly(String)
        /// Redo the command that was undone last.
        case redo
        /// Show the last commands.
        case journal
    }

    /// The maximum number of unchanged records in a state.
    static let leftMaximum = 50
    /// The maximum number of titles of a command.
    static let titlesMaximum = 3

    public static let verbs: [Verb<Intent>] = [
        Verb(
            "undo", .option(.text("entry", help: "Undo the last command only if `journal --json` names it so.")),
            answer: .notice, traits: .undoes,
            help: "Undo the last command, even after it was synced; repeat to go further back.",
            examples: [Example("undo", "Undo the last command on this device.")]
        ) { $0.map(Intent.undoOnly) ?? .undo },
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
