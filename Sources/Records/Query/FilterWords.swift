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
