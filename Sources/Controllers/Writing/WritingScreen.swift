public import ControllerKit
public import Records

/// The screen that makes notes and changes the texts of records.
public enum WritingScreen: Screen {
    public static let name = "writing"
    public static let summary = "Write notes, and add to the texts of records."

    /// The state that views show.
    public struct State: ScreenState {
        /// A text to be edited, after a command that opens an editor.
        public var draft: Draft?
        /// The ids of the records that the last command created or changed.
        public var changed: [String] = []
        public var notice: String?

        /// A text to be edited. The same command accepts the edited text.
        public struct Draft: Codable, Equatable, Sendable {
            /// The text: of a new note its title as a heading and its body; of an existing one the form of `edit`.
            public var text: String
            /// Why the edited text wasn't accepted; nil: the text was not edited yet.
            public var problem: String?
        }

        public init() {}
    }

    /// A new note as it was typed.
    public struct NewNote: Sendable, Equatable {
        /// The title, and tokens such as `+tag`.
        public var words: [String]
        /// The body; nil: that in the words, if any.
        public var body: String?
        /// The title in the first line, and the body; nil: they are in the words and `body`.
        public var text: String?
        /// The title of the note whose body is copied; nil: none.
        public var template: String?

        /// Creates a new note.
        public init(_ words: [String] = [], body: String? = nil, text: String? = nil, template: String? = nil) {
            (self.words, self.body, self.text, self.template) = (words, body, text, template)
        }
    }

    /// The intents of the screen. New cases may be added.
    public enum Intent: Sendable {
        /// Add a note. `opensEditor`: make it a draft first, unless its text is given.
        case add(NewNote, opensEditor: Bool = false)
        /// Add text to today's note, which is made if there is none. Without text, `opensEditor` makes
        /// the note a draft.
        case today([String], text: String? = nil, opensEditor: Bool = false)
        /// Add text to the end of the records' bodies. Records are named as in ``DetailScreen/Intent``.
        case append(String, [String], text: String? = nil, confirmed: GivenConfirmation = .notGiven)
        /// Add text to the start of the records' bodies.
        case prepend(String, [String], text: String? = nil, confirmed: GivenConfirmation = .notGiven)
        /// Change the state of check boxes in the records' bodies; the numbers count from 1.
        case check(String, [String], confirmed: GivenConfirmation = .notGiven)
        /// Pin records, so that lists show them first.
        case pin([String], confirmed: GivenConfirmation = .notGiven)
        /// Unpin records.
        case unpin([String], confirmed: GivenConfirmation = .notGiven)
    }

    /// The verbs of a program with Satchel's record types.
    public static let verbs: [Verb<Intent>] = WritingScreen.verbs(for: .standard)

    /// Returns the verbs of a program with these record types. `note` and `today` need a type named note, `pin` and `unpin`
    /// one whose records can be pinned.
    public static func verbs(for types: RecordTypes) -> [Verb<Intent>] {
        let samples = SampleWords(types)
        let isNoted = types.type(named: NoteRecord.type.noun) != nil
        let isPinnable = types.listedTypes.contains { type in
            type.catalog.fields.contains { $0.role == .pinned }
        }
        let making: [Verb<Intent>] = isNoted ? [note(samples), today] : []
        let verbs: [Verb<Intent>] = making + adding + [check] + (isPinnable ? pinning : [])
        return verbs.naming(only: samples)
    }
}

