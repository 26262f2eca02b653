/// A field of a record type, declared once. Parsing and printing, filters, sorting, completion, limits, merging and the
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
    /// The name in a record, and before the colon where the field is typed.
    public let name: String
    /// The kind of its values.
    public let kind: FieldKind
    /// The name that views show.
    public let label: String
    /// Other names that are accepted for it.
    public let aliases: [String]
    /// The names of the same field in other programs, for suggestions.
    public let namesElsewhere: [String]
    /// The rule by which concurrent edits of two devices are merged.
    public let merge: MergeRule
    /// Whether a word without a field name is searched for in it.
    public let isSearched: Bool
    /// The place where it is shown and edited.
    public let place: Place
    /// The values that may be typed, or for a hidden field its purpose: a clause for the text of an edited record.
    public let help: String?
    /// The key of todo.txt that stores it; nil if that format has none.
    public let todoTxtKey: String?
    /// Its meaning for each record of its type; nil if it has none beyond its value.
    public let role: Role?
    /// Its column in a list; nil if only the record's own screen shows it.
    public let column: Column?

    /// The meaning of a field for each record of a type, so that no rule depends on its name. New cases may be added.
    public enum Role: Sendable, Hashable {
        /// The time at which the record should be done: lists are grouped by it, and an open record is overdue after
        /// it.
        case deadline
        /// The time at which the record was created. Adding a record sets it.
        case created
        /// The time at which the record was closed. Completing a record sets it, reopening removes it.
        case closed
        /// The importance of the record: lists show the first declared choice first.
        case importance
        /// The time until which lists omit an open record.
        case hiddenUntil
        /// The time from which the record can be worked on.
        case readyFrom
        /// The time at which work on the record began; absent while there is none. The commands `start` and `stop`
        /// set and remove it.
        case started
        /// The time that was spent on the record, without the work that is going on: an ISO 8601 duration, or a number
        /// of seconds. `stop` adds to it.
        case spent
        /// The records that must be completed before this one: a set of references.
        case dependencies
        /// The record of which this one is a part: a reference.
        case parent
        /// The time at which to remind the user of the record.
        case reminder
        /// The larger piece of work to which the record belongs, such as a project.
        case project
        /// Whether lists show the record before the others of its type: a flag.
        case pinned
        /// The titles that the record had before it was renamed, so that links to them still find it: a set of texts.
        /// Renaming a record adds to it.
        case formerTitles
    }

    /// The place where a field is shown and edited. New cases may be added.
    public enum Place: Sendable {
        /// In forms, and first in the text of an edited record, also if it is empty.
        case form
        /// Among the other fields, if it is set.
        case details
        /// Separately: the first such text is the body, below the other fields; annotations have a command.
        case apart
        /// Nowhere: the program uses it internally.
        case hidden
    }

    /// Declares a field.
    ///
    /// - Parameters:
    ///   - key: The name and the type of the values.
    ///   - kind: Nil: the kind of the type of values.
    ///   - label: Nil: the name with a capital letter.
    ///   - aliases: Other names that are accepted for it.
    ///   - namesElsewhere: The names of the same field in other programs, for suggestions.
    ///   - merge: Nil: the rule of the kind. Sets merge by elements, texts by lines; of other values the latest edit is
    ///     kept.
    ///   - isSearched: Nil: only texts and words are searched.
    ///   - place: The place where it is shown and edited.
    ///   - help: The values that may be typed, or the purpose of a hidden field.
    ///   - todoTxtKey: The key of todo.txt that stores it.
    ///   - role: Its meaning for each record of its type.
    ///   - column: Nil: no column, except for the title.
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
        case .title, .text, .word, .choice, .moment, .date, .number, .flag, .annotations, .reference, .references,
            .custom, .any:
            false
        }
    }

    /// Whether it can be typed as `name:value`.
    public var isTyped: Bool {
        if place == .hidden { return false }
        if case .annotations = kind { return false }
        return true
    }

    /// Returns a field that no type declares: `field.estimate`.
    static func undeclared(_ name: String) -> Field { Field(FieldKey<String>(name), kind: .any) }
}

