extension Table {
    /// A text in a column, in pieces that stand out in their own ways.
    public struct Cell: Sendable, ExpressibleByStringLiteral {
        /// A piece of a cell's text.
        public struct Piece: Sendable, Equatable {
            let text: String
            let emphasis: Emphasis
            /// Whether nothing stands in it.
            var isEmpty: Bool { text.isEmpty }

            /// A piece, neutralised.
            public init(_ text: String, _ emphasis: Emphasis = .none) {
                self.text = text.neutralised()
                self.emphasis = emphasis
            }
        }

        private let pieces: [Piece]
        /// How many columns it takes.
        let width: Int

        /// Pieces that follow each other.
        public init(_ pieces: [Piece]) {
            self.pieces = pieces.filter { !$0.text.isEmpty }
            width = pieces.map(\.text.displayWidth).reduce(0, +)
        }

        /// A text, neutralised.
        public init(_ text: String, _ emphasis: Emphasis = .none) { self.init([Piece(text, emphasis)]) }

        /// A plain text, neutralised.
        public init(stringLiteral text: String) { self.init(text) }
    }
}

extension Table.Cell {
    /// The cell, cut to this many columns, with `…` where something was cut.
    func truncated(toWidth limit: Int) -> Self {
        guard width > limit else { return self }
        var room = limit - 1
        var kept: [Piece] = []
        for piece in pieces where room > 0 {
            let head = piece.text.head(ofWidth: room)
            kept.append(Piece(head, piece.emphasis))
            room = head.count == piece.text.count ? room - head.displayWidth : 0
        }
        return Self(limit > 0 ? kept + [Piece("…", kept.last?.emphasis ?? .none)] : [])
    }

    /// The text as it is written on a page.
    ///
    /// On a terminal, a text from right to left stands between marks of the line's own direction (U+200E), so that one that
    /// reorders letters leaves the columns beside it where they are (UAX #9, rules W1 to N2).
    func text(on page: LinePage) -> String {
        let text = pieces.map { page.text($0.text, $0.emphasis) }.joined()
        guard page.columns != nil, pieces.contains(where: { $0.text.unicodeScalars.contains(where: \.isRightToLeft) })
        else { return text }
        return "\u{200E}" + text + "\u{200E}"
    }
}
