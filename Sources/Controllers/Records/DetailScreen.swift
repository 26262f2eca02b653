public import ControllerKit
public import Foundation
internal import Notebook
public import Records
public import struct Records.Record

/// The screen of one record with all its fields.
public enum DetailScreen: Screen {
    public static let name = "detail"
    public static let summary = "One record with all its fields."

    /// The state that views show.
    public struct State: ScreenState {
        /// The record that is shown; nil before the first `show`.
        public var record: Shown?
        /// The further records, if several are shown.
        public var others: [Shown] = []
        /// A record's text to be edited, after `edit` without a change.
        public var draft: Draft?
        public var notice: String?

        /// A record as a view shows it. In JSON, dates are RFC 3339 in UTC.
        public struct Shown: Codable, Equatable, Sendable {
            /// Its full id.
            public var id: String
            /// Its collection: `tasks`, `notes`, or one that this version doesn't know.
            public var collection: String
            /// The noun of its type: `task`.
            public var kind: String
            /// Whether it is done; nil: records of its type can't be done.
            public var isDone: Bool?
            /// Its title.
            public var title: String
            /// Its longer text; nil: none.
            public var body: String?
            /// The other fields in the order of their declaration, then undeclared ones by name; without the fields
            /// that imports and repetitions use internally.
            public var fields: [Field]
            /// Its annotations.
            public var annotations: [Annotation]
            /// Its version on the server; 0: the server doesn't have it yet.
            public var version: Int64
            /// Whether it has edits that the server hasn't acknowledged.
            public var isUnsent: Bool
            /// Why the server refused it; nil: it didn't.
            public var rejection: String?
            /// Its urgency; nil: records of its type can't be completed.
            public var urgency: Double?
            /// The progress of its parts; nil: it has none.
            public var progress: RecordLinks.Progress?
            /// The records that the links in its body name.
            public var links: [Link] = []
            /// The records whose bodies have links to it.
            public var backlinks: [Link] = []
            /// When it was last edited.
            public var editedAt: Date?
            /// The id of the device that edited it last.
            public var editedBy: String?
            /// The fields of a form for the record, with the text of each. Programs use `edit` with words, so the state
            /// in JSON omits them.
            public var form: [FormInput] = []
            /// All fields of the record by name, for programs; in JSON, the member `values`.
            public var typed = TypedFields()

            private enum CodingKeys: String, CodingKey {
                case id, collection, kind, isDone, title, body, fields, annotations, version, isUnsent, rejection
                case urgency, progress, links, backlinks, editedAt, editedBy
                case typed = "values"
            }
        }

        /// A record at the other end of a link.
        public struct Link: Codable, Equatable, Sendable {
            /// The title in the link, as typed; of a backlink, the title of the record.
            public var text: String
            /// The full id of the record.
            public var id: String
            /// The shortest unique prefix of its id.
            public var prefix: String
            /// The title of the record.
            public var title: String
        }

        /// A record as a text to be edited. `edit RECORD` accepts the edited text.
        public struct Draft: Codable, Equatable, Sendable {
            /// The record's full id.
            public var record: String
            /// Its fields between two lines of `---`, as in Markdown notes, then its body.
            public var text: String
            /// Why the edited text wasn't accepted. `text` is then the edited text with the reason as a comment at the
            /// top. Nil: the text was not edited yet.
            public var problem: String?
        }

        /// A field's name and value.
        public struct Field: Codable, Equatable, Sendable {
            /// The field's name as on the wire.
            public var name: String
            /// Its name in views.
            public var label: String
            /// Its value: a text as it is, or its short form (`2w`) if it has one; a time in UTC; the texts of a set
            /// separated by commas; anything else as JSON.
            public var value: String
            /// The canonical text of a short form: `FREQ=WEEKLY;INTERVAL=2`.
            public var canonical: String?
            /// The value in words, if they differ from it: `every 2 weeks` for `2w`.
            public var words: String?
            /// Whether the value is a day (`2026-12-24`) or a time (RFC 3339 in UTC).
            public var isMoment = false
            /// The IANA name of the time zone of a time: `Europe/Berlin`; nil: UTC, or unknown.
            public var zone: String?

