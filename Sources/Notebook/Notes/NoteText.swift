internal import Records

/// The text of a new note as a user types it: the title in the first line, with or without a heading marker, and
/// below it the body. Pure.
public struct NoteText: Sendable, Equatable {
    /// The title; nil: the text is empty.
    public let title: String?
    /// The body; nil: there is none.
    public let body: String?

    /// Creates the text of a note.
    public init(title: String?, body: String?) { (self.title, self.body) = (title, body) }

    /// Parses a text. Empty lines before and below the title, and at the end, are omitted.
    public init(_ text: String) {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let isBlank = { (line: Substring) in line.allSatisfy(\.isWhitespace) }
        let rest = lines.drop(while: isBlank)
        let heading = rest.first?.drop { $0.isWhitespace }.drop { $0 == "#" } ?? ""
        let named = heading.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed()
        let below = rest.dropFirst().drop(while: isBlank).reversed().drop(while: isBlank).reversed()
        title = named.isEmpty ? nil : String(named)
        body = below.isEmpty ? nil : below.joined(separator: "\n")
    }

    /// The text in an editor: a heading, an empty line, and the body.
    public var editable: String {
        "# " + (title ?? "") + "\n\n" + (body.map { $0.hasSuffix("\n") ? $0 : $0 + "\n" } ?? "")
    }

    /// Returns the text of a template for a note: `{{title}}` is replaced by the title, and `{{date}}` by the day.
    public static func filled(_ template: String, title: String, day: String) -> String {
        // The date first: a title that contains `{{date}}` stays as it is.
        template.replacing("{{date}}", with: day).replacing("{{title}}", with: title)
    }
}

/// Where text is added to an existing text. New cases may be added.
public enum TextPosition: Sendable {
    /// Before its first line.
    case start
    /// Below its last line.
    case end

    /// Returns a text with another one at this position, in lines of its own.
    func adding(_ added: String, to text: String) -> String {
        if text.isEmpty { return added }
        let (first, second) = self == .start ? (added, text) : (text, added)
        return first.hasSuffix("\n") ? first + second : first + "\n" + second
    }
}
