public import ControllerKit
public import Foundation
internal import Notebook
public import Records
public import struct Records.Record

/// One record, whole.
public enum DetailScreen: Screen {
    public static let name = "detail"
    public static let summary = "One record with all its fields."

    /// What a view shows.
    public struct State: ScreenState {
        /// The record that is shown; nil before the first `show`.
        public var record: Shown?
        /// A record's text that a person is asked to edit, after `edit` without anything to change.
        public var draft: Draft?
        public var notice: String?

        /// A record as a view shows it. In JSON, dates are RFC 3339 in UTC.
        public struct Shown: Codable, Equatable, Sendable {
            /// Its id, whole.
            public var id: String
            /// Its collection: `tasks`, `notes`, or one that this version doesn't know.
            public var collection: String
            /// What such a record is called: `task`.
            public var kind: String
            /// Whether it is done; nil where records of its type can't be.
            public var isDone: Bool?
            /// What it is about; a task's description.
            public var title: String
            /// Its text; nil where it has none.
            public var body: String?
            /// The other fields in the order of their declaration, then those that aren't declared, by name; without what an import
            /// and a series of repeats remember.
            public var fields: [Field]
            /// The remarks on it.
            public var annotations: [Remark]
            /// Its version on the server; 0: it isn't there yet.
            public var version: Int64
            /// Whether it has edits that the server hasn't acknowledged.
            public var isUnsent: Bool
            /// Why the server refused it, if it did.
            public var rejection: String?
            /// When it was last edited, and on which device.
            public var editedAt: Date?
            /// That device's id.
            public var editedBy: String?
            /// The fields that a form of the record has, with what is typed for them. A program says `edit` with words and needs none of
            /// this, so it is no part of the state in JSON.
            public var form: [FormInput] = []

            private enum CodingKeys: CodingKey {
                case id, collection, kind, isDone, title, body, fields, annotations, version, isUnsent, rejection
                case editedAt, editedBy
            }
        }

        /// A record as a text for a person to edit; it comes back with `edit RECORD` and the text.
        public struct Draft: Codable, Equatable, Sendable {
            /// The record's id, whole.
            public var record: String
            /// Its fields between two lines of `---`, as Markdown notes have them, and its body.
            public var text: String
            /// Why the edited text wasn't accepted; `text` is that one, and begins with this as a comment. Nil: it
            /// is offered for the first time.
            public var problem: String?
        }

        /// A field's name and value.
        public struct Field: Codable, Equatable, Sendable {
            /// The field's name as on the wire.
            public var name: String
            /// What views call it.
            public var label: String
            /// Its value: a text as it is, texts of a set with commas, anything else as JSON.
            public var value: String
            /// The value as people read it, where that is something else: `every 2 weeks` for `2w`.
            public var words: String?
            /// Whether the value is a moment, RFC 3339 in UTC.
            public var isMoment = false
        }

        /// A remark on a task.
        public struct Remark: Codable, Equatable, Sendable {
            /// When it was made.
            public var at: Date
            /// What it says.
            public var text: String
        }

        public init() {}
    }

    /// What a person can do; records are named by number or id.
    public enum Intent: Sendable {
        /// Show this record.
        case show(String)
        /// Change a record: `words` are those of `add`. `text`: all of it, as a draft offered it. Without anything to
        /// change it asks for that.
        case edit(String, title: String?, body: String?, words: [String], text: String? = nil)
        /// Add an annotation.
        case annotate(String, text: [String])
    }

