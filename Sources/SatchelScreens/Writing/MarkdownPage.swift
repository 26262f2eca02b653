import Controllers
import Markdown
import Records
import WebPageView

/// Markdown as HTML of the page. Every text is escaped, HTML in the source too. Links lead to records, and to addresses
/// of the schemes http, https and mailto; images are links.
struct MarkdownPage {
    private let facts: BodyFacts
    private var html = ""

    /// The id of the form that the buttons of check boxes submit.
    static let checkForm = "form-check"
    private static let schemes = ["http://", "https://", "mailto:"]

    /// Returns the HTML of a body. A text that exceeds the limits is escaped as it is.
    static func html(of body: String, links: [DetailScreen.State.Link]) -> String {
        let facts = BodyFacts(body, links)
        guard let document = facts.document else {
            return "<div class=\"as-typed\">\(body.escaped(sanitizing: true))</div>"
        }
        var page = MarkdownPage(facts: facts)
        page.add(document.blocks)
        return page.html
    }

    private init(facts: BodyFacts) { self.facts = facts }

    // MARK: Blocks

    private mutating func add(_ blocks: [MarkdownBlock]) {
        for block in blocks { add(block) }
    }

    private mutating func add(_ block: MarkdownBlock) {
        switch block {
        case .heading(let level, let inlines):
            // The page's own headings are the first and the second level.
            element("h\(min(level + 2, 6))") { $0.add(inlines) }
        case .paragraph(let inlines): element("p") { $0.add(inlines) }
        case .quote(let blocks): element("blockquote") { $0.add(blocks) }
        case .list(let items, let start): add(items, start)
        case .code(let code), .html(let code): html += "<pre>\(code.escaped(sanitizing: true))</pre>"
        case .rule: html += "<hr>"
        case .table(let rows):
            element("table") { page in
                for (index, cells) in rows.enumerated() {
                    page.element("tr") { row in
                        for cell in cells { row.element(index == 0 ? "th" : "td") { $0.add(cell) } }
                    }
                }
            }
        }
    }

    private mutating func add(_ items: [MarkdownBlock.Item], _ start: Int?) {
        html += start.map { $0 == 1 ? "<ol>" : "<ol start=\"\($0)\">" } ?? "<ul>"
        for item in items {
            html += item.isChecked == nil ? "<li>" : "<li class=\"task\">"
            if let isChecked = item.isChecked { html += box(isChecked, facts.box(of: item)) }
            // The text of an item needs no paragraph if it is the only one.
            for (index, block) in item.blocks.enumerated() {
                if index == 0, case .paragraph(let inlines) = block { add(inlines) } else { add(block) }
            }
            html += "</li>"
        }
        html += start == nil ? "</ul>" : "</ol>"
    }

    /// Returns the button of a check box; without a number, only its state.
    private func box(_ isChecked: Bool, _ number: Int?) -> String {
        let sign = isChecked ? "☑" : "☐"
        guard let number else { return "<span>\(sign)</span> " }
        return "<button type=\"submit\" class=\"box\" form=\"\(Self.checkForm)\" name=\"boxes\" value=\"\(number)\" "
            + "aria-pressed=\"\(isChecked)\" aria-label=\"Check box \(number)\">\(sign)</button> "
    }

    private mutating func element(_ name: String, _ content: (inout MarkdownPage) -> Void) {
        html += "<\(name)>"
        content(&self)
        html += "</\(name)>"
    }

    // MARK: Text

    private mutating func add(_ inlines: [MarkdownInline]) {
        for inline in inlines { add(inline) }
    }

    private mutating func add(_ inline: MarkdownInline) {
        switch inline {
        case .text(let text):
            for piece in facts.pieces(of: text) {
                let text = piece.text.escaped(sanitizing: true)
                html += piece.link.map { "<a href=\"\(Self.address(of: $0.id))\">\(text)</a>" } ?? text
            }
        case .code(let code): html += "<code>\(code.escaped(sanitizing: true))</code>"
        case .emphasis(let inlines): element("em") { $0.add(inlines) }
        case .strong(let inlines): element("strong") { $0.add(inlines) }
        case .deleted(let inlines): element("del") { $0.add(inlines) }
        case .link(let inlines, let address), .image(let inlines, let address):
            guard Self.isSafe(address) else { return add(inlines) }
            html += "<a rel=\"noreferrer\" href=\"\(address.escaped(sanitizing: true))\">"
            // An image without a description shows its address.
            if inlines.isEmpty { html += address.escaped(sanitizing: true) } else { add(inlines) }
            html += "</a>"
        case .lineEnd: html += "<br>"
        case .html(let source): html += source.escaped(sanitizing: true)
        }
    }

    /// Returns the escaped address of the page of a record.
    private static func address(of id: String) -> String {
        PageAddress(screen: DetailScreen.name, Parameters([("record", id)])).text.escaped(sanitizing: true)
    }

    /// Returns whether an address may be a link: `javascript:` and the like may not.
    private static func isSafe(_ address: String) -> Bool {
        let start = address.lowercased()
        return schemes.contains { start.hasPrefix($0) }
    }
}