/// The kind of values of a field. New cases may be added.
public enum FieldKind: Sendable {
    /// The title: one line that is never empty.
    case title
    /// Lines of text.
    case text
    /// A short text in one line.
    case word
    /// A short text with levels separated by dots, such as a project.
    case path
    /// One of a few texts. If `others` is true, another program may store a text that is not among them.
    case choice([Choice], others: Bool = false)
    /// A set of short texts.
    case words
    /// A time at which something happened.
    case moment
    /// A day or a time for which something is planned.
    case date
    /// A number.
    case number
    /// True or false.
    case flag
    /// A set of annotations.
    case annotations
    /// The full id of another record. A number in the last list or the beginning of an id may be typed for it.
    case reference
    /// A set of full ids of other records.
    case references
    /// A text with its own syntax.
    case custom(FieldSyntax)
    /// Any JSON value. A typed text keeps the kind of the stored value.
    case any

    /// The merge rule of such a field, unless its declaration has another one.
    var merge: MergeRule {
        switch self {
        case .words, .annotations, .references: .set
        case .text: .text
        case .title, .word, .path, .choice, .moment, .date, .number, .flag, .reference, .custom, .any: .latest
        }
    }

    /// Whether its values contain words that are worth searching.
    var isProse: Bool {
        switch self {
        case .title, .text, .word, .path, .words, .annotations: true
        case .choice, .moment, .date, .number, .flag, .reference, .references, .custom, .any: false
        }
    }

    /// The maximum length of a text in bytes of UTF-8; nil if only the record's size is limited.
    var maximumBytes: Int? {
        switch self {
        case .title: FieldLimits.titleBytes
        case .text: FieldLimits.bodyBytes
        case .path, .words: FieldLimits.wordBytes
        case .word, .choice, .moment, .date, .number, .flag, .annotations, .reference, .references, .custom, .any: nil
        }
    }

    /// Whether its values can be compared by `<` and `>`.
    var isOrdered: Bool {
        switch self {
        case .moment, .date, .number: true
        case .title, .text, .word, .path, .choice, .words, .flag, .annotations, .reference, .references, .custom, .any:
            false
        }
    }

    /// Whether its values are sets of references.
    var isReferences: Bool {
        if case .references = self { true } else { false }
    }

    /// Whether its values refer to other records.
    public var isReference: Bool {
        switch self {
        case .reference, .references: true
        case .title, .text, .word, .path, .choice, .words, .moment, .date, .number, .flag, .annotations, .custom, .any:
            false
        }
    }

    /// The declared values; nil if it isn't a choice.
    public var choices: [Choice]? {
        if case .choice(let choices, _) = self { choices } else { nil }
    }

    /// The values that are offered to the user; nil if it isn't a choice.
    public var offeredChoices: [String]? { choices?.filter(\.isOffered).map(\.value) }

    var isTitle: Bool {
        if case .title = self { true } else { false }
    }

    /// Whether its values are days or times.
    public var isDate: Bool {
        switch self {
        case .moment, .date: true
        case .title, .text, .word, .path, .choice, .words, .number, .flag, .annotations, .reference, .references,
            .custom, .any:
            false
        }
    }
}

/// A value of a field with few values.
public struct Choice: Sendable, Equatable {
    /// The value as stored.
    public let value: String
    /// The text that views show for it.
    public let label: String
    /// Other texts that are accepted for it, in lower case.
    public let names: [String]
    /// The emphasis of the value in a list.
    public let tone: Tone
    /// Whether a record with this value is finished, so that a list of open records omits it.
    public let isClosed: Bool
    /// Whether other records wait for a record with this value: true for an open one, and for a closed value that doesn't
    /// mean the end, such as that of a template.
    public let holdsUpOthers: Bool
    /// Whether errors, completion and filters name it, and an edit may set it. False for a value that only another program
    /// sets.
    public let isOffered: Bool
    /// What to do instead of setting a value that isn't offered: a sentence.
    public let instead: String?

    /// The emphasis of a value. New cases may be added.
    public enum Tone: Sendable {
        /// The same as other values.
        case plain
        /// It needs attention.
        case warning
        /// It needs attention first.
        case strong
    }

