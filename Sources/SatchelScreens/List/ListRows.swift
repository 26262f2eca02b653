import Controllers
import Records
import Terminal

/// The layout of the rows of a list on a page: as a table, or, where titles would have no room next to the other columns,
/// as cards. A card has a line for the title, and others for the rest.
struct ListRows {
    private typealias Row = ListScreen.State.Row
    private typealias Piece = Table.Cell.Piece

    /// The minimum width of a page for a table, in columns.
    static let minimumTableWidth = 90
    /// The minimum width of titles in a table that has wider ones, in columns.
    static let minimumTitleWidth = 30
    private static let separator = " · "

    private let page: LinePage
    private let columns: ListColumns
    private let types: DeclaredTypes

    /// Creates the layout of a list.
    ///
    /// - Parameter state: The list; its record types declare the columns, and its filter the values that they omit.
    init(_ state: ListScreen.State, on page: LinePage) {
        self.page = page
        columns = ListColumns(state)
        types = state.types
    }

    /// Returns the lines of rows with the headings of their groups.
    ///
    /// - Parameters:
    ///   - all: The rows that the headings count; nil: those of the window.
    ///   - hasTitles: Whether a table has a line with the names of its columns.
    func lines(
        of state: ListScreen.State, counting all: [ListScreen.State.Row]? = nil, hasTitles: Bool = true
    ) -> [String] {
        if state.rows.isEmpty { return [] }
        // Output without a width goes to a file or a program and is always a table.
        if page.columns.map({ $0 >= Self.minimumTableWidth }) ?? true {
            let facets = columns.facets
            let table = Table(
                facets.map { hasTitles ? $0.column : $0.column.untitled },
                rows(of: state, counting: all) { row in [.cells(facets.map { $0.cell(row) })] })
            if table.hasRoom(forMain: Self.minimumTitleWidth, on: page) { return table.lines(on: page) }
        }
        let indent = Self.indent(of: state)
        return Table(
            [.init("", isTrailing: true), .init("", canShrink: true), .init("")],
            rows(of: state, counting: all) { card($0, indent) }
        ).lines(on: page)
    }

    /// The indentation of facts below a title: after the widest number and the gap between two columns.
    private static func indent(of state: ListScreen.State) -> Int {
        (state.rows.map { String($0.number).count }.max() ?? 0) + 2
    }

    private func rows(
        of state: ListScreen.State, counting all: [ListScreen.State.Row]?,
        _ lines: (ListScreen.State.Row) -> [Table.Row]
    ) -> [Table.Row] {
        // News has only some of the rows, but a heading counts the whole group.
        let counts = Dictionary((all ?? state.rows).compactMap { $0.group.map { ($0, 1) } }, uniquingKeysWith: +)
        let indent = Self.indent(of: state)
        var rows: [Table.Row] = []
        var group: ListScreen.State.Group?
        for row in state.rows {
            if let new = row.group, new != group { rows.append(heading(new, counts[new] ?? 0)) }
            group = row.group
            rows += lines(row) + excerpt(of: row, indent)
        }
        return rows
    }

    private func heading(_ group: ListScreen.State.Group, _ count: Int) -> Table.Row {
        .heading(
            "\(group.title(types.types)) (\(count))", group == .overdue ? .bad : group == .today ? .warning : .strong)
    }

    /// Returns the title, with the other facts in as many lines as needed below it.
    private func card(_ row: Row, _ indent: Int) -> [Table.Row] {
        let title = Table.Row.cells([
            .init(String(row.number), .faint), .init(row.indentedTitle(types)), .init(row.signPieces),
        ])
        return [title]
            + lines(of: columns.facts(of: row), room: (page.columns ?? .max) - indent)
            .map { .beneath($0, indent: indent) }
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
