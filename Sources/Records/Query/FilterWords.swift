/// The words of a filter in two parts: those with a syntax such as `+tag` and `due<eow`, and the words after `--`,
/// which are searched for literally.
public struct FilterWords: Sendable, Equatable {
    /// The words before `--`.
    public var terms: [String]
    /// The words after `--`.
    public var texts: [String]

    /// Splits a filter's words at `--`.
    public init(_ words: [String]) {
        terms = Array(words.prefix { $0 != "--" })
        texts = Array(words.dropFirst(terms.count + 1))
    }

    /// The words as one filter.
    public var words: [String] { terms + (texts.isEmpty ? [] : ["--"] + texts) }

    /// The conjunction of both filters: every condition of both must hold.
    public static func + (left: Self, right: Self) -> Self {
        var sum = left
        sum.terms += right.terms
        sum.texts += right.texts
        return sum
    }
}

/// A typed word, classified by its form: `+tag`, `-tag`, `name:value`, `name<value`, or plain.
///
/// The line has been cut into words before, quotes removed: `"due:next friday"` is one word.
enum Token: Equatable {
    case tag(String)
    case withoutTag(String)
    case attribute(name: String, relation: Relation, value: String)
    case word(String)

    init(_ text: String) {
        if let first = text.first, first == "+" || first == "-", let second = text.dropFirst().first,
            second.isLetter || second == "_", Self.attribute(text.dropFirst()) == nil
        {
            self = first == "+" ? .tag(String(text.dropFirst())) : .withoutTag(String(text.dropFirst()))
        } else {
            self = Self.attribute(text[...]) ?? .word(text)
        }
    }

    /// Letters, perhaps with dots, then a sign. What follows `http:` and the like is a word: a name is asked for first.
    private static func attribute(_ text: Substring) -> Token? {
        let name = text.prefix { $0.isASCII && $0.isLetter || $0 == "." || $0 == "_" }
        let rest = text.dropFirst(name.count)
        guard !name.isEmpty, let relation = Relation.allCases.first(where: { rest.hasPrefix($0.rawValue) }) else {
            return nil
        }
        return .attribute(
            name: String(name), relation: relation, value: String(rest.dropFirst(relation.rawValue.count)))
    }
}

/// How a field must compare with a value.
public enum Relation: String, Sendable, CaseIterable {
    /// `due<=eow`: at that moment or before. Longer signs come first, so that they are found first.
    case atMost = "<="
    /// `due>=eow`: at that moment or after.
    case atLeast = ">="
    /// `due<eow`: before that moment.
    case less = "<"
    /// `due>eow`: after that moment; after the whole day, where a day is named.
    case greater = ">"
    /// `due:today`: then; the whole day, where a day is named.
    case equal = ":"
}
