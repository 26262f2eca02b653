/// A field of a record type, declared once. What is typed and printed, filters, sorting, completion, limits, merging and the
/// formats of other programs derive from the declaration.
///
/// ```swift
/// static let type = RecordType(
///     collection: "books", names: ["book", "books"],
///     fields: [
///         Field(.title, kind: .title, place: .form), Field(.authors, place: .form, column: Field.Column("authors")),
///         Field(.rating, place: .form, column: Field.Column("rating")), Field(.review, kind: .text, place: .apart),
///     ])
/// ```
///
/// The name consists of letters, `_` and `.`, so that it can be typed before a colon.
public struct Field: Sendable {
    /// The name in a record, and before the colon where a person types the field.
    public let name: String
    /// What it holds.
    public let kind: FieldKind
    /// What views call it.
    public let label: String
    /// Other names that may be typed for it.
    public let aliases: [String]
    /// Names of the same field in other programs, for suggestions.
    public let namesElsewhere: [String]
    /// How changes of two devices are merged.
    public let merge: MergeRule
    /// Whether a word that is typed alone is looked for in it.
    public let isSearched: Bool
    /// Where it is shown and edited.
    public let place: Place
    /// What may be typed, or for a hidden field what it remembers: a clause for the text of a record that is edited.
    public let help: String?
    /// The key of todo.txt that holds it, if that format has one.
    public let todoTxtKey: String?
    /// What it means for each record of its type; nil: nothing beyond its value.
    public let role: Role?
    /// How a list shows it; nil: only the record's own screen does.
    public let column: Column?

    /// What a field means for each record of a type, so that no rule needs its name. New cases may be added.
    public enum Role: Sendable {
        /// When the record should be done: lists are grouped by it, and an open record is overdue after it.
        case deadline
        /// When the record was made. Adding a record sets it.
        case created
        /// When the record was closed. Completing a record sets it, reopening removes it.
        case closed
        /// How much the record matters: lists put the first declared choice first.
        case importance
    }

    /// Where a field is shown and edited. New cases may be added.
    public enum Place: Sendable {
        /// In forms, and first in the text of a record that is edited, also where it is empty.
        case form
        /// Among the other fields, where it is set.
        case details
        /// By a means of its own: the first text is the body, below the other fields; remarks have a command.
        case apart
        /// Nowhere: what the program remembers.
        case hidden
    }

    /// Declares a field.
    ///
    /// - Parameters:
    ///   - key: the name and the type of values.
    ///   - kind: nil: that of the type of values.
    ///   - label: nil: the name with a capital letter.
    ///   - merge: nil: sets and texts merge by their elements and lines; of any other value the latest edit is kept.
    ///   - isSearched: nil: texts and words are.
    ///   - column: nil: none, but for the title.
    public init<Value>(
        _ key: FieldKey<Value>, kind: FieldKind? = nil, label: String? = nil, aliases: [String] = [],
        namesElsewhere: [String] = [], merge: MergeRule? = nil, isSearched: Bool? = nil, place: Place = .details,
        help: String? = nil, todoTxtKey: String? = nil, role: Role? = nil, column: Column? = nil
    ) {
        let kind = kind ?? Value.kind
        name = key.name
        self.kind = kind
        self.label = label ?? key.name.prefix(1).uppercased() + key.name.dropFirst()
        self.aliases = aliases
        self.namesElsewhere = namesElsewhere
        self.merge = merge ?? kind.merge
        self.isSearched = isSearched ?? kind.isProse
        self.place = place
        self.help = help
        self.todoTxtKey = todoTxtKey
        self.role = role
        self.column = column ?? (kind.isTitle ? .title : nil)
    }

    /// Whether it groups records: a set of words, or a path.
    public var isLabel: Bool {
        switch kind {
        case .words, .path: place != .hidden
        case .title, .text, .word, .choice, .moment, .number, .flag, .remarks, .custom, .any: false
        }
    }

    /// Whether a person can type it as `name:value`.
    public var isTyped: Bool {
        if place == .hidden { return false }
        if case .remarks = kind { return false }
        return true
    }

    /// A field that no type declares: `field.estimate`.
    static func undeclared(_ name: String) -> Field { Field(FieldKey<String>(name), kind: .any) }
}

/// What a field holds. New cases may be added.
public enum FieldKind: Sendable {
    /// The title: one line that is never empty.
    case title
    /// Lines of text.
    case text
    /// A short text in one line.
    case word
    /// A short text whose levels are divided by dots, such as a project.
    case path
    /// One of a few texts. Where `others` is true, another program may store a text that is not among them.
    case choice([Choice], others: Bool = false)
    /// A set of short texts.
    case words
    /// A moment.
    case moment
    /// A number.
    case number
    /// True or false.
    case flag
    /// A set of remarks with their moments.
    case remarks
    /// A text with a syntax of its own.
    case custom(FieldSyntax)
    /// Any JSON value. What is typed keeps the kind of the stored value.
    case any

