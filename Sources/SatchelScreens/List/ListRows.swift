import Controllers
import Records
import Terminal

/// The layout of the rows of a list on a page.
struct ListRows {
    private typealias Row = ListScreen.State.Row
    private typealias Piece = Table.Cell.Piece

    /// The minimum width for a table, in columns. On a narrower page there is no room for titles next to the other
    /// columns, so a record has a line for its title, and others for the rest.
    private static let oneLine = 76
    private static let separator = " · "

    private let page: LinePage
    private let columns: ListColumns
    private let types: DeclaredTypes
    private let isStacked: Bool

    /// Creates the layout of a list.
    ///
    /// - Parameter state: The list; its record types declare the columns.
    init(_ state: ListScreen.State, on page: LinePage) {
        self.page = page
        columns = ListColumns(state)
        types = state.types
        // Output without a width goes to a file or a program and is always a table.
        isStacked = page.columns.map { $0 < Self.oneLine } ?? false
    }

    /// The table's columns.
    var tableColumns: [Table.Column] {
        isStacked ? [.init("", isTrailing: true), .init("", canShrink: true), .init("")] : columns.facets.map(\.column)
    }

    /// Returns the rows of the window with the headings of their groups.
    ///
    /// - Parameter all: The rows that the headings count; nil: those of the window.
    func rows(of state: ListScreen.State, counting all: [ListScreen.State.Row]? = nil) -> [Table.Row] {
        // News has only some of the rows, but a heading counts the whole group.
        let counts = Dictionary((all ?? state.rows).compactMap { $0.group.map { ($0, 1) } }, uniquingKeysWith: +)
        // Facts are below the title: after the widest number and the gap between two columns.
        let indent = (state.rows.map { String($0.number).count }.max() ?? 0) + 2
        let facets = columns.facets
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
        .heading(
            "\(group.title(types.types)) (\(count))", group == .overdue ? .bad : group == .today ? .warning : .strong)
    }

    /// Returns the title, with the other facts in as many lines as needed below it.
    private func stacked(_ row: Row, _ indent: Int) -> [Table.Row] {
        let title = Table.Row.cells([
            .init(String(row.number), .faint), .init(row.titlePieces(types)), .init(row.isUnsent ? "*" : "", .warning),
        ])
        return [title]
            + lines(of: facts(of: row), room: (page.columns ?? .max) - indent).map { .beneath($0, indent: indent) }
    }

    private func facts(of row: Row) -> [[Piece]] {
        let facts = [[Piece(row.prefix, .faint)], [row.markPiece]]
        return (facts + (columns.before + columns.after).flatMap { $0.facts(of: row) })
            .map { $0.filter { !$0.isEmpty } }.filter { !$0.isEmpty }
    }

    /// Returns lines with as many facts as fit in each.
    private func lines(of facts: [[Piece]], room: Int) -> [Table.Cell] {
        var lines: [[Piece]] = []
        for fact in facts {
            let longer = (lines.last.map { $0 + [Piece(Self.separator, .faint)] } ?? []) + fact
            // A fact that is wider than the page has a line of its own, which the table cuts.
            if !lines.isEmpty, Table.Cell(longer).width <= room {
                lines[lines.count - 1] = longer
            } else {
                lines.append(fact)
            }
        }
        return lines.map { Table.Cell($0) }
    }

    /// Returns the excerpt with the matches of a search. On a page without emphasis, they are in brackets.
    private func excerpt(of row: Row, _ indent: Int) -> [Table.Row] {
        guard let pieces = row.match?.excerpt, !pieces.isEmpty else { return [] }
        // Without colours, brackets show what was found.
        let shown = pieces.map { piece in
            Piece(piece.isHit && !page.isColoured ? "[\(piece.text)]" : piece.text, piece.isHit ? .found : .faint)
        }
        return [.beneath(.init(shown), indent: indent)]
    }
}
