public import ControllerKit
public import Interchange

/// The screen that imports and exports records.
public enum TransferScreen: Screen {
    public static let name = "transfer"
    public static let summary = "Import and export records."

    /// The state that views show.
    public struct State: ScreenState {
        /// The last export, unless it was written to a path: the text of the format, or for a format of several files a
        /// JSON object of their paths and texts.
        public var document: String?
        /// The outcome of the last import.
        public var imported: Imported?
        /// The outcome of the last export.
        public var exported: Exported?
        /// The progress of an import or export; nil: none is under way.
        public var progress: WorkProgress?
        public var notice: String?

        /// The outcome of an export, in records.
        public struct Exported: Codable, Equatable, Sendable {
            /// Records that were written.
            public var records = 0
            /// Records that have no place in the format, by collection.
            public var omittedRecords: [String: Int] = [:]
            /// Fields that weren't written, or not completely, by name, with the number of records.
            public var omittedFields: [String: Int] = [:]
        }

        /// The outcome of an import, in records.
        public struct Imported: Codable, Equatable, Sendable {
            /// Records that were added.
            public var created = 0
            /// Records in which the file changed something.
            public var updated = 0
            /// Records that the file didn't change, with those of `deleted`.
            public var unchanged = 0
            /// Records of the file that were deleted here and stay deleted.
            public var deleted = 0
            /// Fields that were edited both here and in the file since the last import. The edits made here are kept.
            public var kept = 0
            /// The first records with such fields.
            public var keptIn: [NamedFields] = []
            /// Fields of the file that are kept for the next export, but have no effect here.
            public var unused = 0
            /// The first records with such fields.
            public var unusedIn: [NamedFields] = []
        }

        /// Some fields of a record.
        public struct NamedFields: Codable, Equatable, Sendable {
            /// The full id of the record.
            public var id: String
            /// Its title.
            public var title: String
            /// The names of the fields.
            public var fields: [String]
        }

        public init() {}
    }

    /// The intents of the screen. New cases may be added.
    public enum Intent: Sendable {
        /// Import a text in a format; nil: the format is recognized by the text, or by the name of its file.
        case importing(ExchangeFormat?, String, name: String? = nil)
        /// Export all records that a format can hold. Format nil: that of the path's extension, else Satchel's. Path
        /// nil: the standard output. `force` replaces existing files.
        case export(ExchangeFormat?, path: String?, force: Bool)
    }

    private static let formats = ExchangeFormat.allCases.map(\.rawValue)

    public static let verbs: [Verb<Intent>] = [
        Verb(
            "import",
            .optional(
                .choice(
                    "format", formats, help: "The format of the file; needed only if neither content nor name shows it."
                )),
            .contents(
                "file", help: "The file; for Markdown, the folder.", acceptsFolder: true,
                folderValues: ["format": ExchangeFormat.markdown.rawValue]
            ).labelled("Text of the file").naming("name"),
            .option(.text("name", help: "The name of the file, if its text comes from the standard input.")).local(),
            answer: .notice, traits: .undoable,
            help: "Import records. Importing a file again changes nothing and keeps your edits.",
            examples: [
                Example("import taskwarrior export.json", "A file that Taskwarrior exported."),
                Example("import garden", "A folder of Markdown files."),
                Example("import todo.txt", "A list of todo.txt: the end of the name shows the format."),
            ]
        ) { .importing($0.flatMap(ExchangeFormat.init(rawValue:)), $1, name: $2) },
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
                Example("export csv -", "A table on the standard output."),
            ]
        ) { .export($0.flatMap(ExchangeFormat.init(rawValue:)), path: $1, force: $2) },
    ]
}

extension ImportError: PersonFacing {
    public var category: Failure.Category { .rejected }
    public var message: String { description }
}
