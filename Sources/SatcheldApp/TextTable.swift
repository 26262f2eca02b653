import SafeText

/// A table for a terminal: columns of one width each, separated by two spaces. It fits into 80 columns if its flexible
/// column can be shortened that far.
struct TextTable {
    private let columns: [Column]
    private let rows: [[String]]

    /// The width of a terminal that every person has.
    static let width = 80
    private static let gap = 2
    /// Width to which the flexible column is shortened at most.
    private static let least = 8

    /// A column.
    struct Column {
        let title: String
        var isRightAligned = false
        /// Whether the column is shortened if the table is too wide. One column is.
        var isFlexible = false
    }

    /// Creates a table. Texts may be from clients: what could control a terminal is replaced.
    init(_ columns: [Column], rows: [[String]]) {
        self.columns = columns
        self.rows = rows.map { row in row.map { Self.line($0.sanitized) } }
    }

    /// Whether the table has no rows.
    var isEmpty: Bool { rows.isEmpty }

    /// The lines with the titles first, each ended by a line feed.
    var text: String {
        let widths = widths
        return ([columns.map(\.title)] + rows).map { row in
            let cells = zip(zip(row, columns), widths).map { cell, width in
                Self.padded(Self.shortened(cell.0, to: width), to: width, right: cell.1.isRightAligned)
            }
            let line = cells.joined(separator: String(repeating: " ", count: Self.gap))
            // Without spaces at the end, which the last column doesn't need.
            return String(line.reversed().drop { $0 == " " }.reversed()) + "\n"
        }.joined()
    }

    private var widths: [Int] {
        var widths = columns.indices.map { index in
            rows.reduce(columns[index].title.count) { max($0, $1[index].count) }
        }
        let total = widths.reduce(Self.gap * (columns.count - 1), +)
        if let flexible = columns.firstIndex(where: \.isFlexible), total > Self.width {
            widths[flexible] = max(Self.least, widths[flexible] - (total - Self.width))
        }
        return widths
    }

    private static func line(_ text: String) -> String {
        text.replacing("\n", with: " ").replacing("\t", with: " ")
    }

    private static func shortened(_ text: String, to width: Int) -> String {
        text.count <= width ? text : text.prefix(width - 1) + "…"
    }

    private static func padded(_ text: String, to width: Int, right: Bool) -> String {
        let space = String(repeating: " ", count: max(0, width - text.count))
        return right ? space + text : text + space
    }
}
