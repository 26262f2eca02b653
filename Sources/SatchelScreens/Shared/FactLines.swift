import Terminal

/// A name and what it says, in two columns; what it says is never cut, and wrapped on a page that has a width.
struct Fact {
    let name: String
    let text: String
    let emphasis: Emphasis

    private static let gap = 2

    init(_ name: String, _ text: String, _ emphasis: Emphasis = .none) {
        (self.name, self.text, self.emphasis) = (name, text, emphasis)
    }

    static func lines(_ facts: [Fact], on page: LinePage) -> [String] {
        let facts = facts.filter { !$0.name.isEmpty || !$0.text.isEmpty }
        let indent = (facts.map(\.name.displayWidth).max() ?? 0) + gap
        return facts.flatMap { $0.lines(indent, page) }
    }

    /// The text is in the same line as the name; below it, if a word of it doesn't fit.
    private func lines(_ indent: Int, _ page: LinePage) -> [String] {
        let (name, text) = (name.neutralised(), text.neutralised())
        let label = page.text(name, .faint)
        if text.isEmpty { return [label] }
        let room = page.columns.map { $0 - indent }
        let sameLine = room.map { text.wrapped(to: $0) } ?? [text]
        if let room, let columns = page.columns, sameLine.contains(where: { $0.displayWidth > room }) {
            let below = text.wrapped(to: columns - Self.gap)
            return [label] + below.map { String(repeating: " ", count: Self.gap) + page.text($0, emphasis) }
        }
        let padding = String(repeating: " ", count: max(indent - name.displayWidth, 0))
        return sameLine.enumerated().map { index, line in
            (index == 0 ? label + padding : String(repeating: " ", count: indent)) + page.text(line, emphasis)
        }
    }
}

extension String {
    /// A text of several lines, neutralised; the line feed that ends the last one is no further line.
    var linesToShow: [String] {
        let text = hasSuffix("\n") ? String(dropLast()) : self
        return text.neutralised(keepingLines: true).split(separator: "\n", omittingEmptySubsequences: false).map(
            String.init)
    }
}
