import ControllerKit
import Controllers
import WebPageView

enum UndoPage {
    /// The last commands, with undo and redo.
    static let renderer = WebRenderer(
        UndoScreen.self, title: "Undo", placed: ["undo", "redo", "journal"],
        reading: { _ in PageReading(verb: "journal", values: [:]) },
        content: { state, frame in frame.templates.html("undo", UndoModel(state, frame)) })
}

/// The journal as the template `undo` shows it.
struct UndoModel {
    let undo: [FormModel]
    let redo: [FormModel]
    let commands: [Command]
    let isEmpty: Bool
    let left: [PageFact]
    let hasLeft: Bool

    /// A command that was said.
    struct Command {
        let name: String
        let what: String
        let when: String
        let actor: String?
        let isUndone: Bool
    }

    init(_ state: UndoScreen.State, _ frame: PageFrame) {
        undo = [frame.form("undo", submit: "Undo", isCompact: true)].compactMap(\.self)
        redo =
            state.commands.contains(where: \.isUndone)
            ? [frame.form("redo", submit: "Redo", isCompact: true)].compactMap(\.self) : []
        commands = state.commands.map { command in
            let more = command.records - command.titles.count
            return Command(
                name: command.command,
                what: command.titles.joined(separator: ", ") + (more > 0 ? " and \(more) more" : ""),
                when: frame.clock.near(command.at), actor: command.actor, isUndone: command.isUndone)
        }
        isEmpty = commands.isEmpty
        left = state.left.map { PageFact($0.title, Self.reason($0)) }
        hasLeft = !left.isEmpty
    }

    private static func reason(_ left: UndoScreen.State.Left) -> String {
        switch left.reason {
        case .changed: "changed since: " + left.fields.joined(separator: ", ")
        case .edited: "edited since it was made"
        case .deleted: "deleted since"
        }
    }
}
