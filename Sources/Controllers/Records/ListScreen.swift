public import ControllerKit
public import Records

/// The screen of lists: finds records, adds them, and changes several at once.
public enum ListScreen: Screen {
    public static let name = "list"
    public static let summary = "Find, add, change and delete records."

    /// The state that views show: a window of the rows that match the filter.
    public struct State: ScreenState {
        /// The filter as it was typed; empty: open records.
        public var filter = ""
        /// The context within which the records were found; nil: none, as after a search.
        public var context: ActiveContext?
        /// The rows of the window.
        public var rows: [Row] = []
        /// The number of rows that match the filter.
        public var total = 0
        /// The number of matching rows before the window.
        public var offset = 0
        /// The ids of the records that the last command created or changed.
        public var changed: [String] = []
        public var notice: String?

        public var hasNoMatches: Bool { total == 0 }

        /// Whether the filter matches every record.
        public var isOfAll: Bool { filter == "all" }

        /// The record types, which declare what rows show, and the columns that the user chose. They don't change while a
        /// program runs, so the state in JSON omits them.
        public var types = DeclaredTypes(.standard)

        private enum CodingKeys: CodingKey { case filter, context, rows, total, offset, changed, notice }

        /// The matches of a search in a record.
        public struct Match: Codable, Equatable, Sendable {
            /// The title in pieces, some of which match.
            public var title: [TextPiece]
            /// An excerpt of the other text in pieces; empty: all matches are in the title.
            public var excerpt: [TextPiece]
        }

        /// Creates the state of an empty list.
        ///
        /// - Parameter columns: The names of the columns that the user chose; empty: those of the types.
        public init(types: RecordTypes, columns: [String] = []) {
            self.types = DeclaredTypes(types, columns: columns)
        }
    }

    /// The filter of `next`.
    public static let nextFilter = ["ready", "sort:" + Urgency.name]

    /// The intents of the screen. Words that select records are references (numbers, ranges, ids, whole titles), or a
    /// filter. A change of many records, and a deletion by a filter, must be `confirmed`. New cases may be added.
    public enum Intent: Sendable {
        /// List the records that match a filter: the window of `limit` rows that begins at `offset`.
        case list(filter: [String], limit: Int?, offset: Int?)
        /// Find the records that contain these words and match the filters among them, the best match first.
        case search([String], limit: Int?)
        /// List the open records that can be worked on now, the most urgent first. `filter`: further conditions.
        case next(filter: [String], limit: Int?)
        /// Add a record. The words are its title and tokens such as `+tag` and `due:friday`. `type`: a name of the
        /// type; nil: the first type that lists show. `command`: the command that `undo` names.
        case add([String], body: String?, type: String? = nil, command: String = "add")
        /// Mark records as done.
        case complete([String], confirmed: GivenConfirmation = .notGiven)
        /// Reopen completed records.
        case reopen([String], confirmed: GivenConfirmation = .notGiven)
        /// Note that work on records begins now.
        case start([String], confirmed: GivenConfirmation = .notGiven)
        /// Note that work on records ends now.
        case stop([String], confirmed: GivenConfirmation = .notGiven)
        /// Delete records.
        case remove([String], confirmed: GivenConfirmation = .notGiven)
        /// Add and remove tags. The words are records or one word of a filter, then `+tag` and `-tag`.
        case tag([String], confirmed: GivenConfirmation = .notGiven)
    }

    /// The default number of rows in a window.
    public static let windowDefault = 100
    /// The default number of rows of `next`.
    static let nextDefault = 25
    /// The maximum number of rows in a window.
    static let windowMaximum = 10_000

    /// The verbs of a program with Satchel's record types.
    public static let verbs: [Verb<Intent>] = ListScreen.verbs(for: .standard)

    /// Returns the verbs of a program with these record types. `done`, `undone` and `next` need a type whose records can
    /// be completed, `start` and `stop` one with a field of the role `started`, `tag` one with tags, and `notes` a type of
    /// this name. Help and examples name only types and fields of the program.
    public static func verbs(for types: RecordTypes) -> [Verb<Intent>] {
        let samples = SampleWords(types)
        let making = finding(types, samples) + notes(types) + next(types, samples) + adding(types, samples)
        let verbs = making + completing(types) + working(types) + removing(types) + tagging(samples)
        return verbs.naming(only: samples)
    }
}

