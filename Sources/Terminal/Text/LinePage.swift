/// What lines are laid out for: a width, and whether they may be emphasised.
public struct LinePage: Sendable, Equatable {
    /// The columns of the terminal; nil when the output is a file or a pipe, where nothing is cut.
    public let columns: Int?
    /// The rows of the screen, beyond which a text is shown in the person's pager; nil where there is none.
    public let rows: Int?
    /// Whether emphasis is written; else the text alone.
    public let isColoured: Bool

    /// A page; plain and endless unless stated.
    public init(columns: Int? = nil, rows: Int? = nil, isColoured: Bool = false) {
        self.columns = columns
        self.rows = rows
        self.isColoured = isColoured
    }

    /// The text in lines that fit the page, neutralised and broken between words.
    ///
    /// - Parameter indent: How far all lines are indented.
    public func lines(_ text: String, _ emphasis: Emphasis = .none, indent: Int = 0) -> [String] {
        (String(repeating: " ", count: indent) + text.neutralised()).wrapped(to: columns, hanging: indent)
            .map { self.text($0, emphasis) }
    }

    /// The text with an emphasis, if the page has any. The text must be neutralised already.
    public func text(_ text: String, _ emphasis: Emphasis) -> String {
        guard isColoured, let code = emphasis.code, !text.isEmpty else { return text }
        return "\u{1B}[\(code)m\(text)\u{1B}[0m"
    }
}

/// How a piece of text is emphasised.
public enum Emphasis: Sendable, Equatable {
    /// Not at all.
    case none
    /// Bold: headings.
    case strong
    /// Bold and underlined: what was searched for.
    case found
    /// Dim: what can be overlooked.
    case faint
    /// Green: done, in step.
    case good
    /// Yellow: soon due, waiting.
    case warning
    /// Red: overdue, failed.
    case bad

    /// The parameters of SGR (ECMA-48 section 8.3.117).
    fileprivate var code: String? {
        switch self {
        case .none: nil
        case .strong: "1"
        case .found: "1;4"
        case .faint: "2"
        case .good: "32"
        case .warning: "33"
        case .bad: "31"
        }
    }
}
