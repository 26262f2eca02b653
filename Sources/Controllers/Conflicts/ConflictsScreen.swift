public import ControllerKit
public import Foundation

/// The screen of conflicts. A conflict has both values, also after it is resolved.
public enum ConflictsScreen: Screen {
    public static let name = "conflicts"
    public static let summary = "Conflicting edits of two devices, with both values."

    /// The state that views show. In JSON, dates are RFC 3339 in UTC.
    public struct State: ScreenState {
        /// The conflicts, those of a record adjacent, the oldest edit first; resolved ones the newest first.
        public var rows: [Row] = []
        /// The number of conflicts, also of those without a row.
        public var total = 0
        /// Whether the rows are resolved conflicts.
        public var areResolved = false
        /// Whether a single conflict is shown in full.
        public var isWhole = false
        /// A text to be edited, after `resolve … edit` without a value.
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
            /// That record's title.
            public var title: String
            /// Whether that record was deleted; `resolve … --revive` restores it.
            public var isRecordDeleted: Bool
            /// The field in conflict.
            public var field: String
            /// The field's name in views.
            public var label: String
            /// Whether the field's values are times, as RFC 3339 in UTC.
            public var isMoment = false
            /// The earlier edit, by the field's clocks.
            public var earlier: Edit
            /// The later edit.
            public var later: Edit
            /// The difference from the earlier to the later value, if one of them has several lines.
            public var diff: TextDiff?
            /// The value that the merge left in the record.
            public var kept: Kept
            /// Whether the field was changed again after the merge.
            public var hasChangedSince: Bool
            /// The field's present value, as `Edit.value`, if it was changed since; nil: it was removed.
            public var now: String?
            /// When it was resolved, by the clock of the device that resolved it; nil: it is open.
            public var resolvedAt: Date?
            /// The name of the device that resolved it, or its id; nil: it is open.
            public var resolvedBy: String?

            /// Returns the value of an edit, or `now`, as views show it.
            public func shown(_ value: String) -> ShownValue { ShownValue(value, isMoment: isMoment) }
        }

        /// The value that a merge left in a record. New cases may be added.
        public enum Kept: String, Codable, Sendable, CaseIterable {
            /// The later value.
            case later
            /// A text with both versions between markers.
            case both
        }

        /// One of the two edits.
        public struct Edit: Codable, Equatable, Sendable {
            /// The value: a text as it is, anything else as JSON; nil: the field was removed.
            public var value: String?
            /// Whether `value` is only the beginning; `conflicts NUMBER` shows all of it.
            public var isCut: Bool
            /// When it was made; nil: unknown.
            public var at: Date?
            /// The id of the device that made it; nil: unknown.
            public var device: String?
            /// That device's name; nil: unknown here.
            public var deviceName: String?
            /// Whether this device made it.
            public var isMine: Bool
        }

        /// A text to be edited. `resolve ID edit` returns it as its value.
        public struct Draft: Codable, Equatable, Sendable {
            /// The id of the conflict.
            public var conflict: String
            /// The field in conflict.
            public var field: String
            /// Whether the field is the body of a record, in Markdown.
            public var isBody: Bool
            /// Both versions; the lines that differ are between markers.
            public var text: String
        }

        public init() {}
    }

    /// The value to keep. New cases may be added.
    public enum Choice: String, CaseIterable, Sendable {
        /// The value of this device, or of the other one.
        case mine, theirs
        /// The earlier or the later value.
        case earlier, later
        /// Both values, one after the other; for texts. If a merge left both versions of some lines in a text, this
        /// choice and the four before replace these lines only.
        case both
        /// The present value.
        case keep
        /// A text that the user makes of both.
        case edit
    }

    /// The intents of the screen. A conflict is named by its number in the last list or the beginning of its id. New
    /// cases may be added.
    public enum Intent: Sendable {
        /// Show the open conflicts, or the resolved ones.
        case list(resolved: Bool)
        /// Show one conflict with both values in full.
        case show(String)
        /// Resolve a conflict, or choose another value for a resolved one. `value`: the text for `edit`. `revive`:
        /// whether a deleted record is restored.
        case resolve(String, Choice, value: String?, revive: Bool)
    }

    public static let verbs: [Verb<Intent>] = [
        Verb(
            "conflicts", .optional(.text("conflict", help: "Show only this conflict, in full: its number or id.")),
            .flag("resolved", help: "List the resolved conflicts; another value can still be chosen."),
            traits: .readOnly, help: "List the conflicts, with both values.",
            examples: [
                Example("conflicts", "List the conflicts with their numbers."),
                Example("conflicts 2", "Show the second conflict in full."),
                Example("conflicts --resolved", "Conflicts resolved in the last 90 days."),
            ]
        ) { conflict, resolved in conflict.map { .show($0) } ?? .list(resolved: resolved) },
        Verb(
            "resolve",
            .text("conflict", help: "Its number in `conflicts`, or the beginning of its id.").listed(by: "conflicts"),
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