            /// The value as views show it: its words if it has any.
            public var shown: ShownValue {
                ShownValue(words ?? DateValue.text(value, zone: zone), isMoment: isMoment)
            }
        }

        /// An annotation.
        public struct Annotation: Codable, Equatable, Sendable {
            /// When it was added.
            public var at: Date
            /// Its text.
            public var text: String
        }

        public init() {}
    }

    /// The intents of the screen. A record is named by its number, id or whole title; several by a list of these, or by a
    /// word of a filter. A change of many records must be `confirmed`. New cases may be added.
    public enum Intent: Sendable {
        /// Show records, at most ``maximumShown``.
        case show(String)
        /// Edit records. `words`: as for `add`. `text`: the whole record in the form of a draft. Without a change, the
        /// text of a single record becomes the draft.
        case edit(
            String, title: String?, body: String?, words: [String], text: String? = nil,
            confirmed: GivenConfirmation = .notGiven)
        /// Add an annotation.
        case annotate(String, text: [String], confirmed: GivenConfirmation = .notGiven)
    }

    /// The maximum number of records that are shown at once.
    public static let maximumShown = 100

    /// The verbs of a program with Satchel's record types.
    public static let verbs: [Verb<Intent>] = DetailScreen.verbs(for: .standard)

    /// Returns the verbs of a program with these record types. Help and examples name tags and fields only if the types
    /// have them.
    public static func verbs(for types: RecordTypes) -> [Verb<Intent>] {
        let samples = SampleWords(types)
        let wordsHelp =
            "As for `add`: \(samples.hasTags ? "+tag -tag " : "")name:value, name: (removes the field), or a new title."
        let verbs: [Verb<Intent>] = [
            Verb(
                "show", .records, traits: .readOnly, help: "Show all fields of records.",
                namesElsewhere: ["info", "information", "open"],
                examples: [
                    Example("show 2", "The second record of the last list."),
                    Example("show wkxp", "The record whose id begins like this."),
                    Example("show 1-3 7", "Several records, one after the other."),
                ]
            ) { .show($0) },
            Verb(
                "edit", .records, .option(.text("title", help: "The new title.")),
                .option(.contents("body", help: "File with the new body.")),
                .option(
                    .contents("text", help: "File with the whole record as text, in the form that the editor shows.")
                        .labelled("The record as text")),
                .rest(.text("words", help: wordsHelp, completing: .words).labelled("Changes")), .confirmation,
                answer: .notice, traits: .undoable,
                help: "Change records; a single one without changes on the command line, in your editor.",
                formHelp: "Only what you change becomes an edit, so changes made elsewhere at the same time are kept.",
                topics: ["repeat", "filters"], otherNames: ["modify"],
                namesElsewhere: ["pri", "depri", "replace", "rename"],
                examples: [
                    Example("edit 2 Call the other plumber", "Change the title."),
                    Example("edit 2 due:monday -house priority:", "Set a date, remove a tag and the priority."),
                    Example("edit 2 --body-file plan.txt", "Replace the body."),
                    Example("edit 2", "Open the whole record in your editor."),
                    Example("edit 1-3 7 priority:H", "Change several records."),
                    Example("edit +docs priority:H due:friday", "The first word selects, all others are changes."),
                    Example("edit \"+docs -draft\" priority:H", "A filter of several words, in quotes."),
                    Example("edit 2 -- 12 eggs", "After -- all words are the title."),
                ]
            ) { .edit($0, title: $1, body: $2, words: $4, text: $3, confirmed: $5) },
            Verb(
                "annotate", .records, .rest(.text("text"), isRequired: true), .confirmation, answer: .notice,
                traits: .undoable,
                help: "Add an annotation with the time to records.",
                examples: [
                    Example("annotate 2 Asked for a quote", "Record what happened."),
                    Example("annotate 1-3 -- 2 of them by post", "On several; after -- all words are the text."),
                ]
            ) { .annotate($0, text: $1, confirmed: $2) },
        ]
        return verbs.naming(only: samples)
    }
}

/// A field in a form.
public struct FormInput: Sendable, Equatable {
    /// The field's declaration.
    public let field: Field
    /// Its value as a user types it; empty: none.
    public let text: String

