internal import Records

/// A line of todo.txt in the parts of the format's description (github.com/todotxt/todo.txt), not yet interpreted: `x
/// (A) 2026-11-22 2026-11-21 the words +project @context key:value`.
struct TodoTxtLine: Equatable {
    /// Whether the line begins with `x `.
    var isCompleted = false
    /// The letter of `(A) `, A to Z.
    var priority: String?
    /// The day of completion, `2026-11-22`; only a completed task has one.
    var completion: String?
    /// The day of creation, `2026-11-21`.
    var creation: String?
    /// The words after that, split at each space.
    var words: [String] = []

    /// Creates an empty line.
    init() {}

    /// Parses a line; every text is valid.
    init(_ text: String) {
        var rest = text[...]
        if rest.hasPrefix("x ") {
            isCompleted = true
            rest = rest.dropFirst(2)
        }
        priority = Self.readPriority(&rest)
        let first = Self.readDay(&rest)
        if isCompleted {
            completion = first
            // In a completed line, the first day is that of completion, and a second one that of creation.
            creation = first == nil ? nil : Self.readDay(&rest)
        } else {
            creation = first
        }
        words = rest.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    }

    /// The line.
    var text: String {
        let front = [isCompleted ? "x" : nil, priority.map { "(\($0))" }, completion, creation].compactMap(\.self)
        return (front + words).joined(separator: " ")
    }

    private static func readPriority(_ rest: inout Substring) -> String? {
        let front = Array(rest.unicodeScalars.prefix(4))
        guard front.count == 4, front[0] == "(", ("A"..."Z").contains(front[1]), front[2] == ")", front[3] == " " else {
            return nil
        }
        rest = rest.dropFirst(4)
        return String(front[1])
    }

    private static func readDay(_ rest: inout Substring) -> String? {
        let word = rest.prefix { $0 != " " }
        guard word.utf8.count == 10, Timestamp(word + "T00:00:00Z") != nil else { return nil }
        rest = rest.dropFirst(word.count + 1)
        return String(word)
    }
}

/// A word with a meaning for its task: `+project`, `@context`, `key:value`.
enum TodoTxtToken: Equatable {
    case project(String)
    case context(String)
    case pair(key: String, value: String)

    /// Parses a word; nil for a word of the text, such as `12:30`, `Re:` or `https://…`.
    init?(_ word: String) {
        if word.first == "+" || word.first == "@", word.unicodeScalars.count > 1 {
            let name = String(word.unicodeScalars.dropFirst())
            self = word.first == "+" ? .project(name) : .context(name)
            return
        }
        guard let colon = word.firstIndex(of: ":") else { return nil }
        let (key, value) = (String(word[..<colon]), String(word[word.index(after: colon)...]))
        guard Self.isKey(key), !value.isEmpty, !value.hasPrefix("//") else { return nil }
        self = .pair(key: key, value: value)
    }

    /// Returns whether a text can be a key before a colon: a letter, then letters, digits, `-`, `_` and `.`, all ASCII.
    static func isKey(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, first.isASCII, first.properties.isAlphabetic else { return false }
        return text.unicodeScalars.allSatisfy {
            $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || "-_.".unicodeScalars.contains($0))
        }
    }

    /// Returns whether a text can be written in a token: one word, in one line.
    static func isWord(_ text: String) -> Bool {
        !text.isEmpty && !text.unicodeScalars.contains { $0.properties.isWhitespace || $0.value < 0x20 }
    }
}
