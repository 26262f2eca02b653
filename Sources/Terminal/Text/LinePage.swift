/// The properties of an output for the layout of lines.
public struct LinePage: Sendable, Equatable {
    /// The columns of the terminal; nil: the output is a file or a pipe, where nothing is cut.
    public let columns: Int?
    /// The rows of the screen, beyond which a text is shown in the person's pager; nil: no pager is used.
    public let rows: Int?
    /// Whether emphasis is written.
    public let isColoured: Bool
    /// Whether block characters such as `█` can be drawn; otherwise bars are drawn in ASCII.
    public let drawsBlocks: Bool
    /// The colours of the emphasis.
    public let theme: Theme

    /// Creates a page; by default plain and unlimited.
    public init(
        columns: Int? = nil, rows: Int? = nil, isColoured: Bool = false, drawsBlocks: Bool = true, theme: Theme = .basic
    ) {
        self.columns = columns
        self.rows = rows
        self.isColoured = isColoured
        self.drawsBlocks = drawsBlocks
        self.theme = theme
    }

    /// Returns a text as lines that fit the page, sanitized and broken between words.
    ///
    /// - Parameter indent: The indentation of all lines, in columns.
    public func lines(_ text: String, _ emphasis: Emphasis = .none, indent: Int = 0) -> [String] {
        (String(repeating: " ", count: indent) + text.sanitizedLine).wrapped(to: columns, hanging: indent)
            .map { self.text($0, emphasis) }
    }

    /// Returns the text with an emphasis, if the page is coloured. The text must already be sanitized.
    public func text(_ text: String, _ emphasis: Emphasis) -> String {
        guard isColoured, let code = theme.code(of: emphasis), !text.isEmpty else { return text }
        return "\u{1B}[\(code)m\(text)\u{1B}[0m"
    }
}

/// The emphasis of a piece of text. New cases may be added.
public enum Emphasis: Sendable, Equatable {
    /// No emphasis.
    case none
    /// Bold: headings.
    case strong
    /// Bold and underlined: matches of a search.
    case found
    /// Dim: secondary text.
    case faint
    /// Green: done, in sync.
    case good
    /// Yellow: soon due, waiting.
    case warning
    /// Red: overdue, failed.
    case bad
}