    /// How such a field is merged, unless its declaration says otherwise.
    var merge: MergeRule {
        switch self {
        case .words, .remarks: .set
        case .text: .text
        case .title, .word, .path, .choice, .moment, .number, .flag, .custom, .any: .latest
        }
    }

    /// Whether it holds words that a person would look for.
    var isProse: Bool {
        switch self {
        case .title, .text, .word, .path, .words, .remarks: true
        case .choice, .moment, .number, .flag, .custom, .any: false
        }
    }

    /// The largest length of a text in bytes of UTF-8; nil: only the record's size is limited.
    var maximumBytes: Int? {
        switch self {
        case .title: FieldLimits.titleBytes
        case .text: FieldLimits.bodyBytes
        case .path, .words: FieldLimits.wordBytes
        case .word, .choice, .moment, .number, .flag, .remarks, .custom, .any: nil
        }
    }

    /// Whether its values can be compared by `<` and `>`.
    var isOrdered: Bool {
        switch self {
        case .moment, .number: true
        case .title, .text, .word, .path, .choice, .words, .flag, .remarks, .custom, .any: false
        }
    }

    /// The declared values, if there are only a few.
    public var choices: [Choice]? {
        if case .choice(let choices, _) = self { choices } else { nil }
    }

    /// The values that a person is offered, if there are only a few.
    public var offeredChoices: [String]? { choices?.filter(\.isOffered).map(\.value) }

    var isTitle: Bool {
        if case .title = self { true } else { false }
    }

    /// Whether it holds a moment.
    public var isMoment: Bool {
        if case .moment = self { true } else { false }
    }
}

/// A value of a field that has only a few.
public struct Choice: Sendable, Equatable {
    /// The value as stored.
    public let value: String
    /// What views show for it.
    public let label: String
    /// What a person may type for it besides the value, in lower case.
    public let names: [String]
    /// How much a list emphasises it.
    public let tone: Tone
    /// Whether a record with this value is finished, so that a list of open records leaves it out.
    public let isClosed: Bool
    /// Whether errors, completion and filters name it; another program may set one that they don't.
    public let isOffered: Bool

    /// How much a value is emphasised.
    public enum Tone: Sendable {
        /// Not more than other values.
        case plain
        /// It wants attention.
        case warning
        /// It wants attention first.
        case strong
    }

    /// A value.
    ///
    /// - Parameter label: nil: the value with a capital letter.
    public init(
        _ value: String, label: String? = nil, names: [String] = [], tone: Tone = .plain, isClosed: Bool = false,
        isOffered: Bool = true
    ) {
        self.value = value
        self.label = label ?? value.prefix(1).uppercased() + value.dropFirst()
        self.names = names
        self.tone = tone
        self.isClosed = isClosed
        self.isOffered = isOffered
    }

    /// Whether a typed text means this value; case makes no difference.
    func isMeant(by text: String) -> Bool {
        let text = text.lowercased()
        return value.lowercased() == text || names.contains(text)
    }
}

/// The syntax of a field whose text is read by rules of its own.
public struct FieldSyntax: Sendable {
    /// The canonical form of a typed text; nil if it can't be read.
    let canonical: @Sendable (String) -> String?
    /// Fields that are set together with a typed value (nil: that is removed); `null` removes one.
    let companions: @Sendable (String?, DateExpression.Context) -> JSONObject
    /// What a value is called in an error: `an interval`.
    let noun: String
    /// What the text of an error says may be written: `repeat:daily, weekly, …`.
    let hint: String
    /// Values that completion offers.
    public let examples: [String]
    /// A canonical value as people read it: of `2w`, `every 2 weeks`.
    let words: @Sendable (String) -> String

    /// - Parameters:
    ///   - noun: what a value is called in errors: `an interval`.
    ///   - hint: forms that are understood, for errors.
    ///   - examples: values that completion offers.
    ///   - words: a canonical value as people read it.
    ///   - companions: fields that are set together with a typed value (nil: that is removed); `null` removes one.
    ///   - canonical: the canonical form of a typed text; nil if it can't be read.
    public init(
        noun: String, hint: String, examples: [String] = [],
        words: @escaping @Sendable (String) -> String = { $0 },
        companions: @escaping @Sendable (String?, DateExpression.Context) -> JSONObject = { _, _ in [:] },
        canonical: @escaping @Sendable (String) -> String?
    ) {
        self.noun = noun
        self.hint = hint
        self.examples = examples
        self.words = words
        self.companions = companions
        self.canonical = canonical
    }
}
