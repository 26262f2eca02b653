import ControllerKit
import Controllers

extension LinePolish {
    /// Each conflict with both its values, and how to settle it.
    static let conflicts = LinePolish(ConflictsScreen.self) { state, page in
        guard state.total > 0 else { return ["No conflicts."] }
        let rows = state.rows.flatMap { lines(of: $0, page) }
        let more = state.total - state.rows.count
        let rest = more > 0 ? ["\(more) more; `conflicts` lists the next."] : []
        return rows + rest + [page.text("`resolve NUMBER mine|theirs|earlier|later|both|keep` settles one.", .faint)]
    }

    private static func lines(of row: ConflictsScreen.State.Row, _ page: LinePage) -> [String] {
        let heading = "\(row.number)  " + page.text(row.title.neutralised(), .strong) + "  \(row.field.neutralised())"
        return [heading] + lines(of: row.earlier, "earlier", page) + lines(of: row.later, "later", page)
            + ["   the merge kept " + (row.kept == "both" ? "both, between markers in the text" : "the later one")]
    }

    private static func lines(of edit: ConflictsScreen.State.Edit, _ name: String, _ page: LinePage) -> [String] {
        let who = edit.isMine ? "this device" : "device \((edit.device ?? "unknown").prefix(8))"
        let when = edit.at.map { ", " + LocalTime.short($0) } ?? ""
        let text = (edit.value.map(\.linesToShow) ?? ["(removed)"]).map { "      " + $0 }
        return ["   \(name), " + page.text((who + when).neutralised(), .faint) + ":"] + text
    }
}