// The verbs, in the order of the help.
extension ListScreen {
    private static func finding(_ types: RecordTypes, _ samples: SampleWords) -> [Verb<Intent>] {
        let plurals = types.listedNames(\.plural, conjunction: "and")
        let windowHelp = "Maximum number of rows; default \(windowDefault), at most \(windowMaximum)."
        let searchHelp = "Words and \"phrases\"; \(samples.filter) restrict the result."
        return [
            Verb(
                "list", .rest(.text("filter", help: samples.filter + " words …", completing: .filter)),
                .option(.integer("limit", help: windowHelp)),
                .option(.integer("offset", help: "Number of rows to skip.")),
                traits: [.readOnly, .finds], help: "List \(plurals).", topics: ["filters"],
                otherNames: ["ls"], namesElsewhere: ["tasks", "todos", "listall", "lsa", "lsp", "completed"],
                examples: [
                    Example("list", openRecords(types)),
                    Example("list +shop \"due<=eow\"", "Records with the tag shop that are due this week."),
                    Example(
                        "list project:house priority:H -later", "High priority in one project, without the tag later."),
                ]
            ) { .list(filter: $0, limit: $1, offset: $2) },
            Verb(
                "search", .rest(.text("words", help: searchHelp, completing: .words), isRequired: true),
                .option(.integer("limit", help: "Maximum number of rows.")),
                traits: [.readOnly, .finds], help: "Find \(plurals) by words or beginnings of words, best match first.",
                topics: ["filters"], namesElsewhere: ["find"],
                examples: [
                    Example("search plumb quote", "Records with words that begin like this."),
                    Example("search plumber +house", "Only records with this tag."),
                ]
            ) { .search($0, limit: $1) },
        ]
    }

    private static func notes(_ types: RecordTypes) -> [Verb<Intent>] {
        guard let type = types.type(named: NoteRecord.type.noun) else { return [] }
        return [
            Verb(
                "notes", .rest(.text("filter", help: "Further conditions: +tag and the like.", completing: .filter)),
                .option(.integer("limit", help: "Maximum number of rows; default \(windowDefault).")),
                .option(.integer("offset", help: "Number of rows to skip.")),
                traits: [.readOnly, .finds], help: "List \(type.plural), the pinned ones first.", topics: ["filters"],
                examples: [Example("notes", "All notes."), Example("notes +garden", "Notes with this tag.")]
            ) { .list(filter: conditions([type.noun], and: $0), limit: $1, offset: $2) }
        ]
    }

    /// Returns a filter with further conditions. They get parentheses if they contain `or` or `xor`, which would
    /// separate them from the others.
    static func conditions(_ first: [String], and typed: [String]) -> [String] {
        let terms = Array(typed.prefix { $0 != "--" })
        let separates = FilterPart.parts(of: terms).contains { $0 == .operator(.or) || $0 == .operator(.xor) }
        let grouped = separates ? ["("] + terms + [")"] : terms
        return first + grouped + typed.dropFirst(terms.count)
    }

    /// What `list` shows without a filter: `Open tasks.` Documents such as notes are shown with a condition.
    private static func openRecords(_ types: RecordTypes) -> String {
        let names = types.defaultTypes.map { ($0.closing == nil ? "all " : "open ") + $0.plural }
        let records = names.joined(conjunction: "and")
        return records.prefix(1).uppercased() + records.dropFirst() + "."
    }

    private static func adding(_ types: RecordTypes, _ samples: SampleWords) -> [Verb<Intent>] {
        let noun = types.defaultNoun
        let others = types.listedTypes.dropFirst()
        let wordsHelp = (["The title"] + samples.typed).joined(separator: ", ") + "; after -- all words are the title."
        let typeHelp = "What to add, if not a \(noun): the name of a record type."
        let examples = [
            Example("add Call the plumber +house due:friday", "A title, a tag and a date."),
            Example("add \"Pay the rent\" project:home due:eom priority:H", "In a project, with high priority."),
            Example("add Read the contract --body-file contract.txt", "With a longer text."),
        ]
        let ofOtherType = others.prefix(1).map { Example("add --type \($0.noun) Garden plan +garden", "A \($0.noun).") }
        let add: Verb<Intent> = Verb(
            "add",
            .rest(.text("words", help: wordsHelp, completing: .words).labelled("Add a \(noun)"), isRequired: true),
            .option(.contents("body", help: "File with the text of the \(noun).")),
            .option(.text("type", help: typeHelp, completing: .types)),
            answer: .notice, traits: .undoable,
            help: others.isEmpty ? "Add a \(noun)." : "Add a \(noun), or a record of another type.",
            topics: ["repeat"], namesElsewhere: ["new", "log"], examples: examples + ofOtherType
        ) { .add($0, body: $1, type: $2) }
        return [add]
    }

