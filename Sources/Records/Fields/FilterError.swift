/// The error of a filter that can't be parsed, besides those of edits (``InputError``). New cases may be added.
public enum FilterError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A condition is missing at a sign: `or`, `and`, `not` or a parenthesis.
    case missingCondition(String)
    /// A parenthesis without its counterpart: `(` or `)`.
    case unpairedParenthesis(String)
    /// Too many parentheses or saved filters in each other.
    case tooDeep(maximum: Int)
    /// `sort:` or `limit:` after `not`.
    case negatedOption(String)
    /// The number of records in `limit:` isn't valid.
    case limit(String, maximum: Int)
    /// The end of a range is before its start.
    case reversedRange(String)
    /// A regular expression is too long.
    case longPattern(length: Int, maximum: Int)
    /// A regular expression can't be parsed.
    case invalidPattern(String)
    /// A regular expression contains a construct that is refused, since it may take very long.
    case refusedPattern(String, construct: String)
    /// The matches of a regular expression take too long or too much memory.
    case costlyPattern(String, seconds: Int64)
    /// A modifier after the name of a field isn't known.
    case unknownModifier(String, field: String, known: [String])
    /// `has:` with a name that isn't known.
    case unknownPresence(String, nearest: String?)
    /// `=` after the name of a field.
    case equalSign(String, value: String, word: String)
    /// `-n`, the form of an option of other programs, where no record has the tag `n`.
    case letter(String)

    /// The message for the user.
    public var description: String {
        switch self {
        case .missingCondition("("), .missingCondition(")"):
            "There is no condition between ( and ). Write one, as in ( +shop or +house ). " + Self.literal
        case .missingCondition("not"):
            "A condition is missing after “not”. Write one, as in not +shop. " + Self.literal
        case .missingCondition(let sign):
            "A condition is missing at “\(sign)”. Write one on both sides, as in "
                + "+shop \(sign) +house. " + Self.literal
        case .unpairedParenthesis(let sign):
            "There is a \(sign) without a \(sign == "(" ? ")" : "("). Write both, as in ( +shop or +house ). "
                + Self.literal
        case .tooDeep(let maximum):
            "The filter has more than \(maximum) parentheses or saved filters in each other. Write fewer."
        case .negatedOption(let word):
            "“\(word)” is not a condition, so “not” can't be before it. The reverse order is sort:-due."
        case .limit(let text, let maximum):
            "“limit:\(text)” needs a number of records from 1 to \(maximum), as in limit:20. Without it, a list has its "
                + "usual length."
        case .reversedRange(let range): "The range “\(range)” ends before it begins. Write the smaller value first."
        case .longPattern(let length, let maximum):
            "The regular expression has \(length) characters; at most \(maximum) are allowed. Write a shorter one."
        case .invalidPattern(let pattern):
            "Can't read the regular expression /\(pattern)/: check its parentheses, brackets and repetitions. "
                + Self.literal
        case .refusedPattern(let pattern, let construct):
            "The regular expression /\(pattern)/ contains \(construct): look-around, atomic groups, back-references and "
                + "free-form patterns are refused, since they may take very long. Write several conditions, as in "
                + "/milk/ not:/bread/. " + Self.literal
        case .costlyPattern(let pattern, let seconds):
            "The regular expression /\(pattern)/ takes more than \(seconds) seconds or too much memory, so nothing was done. "
                + "Write a simpler one, without repetitions in each other; save a saved filter that contains it again."
        case .unknownModifier(let modifier, let field, let known):
            "Unknown modifier “.\(modifier)” in “\(field).\(modifier):”. Known modifiers are "
                + "\(known.map { "." + $0 }.joined(conjunction: "and")), as in \(field).is:. " + Self.literal
        case .unknownPresence(let name, let nearest):
            "Unknown field in “has:\(name)”." + (nearest.map { " Did you mean “has:\($0)”?" } ?? "")
                + " For a field of your own, write “has:field.\(name)”. " + Self.literal
        case .equalSign(let name, let value, let word):
            "Write \(name):\(value) instead of “\(word)”. " + Self.literal
        case .letter(let letter):
            "“-\(letter)” is not an option, and no record has the tag “\(letter)”. Write options in full, such as "
                + "--limit 3; for records without the tag, write not:+\(letter)."
        }
    }

    /// The way to search for a word with a meaning.
    static let literal = "To search for the text, write it after --."
}
