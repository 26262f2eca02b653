public import ControllerKit
public import Foundation

/// What merges could not keep: both values, until the conflict is resolved, and afterwards, too.
public enum ConflictsScreen: Screen {
    public static let name = "conflicts"
    public static let summary = "Conflicting edits of two devices, with both values."

    /// What a view shows. In JSON, dates are RFC 3339 in UTC.
    public struct State: ScreenState {
        /// The conflicts shown, those of a record one after the other, the oldest edit first; of settled ones the newest
        /// first.
        public var rows: [Row] = []
        /// How many there are in all.
        public var total = 0
        /// Whether these are the settled ones.
        public var areSettled = false
        /// Whether one alone is shown, whole.
        public var isWhole = false
        /// A text that a person is asked to edit, after `resolve … edit` without a value.
        public var draft: Draft?
        public var notice: String?

        /// One conflict.
        public struct Row: Codable, Equatable, Sendable {
            /// Its number in the last list.
            public var number: Int
            /// The id of the conflict's own record.
            public var id: String
            /// The id of the record that has the conflict.
            public var record: String
            /// That record's collection.
            public var collection: String
            /// What that record is about.
            public var title: String
            /// Whether it has been deleted; `resolve … --revive` brings it back.
            public var isRecordDeleted: Bool
            /// The field whose two values these are.
            public var field: String
            /// What the field is called.
            public var label: String
            /// Whether the field's values are moments, as RFC 3339 in UTC.
            public var isMoment = false
            /// The edit that was made first, by the field's clocks.
            public var earlier: Edit
            /// The edit that was made last.
            public var later: Edit
            /// What differs from the earlier to the later value, where one of them has several lines.
            public var diff: TextDiff?
            /// What the merge left in the record.
            public var kept: Kept
            /// Whether the field was changed once more after the merge.
            public var hasChangedSince: Bool
            /// The field's present value, as `Edit.value`, where it was changed since; nil: it was removed.
            public var now: String?
            /// When it was settled, by the clock of the device that did; nil: it isn't.
            public var settledAt: Date?
            /// The name of the device that settled it, or its id; nil as `settledAt`.
            public var settledBy: String?
        }

        /// What a merge left in a record.
        public enum Kept: String, Codable, Sendable, CaseIterable {
            /// The later value.
            case later
            /// Both versions, in a text, between markers.
            case both
        }

        /// One of the two edits.
        public struct Edit: Codable, Equatable, Sendable {
            /// The value: a text as it is, anything else as JSON; nil where the field was removed.
            public var value: String?
            /// Whether `value` is only the beginning; `conflicts NUMBER` shows it whole.
            public var isCut: Bool
            /// When it was made.
            public var at: Date?
            /// The id of the device that made it.
            public var device: String?
            /// What that device is called, if this one has heard it.
            public var deviceName: String?
            /// Whether this device made it.
            public var isMine: Bool
        }

        /// A text for a person to edit; it comes back with `resolve ID edit` and the value.
        public struct Draft: Codable, Equatable, Sendable {
            /// The id of the conflict.
            public var conflict: String
            /// The field that it is about.
            public var field: String
            /// Whether that is the body of a record, in Markdown.
            public var isBody: Bool
            /// Both versions, those lines that differ between markers.
            public var text: String
        }

        public init() {}
    }

    /// The value to keep.
    public enum Choice: String, CaseIterable, Sendable {
        /// That of this device, or of the other one.
        case mine, theirs
        /// The earlier or the later one.
        case earlier, later
        /// Both, one after the other; for texts. Of a text in which a merge left both versions of some lines, these and
        /// the two before choose among those lines alone.
        case both
        /// The present value.
        case keep
        /// What a person makes of both.
        case edit
    }

    /// What a person can do. A conflict is named by its number in the last list or the beginning of its id.
    public enum Intent: Sendable {
        /// Show the open conflicts, or the resolved ones.
        case list(settled: Bool)
        /// Show one, with both values whole.
        case show(String)
        /// Resolve a conflict, or choose again for a resolved one. `value`: the text for `edit`. `revive`: whether a
        /// record that was deleted is restored.
        case resolve(String, Choice, value: String?, revive: Bool)
    }

    public static let verbs: [Verb<Intent>] = [
        Verb(
            "conflicts", .optional(.text("conflict", help: "Show only this conflict, in full: its number or id.")),
            .flag("settled", help: "List the resolved conflicts; another value can still be chosen."),
            traits: .readOnly, help: "List the conflicts, with both values.",
            examples: [
                Example("conflicts", "List the conflicts with their numbers."),
                Example("conflicts 2", "Show the second conflict in full."),
                Example("conflicts --settled", "Conflicts resolved in the last 90 days."),
            ]
        ) { conflict, settled in conflict.map { .show($0) } ?? .list(settled: settled) },
        Verb(
            "resolve", .text("conflict", help: "Its number in `conflicts`, or the beginning of its id."),
            .choice("choice", Choice.allCases.map(\.rawValue), help: "The value to keep."),
            .option(.contents("value", help: "With `edit`: the text to keep; by default your editor asks for it.")),
            .flag("revive", help: "Restore the record if it was deleted."), answer: .notice, traits: .undoable,
            help: "Resolve a conflict by choosing a value, which becomes a new edit.", topics: ["syncing"],
            examples: [
                Example("resolve 1 mine", "Keep the value of this device."),
                Example("resolve 1 both", "Keep both values of a title or a text."),
                Example("resolve 1 edit", "Combine the values in your editor."),
            ]
        ) { .resolve($0, Choice(rawValue: $1) ?? .keep, value: $2, revive: $3) },
    ]
}
