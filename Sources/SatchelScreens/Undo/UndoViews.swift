import ControllerKit
import Controllers
import Foundation
import LineView
import Records
import Terminal
import WebPageView

enum UndoLines {
    /// Shows the last commands, the newest first, and what the last undo didn't change.
    static let renderer = LineRenderer(UndoScreen.self) { state, page in
        let left = state.left.flatMap { page.lines($0.sentence, .warning) }
        let more = state.leftTotal > state.left.count ? ["and \(state.leftTotal - state.left.count) more"] : []
        guard !state.commands.isEmpty else { return ["No commands yet."] + left + more }
        let rows = state.commands.map { command in
            Table.Row.cells([
                .init(LocalTime.short(command.at), .faint), .init(command.isUndone ? "undone" : "", .warning),
                .init(command.command, .strong), .init(command.subject + (command.actor.map { ", by \($0)" } ?? "")),
            ])
        }
        return Table([.init(""), .init(""), .init(""), .init("", canShrink: true)], rows).lines(on: page) + left + more
            + page.lines("`undo` undoes the newest command, `redo` redoes it.", .faint)
    }
}

extension UndoScreen.State.Command {
    /// The records that it changed, in words, with what it changed in a single one.
    var subject: String {
        let more = records - titles.count
        return titles.map { "“\($0)”" }.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
            + (changes.isEmpty ? "" : ": " + changes.joined(separator: ", "))
    }
}

extension UndoScreen.State.Left {
    /// A sentence about what an undo didn't change.
    var sentence: String { "not changed: \(description)" }
}

enum UndoPage {
    /// Shows the last commands, with undo and redo.
    static let renderer = WebRenderer(
        UndoScreen.self, title: "Undo", placed: ["undo", "redo", "journal"],
        reading: { _ in PageReading(verb: "journal", values: [:]) },
        content: { state, frame in frame.templates.html("undo", UndoModel(state, frame)) })
}

/// The journal for the template `undo`.
struct UndoModel {
    let undo: [FormModel]
    let redo: [FormModel]
    let commands: [Command]
    let isEmpty: Bool
    let left: [String]
    let hasLeft: Bool

    /// A command of the journal.
    struct Command {
        let name: String
        let what: String
        let when: String
        let actor: String?
        let isUndone: Bool
    }

    init(_ state: UndoScreen.State, _ frame: PageFrame) {
        undo = [frame.form("undo", without: ["entry"], submit: "Undo", isCompact: true)].compactMap(\.self)
        // Without an undone command, `redo` would only fail.
        redo =
            state.commands.contains(where: \.isUndone)
            ? [frame.form("redo", submit: "Redo", isCompact: true)].compactMap(\.self) : []
        commands = state.commands.map { command in
            Command(
                name: command.command, what: command.subject,
                when: frame.clock.near(command.at), actor: command.actor, isUndone: command.isUndone)
        }
        isEmpty = commands.isEmpty
        left = state.left.map(\.sentence.capitalisedFirst)
        hasLeft = !left.isEmpty
    }
}
