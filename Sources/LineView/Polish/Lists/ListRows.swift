import Controllers
import Records

/// How the rows of a list are laid out on a page of some width.
struct ListRows {
    private typealias Row = ListScreen.State.Row
    private typealias Piece = Table.Cell.Piece

    /// Below this width a record takes two lines; below the other, only the columns that matter most stand in its line.
    private static let (twoLines, allColumns) = (60, 76)
    private static let separator = " · "

    private let page: LinePage
    private let facets: [ListColumns.Facet]
    private let isStacked: Bool

    init(page: LinePage) {
        self.page = page
        let width = page.columns ?? .max
        isStacked = width < Self.twoLines
        facets = ListColumns.facets.filter { width >= Self.allColumns || $0.isVital }
    }

    /// The table's columns.
    var columns: [Table.Column] {
        isStacked ? [.init("", isTrailing: true), .init("", canShrink: true), .init("")] : facets.map(\.column)
    }

    /// The rows of the window, with the headings of their groups.
    func rows(of state: ListScreen.State) -> [Table.Row] {
        let counts = Dictionary(state.rows.compactMap { $0.group.map { ($0, 1) } }, uniquingKeysWith: +)
        let indent = (state.rows.map { String($0.number).count }.max() ?? 0) + 2
        var rows: [Table.Row] = []
        var group: ListScreen.State.Group?
        for row in state.rows {
            if let new = row.group, new != group { rows.append(heading(new, counts[new] ?? 0)) }
            group = row.group
            rows += isStacked ? stacked(row, indent) : [.cells(facets.map { $0.cell(row) })]
            rows += excerpt(of: row, indent)
        }
        return rows
    }

    private func heading(_ group: ListScreen.State.Group, _ count: Int) -> Table.Row {
        .heading("\(group.title) (\(count))", group == .overdue ? .bad : group == .today ? .warning : .strong)
    }

    /// The title, and below it what else there is to know.
    private func stacked(_ row: Row, _ indent: Int) -> [Table.Row] {
        let facts = [
            [row.markPiece], row.duePieces, [row.priorityPiece], [Piece(row.project ?? "", .faint)],
            [Piece(row.tagWords, .faint)],
        ].map { $0.filter { !$0.isEmpty } }.filter { !$0.isEmpty }
        let title = Table.Row.cells([
            .init(String(row.number), .faint), .init(row.titlePieces), .init(row.isUnsent ? "*" : "", .warning),
        ])
        guard !facts.isEmpty else { return [title] }
        let pieces = facts.joined(separator: [Piece(Self.separator, .faint)])
        return [title, .beneath(.init(Array(pieces)), indent: indent)]
    }

    /// Where a search has found its words in the text. On a page without emphasis they stand in brackets.
    private func excerpt(of row: Row, _ indent: Int) -> [Table.Row] {
        guard let pieces = row.match?.excerpt, !pieces.isEmpty else { return [] }
        let shown = pieces.map { piece in
            Piece(piece.isHit && !page.isColoured ? "[\(piece.text)]" : piece.text, piece.isHit ? .found : .faint)
        }
        return [.beneath(.init(shown), indent: indent)]
    }
}
