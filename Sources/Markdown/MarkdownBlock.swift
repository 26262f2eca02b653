/// A block of a Markdown document. New cases may be added.
public indirect enum MarkdownBlock: Sendable, Equatable {
    /// A heading with its level, 1 to 6.
    case heading(Int, [MarkdownInline])
    /// A paragraph.
    case paragraph([MarkdownInline])
    /// A quotation.
    case quote([MarkdownBlock])
    /// A list. `start`: the number of the first item; nil: the items have no numbers.
    case list([Item], start: Int?)
    /// Code as typed, with line feeds.
    case code(String)
    /// A line between two parts.
    case rule
    /// A table: the cells of its rows, the first of which is the head.
    case table([[[MarkdownInline]]])
    /// HTML as typed. It is text: renderers must not interpret it.
    case html(String)

    /// An item of a list.
    public struct Item: Sendable, Equatable {
        /// Its content.
        public let blocks: [MarkdownBlock]
        /// The state of its check box; nil: it has none.
        public let isChecked: Bool?
        /// The number of its first line in the source, from 1.
        public let line: Int

        /// Creates an item.
        public init(_ blocks: [MarkdownBlock], isChecked: Bool? = nil, line: Int) {
            (self.blocks, self.isChecked, self.line) = (blocks, isChecked, line)
        }
    }
}

/// A piece of text in a Markdown document. New cases may be added.
public indirect enum MarkdownInline: Sendable, Equatable {
    /// Plain text.
    case text(String)
    /// Code as typed.
    case code(String)
    /// Emphasized text.
    case emphasis([MarkdownInline])
    /// Strongly emphasized text.
    case strong([MarkdownInline])
    /// Deleted text.
    case deleted([MarkdownInline])
    /// A link, with its address as typed: renderers must check its scheme.
    case link([MarkdownInline], address: String)
    /// An image, with its description and its address as typed. Renderers must not load it.
    case image([MarkdownInline], address: String)
    /// The end of a line in the source, or a line break.
    case lineEnd
    /// HTML as typed. It is text: renderers must not interpret it.
    case html(String)
}
