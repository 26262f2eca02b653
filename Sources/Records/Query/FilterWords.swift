/// The words of a filter in two parts: those in which signs such as `+tag` and `due<eow` mean something, and behind `--` those
/// that are looked for as they are.
public struct FilterWords: Sendable, Equatable {
    /// The words before `--`.
    public var terms: [String]
    /// The words behind it.
    public var texts: [String]

    /// Takes a filter's words apart.
    public init(_ words: [String]) {
        terms = Array(words.prefix { $0 != "--" })
        texts = Array(words.dropFirst(terms.count + 1))
    }

    /// The words as one filter.
    public var words: [String] { terms + (texts.isEmpty ? [] : ["--"] + texts) }

    /// Both filters as one: all of either must hold.
    public static func + (left: Self, right: Self) -> Self {
        var sum = left
        sum.terms += right.terms
        sum.texts += right.texts
        return sum
    }
}
