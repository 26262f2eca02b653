/// Rows in aligned columns that fit the page. Texts are sanitized, and truncated with `…` if necessary.
///
/// Rows may be grouped under headings; columns are aligned across groups. An empty column is omitted.
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

        /// Creates a column.
        ///
        /// - Parameters:
        ///   - isTrailing: Whether it is aligned at its end, as numbers are.
        ///   - canShrink: Whether it may be truncated if the page is too narrow.
        ///   - isMain: Whether it keeps half of the page until all others have reached their smallest width.
        ///   - narrowest: The smallest width, in columns.
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

    /// A row of cells, one for each column; or a line across all columns. New cases may be added.
    public enum Row: Sendable {
        /// One cell for each column.
        case cells([Cell])
        /// A line above the rows that follow, sanitized.
        case heading(String, Emphasis = .strong)
        /// A line below a row, indented by a number of columns.
        case beneath(Cell, indent: Int)
    }

    private static let gap = 2

    private let columns: [Column]
    private let rows: [Row]

    /// Creates a table.
    public init(_ columns: [Column], _ rows: [Row]) {
        self.columns = columns
        self.rows = rows
    }

    /// Returns the lines of the table: the titles, unless all are empty, then the rows.
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

    /// Returns whether the table fits the page with a main column of a certain width; a smaller one is enough if no text
    /// is wider.
    public func hasRoom(forMain width: Int, on page: LinePage) -> Bool {
        guard let available = page.columns else { return true }
        let natural = naturalWidths()
        let widths = fitted(natural, to: available)
        let isWide = widths.indices.allSatisfy { !columns[$0].isMain || widths[$0] >= min(width, natural[$0]) }
        return isWide && widths.reduce(0, +) + Self.gap * max(widths.count { $0 > 0 } - 1, 0) <= available
    }

    /// Returns the width of each column without a limit; 0 for an empty one.
    private func naturalWidths() -> [Int] {
        var widths = columns.map { _ in 0 }
        for case .cells(let cells) in rows {
            for (index, cell) in cells.prefix(widths.count).enumerated() {
                widths[index] = max(widths[index], cell.width)
            }
        }
        return zip(widths, columns).map { $0 == 0 ? 0 : max($0, $1.title.displayWidth) }
    }

    /// Shrinks columns until the table fits or no column can shrink: the main one to half of the page, then the widest of
    /// the others, then the main one further.
    private func fitted(_ natural: [Int], to available: Int?) -> [Int] {
        guard let available else { return natural }
        var widths = natural
        let shown = widths.count { $0 > 0 }
        var excess = widths.reduce(0, +) + Self.gap * max(shown - 1, 0) - available
        while excess > 0 {
            let shrinkable = widths.indices.filter { columns[$0].canShrink && widths[$0] > columns[$0].narrowest }
            let main = shrinkable.first { columns[$0].isMain && widths[$0] > available / 2 }
            let others = shrinkable.filter { !columns[$0].isMain }
            let widest = (others.isEmpty ? shrinkable : others).max { widths[$0] < widths[$1] }
            guard let next = main ?? widest else { break }
            widths[next] -= 1
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
        // Written only if a cell follows, so that no line ends in spaces.
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
    /// A text of pieces, each with its own emphasis.
    public struct Cell: Sendable, ExpressibleByStringLiteral {
        /// A piece of a cell's text.
        public struct Piece: Sendable, Equatable {
            let text: String
            let emphasis: Emphasis
            /// Whether it is empty.
            public var isEmpty: Bool { text.isEmpty }

            /// Creates a piece, which is sanitized.
            public init(_ text: String, _ emphasis: Emphasis = .none) {
                self.text = text.sanitizedLine
                self.emphasis = emphasis
            }
        }

        private let pieces: [Piece]
        /// The width in columns.
        public let width: Int

        /// Creates a cell from consecutive pieces.
        public init(_ pieces: [Piece]) {
            self.pieces = pieces.filter { !$0.text.isEmpty }
            width = pieces.map(\.text.displayWidth).reduce(0, +)
        }

        /// Creates a cell from a text, which is sanitized.
        public init(_ text: String, _ emphasis: Emphasis = .none) { self.init([Piece(text, emphasis)]) }

        /// Creates a cell from a literal, which is sanitized.
        public init(stringLiteral text: String) { self.init(text) }
    }
}

extension Table.Cell {
    /// Returns the cell, truncated to a width in columns, with `…` if something was cut.
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

    /// Returns the text as it is written on a page.
    ///
    /// On a terminal, a text from right to left is enclosed in left-to-right marks (U+200E), so that a terminal that
    /// reorders letters doesn't move the neighbouring columns (UAX #9, rules W1 to N2).
    func text(on page: LinePage) -> String {
        let text = pieces.map { page.text($0.text, $0.emphasis) }.joined()
        guard page.columns != nil, pieces.contains(where: { $0.text.unicodeScalars.contains(where: \.isRightToLeft) })
        else { return text }
        return "\u{200E}" + text + "\u{200E}"
    }
}
