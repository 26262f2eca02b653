import ControllerKit

/// A command of the prompt itself, which no screen has.
enum PromptCommand: String, CaseIterable {
    case help, view, completions, quit

    /// All of them, as help and completion know them.
    static func all(of program: Program) -> [FrontendCommand] {
        allCases.map {
            FrontendCommand(
                $0.rawValue, usage: $0.usage, help: $0.help, examples: $0.examples(program), words: $0.words)
        }
    }

    private var words: FrontendCommand.Words {
        switch self {
        case .help: .explained
        case .view: .attachable
        case .completions: .fixed(Shell.allCases.map(\.rawValue))
        case .quit: .fixed([])
        }
    }

    private var help: String {
        switch self {
        case .help: "Show examples and all commands, or describe one command or topic."
        case .view: "Show the attached views; attach or detach one."
        case .completions: "Print a script that makes a shell complete commands with Tab."
        case .quit: "Leave."
        }
    }

    var usage: String {
        switch self {
        case .help: "help [<command>|<topic>]"
        case .view: "view [<name> [<file>|off]]"
        case .completions: "completions " + Shell.allCases.map(\.rawValue).joined(separator: "|")
        case .quit: "quit"
        }
    }

    private func examples(_ program: Program) -> [Example] {
        switch self {
        case .help:
            [
                Example("help add", "Describe one command."),
                Example("help dates", "Describe a topic."),
            ]
        case .view:
            [
                Example("view json log.jsonl", "Write what is shown to a file, as JSON lines."),
                Example("view json off", "Stop writing it."),
            ]
        case .completions:
            Shell.allCases.map { Example("completions \($0.rawValue)", $0.installation(of: program.command)) }
        case .quit: [Example("quit", "Leave the prompt, like Ctrl-D.")]
        }
    }
}
