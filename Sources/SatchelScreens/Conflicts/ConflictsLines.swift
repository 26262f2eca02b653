import ControllerKit
import Controllers
import Foundation
import LineView
import Terminal

enum ConflictsLines {
    /// Each record with its conflicts, both their values or what differs between them, and how to settle them.
    static let renderer = LineRenderer(
        ConflictsScreen.self,
        draft: { state in
            state.draft.map {
                LineDraft(argument: "value", text: $0.text, ending: $0.isBody ? "md" : "txt")
            }
        },
        lines: { state, page in
            guard state.total > 0 else { return [state.areSettled ? "No resolved conflicts." : "No conflicts."] }
            let rows = zip(state.rows, [nil] + state.rows.map(\.record)).flatMap { row, above in
                (row.record == above ? [] : [heading(of: row, page)]) + lines(of: row, state, page)
            }
            let more = state.total - state.rows.count
            return rows + (more > 0 && !state.isWhole ? ["\(more) more; `conflicts` lists the next ones."] : [])
                + page.lines(hint(state), .faint)
        })

    private static func hint(_ state: ConflictsScreen.State) -> String {
        state.areSettled
            ? "`resolve NUMBER earlier|later|…` chooses another value."
            : "`resolve NUMBER mine|theirs|earlier|later|both|keep|edit` resolves one."
    }

    private static func heading(of row: ConflictsScreen.State.Row, _ page: LinePage) -> String {
        page.text(row.title.neutralised(), .strong)
            + (row.isRecordDeleted ? page.text("  deleted; --revive restores it", .warning) : "")
    }

    private static func lines(
        of row: ConflictsScreen.State.Row, _ state: ConflictsScreen.State, _ page: LinePage
    ) -> [String] {
        let heading = "\(row.number)  \(row.label.lowercasedFirst.neutralised())"
        let edits =
            if let diff = row.diff {
                [
                    "   " + page.text("- earlier", .bad) + ", " + maker(of: row.earlier, than: row.later, page),
                    "   " + page.text("+ later", .good) + ", " + maker(of: row.later, than: row.earlier, page),
                ] + diff.lines(on: page, whole: "conflicts \(row.number)").map { "      " + $0 }
            } else {
                ["   earlier, \(maker(of: row.earlier, than: row.later, page)):"] + value(of: row.earlier, in: row)
                    + ["   later, \(maker(of: row.later, than: row.earlier, page)):"] + value(of: row.later, in: row)
            }
        return [heading] + edits + page.lines(row.outcome(.lines), indent: 3)
    }

    /// The author and the time of an edit; with seconds where the other edit is of the same minute.
    private static func maker(
        of edit: ConflictsScreen.State.Edit, than other: ConflictsScreen.State.Edit, _ page: LinePage
    ) -> String {
        let isClose = edit.at.map { LocalTime.short($0) } == other.at.map { LocalTime.short($0) }
        return page.text(
            edit.maker + (edit.at.map { ", " + LocalTime.short($0, withSeconds: isClose).neutralised() } ?? ""), .faint)
    }

    private static func value(
        of edit: ConflictsScreen.State.Edit, in row: ConflictsScreen.State.Row
    ) -> [String] {
        ((edit.value.map { (row.isMoment ? LocalTime.value($0) : $0).linesToShow } ?? ["(removed)"])
            + (edit.isCut ? ["…"] : [])).map {
                "      " + $0
            }
    }
}
