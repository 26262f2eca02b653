public import ControllerKit
public import Foundation

/// The last states of a record, which the server keeps.
public enum HistoryScreen: Screen {
    public static let name = "history"
    public static let summary = "The last revisions of a record on the server."

    /// What a view shows. In JSON, dates are RFC 3339 in UTC.
    public struct State: ScreenState {
        /// The record whose history it is; nil before the first `history`.
        public var record: Subject?
        /// What happened to it, the newest first; unsent edits of this device before all others.
        public var revisions: [Revision] = []
        /// Whether there were older revisions, which the server keeps no longer.
        public var more = false
        public var notice: String?

        /// A record.
        public struct Subject: Codable, Equatable, Sendable {
            /// Its id, whole.
            public var id: String
            /// Its collection.
            public var collection: String
            /// What it is about.
            public var title: String
            /// Whether it is deleted here and now.
            public var isDeleted: Bool
        }

        /// What one change did.
        public struct Revision: Codable, Equatable, Sendable {
            /// The record's version after it, for `restore`; nil: unsent edits.
            public var version: Int64?
            /// What happened.
            public var event: Event
            /// When the server stored it; nil for unsent edits.
            public var at: Date?
            /// The id of the device that made it.
            public var device: String
            /// What that device is called, if this one has heard it.
            public var deviceName: String?
            /// Whether it was this device.
            public var isMine: Bool
            /// The fields that it changed; none for a deletion, and for the oldest one kept, where they are unknown.
            public var changes: [Change]
        }

        /// What happened to a record. New cases may be added.
        public enum Event: String, Codable, Sendable, CaseIterable {
            /// It was made; changed; deleted; made again after a deletion.
            case made, changed, deleted, revived
            /// The oldest revision that the server still keeps: what it changed isn't known.
            case oldest
        }

        /// What a change did to a field.
        public struct Change: Codable, Equatable, Sendable {
            /// The field's name as on the wire.
            public var field: String
            /// What the field is called.
            public var label: String
            /// The value before, a text as it is, anything else as JSON, cut where it is very long; nil: there was none.
            public var from: String?
            /// The value after it; nil: the field was removed.
            public var to: String?
            /// What differs between the two, where one has several lines.
            public var diff: TextDiff?
            /// Whether the values are moments, RFC 3339 in UTC.
            public var isMoment = false
        }

        public init() {}
    }

    /// What a person can do; records are named by number or id, deleted ones, too.
    public enum Intent: Sendable {
        /// Show a record's history.
        case show(String)
        /// Make a record what it was at a version.
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
