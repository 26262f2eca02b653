/// A filter or an edit that can't be read. The message says what is wrong and what to do.
public enum InputError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A name before a colon that isn't known, and the known one that is near to it.
    case unknownName(String, nearest: String?)
    /// A name with its colon, and behind a space what was meant for it.
    case torn(String, String)
    /// `<` or `>` behind a name that isn't known.
    case unknownDate(String, Relation)
    /// A value that should be a date.
    case date(DateError)
    /// A value that should be `H`, `M` or `L`.
    case priority(String)
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

    /// For the person.
    public var description: String {
        switch self {
        case .unknownName(let name, let nearest):
            "I don't know \"\(name):\"." + (nearest.map { " Did you mean \"\($0):\"?" } ?? "")
                + " For a field of your own write \"field.\(name):\"; behind -- all words are the title's."
        case .torn(let name, let value):
            "There is a space in \"\(name): \(value)\". Write \(name):\(value); to take \(name) away, write \(name): last; "
                + "behind -- all words are the title's."
        case .unknownDate(let name, let relation):
            "I don't know \"\(name)\" in \"\(name)\(relation.rawValue)\". Dates that can be compared are due, entry, end, wait, "
                + "scheduled, until, modified and start; `search` finds words with such a sign."
        case .date(let error): error.description
        case .priority(let text):
            "\"\(text)\" is no priority. Write priority:H, priority:M, priority:L, or priority: for none."
        case .interval(let text):
            "\"\(text)\" is no interval. Write repeat:daily, weekdays, weekly, monthly, yearly, 3d, 2w, 6mo, "
                + "\"repeat:every 2 weeks\", or repeat: for none."
        case .noOrder(let field, let relation):
            "\"\(field)\(relation.rawValue)\" compares dates, and \(field) is none. Write \"\(field):value\"."
        case .field(let error): error.description
        case .titleTwice: "The title is given twice: by \"title:\" and by the other words. Leave one of them out."
        case .emptySort: "Name what to sort by: sort:due, sort:-entry, sort:priority,due."
        case .unknownSort(let name, let nearest):
            "I don't know what to sort by in \"sort:\(name)\"."
                + (nearest.map { " Did you mean \"sort:\($0)\"?" } ?? "")
                + " For a field of your own write \"sort:field.\(name)\"."
        }
    }
}
