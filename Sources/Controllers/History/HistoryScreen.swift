public import ControllerKit
public import Foundation

/// The screen of a record's last revisions, which the server keeps.
public enum HistoryScreen: Screen {
    public static let name = "history"
    public static let summary = "The last revisions of a record on the server."

    /// The state that views show. In JSON, dates are RFC 3339 in UTC.
    public struct State: ScreenState {
        /// The record whose history it is; nil before the first `history`.
        public var record: Subject?
        /// Its revisions, the newest first; unsent edits of this device before all others.
        public var revisions: [Revision] = []
        /// Whether there may be older revisions, which aren't in `revisions`.
        public var more = false
        public var notice: String?

        /// A record.
        public struct Subject: Codable, Equatable, Sendable {
            /// Its full id.
            public var id: String
            /// Its collection.
            public var collection: String
            /// Its title.
            public var title: String
            /// Whether it is deleted on this device.
            public var isDeleted: Bool
        }

        /// One change of a record.
        public struct Revision: Codable, Equatable, Sendable {
            /// The record's version after the change, for `restore`; nil: unsent edits.
            public var version: Int64?
            /// What happened.
            public var event: Event
            /// When the server stored it; nil for unsent edits.
            public var at: Date?
            /// The id of the device that made it.
            public var device: String
            /// That device's name; nil: unknown here.
            public var deviceName: String?
            /// Whether it was this device.
            public var isMine: Bool
            /// The fields that it changed; empty for a deletion, and for the oldest revision, whose changes are
            /// unknown.
            public var changes: [Change]
        }

        /// What happened to a record. New cases may be added.
        public enum Event: String, Codable, Sendable, CaseIterable {
            /// It was created; changed; deleted; restored after a deletion.
            case made, changed, deleted, revived
            /// The oldest of the revisions, if there may be older ones; its changes are unknown.
            case oldest
        }

        /// A change of a field.
        public struct Change: Codable, Equatable, Sendable {
            /// The field's name as on the wire.
            public var field: String
            /// The field's name in views.
            public var label: String
            /// The value before: a text as it is, anything else as JSON, cut if very long; nil: none.
            public var from: String?
            /// The value after, as `from`; nil: the field was removed.
            public var to: String?
            /// The difference of the two, if one has several lines.
            public var diff: TextDiff?
            /// Whether the values are times, RFC 3339 in UTC.
            public var isMoment = false
            /// What was added to a set and removed from it, such as tags; nil: the values aren't sets.
            public var elements: Elements?

            /// The elements by which two sets differ: texts, the texts of annotations, and short ids of records.
            public struct Elements: Codable, Equatable, Sendable {
                /// Those that only the set after the change has.
                public var added: [String]
                /// Those that only the set before the change has.
                public var removed: [String]
            }

            /// Returns `from` or `to` as views show it.
            public func shown(_ value: String) -> ShownValue { ShownValue(value, isMoment: isMoment) }
        }

        public init() {}
    }

    /// The intents of the screen. Records are named by number or id, also deleted ones. New cases may be added.
    public enum Intent: Sendable {
        /// Show a record's history.
        case show(String)
        /// Restore the state of a record at a version.
        case restore(String, version: Int)
    }

    public static let verbs: [Verb<Intent>] = [
        Verb(
            "history", .record("record"), traits: [.readOnly, .remote],
            help: "List the last revisions of a record, from the server.",
            examples: [Example("history 2", "What changed in record 2, when, and on which device.")]
        ) { .show($0) },
        Verb(
            "restore", .record("record"), .integer("revision", help: "The number that `history` shows."),
            answer: .notice, traits: .undoable,
            help: "Restore a revision of a record by a new edit, also if the record was deleted.",
            examples: [Example("restore 2 41", "Restore revision 41 of record 2.")]
        ) { .restore($0, version: $1) },
    ]
}
