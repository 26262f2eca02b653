/// The commands that the line view itself has.
enum Builtin: String, CaseIterable {
    case help, view, quit

    var help: String {
        switch self {
        case .help: "Show all commands, or one."
        case .view: "Show which views are attached; attach or detach one."
        case .quit: "Leave."
        }
    }

    var usage: String {
        switch self {
        case .help: "help [<command>]"
        case .view: "view [<name> [<file>|off]]"
        case .quit: "quit"
        }
    }
}