// The verbs, in the order of the help.
extension WritingScreen {
    private static func note(_ samples: SampleWords) -> Verb<Intent> {
        Verb(
            "note",
            .rest(
                .text("words", help: samples.hasTags ? "The title, +tag" : "The title", completing: .words)
                    .labelled("Add a note")),
            .option(.contents("body", help: "File with the text of the note.")),
            .option(
                .contents("text", help: "File with the title in the first line and the text below it.")
                    .labelled("The note as text").fromInput(unless: "words", "body", "template")),
            .option(.text("template", help: "Title of the note whose text is copied.")),
            .flag("edit", help: "Open the editor (the default at a terminal).").openingEditor(
                unless: "body", "text"),
            answer: .notice, traits: .undoable,
            help: "Write a note in your editor, or add one.", topics: ["writing"],
            examples: [
                Example("note Garden plan +garden", "At a terminal, opens the editor; in a script, adds the note."),
                Example("note Garden plan +garden --body-file plan.txt", "A title, a tag, and the text."),
            ]
        ) { .add(NewNote($0, body: $1, text: $2, template: $3), opensEditor: $4) }
    }

    private static let today: Verb<Intent> = Verb(
        "today",
        .rest(.text("words", help: "The text.", completing: .links).labelled("Text")),
        .option(.contents("text", help: "File with the text.")),
        .flag("edit", help: "Open the editor (the default at a terminal).").openingEditor(unless: "words", "text"),
        answer: .notice, traits: .undoable,
        help: "Open today's note, or add text to it.", topics: ["writing"], namesElsewhere: ["daily"],
        examples: [Example("today Planted the beans", "Add a line; the note is made if there is none.")]
    ) { .today($0, text: $1, opensEditor: $2) }

    private static var adding: [Verb<Intent>] {
        [
            Verb(
                "append", .records,
                .rest(.text("words", help: "The text; [[Title]] is a link.", completing: .links).labelled("Text")),
                .option(.contents("text", help: "File with the text.").fromInput(unless: "words")), .confirmation,
                answer: .notice, traits: .undoable, help: "Append text to records.",
                topics: ["writing"],
                examples: [
                    Example("append 2 \"See [[Garden plan]]\"", "Adds a line with a link."),
                    Example(
                        "append 1-3 -- 2 of them by post", "Appends to several records; all words after -- are text."),
                ]
            ) { .append($0, $1, text: $2, confirmed: $3) },
            Verb(
                "prepend", .records,
                .rest(.text("words", help: "The text; [[Title]] is a link.", completing: .links).labelled("Text")),
                .option(.contents("text", help: "File with the text.").fromInput(unless: "words")), .confirmation,
                answer: .notice, traits: .undoable, help: "Prepend text to records.",
                topics: ["writing"],
                examples: [Example("prepend 2 Waiting for the quote", "Before the first line.")]
            ) { .prepend($0, $1, text: $2, confirmed: $3) },
        ]
    }

    private static let check: Verb<Intent> = Verb(
        "check",
        .record(
            "record", help: "A number, an id, a title in quotes, a list or range of these, or a filter.",
            completing: .selection),
        .rest(.text("boxes", help: "Numbers of the check boxes, from 1."), isRequired: true), .confirmation,
        answer: .notice, traits: .undoable,
        help: "Check or clear check boxes in the texts of records.", topics: ["writing"],
        namesElsewhere: ["toggle", "tick"],
        examples: [
            Example("check 2 1 3", "The first and the third check box of the second record."),
            Example("check 2,5-7 1", "The first check box of several records."),
        ]
    ) { .check($0, $1, confirmed: $2) }

    private static var pinning: [Verb<Intent>] {
        let records = Argument<[String]>.rest(
            .record("records", help: recordsHelp, completing: .selection), isRequired: true)
        return [
            Verb(
                "pin", records, .confirmation, answer: .notice, traits: .undoable,
                help: "Show notes before the others in lists.", topics: ["writing"],
                examples: [Example("pin 2", "The second record of the last list.")]
            ) { .pin($0, confirmed: $1) },
            Verb(
                "unpin", records, .confirmation, answer: .notice, traits: .undoable,
                help: "Show notes in their usual place again.", topics: ["writing"],
                examples: [Example("unpin 2", "The second record of the last list.")]
            ) { .unpin($0, confirmed: $1) },
        ]
    }
}
