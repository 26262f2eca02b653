import Controllers
import Markdown
import Records

/// The text of a record as Markdown, with the records that its links name and the numbers of its check boxes.
struct BodyFacts {
    /// The document; nil: the text exceeds the limits and is shown as it is.
    let document: MarkdownDocument?
    /// The numbers of the check boxes by their lines.
    private let boxes: [Int: Int]
    private let links: [String: DetailScreen.State.Link]

    init(_ body: String, _ links: [DetailScreen.State.Link]) {
        document = MarkdownDocument(body)
        boxes = Dictionary(CheckBox.all(in: body).map { ($0.line, $0.number) }) { first, _ in first }
        self.links = Dictionary(links.map { ($0.text.lowercased(), $0) }) { first, _ in first }
    }

    /// Returns the number of the check box of an item; nil: it has none.
    func box(of item: MarkdownBlock.Item) -> Int? { item.isChecked == nil ? nil : boxes[item.line] }

    /// A piece of plain text: a link to a record, or any other text.
    struct Piece {
        let text: String
        let link: DetailScreen.State.Link?
    }

    /// Returns a text in pieces. A link to no record is text.
    func pieces(of text: String) -> [Piece] {
        var pieces: [Piece] = []
        var start = text.startIndex
        for found in TextLink.all(in: text) {
            guard let link = links[found.title.lowercased()] else { continue }
            pieces.append(Piece(text: String(text[start..<found.range.lowerBound]), link: nil))
            pieces.append(Piece(text: found.title, link: link))
            start = found.range.upperBound
        }
        return pieces + [Piece(text: String(text[start...]), link: nil)]
    }
}
