public import ControllerKit
public import Interchange

/// Import and export of records.
public enum TransferScreen: Screen {
    public static let name = "transfer"
    public static let summary = "Import and export records."

    /// What a view shows.
    public struct State: ScreenState {
        /// The export that was asked for last, unless it was written to a path: the format's text, ending as it does there;
        /// of a format of several files a JSON object of their paths and texts.
        public var document: String?
        /// What the last import did.
        public var imported: Imported?
        /// What the last export did.
        public var exported: Exported?
        /// How far the import or export is that is under way.
        public var progress: WorkProgress?
        public var notice: String?

        /// The outcome of an export, in records.
        public struct Exported: Codable, Equatable, Sendable {
            /// Records that were written.
            public var records = 0
            /// Records that have no place in the format, by collection.
            public var omittedRecords: [String: Int] = [:]
            /// Fields that weren't written, or not wholly, by name: in how many records.
            public var omittedFields: [String: Int] = [:]
        }

        /// The outcome of an import, in records.
        public struct Imported: Codable, Equatable, Sendable {
            /// Records that weren't here.
            public var created = 0
            /// Records in which the file changed something.
            public var updated = 0
            /// Records that were here as in the file, or newer.
            public var unchanged = 0
            /// Fields that had been edited here, and in the file otherwise since the last import: the edits stay.
            public var kept = 0
            /// The first records with such fields.
            public var keptIn: [Kept] = []
        }

        /// A record whose edits made here are kept in spite of the file.
        public struct Kept: Codable, Equatable, Sendable {
            /// Its id, whole.
            public var id: String
            /// What it is about, here.
            public var title: String
            /// The names of the fields.
            public var fields: [String]
        }

        public init() {}
    }

    /// What a person can do.
    public enum Intent: Sendable {
        /// Import a text in a format; nil: the one that the text shows.
        case importing(ExchangeFormat?, String)
        /// Export everything that a format can hold to a path, or to the standard output; nil: the format of the
        /// path's extension, else Satchel's. `force` replaces existing files.
        case export(ExchangeFormat?, path: String?, force: Bool)
    }

    private static let formats = ExchangeFormat.allCases.map(\.rawValue)

    public static let verbs: [Verb<Intent>] = [
        Verb(
            "import",
            .optional(
                .choice("format", formats, help: "The format of the file; needed only if the content doesn't show it.")),
            .contents(
                "file", help: "The file; for Markdown notes, the folder.", acceptsFolder: true,
                folderValues: ["format": ExchangeFormat.markdown.rawValue]
            ).labelled("Text of the file"), answer: .notice, traits: .undoable,
            help: "Import records. Importing a file again changes nothing and keeps your edits.",
            examples: [
                Example("import taskwarrior tasks.json", "A file written by `task export`."),
                Example("import notes", "A folder of Markdown notes."),
            ]
        ) { .importing($0.flatMap(ExchangeFormat.init(rawValue:)), $1) },
        Verb(
            "export",
            .optional(.choice("format", formats, help: "The format; by default the extension of the path decides.")),
            .optional(
                .text(
                    "path", help: "The file; for markdown, the folder; - for the standard output.", completing: .files)),
            .flag("force", help: "Replace existing files.").local(),
            help: "Export all records that the format can hold.",
            examples: [
                Example("export backup.json", "Everything, in the program's own format; a complete backup."),
                Example("export csv -", "Tasks and notes as a table on the standard output."),
            ]
        ) { .export($0.flatMap(ExchangeFormat.init(rawValue:)), path: $1, force: $2) },
    ]
}

extension ImportError: PersonFacing {
    public var category: Failure.Category { .rejected }
    public var message: String { description }
}
