import Records

/// A piece of a text, as the template `pieces` shows it: what was sought is marked.
struct TextPieceModel: Equatable {
    let text: String
    let isHit: Bool

    init(_ piece: TextPiece) { (text, isHit) = (piece.text, piece.isHit) }

    /// A text in which nothing was sought.
    init(_ text: String) { (self.text, isHit) = (text, false) }
}
