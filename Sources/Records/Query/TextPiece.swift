/// A piece of a text that was searched: one of the words that were sought, or the text between them.
public struct TextPiece: Codable, Equatable, Sendable {
    /// The piece as it is in the text.
    public let text: String
    /// Whether it is what was sought.
    public let isHit: Bool

    /// A piece.
    public init(_ text: String, isHit: Bool = false) {
        self.text = text
        self.isHit = isHit
    }
}
