import Controllers
import Markdown
import Terminal

/// Markdown as lines of a terminal. Line ends of the source are kept, so that a text that isn't Markdown looks as it was
/// typed.
struct MarkdownLines {
    private let facts: BodyFacts
    private let page: LinePage

    /// Returns the lines of a body; nil: its text must be shown as it is.
    static func lines(of body: String, links: [DetailScreen.State.Link], on page: LinePage) -> [String]? {
        let facts = BodyFacts(body, links)
        guard let document = facts.document else { return nil }
        return MarkdownLines(facts: facts, page: page).lines(document.blocks, first: Margin(), others: Margin())
    }

    private init(facts: BodyFacts, page: LinePage) { (self.facts, self.page) = (facts, page) }

    /// Returns the lines of blocks, with an empty line between two of them unless they belong to a list.
    ///
    /// - Parameters:
    ///   - first: The beginning of the first line.
    ///   - others: The beginning of all further lines.
    private func lines(
        _ blocks: [MarkdownBlock], first: Margin, others: Margin, isTight: Bool = false
    ) -> [String] {
        var lines: [String] = []
        for block in blocks {
            if !lines.isEmpty, !isTight { lines.append(others.end) }
            lines += self.lines(block, first: lines.isEmpty ? first : others, others: others)
        }
        return lines.isEmpty ? [first.end] : lines
    }

    private func lines(_ block: MarkdownBlock, first: Margin, others: Margin) -> [String] {
        switch block {
        case .heading(let level, let inlines):
            let marker = level > 1 ? String(repeating: "#", count: level) + " " : ""
            return styled([.text(marker)] + inlines, .strong).lines(on: page, first: first, others: others)
        case .paragraph(let inlines): return styled(inlines).lines(on: page, first: first, others: others)
        case .quote(let blocks):
            return lines(
                blocks, first: first.adding("│ ", .faint, on: page), others: others.adding("│ ", .faint, on: page))
        case .list(let items, let start): return list(items, start, first: first, others: others)
        case .code(let code), .html(let code):
            return code.linesToShow.enumerated().map { index, line in
                (index == 0 ? first : others).text + "  " + page.text(line, .faint)
            }
        case .rule: return [first.text + page.text("────────", .faint)]
        case .table(let rows): return table(rows, first: first, others: others)
        }
    }

    private func list(_ items: [MarkdownBlock.Item], _ start: Int?, first: Margin, others: Margin) -> [String] {
        items.enumerated().flatMap { index, item in
            let marker = self.marker(of: item, start.map { $0 + index })
            let isTight = item.blocks.allSatisfy { block in
                switch block {
                case .paragraph, .list: true
                case .heading, .quote, .code, .rule, .table, .html: false
                }
            }
            return lines(
                item.blocks, first: (index == 0 ? first : others).adding(marker, .faint, on: page),
                others: others.adding(String(repeating: " ", count: marker.displayWidth), on: page), isTight: isTight)
        }
    }

    /// Returns the list marker of an item: the number and the state of a check box, a number, or a bullet.
    private func marker(of item: MarkdownBlock.Item, _ number: Int?) -> String {
        if let isChecked = item.isChecked {
            // The number is that of `check`.
            return (facts.box(of: item).map { "\($0) " } ?? "") + (isChecked ? "[x] " : "[ ] ")
        }
        return number.map { "\($0). " } ?? "• "
    }

    private func table(_ rows: [[[MarkdownInline]]], first: Margin, others: Margin) -> [String] {
        rows.enumerated().flatMap { index, cells in
            var line = StyledLine()
            for (index, cell) in cells.enumerated() {
                if index > 0 { line.add(" | ", .faint) }
                add(cell, to: &line, index == 0 ? .strong : .none)
            }
            return line.lines(on: page, first: index == 0 ? first : others, others: others)
        }
    }

    // MARK: Text

    private func styled(_ inlines: [MarkdownInline], _ emphasis: Emphasis = .none) -> StyledLine {
        var line = StyledLine()
        add(inlines, to: &line, emphasis)
        return line
    }

    private func add(_ inlines: [MarkdownInline], to line: inout StyledLine, _ emphasis: Emphasis) {
        for inline in inlines { add(inline, to: &line, emphasis) }
    }

    private func add(_ inline: MarkdownInline, to line: inout StyledLine, _ emphasis: Emphasis) {
        switch inline {
        case .text(let text):
            for piece in facts.pieces(of: text) {
                guard let link = piece.link else {
                    line.add(piece.text, emphasis)
                    continue
                }
                line.add(piece.text, .found)
                // With the id, since a terminal has nothing to click.
                line.add(" (\(link.prefix))", .faint)
            }
        case .code(let code): line.add(code, .faint)
        case .emphasis(let inlines), .strong(let inlines): add(inlines, to: &line, .strong)
        case .deleted(let inlines):
            line.add("~~", .faint)
            add(inlines, to: &line, .faint)
            line.add("~~", .faint)
        case .link(let inlines, let address): add(inlines, address, to: &line, emphasis)
        case .image(let inlines, let address): add(inlines, address, to: &line, emphasis)
        case .lineEnd: line.endLine()
        case .html(let html): line.add(html, .faint)
        }
    }

    private func add(
        _ inlines: [MarkdownInline], _ address: String, to line: inout StyledLine, _ emphasis: Emphasis
    ) {
        add(inlines, to: &line, emphasis)
        // An address that is its own text, as in `<https://a.org>`, is written once.
        if inlines != [.text(address)], !address.isEmpty { line.add(" <\(address)>", .faint) }
    }
}
