/// A name and what it says, in two columns; what it says is never cut.
struct Fact {
    let name: String
    let text: String
    let emphasis: Emphasis

    init(_ name: String, _ text: String, _ emphasis: Emphasis = .none) {
        (self.name, self.text, self.emphasis) = (name, text, emphasis)
    }

    static func lines(_ facts: [Fact], on page: LinePage) -> [String] {
        let rows = facts.map { Table.Row.cells([.init($0.name, .faint), .init($0.text, $0.emphasis)]) }
        return Table([.init(""), .init("")], rows).lines(on: page)
    }
}

extension String {
    /// A text of several lines, made harmless; the line feed that ends the last one is no further line.
    var linesToShow: [String] {
        let text = hasSuffix("\n") ? String(dropLast()) : self
        return text.neutralised(keepingLines: true).split(separator: "\n", omittingEmptySubsequences: false).map(
            String.init)
    }
}