    private static func completing(_ types: RecordTypes) -> [Verb<Intent>] {
        let completable = types.completableTypes
        if completable.isEmpty { return [] }
        let plurals = completable.map(\.plural).joined(conjunction: "and")
        return [
            Verb(
                "done", .selection, .confirmation, answer: .notice, traits: .undoable,
                help: "Mark \(plurals) as done.", topics: ["filters"], namesElsewhere: ["complete", "finish"],
                examples: [
                    Example("done 2 3", "Complete the second and third record of the last list."),
                    Example("done \"Buy milk\"", "By the whole title, in quotes."),
                    Example("done +shop \"due<=eow\"", "All open ones that match a filter."),
                ]
            ) { .complete($0, confirmed: $1) },
            Verb(
                "undone", .selection, .confirmation, answer: .notice, traits: .undoable,
                help: "Reopen completed \(plurals).", topics: ["filters"],
                examples: [Example("undone 2", "Reopen the second record of the last list.")]
            ) { .reopen($0, confirmed: $1) },
        ]
    }

    private static func next(_ types: RecordTypes, _ samples: SampleWords) -> [Verb<Intent>] {
        let completable = types.completableTypes
        if completable.isEmpty { return [] }
        let plurals = completable.map(\.plural).joined(conjunction: "and")
        return [
            Verb(
                "next", .rest(.text("filter", help: samples.filter + " words …", completing: .filter)),
                .option(
                    .integer(
                        "limit", help: "Maximum number of rows; default \(nextDefault), at most \(windowMaximum).")),
                traits: [.readOnly, .finds], help: "List the \(plurals) that can be done now, the most urgent first.",
                topics: ["filters"],
                examples: [
                    Example("next", "What to do next."), Example("next project:house --limit 5", "In one project."),
                ]
            ) { .next(filter: $0, limit: $1) }
        ]
    }

    private static func working(_ types: RecordTypes) -> [Verb<Intent>] {
        let workable = types.listedTypes.filter { $0.work != nil }
        if workable.isEmpty { return [] }
        let plurals = workable.map(\.plural).joined(conjunction: "and")
        return [
            Verb(
                "start", .selection, .confirmation, answer: .notice, traits: .undoable,
                help: "Note that you begin to work on \(plurals).", topics: ["filters"],
                examples: [Example("start 2", "Shown by `list active` until it is stopped.")]
            ) { .start($0, confirmed: $1) },
            Verb(
                "stop", .selection, .confirmation, answer: .notice, traits: .undoable,
                help: "Note that you stop working on \(plurals), and add the time.", topics: ["filters"],
                examples: [
                    Example("stop 2", "The time since `start` is added to the time spent."),
                    Example("stop active", "Stop all work."),
                ]
            ) { .stop($0, confirmed: $1) },
        ]
    }

    private static func removing(_ types: RecordTypes) -> [Verb<Intent>] {
        let plurals = types.listedNames(\.plural, conjunction: "or")
        return [
            Verb(
                "rm", .selection, .confirmation, answer: .notice, traits: [.undoable, .destructive],
                help: "Delete \(plurals).", topics: ["filters"], otherNames: ["delete"],
                namesElsewhere: ["del", "remove"],
                examples: [
                    Example("rm 2", "Delete it on all devices; `undo` restores it."),
                    Example("rm project:x done --yes", "Delete all that match a filter, without a question."),
                ]
            ) { .remove($0, confirmed: $1) }
        ]
    }

    private static func tagging(_ samples: SampleWords) -> [Verb<Intent>] {
        guard samples.hasTags else { return [] }
        return [
            Verb(
                "tag",
                .rest(
                    .text(
                        "words", help: "Records or one word of a filter, then +tag and -tag.",
                        completing: .recordsAndTags), isRequired: true),
                .confirmation, answer: .notice, traits: .undoable,
                help: "Add and remove tags.", topics: ["filters"],
                examples: [
                    Example("tag 3 4 +shop -later", "Add one tag to both records and remove another."),
                    Example("tag @errands +soon", "Tag the records of a saved filter."),
                ]
            ) { .tag($0, confirmed: $1) }
        ]
    }
}

extension Argument where Value == [String] {
    /// The records of a command that changes any number of them.
    fileprivate static var selection: Self {
        .rest(.record("records", help: recordsHelp, completing: .selection), isRequired: true)
    }
}

/// How records are named where several are accepted.
let recordsHelp =
    "Numbers in the last list (2 4-6,9), ids or their beginnings, whole titles in quotes, or the words of a filter."

extension Array {
    /// Returns the verbs without the examples that name fields or tags that the program doesn't have.
    func naming<Intent: Sendable>(only samples: SampleWords) -> [Verb<Intent>] where Element == Verb<Intent> {
        // The examples name only the fields of Satchel's own types.
        if samples.declaresAll(of: .standard) { return self }
        return map { verb in verb.filteringExamples { samples.declares(CommandWords.splitUnclosed($0.line)) } }
    }
}
