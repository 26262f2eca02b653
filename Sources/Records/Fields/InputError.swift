/// A filter or an edit that can't be parsed. The message contains the problem and what to do. New cases may be added.
public enum InputError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A name before a colon that isn't a field, with the value after it and the most similar known name.
    case unknownField(String, value: String, nearest: String?)
    /// In a filter: an unknown name before a colon, with the value after it and the most similar known name.
    case unknownFilter(String, value: String, nearest: String?)
    /// A value that would change the kind of the stored value; the field is not declared.
    case kindChange(field: String, value: String, stored: Kind)
    /// A name with its colon, and after a space the value that was meant for it.
    case torn(String, String)
    /// A value with levels separated by dots, of which one is empty.
    case emptyLevel(field: String, value: String)
    /// A field and a value with `=` between them.
    case equalsSign(name: String, value: String)
    /// A date, and after it a word that looks like a time but isn't read as one, with the time as it is written.
    case detachedTime(field: String, value: String, word: String, time: String)
    /// A value whose kind differs from the declared kind of the field. `InvalidField.Reason.wrongKind` is the same for
    /// values that are not typed.
    case wrongKind(field: String, value: String, declared: Kind)
    /// `<` or `>` after a name that isn't known; the fields that can be compared.
    case unknownOrder(String, Relation, known: [String])
    /// A value that should be a date.
    case date(DateError)
    /// A value that is not among the few of the field.
    case choice(field: String, value: String, allowed: [String])
    /// A value that only other programs set, and what to do instead.
    case choiceOfOthers(field: String, value: String, allowed: [String], instead: String?)
    /// A value that doesn't match the field's syntax: the name of such values, the reason if it is known, and the
    /// accepted forms.
    case syntax(field: String, value: String, noun: String, reason: String?, hint: String)
    /// `<` or `>` after a field whose values have no order.
    case noOrder(field: String, relation: Relation)
    /// A field with a value that is not allowed.
    case field(InvalidField)
    /// A word that begins with + or - and can't be a tag.
    case notATag(String)
    /// A title in `title:` and another one in the other words.
    case titleTwice
    /// Several records for a field that refers to one.
    case severalReferences(field: String)
    /// `sort:` without a field.
    case emptySort
    /// `sort:` with a name that isn't known.
    case unknownSort(String, nearest: String?)
    /// An error that only a filter can have.
    case filter(FilterError)

    /// A kind of value that isn't a text. New cases may be added.
    public enum Kind: Sendable, Equatable {
        /// A JSON number.
        case number
        /// `true` or `false`.
        case boolean
        /// A JSON array.
        case list
        /// A JSON object.
        case object

        /// How messages name such a value.
        var name: String {
            switch self {
            case .number: "a number"
            case .boolean: "true or false"
            case .list: "a list"
            case .object: "a JSON object"
            }
        }
    }

    /// The message for the user.
    public var description: String {
        switch self {
        case .unknownField(let name, let value, let nearest):
            Self.unknown(name, nearest: nearest)
                + " For a field of your own, write “field.\(name):\(value)”. To have "
                + "“\(name):\(value)” in the title, put it after --: all words after -- are part of the title."
        case .unknownFilter(let name, let value, let nearest):
            Self.unknown(name, nearest: nearest) + " For a field of your own, write “field.\(name):\(value)”. "
                + FilterError.literal
        case .kindChange(let field, let value, let kind):
            "The field “\(field)” contains \(kind.name), not “\(value)”. Write \(kind.name); for another kind of value, "
                + "remove the field first: field.\(field):"
        case .torn(let name, let value):
            "There is a space in “\(name): \(value)”. Write \(name):\(value); to remove \(name), write \(name): last. "
                + "All words after -- are part of the title."
        case .emptyLevel(let field, let value):
            "A level of “\(field):\(value)” is empty. Write a name between the dots, as in \(field):home.garden, or "
                + "\(field): for none."
        case .equalsSign(let name, let value):
            "Write \(name):\(value) instead of “\(name)=\(value)”. To have it in the title, put it after --: all words after "
                + "-- are part of the title."
        case .detachedTime(let field, let value, let word, let time):
            "“\(word)” after “\(field):\(value)” could be a time. For the time, write \(field):\"\(value) \(time)\". If it is a "
                + "part of the title, write the title before \(field):."
        case .wrongKind(let field, let value, let kind):
            "The field “\(field)” must be \(kind.name), not “\(value)”. Write \(kind.name), or \(field): for none."
        case .unknownOrder(let name, let relation, let known):
            "Unknown field “\(name)” in “\(name)\(relation.rawValue)”. Fields that can be compared are "
                + "\(known.joined(conjunction: "and")). " + FilterError.literal
        case .date(let error): error.description
        case .choice(let field, let value, let allowed):
            "Unknown \(field) “\(value)”. Write \(allowed.map { "\(field):\($0)" }.joined(separator: ", ")), or "
                + "\(field): for none."
        case .choiceOfOthers(let field, let value, let allowed, let instead):
            "Only other programs set \(field):\(value). Write "
                + "\(allowed.map { "\(field):\($0)" }.joined(conjunction: "or"))." + (instead.map { " " + $0 } ?? "")
        case .syntax(let field, let value, let noun, let reason, let hint):
            "Can't read “\(value)” as \(noun)\(reason.map { ": \($0)" } ?? ""). Write \(hint), or \(field): for none."
        case .noOrder(let field, let relation):
            "“\(field)\(relation.rawValue)” compares dates or numbers, and \(field) is neither. Write "
                + "“\(field):value”."
        case .field(let error): error.description
        case .notATag(let word):
            "“\(word)” can't be a tag: after + or -, a tag begins with a letter, as in +shop. To have it in the title, "
                + "put the title after --: all words after -- are part of the title."
        case .titleTwice: "The title is given twice: by “title:” and by the other words. Leave one of them out."
        case .severalReferences(let field):
            "A record has one \(field) only. Write \(field):RECORD with one number or id, or \(field): for none."
        case .emptySort: "Name the field to sort by: sort:title, or sort:-title for the reverse order."
        case .unknownSort(let name, let nearest):
            "Can't sort by “\(name)”: there is no such field."
                + (nearest.map { " Did you mean “sort:\($0)”?" } ?? "")
                + " For a field of your own, write “sort:field.\(name)”."
        case .filter(let error): error.description
        }
    }

    /// Returns the message that a name is not a field, without advice about a line of words, since fields are typed in
    /// other places, too.
    public static func unknown(_ name: String, nearest: String?) -> String {
        "Unknown field “\(name):”." + (nearest.map { " Did you mean “\($0):”?" } ?? "")
    }
}
