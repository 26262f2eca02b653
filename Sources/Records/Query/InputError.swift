/// A filter or an edit that can't be read. The message says what is wrong and what to do.
public enum InputError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A name before a colon that is not a field, with the value after it and the most similar known name.
    case unknownField(String, value: String, nearest: String?)
    /// In a filter: an unknown name before a colon, and the most similar known name.
    case unknownFilter(String, nearest: String)
    /// A value that isn't of the kind that the field holds.
    case wrongKind(field: String, value: String, stored: Kind)
    /// A name with its colon, and behind a space what was meant for it.
    case torn(String, String)
    /// `<` or `>` behind a name that isn't known.
    case unknownDate(String, Relation)
    /// A value that should be a date.
    case date(DateError)
    /// A value that should be `H`, `M` or `L`.
    case priority(String)
    /// A value that should be a status.
    case status(String)
    /// A value that should say how often.
    case interval(String)
    /// `<` or `>` beside a field that has no order.
    case noOrder(field: String, relation: Relation)
    /// A field that may not be set so.
    case field(InvalidField)
    /// A title by `title:` and another one by the other words.
    case titleTwice
    /// `sort:` without a field.
    case emptySort
    /// `sort:` and a name that isn't known.
    case unknownSort(String, nearest: String?)

    /// A kind of value that isn't a text.
    public enum Kind: Sendable, Equatable {
        /// A JSON number.
        case number
        /// `true` or `false`.
        case boolean
        /// A JSON array.
        case list
        /// A JSON object.
        case object

        fileprivate var name: String {
            switch self {
            case .number: "a number"
            case .boolean: "true or false"
            case .list: "a list"
            case .object: "a JSON object"
            }
        }
    }

    /// For the person.
    public var description: String {
        switch self {
        case .unknownField(let name, let value, let nearest):
            Self.unknown(name, nearest: nearest) + " For a field of your own write \"field.\(name):\(value)\". To have "
                + "\"\(name):\(value)\" in the title, put it after --: all words after -- are part of the title."
        case .unknownFilter(let name, let nearest):
            Self.unknown(name, nearest: nearest)
                + " For a field of your own write \"field.\(name):\"; all words after -- "
                + "are looked for as they are."
        case .wrongKind(let field, let value, let kind):
            "\(field) holds \(kind.name), and \"\(value)\" is not. Write \(kind.name); for another kind of value remove "
                + "the field first: field.\(field):"
        case .torn(let name, let value):
            "There is a space in \"\(name): \(value)\". Write \(name):\(value); to remove \(name), write \(name): last. "
                + "All words after -- are part of the title."
        case .unknownDate(let name, let relation):
            "Unknown date field \"\(name)\" in \"\(name)\(relation.rawValue)\". Dates that can be compared are due, "
                + "entry, end, wait, scheduled, until, modified and start; `search` finds words with such a sign."
        case .date(let error): error.description
        case .priority(let text):
            "Unknown priority \"\(text)\". Write priority:H, priority:M, priority:L, or priority: for none."
        case .status(let text):
            "Unknown status \"\(text)\". Write status:pending or status:done; tasks of other programs may also be deleted or "
                + "recurring."
        case .interval(let text):
            "Can't read \"\(text)\" as an interval. Write repeat:daily, weekdays, weekly, monthly, yearly, 3d, 2w, 6mo, "
                + "\"repeat:every 2 weeks\", or repeat: for none."
        case .noOrder(let field, let relation):
            "\"\(field)\(relation.rawValue)\" compares dates, and \(field) is none. Write \"\(field):value\"."
        case .field(let error): error.description
        case .titleTwice: "The title is given twice: by \"title:\" and by the other words. Leave one of them out."
        case .emptySort: "Name what to sort by: sort:due, sort:-entry, sort:priority,due."
        case .unknownSort(let name, let nearest):
            "Can't sort by \"\(name)\": there is no such field."
                + (nearest.map { " Did you mean \"sort:\($0)\"?" } ?? "")
                + " For a field of your own write \"sort:field.\(name)\"."
        }
    }

    /// Says that a name is not a field, without advice on a line of words, since fields are typed in other places, too.
    public static func unknown(_ name: String, nearest: String?) -> String {
        "There is no field \"\(name):\"." + (nearest.map { " Did you mean \"\($0):\"?" } ?? "")
    }
}
