/// A part of a filter as typed. The names of saved filters are replaced by their parts before a ``Query`` is created.
/// New cases may be added.
public enum FilterPart: Sendable, Equatable {
    /// A condition such as `+tag`, or an option such as `sort:due`.
    case word(String)
    /// A word after `--`, which is searched for literally.
    case text(String)
    /// An operator that combines conditions.
    case `operator`(Operator)
    /// Parts in parentheses of their own.
    case group([FilterPart])
    /// The name of a saved filter, without `@`, and its parts; nil: they were not looked up.
    case saved(String, [FilterPart]?)

    /// The operators that combine conditions. New cases may be added.
    public enum Operator: String, Sendable {
        /// One of both conditions must hold.
        case or
        /// Just one of both conditions must hold.
        case xor
        /// Both conditions must hold, as without an operator.
        case and
        /// The next condition must not hold.
        case not
        /// The beginning of a group.
        case open = "("
        /// The end of a group.
        case close = ")"
    }

    /// Splits the words of a filter or of a search into parts. In a search only `@name` has a meaning here, also after
    /// `not:` or `-`; `or`, `xor`, `and`, `not` and parentheses are searched for.
    public static func parts(of words: [String], isSearch: Bool = false) -> [FilterPart] {
        let terms = words.prefix { $0 != "--" }
        let texts = words.dropFirst(terms.count + 1).filter { !$0.isEmpty }.map { FilterPart.text($0) }
        let parts = terms.flatMap { isSearch ? searched($0) : filtered($0) }
        // In `+a or +b -- milk`, the text is a condition for both.
        return isSearch || parts.isEmpty || texts.isEmpty ? parts + texts : [.group(parts)] + texts
    }

    /// Returns whether this is a valid name of a saved filter: a letter, then letters, digits, `-`, `_` and `.`, at most 64 in all.
    public static func isName(_ name: String) -> Bool {
        // The bytes are limited, too: a character may have any number of combining marks.
        guard let first = name.first, first.isLetter, name.count <= 64, name.utf8.count <= 256 else { return false }
        return name.allSatisfy { $0.isLetter || $0.isNumber || "-_.".contains($0) }
    }

    /// Splits a word of a filter: `(+a`, `not:@name`, `+b)`. In a shell, a whole group may be one word in quotes.
    private static func filtered(_ word: String) -> [FilterPart] {
        let isGroup = ["(", "-(", "not:("].contains { word.hasPrefix($0) } && word.hasSuffix(")")
        return isGroup && word.contains(where: \.isWhitespace) ? split(word).flatMap(simple) : simple(word)
    }

    private static func simple(_ word: String) -> [FilterPart] {
        var (rest, parts) = (word[...], [FilterPart]())
        while true {
            if rest.hasPrefix("(") {
                parts.append(.operator(.open))
                rest = rest.dropFirst()
            } else if let length = negation(rest), rest.hasPrefix("not:") || isGroupOrName(rest.dropFirst(length)) {
                parts.append(.operator(.not))
                rest = rest.dropFirst(length)
            } else {
                break
            }
        }
        // `title:f(x)` keeps its parentheses.
        var surplus = rest.count { $0 == ")" } - rest.count { $0 == "(" }
        var ends: [FilterPart] = []
        while surplus > 0, rest.last == ")" {
            rest = rest.dropLast()
            ends.append(.operator(.close))
            surplus -= 1
        }
        if rest.isEmpty { return parts + ends }
        parts.append(operatorPart(rest) ?? savedName(rest).map { FilterPart.saved($0, nil) } ?? .word(String(rest)))
        return parts + ends
    }

    private static func searched(_ word: String) -> [FilterPart] {
        var (rest, operators) = (word[...], [FilterPart]())
        while let length = negation(rest) {
            operators.append(.operator(.not))
            rest = rest.dropFirst(length)
        }
        guard let name = savedName(rest) else { return [.word(word)] }
        return operators + [.saved(name, nil)]
    }

    /// Returns `or`, `xor`, `and` or `not`, in small or in capital letters.
    private static func operatorPart(_ word: Substring) -> FilterPart? {
        let isOneCase = word == word.lowercased() || word == word.uppercased()
        return isOneCase ? Operator(rawValue: word.lowercased()).map { .operator($0) } : nil
    }

    /// Returns the length of a negation at the beginning of a word.
    private static func negation(_ word: Substring) -> Int? {
        word.hasPrefix("not:") ? 4 : word.hasPrefix("-") ? 1 : nil
    }

    private static func isGroupOrName(_ word: Substring) -> Bool { word.hasPrefix("(") || savedName(word) != nil }

    private static func savedName(_ word: Substring) -> String? {
        let name = String(word.dropFirst())
        return word.hasPrefix("@") && isName(name) ? name : nil
    }

    /// Splits a text at white space outside of quotation marks, which are removed.
    public static func split(_ text: String) -> [String] {
        var (words, word, isQuoted) = ([String](), "", false)
        for character in text {
            if character == "\"" {
                isQuoted.toggle()
            } else if character.isWhitespace, !isQuoted {
                words.append(word)
                word = ""
            } else {
                word.append(character)
            }
        }
        return words + [word]
    }
}

extension [FilterPart] {
    /// Returns the parts with the values of references, such as `depends:1,2`, replaced by ids.
    ///
    /// - Parameter id: Returns the id of the record that a text names; nil: it names none.
    public func resolvingReferences(
        in catalog: FieldCatalog, _ id: (String) throws -> String?
    ) rethrows -> [FilterPart] {
        try map { part in
            switch part {
            case .group(let group): return .group(try group.resolvingReferences(in: catalog, id))
            case .text, .operator, .saved: return part
            case .word(let word):
                guard case .attribute(let name, let relation, let value) = Token(word),
                    catalog.field(typed: name)?.kind.isReference == true
                else { return part }
                let ids = try value.split(separator: ",").map { try id(String($0)) ?? String($0) }
                return ids.isEmpty ? part : .word("\(name)\(relation.rawValue)\(ids.joined(separator: ","))")
            }
        }
    }

    /// Returns the parts with the names of saved filters replaced.
    ///
    /// - Parameter parts: Returns the parts of the filter with a name.
    public func replacingNames(_ parts: (String) throws -> [FilterPart]) rethrows -> [FilterPart] {
        var replaced: [FilterPart] = []
        for part in self {
            switch part {
            case .saved(let name, nil): replaced.append(.saved(name, try parts(name)))
            case .group(let group): replaced.append(.group(try group.replacingNames(parts)))
            case .word, .text, .operator, .saved: replaced.append(part)
            }
        }
        return replaced
    }
}