    public static let verbs: [Verb<Intent>] = [
        Verb(
            "show", .record("record"), traits: .readOnly, help: "Show all fields of a record.",
            examples: [
                Example("show 2", "The second record of the last list."),
                Example("show 3f2a", "The record whose id begins like this."),
            ]
        ) { .show($0) },
        Verb(
            "edit", .record("record"), .option(.text("title", help: "The new title.")),
            .option(.contents("body", help: "File with the new body.")),
            .option(
                .contents("text", help: "File with the whole record as text, in the form that the editor shows.")
                    .labelled("The record as text")),
            .rest(
                .text(
                    "words", help: "As for `add`: +tag -tag due:friday, due: (removes the field), or a new title.",
                    completing: .words
                ).labelled("Changes")),
            answer: .notice, traits: .undoable,
            help: "Change a record; without changes on the command line, in your editor.",
            formHelp: "Only what you change becomes an edit, so changes made elsewhere at the same time are kept.",
            topics: ["repeat"],
            examples: [
                Example("edit 2 Call the other plumber", "Change the title."),
                Example("edit 2 due:monday -house priority:", "Set a date, remove a tag and the priority."),
                Example("edit 2 --body-file plan.txt", "Replace the body."),
                Example("edit 2", "Open the whole record in your editor."),
            ]
        ) { .edit($0, title: $1, body: $2, words: $4, text: $3) },
        Verb(
            "annotate", .record("record"), .rest(.text("text"), isRequired: true), answer: .notice,
            traits: .undoable,
            help: "Add an annotation with the time to a record.",
            examples: [Example("annotate 2 Asked for a quote", "Record what was done.")]
        ) { .annotate($0, text: $1) },
    ]
}

/// A field in a form.
public struct FormInput: Sendable, Equatable {
    /// The field's declaration.
    public let field: Field
    /// What is typed for its value; empty for none.
    public let text: String

    init(_ field: Field, _ value: JSONValue?, _ dates: DateExpression.Context) {
        self.field = field
        text = value.map { field.typed($0, dates) ?? $0.string ?? $0.text } ?? ""
    }

    /// The declaration of a field is the same for as long as a program runs.
    public static func == (left: FormInput, right: FormInput) -> Bool {
        left.field.name == right.field.name && left.text == right.text
    }

    /// The fields that a form of a record has: the title, the declared form, and the body.
    public static func all(
        _ type: RecordType, _ dates: DateExpression.Context, of fields: JSONObject = [:]
    ) -> [FormInput] {
        let hasBody = type.catalog[type.body.name] != nil
        let declared = type.form.filter(\.isTyped) + (hasBody ? [type.body] : [])
        return declared.map { FormInput($0, fields[$0.name], dates) }
    }
}

extension DetailScreen.State.Shown {
    init(_ local: LocalRecord, types: RecordTypes, dates: DateExpression.Context) {
        let record = local.record
        let type = types[record.key.collection]
        let latest = record.clock.latest
        self.init(
            id: record.key.id, collection: record.key.collection, kind: type.noun,
            isDone: type.completion.map { _ in type.isClosed(record.fields) }, title: record[.title] ?? "",
            body: record.fields[type.body.name]?.string,
            fields: Self.fields(of: record, type, types.catalog(for: record.key.collection)),
            annotations: (record[.annotations] ?? []).map { .init(at: $0.entry.date, text: $0.description) },
            version: local.acknowledged?.version ?? 0, isUnsent: local.isUnsent,
            rejection: local.rejection,
            editedAt: latest.map { Timestamp(seconds: Int64($0.milliseconds / 1_000)).date },
            editedBy: latest?.device, form: FormInput.all(type, dates, of: record.fields))
    }

    private static func fields(
        of record: Record, _ type: RecordType, _ catalog: FieldCatalog
    ) -> [DetailScreen.State.Field] {
        let declared = type.catalog.fields.map(\.name)
        let names = declared + record.fields.sortedNames.filter { !declared.contains($0) }
        return names.compactMap { name in
            guard name != FieldKey.title.name, !OfferedText.isHidden(name, in: catalog),
                let value = record.fields[name]
            else { return nil }
            return .init(name, value, catalog[name].flatMap { $0.name == name ? $0 : nil })
        }
    }
}

extension DetailScreen.State.Field {
    fileprivate init(_ name: String, _ value: JSONValue, _ field: Field?) {
        self.name = name
        label = field?.label ?? name
        self.value = Self.text(value)
        let shown = value.string.flatMap { field?.words(for: $0) }
        words = shown == self.value ? nil : shown
        isMoment = field?.kind.isMoment ?? false
    }

    /// A value as people read it: a text as it is, a list of texts with commas, anything else as JSON.
    private static func text(_ value: JSONValue) -> String {
        if let texts = value.array?.compactMap(\.string), texts.count == value.array?.count {
            return texts.joined(separator: ", ")
        }
        return value.string ?? value.text
    }
}
