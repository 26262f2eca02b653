/// User-defined names for commands: `urgent` for `list priority:H`.
public struct CommandAliases: Sendable, Equatable {
    private let meanings: [String: [String]]

    /// Creates aliases from the words of the command that each name means.
    public init(_ meanings: [String: [String]] = [:]) { self.meanings = meanings }

    /// The names, sorted.
    var names: [String] { meanings.keys.sorted() }

    /// Returns the words of the command that a name means; nil: it isn't an alias.
    func meaning(of name: String) -> [String]? { meanings[name] }

    /// Returns a line with an alias at its beginning replaced by the words that it means. These may begin with another
    /// alias.
    public func expanded(_ words: [String]) -> [String] {
        var words = words
        // Each alias is expanded at most once, so a cycle ends.
        var replaced: Set<String> = []
        while let name = words.first, let meaning = meanings[name], replaced.insert(name).inserted {
            words = meaning + words.dropFirst()
        }
        return words
    }

    /// Returns the names that replace each other without end, beginning with this one; nil: there is no such cycle.
    func cycle(from name: String) -> [String]? {
        var chain = [name]
        while let next = chain.last.flatMap({ meanings[$0]?.first }), meanings[next] != nil {
            if next == name { return chain + [name] }
            // A cycle that doesn't contain the name is that of another one.
            if chain.contains(next) { return nil }
            chain.append(next)
        }
        return nil
    }
}

/// An alias that can't be used.
public struct RefusedAlias: Sendable, Equatable {
    /// Its name.
    public let name: String
    /// The reason, as a sentence without a capital letter.
    public let reason: String
}
