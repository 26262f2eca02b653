import ControllerKit
import Controllers
import LineView
import Terminal

enum ListLines {
    /// Tasks and notes under the headings of their groups: in a table that fits the page, or, where it is narrow, a line for
    /// the title and one for the rest. All that colour says is said in words or letters, too.
    static let renderer = LineRenderer(
        ListScreen.self, plain: { ListColumns.plain($0) }, news: { ListNews(since: $0, in: $1).lines(on: $2) }
    ) { state, page in
        let rows = ListRows(state, on: page)
        let table = Table(rows.tableColumns, rows.rows(of: state)).lines(on: page)
        return (state.rows.isEmpty ? [] : table) + page.lines(summary(of: state), .faint)
    }

    private static func summary(of state: ListScreen.State) -> String {
        if state.total == 0 {
            return state.filter.isEmpty
                ? "No open tasks or notes. `list all` shows everything, `add` adds a task."
                : "No matches for “\(state.filter.neutralised())”."
                    + (state.filter == "all" ? "" : " `list all` shows everything.")
        }
        let shown = state.rows.count
        let count =
            shown == state.total
            ? (shown == 1 ? "1 record." : "\(shown) records.")
            : ListColumns.windowRemark(state)
        return count + (state.rows.contains(where: \.isUnsent) ? " * not synced." : "")
    }
}
