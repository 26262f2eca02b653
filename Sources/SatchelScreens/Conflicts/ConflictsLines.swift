import ControllerKit
import Controllers
import Foundation
import LineView
import Records
import Terminal

enum ConflictsLines {
    /// Shows each record with its conflicts, their values or the difference between them, and how to resolve them.
    static let renderer = LineRenderer(
        ConflictsScreen.self,
        draft: { state in
            state.draft.map {
                // The ending of the file decides how an editor highlights it.
                LineDraft(argument: "value", text: $0.text, ending: $0.isBody ? "md" : "txt")
            }
        },
        lines: { state, page in
            guard state.total > 0 else { return [state.areResolved ? "No resolved conflicts." : "No conflicts."] }
            // The conflicts of a record are adjacent, so its title is shown once.
            let rows = zip(state.rows, [nil] + state.rows.map(\.record)).flatMap { row, above in
                (row.record == above ? [] : [heading(of: row, page)]) + lines(of: row, state, page)
            }
            let more = state.total - state.rows.count
            return rows + (more > 0 && !state.isWhole ? ["\(more) more; `conflicts` lists the next ones."] : [])
                + page.lines(hint(state), .faint)
        })

    private static func hint(_ state: ConflictsScreen.State) -> String {
        state.areResolved
            ? "`resolve NUMBER earlier|later|…` chooses another value."
            : "`resolve NUMBER mine|theirs|earlier|later|both|keep|edit` resolves one."
    }

    private static func heading(of row: ConflictsScreen.State.Row, _ page: LinePage) -> String {
        page.text(row.title.sanitizedLine, .strong)
            + (row.isRecordDeleted ? page.text("  deleted; --revive restores it", .warning) : "")
    }

    private static func lines(
        of row: ConflictsScreen.State.Row, _ state: ConflictsScreen.State, _ page: LinePage
    ) -> [String] {
        let heading = "\(row.number)  \(row.label.lowercasedFirst.sanitizedLine)"
        let edits =
            if let diff = row.diff {
                [
                    "   " + page.text("- earlier", .bad) + ", " + maker(of: row.earlier, than: row.later, page),
                    "   " + page.text("+ later", .good) + ", " + maker(of: row.later, than: row.earlier, page),
                ] + diff.lines(on: page, whole: "conflicts \(row.number)").map { "      " + $0 }
            } else {
                ["   earlier, \(maker(of: row.earlier, than: row.later, page)):"]
                    + value(of: row.earlier, in: row, page)
                    + ["   later, \(maker(of: row.later, than: row.earlier, page)):"]
                    + value(of: row.later, in: row, page)
            }
        return [heading] + edits + page.lines(row.outcome(.lines), indent: 3)
    }

    /// Returns the author and the time of an edit, with seconds if the other edit was made in the same minute.
    private static func maker(
        of edit: ConflictsScreen.State.Edit, than other: ConflictsScreen.State.Edit, _ page: LinePage
    ) -> String {
        let isClose = edit.at.map { LocalTime.short($0) } == other.at.map { LocalTime.short($0) }
        return page.text(
            edit.maker + (edit.at.map { ", " + LocalTime.short($0, withSeconds: isClose).sanitizedLine } ?? ""), .faint)
    }

    private static func value(
        of edit: ConflictsScreen.State.Edit, in row: ConflictsScreen.State.Row, _ page: LinePage
    ) -> [String] {
        let lines = edit.value.map { row.shown($0).text(Wording.lines.moment).linesToShow } ?? ["(removed)"]
        return (lines + (edit.isCut ? ["…"] : [])).flatMap { ("      " + $0).wrapped(to: page.columns, hanging: 6) }
    }
}

// The wording of conflicts in all views.

extension ConflictsScreen.State.Row {
    /// Returns what happened to both values, as a clause.
    func outcome(_ wording: Wording) -> String {
        if let resolvedAt { return "resolved \(wording.moment(resolvedAt))" + (resolvedBy.map { " by \($0)" } ?? "") }
        guard hasChangedSince else { return "kept: " + kept.words }
        guard let now else { return "the field has changed since: it was removed" }
        let lines = shown(now).text(wording.moment).linesToShow
        return "the field has changed since: it is now “\(lines.first ?? "")”" + (lines.count > 1 ? " …" : "")
    }
}

extension ConflictsScreen.State.Kept {
    fileprivate var words: String {
        switch self {
        case .later: "the later value"
        case .both: "both, between markers in the text"
        }
    }
}

extension ConflictsScreen.Choice {
    /// The label of a button.
    var label: String {
        switch self {
        case .mine: "Mine"
        case .theirs: "Theirs"
        case .earlier: "The earlier"
        case .later: "The later"
        case .both: "Both"
        case .keep: "As it is now"
        case .edit: "Edit…"
        }
    }
}

extension ConflictsScreen.State.Edit {
    /// The device that made it.
    var maker: String { Maker.name(isMine: isMine, name: deviceName, id: device) }
}
