import ControllerKit
import Controllers
import LineView
import Terminal

enum UndoLines {
    /// The last commands, the newest first, and what the last undoing left as it was.
    static let renderer = LineRenderer(UndoScreen.self) { state, page in
        let left = state.left.flatMap { page.lines("stays: \($0.description)", .warning) }
        let more = state.leftTotal > state.left.count ? ["and \(state.leftTotal - state.left.count) more"] : []
        guard !state.commands.isEmpty else { return ["No commands yet."] + left + more }
        let rows = state.commands.map { command in
            Table.Row.cells([
                .init(LocalTime.short(command.at), .faint), .init(command.isUndone ? "undone" : "", .warning),
                .init(command.command, .strong), .init(subject(of: command)),
            ])
        }
        return Table([.init(""), .init(""), .init(""), .init("", canShrink: true)], rows).lines(on: page) + left + more
            + page.lines("`undo` undoes the newest command, `redo` redoes it.", .faint)
    }

    private static func subject(of command: UndoScreen.State.Command) -> String {
        let titles = command.titles.map { "“\($0)”" }.joined(separator: ", ")
        let more = command.records - command.titles.count
        return titles + (more > 0 ? " and \(more) more" : "") + (command.actor.map { ", by \($0)" } ?? "")
    }
}
