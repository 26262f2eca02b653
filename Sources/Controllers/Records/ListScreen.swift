public import ControllerKit
public import Records

/// The screen of lists: finds records, adds them, and changes several at once.
public enum ListScreen: Screen {
    public static let name = "list"
    public static let summary = "Find, add, complete, tag and delete tasks and notes."

    /// The state that views show: a window of the rows that match the filter.
    public struct State: ScreenState {
        /// The filter as it was typed; empty: open records.
        public var filter = ""
        /// The rows of the window.
        public var rows: [Row] = []
        /// The number of rows that match the filter.
        public var total = 0
        /// The number of matching rows before the window.
        public var offset = 0
        /// The ids of the records that the last command created or changed.
        public var changed: [String] = []
        public var notice: String?

        /// Whether the filter matches every record.
        public var isOfAll: Bool { filter == "all" }

        /// The record types, which declare what rows show. They don't change while a program runs, so the state in JSON
        /// omits them.
        public var types = DeclaredTypes(.standard)

        private enum CodingKeys: CodingKey { case filter, rows, total, offset, changed, notice }

        /// The matches of a search in a record.
        public struct Match: Codable, Equatable, Sendable {
            /// The title in pieces, some of which match.
            public var title: [TextPiece]
            /// An excerpt of the other text in pieces; empty: all matches are in the title.
            public var excerpt: [TextPiece]
        }

        /// Creates the state of an empty list.
        public init(types: RecordTypes = .standard) { self.types = DeclaredTypes(types) }
    }

    /// The intents of the screen. Records are named by number or id. New cases may be added.
    public enum Intent: Sendable {
        /// List the records that match a filter: the window of `limit` rows that begins at `offset`.
        case list(filter: [String], limit: Int?, offset: Int?)
        /// Find the records that contain these words and match the filters among them, the best match first.
        case search([String], limit: Int?)
        /// Add a record. The words are its title and tokens such as `+tag` and `due:friday`. `type`: a name of the
        /// type; nil: the first type that lists show. `command`: the command that `undo` names.
        case add([String], body: String?, type: String? = nil, command: String = "add")
        /// Mark records as done.
        case complete([String])
        /// Reopen completed records.
        case reopen([String])
        /// Delete records.
        case remove([String])
        /// Add and remove tags. The words are records, then `+tag` and `-tag`.
        case tag([String])
    }

    /// The default number of rows in a window.
    public static let windowDefault = 100
    /// The maximum number of rows in a window.
    static let windowMaximum = 10_000

    public static let verbs: [Verb<Intent>] = [
        Verb(
            "list",
            .rest(
                .text(
                    "filter", help: "+tag -tag project:home due<eow priority:H -done @list words …", completing: .words)
            ),
            .option(
                .integer("limit", help: "Maximum number of rows; default \(windowDefault), at most \(windowMaximum).")),
            .option(.integer("offset", help: "Number of rows to skip.")),
            traits: .readOnly, help: "List tasks and notes.", topics: ["filters"], namesElsewhere: ["ls"],
            examples: [
                Example("list", "Open tasks, and notes."),
                Example("list +shop \"due<eow\"", "Tasks with the tag shop that are due this week."),
                Example("list project:house priority:H -later", "High priority in one project, without the tag later."),
            ]
        ) { .list(filter: $0, limit: $1, offset: $2) },
        Verb(
            "search",
            .rest(
                .text(
                    "words", help: "Words and \"phrases\"; +tag project:home due<eow @list restrict the result.",
                    completing: .words
                ),
                isRequired: true),
            .option(.integer("limit", help: "Maximum number of rows.")),
            traits: .readOnly, help: "Find tasks and notes by words or beginnings of words, best match first.",
            topics: ["filters"], namesElsewhere: ["find"],
            examples: [
                Example("search plumb quote", "Records with words that begin like this."),
                Example("search plumber +house", "Only records with this tag."),
            ]
        ) { .search($0, limit: $1) },
        Verb(
            "add",
            .rest(
                .text(
                    "words",
                    help:
                        "The title, +tag, project:home, due:friday, priority:H, repeat:weekly; after -- all words are the title.",
                    completing: .words
                ).labelled("Add a task"),
                isRequired: true),
            .option(.contents("body", help: "File with the text of the task.")),
            .option(
                .text("type", help: "What to add, if not a task: the name of a record type.", completing: .types)),
            answer: .notice, traits: .undoable, help: "Add a task, or a record of another type.", topics: ["repeat"],
            namesElsewhere: ["new"],
            examples: [
                Example("add Call the plumber +house due:friday", "A title, a tag and a date."),
                Example("add \"Pay the rent\" project:home due:eom priority:H", "In a project, with high priority."),
                Example("add Read the contract --body-file contract.txt", "With a longer text."),
                Example("add --type note Garden plan +garden", "A note."),
            ]
        ) { .add($0, body: $1, type: $2) },
        Verb(
            "note",
            .rest(
                .text("words", help: "The title, +tag", completing: .words).labelled("Add a note"), isRequired: true),
            .option(.contents("body", help: "File with the text of the note.")), answer: .notice, traits: .undoable,
            help: "Add a note.",
            examples: [Example("note Garden plan +garden --body-file plan.txt", "A title, a tag, and the text.")]
        ) { .add($0, body: $1, type: NoteRecord.type.noun, command: "note") },
        Verb(
            "done", .rest(.record("records"), isRequired: true), answer: .notice, traits: .undoable,
            help: "Mark tasks as done.", namesElsewhere: ["complete"],
            examples: [Example("done 2 3", "Complete the second and third record of the last list.")]
        ) {
            .complete($0)
        },
        Verb(
            "undone", .rest(.record("records"), isRequired: true), answer: .notice, traits: .undoable,
            help: "Reopen completed tasks.",
            examples: [Example("undone 2", "Reopen the second record of the last list.")]
        ) {
            .reopen($0)
        },
        Verb(
            "rm", .rest(.record("records"), isRequired: true), answer: .notice, traits: [.undoable, .destructive],
            help: "Delete tasks or notes.", namesElsewhere: ["delete", "remove"],
            examples: [Example("rm 2", "Delete it on all devices; `undo` restores it.")]
        ) {
            .remove($0)
        },
        Verb(
            "tag",
            .rest(
                .text("words", help: "Records, then +tag and -tag.", completing: .recordsAndTags), isRequired: true),
            answer: .notice, traits: .undoable,
            help: "Add and remove tags.",
            examples: [Example("tag 3 4 +shop -later", "Add one tag to both records and remove another.")]
        ) { .tag($0) },
    ]
}
