import ControllerKit

/// A shell that can complete a program's commands.
public enum Shell: String, CaseIterable, Sendable {
    /// GNU Bash, 4.4 or newer.
    case bash
    /// The Z shell, 5.0 or newer.
    case zsh
    /// The friendly interactive shell, 3.0 or newer.
    case fish

    /// How the script gets to work.
    func installation(of command: String) -> String {
        switch self {
        case .bash: "In `~/.bashrc`: `source <(\(command) completions bash)`."
        case .zsh: "In `~/.zshrc`, after `compinit`: `source <(\(command) completions zsh)`."
        case .fish: "Once: `\(command) completions fish > ~/.config/fish/completions/\(command).fish`."
        }
    }
}

extension LineSession {
    /// The script for a shell.
    func completions(_ words: [String]) throws -> [String] {
        guard let said = words.first, words.count == 1 else {
            throw Failure(.usage, "Which shell? Usage: \(Own.completions.usage)")
        }
        let name = try Vocabulary(noun: "shell", names: Shell.allCases.map(\.rawValue)).name(meantBy: said)
        return Shell(rawValue: name).map { [$0.script(of: program.command)] } ?? []
    }
}