    /// Creates a value.
    ///
    /// - Parameters:
    ///   - value: The value as stored.
    ///   - label: Nil for the value with a capital letter.
    ///   - names: Other texts that are accepted for it, in lower case.
    ///   - tone: The emphasis of the value in a list.
    ///   - isClosed: Whether a record with this value is finished.
    ///   - holdsUpOthers: Whether other records wait for a record with this value; nil: if it isn't closed.
    ///   - isOffered: Whether errors, completion and filters name it, and an edit may set it.
    ///   - instead: What to do instead of setting a value that isn't offered: a sentence.
    public init(
        _ value: String, label: String? = nil, names: [String] = [], tone: Tone = .plain, isClosed: Bool = false,
        holdsUpOthers: Bool? = nil, isOffered: Bool = true, instead: String? = nil
    ) {
        self.value = value
        self.label = label ?? value.prefix(1).uppercased() + value.dropFirst()
        self.names = names
        self.tone = tone
        self.isClosed = isClosed
        self.holdsUpOthers = holdsUpOthers ?? !isClosed
        self.isOffered = isOffered
        self.instead = instead
    }

    /// Returns whether a typed text means this value; case is ignored.
    func isMeant(by text: String) -> Bool {
        let text = text.lowercased()
        return value.lowercased() == text || names.contains(text)
    }
}

/// The syntax of a field whose text is parsed by its own rules.
public struct FieldSyntax: Sendable {
    /// Returns the canonical form of a typed text; nil if it can't be parsed.
    let canonical: @Sendable (String) -> String?
    /// Returns the fields that are set together with a typed value (nil: the value is removed); `null` removes one.
    let companions: @Sendable (String?, DateExpression.Context) -> JSONObject
    /// The name of a value in an error: `an interval`.
    let noun: String
    /// The forms that an error suggests: `repeat:daily, weekly, …`.
    let hint: String
    /// The values that completion offers.
    public let examples: [String]
    /// Returns a canonical value as it is displayed: for `FREQ=WEEKLY;INTERVAL=2`, `every 2 weeks`.
    let words: @Sendable (String) -> String
    /// Returns a canonical value as a list shows it: for `FREQ=MONTHLY;BYDAY=-1FR`, `last Fri`.
    let listText: @Sendable (String) -> String
    /// Returns the short form of a canonical value for programs, which earlier versions stored: for
    /// `FREQ=WEEKLY;INTERVAL=2`, `2w`; nil: it has none.
    let scriptText: @Sendable (String) -> String?
    /// Returns the reason why a text can't be parsed, a clause for an error; nil if it isn't known.
    let problem: @Sendable (String) -> String?

    /// Creates a syntax.
    ///
    /// - Parameters:
    ///   - noun: The name of a value in errors: `an interval`.
    ///   - hint: The forms that are understood, for errors.
    ///   - examples: The values that completion offers.
    ///   - words: Returns a canonical value as it is displayed.
    ///   - listText: Returns a canonical value as a list shows it; unless given, as programs get it.
    ///   - scriptText: Returns the short form of a canonical value for programs, which filters also find; nil: it has none.
    ///   - companions: Returns the fields that are set together with a typed value (nil: the value is removed); `null`
    ///     removes one.
    ///   - problem: Returns the reason why a text can't be parsed, a clause; nil if it isn't known.
    ///   - canonical: Returns the canonical form of a typed text; nil if it can't be parsed.
    public init(
        noun: String, hint: String, examples: [String] = [],
        words: @escaping @Sendable (String) -> String = { $0 },
        listText: @escaping @Sendable (String) -> String = { $0 },
        scriptText: @escaping @Sendable (String) -> String? = { _ in nil },
        companions: @escaping @Sendable (String?, DateExpression.Context) -> JSONObject = { _, _ in [:] },
        problem: @escaping @Sendable (String) -> String? = { _ in nil },
        canonical: @escaping @Sendable (String) -> String?
    ) {
        self.noun = noun
        self.hint = hint
        self.examples = examples
        self.words = words
        self.listText = listText
        self.scriptText = scriptText
        self.companions = companions
        self.problem = problem
        self.canonical = canonical
    }
}
