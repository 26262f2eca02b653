import ControllerKit
import Controllers

extension LinePolish {
    /// Tasks and notes in a table that fits the page: a narrow one shows the number, what matters now, and the title.
    static let list = LinePolish(ListScreen.self) { state, page in
        let facets = facets.filter { !page.isNarrow || $0.isVital }
        let rows = state.rows.map { row in Table.Row.cells(facets.map { $0.cell(row, page) }) }
        let table = rows.isEmpty ? [] : Table(facets.map(\.column), rows).lines(on: page)
        return table + [page.text(summary(of: state), .faint)]
    }

    /// A column, and what a row shows in it.
    private struct Facet: Sendable {
        let column: Table.Column
        /// Whether a narrow page shows it too.
        let isVital: Bool
        let cell: @Sendable (ListScreen.State.Row, LinePage) -> Table.Cell
    }

    private static let facets: [Facet] = [
        Facet(column: .init("#", isTrailing: true), isVital: true) { row, _ in .init(String(row.number)) },
        Facet(column: .init("id"), isVital: false) { row, _ in .init(row.prefix, .faint) },
        Facet(column: .init(""), isVital: true) { row, _ in .init(mark(row), isDone(row) ? .good : .none) },
        Facet(column: .init("due"), isVital: true) { row, page in
            .init(
                row.due.map { page.isNarrow ? LocalTime.day($0) : LocalTime.short($0) } ?? "",
                row.isOverdue ? .bad : .none)
        },
        Facet(column: .init("pri"), isVital: false) { row, _ in .init(row.priority ?? "") },
        Facet(column: .init("project", canShrink: true), isVital: false) { row, _ in .init(row.project ?? "", .faint) },
        Facet(column: .init("title", canShrink: true), isVital: true) { row, _ in
            .init(row.title + (row.hasMore ? " …" : ""), isDone(row) ? .faint : row.priority == "H" ? .strong : .none)
        },
        Facet(column: .init("tags", canShrink: true), isVital: false) { row, _ in
            .init(row.tags.map { "+" + $0 }.joined(separator: " "), .faint)
        },
        Facet(column: .init(""), isVital: true) { row, _ in .init(row.isUnsent ? "*" : "", .warning) },
    ]

    private static func isDone(_ row: ListScreen.State.Row) -> Bool { row.status == "completed" }

    /// Readable without colour: what is done, what is late, what is a note.
    private static func mark(_ row: ListScreen.State.Row) -> String {
        switch row.status {
        case nil: "note"
        case "completed": "done"
        case "pending": row.isOverdue ? "late" : ""
        case let other?: other
        }
    }

    private static func summary(of state: ListScreen.State) -> String {
        if state.total == 0 { return "Nothing fits. `list all` shows everything, `add` makes a task." }
        let shown = state.rows.count
        let count =
            shown == state.total
            ? (shown == 1 ? "1 record." : "\(shown) records.")
            : "\(shown) of \(state.total) records; --limit and --offset show others."
        return count + (state.rows.contains(where: \.isUnsent) ? " * not sent yet." : "")
    }
}

extension LinePage {
    /// Too narrow for all that is known of a record in one line.
    var isNarrow: Bool { columns.map { $0 < 76 } ?? false }
}
