internal import CMarkGFM
internal import Locking

/// A Markdown document (CommonMark 0.29 with the tables, check boxes and strikethrough of GitHub), parsed with cmark-gfm.
///
///     let document = MarkdownDocument("# Plan\n\n- [ ] Buy seeds")
///     document?.blocks  // [.heading(1, [.text("Plan")]), .list(…)]
public struct MarkdownDocument: Sendable, Equatable {
    /// The blocks of the document.
    public let blocks: [MarkdownBlock]

    /// Parses a text; nil if it exceeds ``MarkdownLimits``. Such a text must be shown as it is.
    public init?(_ text: String) {
        guard MarkdownLimits.allow(text), let blocks = Self.parser.withLock({ $0.blocks(of: text) }) else { return nil }
        self.blocks = blocks
    }

    /// The parser. Behind a lock: it changes tables of the library that all documents share.
    private static let parser = Locked(Parser())
}

/// The parser of the library, with its extensions.
private struct Parser: Sendable {
    private static let extensions = ["table", "strikethrough", "tasklist"]

    init() { cmark_gfm_core_extensions_ensure_registered() }

    /// Returns the blocks of a text; nil: they are nested too deeply, or there is not enough memory.
    func blocks(of text: String) -> [MarkdownBlock]? {
        guard let parser = cmark_parser_new(CMARK_OPT_DEFAULT) else { return nil }
        defer { cmark_parser_free(parser) }
        for name in Self.extensions {
            if let found = cmark_find_syntax_extension(name) {
                cmark_parser_attach_syntax_extension(parser, found)
            }
        }
        var text = text
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { cmark_parser_feed(parser, $0.baseAddress, $0.count) }
        }
        guard let root = cmark_parser_finish(parser) else { return nil }
        defer { cmark_node_free(root) }
        cmark_consolidate_text_nodes(root)
        // An error means that the blocks are nested too deeply; then the text is shown as it is.
        return try? Node(root).blocks(depth: 0)
    }
}

/// The blocks or pieces of a document are nested too deeply.
private struct TooDeep: Error {}

/// A node of the library's tree.
private struct Node {
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    private var type: String { cmark_node_get_type_string(pointer).map { String(cString: $0) } ?? "" }
    private var literal: String { cmark_node_get_literal(pointer).map { String(cString: $0) } ?? "" }
    private var address: String { cmark_node_get_url(pointer).map { String(cString: $0) } ?? "" }

    private var children: [Node] {
        var children: [Node] = []
        var next = cmark_node_first_child(pointer)
        while let child = next {
            children.append(Node(child))
            next = cmark_node_next(child)
        }
        return children
    }

    private static func deeper(_ depth: Int) throws(TooDeep) -> Int {
        guard depth < MarkdownLimits.depth else { throw TooDeep() }
        return depth + 1
    }

    // MARK: Blocks

    /// Returns the blocks in the node.
    func blocks(depth: Int) throws(TooDeep) -> [MarkdownBlock] {
        let depth = try Self.deeper(depth)
        var blocks: [MarkdownBlock] = []
        for child in children { blocks.append(try child.block(depth)) }
        return blocks
    }

    private func block(_ depth: Int) throws(TooDeep) -> MarkdownBlock {
        switch type {
        case "heading": .heading(Int(cmark_node_get_heading_level(pointer)), try inlines(depth))
        case "block_quote": .quote(try blocks(depth: depth))
        case "list": .list(try items(depth), start: start)
        case "code_block": .code(literal)
        case "thematic_break": .rule
        case "table": .table(try rows(depth))
        case "html_block": .html(literal)
        default: .paragraph(try inlines(depth))
        }
    }

    private var start: Int? {
        cmark_node_get_list_type(pointer) == CMARK_ORDERED_LIST ? Int(cmark_node_get_list_start(pointer)) : nil
    }

    private func items(_ depth: Int) throws(TooDeep) -> [MarkdownBlock.Item] {
        var items: [MarkdownBlock.Item] = []
        for item in children {
            let isTask = item.type == "tasklist"
            items.append(
                MarkdownBlock.Item(
                    try item.blocks(depth: depth),
                    isChecked: isTask ? cmark_gfm_extensions_get_tasklist_item_checked(item.pointer) : nil,
                    line: Int(cmark_node_get_start_line(item.pointer))))
        }
        return items
    }

    private func rows(_ depth: Int) throws(TooDeep) -> [[[MarkdownInline]]] {
        var rows: [[[MarkdownInline]]] = []
        for row in children {
            var cells: [[MarkdownInline]] = []
            for cell in row.children { cells.append(try cell.inlines(depth)) }
            rows.append(cells)
        }
        return rows
    }

    // MARK: Text

    private func inlines(_ depth: Int) throws(TooDeep) -> [MarkdownInline] {
        let depth = try Self.deeper(depth)
        var inlines: [MarkdownInline] = []
        for child in children { inlines.append(try child.inline(depth)) }
        return inlines
    }

    private func inline(_ depth: Int) throws(TooDeep) -> MarkdownInline {
        switch type {
        case "code": .code(literal)
        case "emph": .emphasis(try inlines(depth))
        case "strong": .strong(try inlines(depth))
        case "strikethrough": .deleted(try inlines(depth))
        case "link": .link(try inlines(depth), address: address)
        case "image": .image(try inlines(depth), address: address)
        case "softbreak", "linebreak": .lineEnd
        case "html_inline": .html(literal)
        default: .text(literal)
        }
    }
}