    init(_ field: Field, _ value: JSONValue?, _ dates: DateExpression.Context) {
        self.field = field
        text = value.map { field.typed($0, dates) ?? $0.string ?? $0.text } ?? ""
    }

    /// Compares names and texts only: the declaration of a field doesn't change while a program runs.
    public static func == (left: FormInput, right: FormInput) -> Bool {
        left.field.name == right.field.name && left.text == right.text
    }

    /// Returns the fields of a form for a record: the declared form, then the body.
    public static func all(
        _ type: RecordType, _ dates: DateExpression.Context, of fields: JSONObject = [:]
    ) -> [FormInput] {
        let hasBody = type.catalog[type.body.name] != nil
        let declared = type.form.filter(\.isTyped) + (hasBody ? [type.body] : [])
        return declared.map { FormInput($0, fields[$0.name], dates) }
    }
}

extension DetailScreen.State.Shown {
    init(_ local: LocalRecord, _ relations: RecordRelations?, types: RecordTypes, dates: DateExpression.Context) {
        let record = local.record
        let type = types[record.key.collection]
        let latest = record.clock.latest
        self.init(
            id: record.key.id, collection: record.key.collection, kind: type.noun,
            isDone: type.closing.map { _ in type.isClosed(record.fields) }, title: record[.title] ?? "",
            body: record.fields[type.body.name]?.string,
            fields: Self.fields(of: record, type, types.catalog(for: record.key.collection), relations),
            annotations: (record[.annotations] ?? []).map { .init(at: $0.entry.date, text: $0.description) },
            version: local.acknowledged?.version ?? 0, isUnsent: local.isUnsent,
            rejection: local.rejection,
            urgency: relations?.urgency, progress: relations?.progress,
            links: relations?.textLinks.map { DetailScreen.State.Link($0.record, text: $0.text) } ?? [],
            backlinks: relations?.backlinks.map { DetailScreen.State.Link($0) } ?? [],
            editedAt: latest.map(\.timestamp.date),
            editedBy: latest?.device, form: FormInput.all(type, dates, of: record.fields),
            typed: TypedFields(
                record, in: types.catalog(for: record.key.collection), urgency: relations?.urgency))
    }

    private static func fields(
        of record: Record, _ type: RecordType, _ catalog: FieldCatalog, _ relations: RecordRelations?
    ) -> [DetailScreen.State.Field] {
        let declared = type.catalog.fields.map(\.name)
        let names = declared + record.fields.sortedNames.filter { !declared.contains($0) }
        return names.compactMap { name in
            guard name != FieldKey.title.name, !EditableText.isHidden(name, in: catalog),
                let value = record.fields[name]
            else { return nil }
            return .init(name, value, catalog[name].flatMap { $0.name == name ? $0 : nil }, relations?.linked[name])
        }
    }
}

extension DetailScreen.State.Field {
    fileprivate init(_ name: String, _ value: JSONValue, _ field: Field?, _ linked: [LinkedRecord]?) {
        self.name = name
        label = field?.label ?? name
        isMoment = field?.kind.isDate ?? false
        let date = isMoment ? DateValue.read(value) : nil
        self.value = date.map(\.withoutZone.description) ?? field?.scriptText(of: value) ?? Self.text(value)
        zone = date?.zone?.text
        canonical = field?.canonicalText(of: value)
        let shown = isMoment ? nil : value.string.flatMap { field?.words(for: $0) }
        words = linked?.map(\.words).joined(separator: "; ") ?? (shown == self.value ? nil : shown)
    }

    /// The value as a text: see `value`.
    private static func text(_ value: JSONValue) -> String {
        if let texts = value.array?.compactMap(\.string), texts.count == value.array?.count {
            return texts.joined(separator: ", ")
        }
        return value.string ?? value.text
    }
}

extension DetailScreen.State.Link {
    fileprivate init(_ record: LinkedRecord, text: String? = nil) {
        let title = record.title ?? record.id
        self.init(text: text ?? title, id: record.id, prefix: record.prefix, title: title)
    }
}

extension LinkedRecord {
    /// The record as a view shows it: `wkxp Buy paint (open)`.
    fileprivate var words: String { title.map { "\(prefix) \($0) (\(isOpen ? "open" : "done"))" } ?? "\(id) (deleted)" }
}
