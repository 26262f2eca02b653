/// Rows under each other in columns that fit the page; texts are neutralised and cut with `…` where they must be.
///
/// Rows may be grouped under headings; columns line up across groups. An empty column is left out.
public struct Table: Sendable {
    /// A column.
    public struct Column: Sendable {
        let title: String
        let isTrailing: Bool
        let canShrink: Bool
        let isMain: Bool
        let narrowest: Int
        /// The column without its title.
        public var untitled: Self {
            Self("", isTrailing: isTrailing, canShrink: canShrink, isMain: isMain, narrowest: narrowest)
        }

        /// A column.
        ///
        /// - Parameters:
        ///   - isTrailing: Aligned at its end, as numbers are.
        ///   - canShrink: Cut when the page is too narrow; else it keeps its width.
        ///   - isMain: Cut only when the others that can shrink are as narrow as may be.
        ///   - narrowest: How many columns it keeps at least.
        public init(
            _ title: String, isTrailing: Bool = false, canShrink: Bool = false, isMain: Bool = false, narrowest: Int = 6
        ) {
            self.title = title
            self.isTrailing = isTrailing
            self.canShrink = canShrink
            self.isMain = isMain
            self.narrowest = narrowest
        }
    }

    /// A row of cells, one for each column; or a line across all columns.
    public enum Row: Sendable {
        /// One cell for each column.
        case cells([Cell])
        /// A line over the rows that follow, neutralised.
        case heading(String, Emphasis = .strong)
        /// A line under a row, that many columns from the edge.
        case beneath(Cell, indent: Int)
    }

    private static let gap = 2

    private let columns: [Column]
    private let rows: [Row]

    /// A table.
    public init(_ columns: [Column], _ rows: [Row]) {
        self.columns = columns
        self.rows = rows
    }

    /// The table's lines: the titles, unless all are empty, then the rows.
    public func lines(on page: LinePage) -> [String] {
        let widths = fitted(naturalWidths(), to: page.columns)
        var lines: [String] = []
        if columns.contains(where: { !$0.title.isEmpty }) {
            lines.append(line(columns.map { Cell($0.title, .faint) }, widths, page))
        }
        for row in rows {
            switch row {
            case .cells(let cells): lines.append(line(cells, widths, page))
            case .heading(let text, let emphasis): lines.append(across(Cell(text, emphasis), 0, page))
            case .beneath(let cell, let indent): lines.append(across(cell, indent, page))
            }
        }
        return lines
    }

    /// The width that each column would like; 0 for an empty one.
    private func naturalWidths() -> [Int] {
        var widths = columns.map { _ in 0 }
        for case .cells(let cells) in rows {
            for (index, cell) in cells.prefix(widths.count).enumerated() {
                widths[index] = max(widths[index], cell.width)
            }
        }
        return zip(widths, columns).map { $0 == 0 ? 0 : max($0, $1.title.displayWidth) }
    }

    /// Takes width from the widest columns that can shrink, the main one last, until the page is wide enough or nothing is
    /// left to take.
    private func fitted(_ natural: [Int], to available: Int?) -> [Int] {
        guard let available else { return natural }
        var widths = natural
        let shown = widths.count { $0 > 0 }
        var excess = widths.reduce(0, +) + Self.gap * max(shown - 1, 0) - available
        while excess > 0 {
            let shrinkable = widths.indices.filter { columns[$0].canShrink && widths[$0] > columns[$0].narrowest }
            let others = shrinkable.filter { !columns[$0].isMain }
            guard let widest = (others.isEmpty ? shrinkable : others).max(by: { widths[$0] < widths[$1] }) else {
                break
            }
            widths[widest] -= 1
            excess -= 1
        }
        return widths
    }

    private func across(_ cell: Cell, _ indent: Int, _ page: LinePage) -> String {
        let cell = page.columns.map { cell.truncated(toWidth: max($0 - indent, 1)) } ?? cell
        return String(repeating: " ", count: indent) + cell.text(on: page)
    }

    private func line(_ cells: [Cell], _ widths: [Int], _ page: LinePage) -> String {
        var line = ""
        // Written once something follows, so that no line ends in spaces.
        var padding = 0
        for (index, cell) in cells.prefix(widths.count).enumerated() where widths[index] > 0 {
            let cell = cell.truncated(toWidth: widths[index])
            let missing = widths[index] - cell.width
            if columns[index].isTrailing { padding += missing }
            if cell.width > 0 {
                line += String(repeating: " ", count: padding) + cell.text(on: page)
                padding = 0
            }
            padding += Self.gap + (columns[index].isTrailing ? 0 : missing)
        }
        return line
    }
}

extension Table {
    /// A text in a column, in pieces with their own emphasis.
    public struct Cell: Sendable, ExpressibleByStringLiteral {
        /// A piece of a cell's text.
        public struct Piece: Sendable, Equatable {
            let text: String
            let emphasis: Emphasis
            /// Whether it is empty.
            public var isEmpty: Bool { text.isEmpty }

            /// A piece, neutralised.
            public init(_ text: String, _ emphasis: Emphasis = .none) {
                self.text = text.neutralised()
                self.emphasis = emphasis
            }
        }

        private let pieces: [Piece]
        /// Its width in columns.
        public let width: Int

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
    /// On a terminal, a text from right to left is enclosed in marks of the line's own direction (U+200E), so that one that
    /// reorders letters leaves the neighbouring columns where they are (UAX #9, rules W1 to N2).
    func text(on page: LinePage) -> String {
        let text = pieces.map { page.text($0.text, $0.emphasis) }.joined()
        guard page.columns != nil, pieces.contains(where: { $0.text.unicodeScalars.contains(where: \.isRightToLeft) })
        else { return text }
        return "\u{200E}" + text + "\u{200E}"
    }
}
