import ControllerKit

/// The commands that the line view itself has.
enum Builtin: String, CaseIterable {
    case help, view, completions, quit

    /// What is told of it.
    var command: OwnCommand { OwnCommand(rawValue, usage: usage, help: help, examples: examples, words: words) }

    private var words: [String] { self == .completions ? Shell.allCases.map(\.rawValue) : [] }

    private var help: String {
        switch self {
        case .help: "Show examples and all commands, or explain one."
        case .view: "Show which views are attached; attach or detach one."
        case .completions: "Print what makes a shell complete commands with Tab."
        case .quit: "Leave."
        }
    }

    private var usage: String {
        switch self {
        case .help: "help [<command>|<topic>]"
        case .view: "view [<name> [<file>|off]]"
        case .completions: "completions " + Shell.allCases.map(\.rawValue).joined(separator: "|")
        case .quit: "quit"
        }
    }

    private var examples: [Example] {
        switch self {
        case .help:
            [
                Example("help add", "What there is to know about one command."),
                Example("help dates", "How dates are written."),
            ]
        case .view:
            [
                Example("view json log.jsonl", "Follow in a file, as JSON lines, what is shown."),
                Example("view json off", "No more."),
            ]
        case .completions: Shell.allCases.map { Example("completions \($0.rawValue)", $0.installation) }
        case .quit: [Example("quit", "As Ctrl-D does.")]
        }
    }
}
