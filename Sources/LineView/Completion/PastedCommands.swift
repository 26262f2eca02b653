import ControllerKit

/// Cuts what was typed or pasted into commands, a line each.
///
/// A line that ends within quotes continues in the next one, so a text may have several lines; if no line closes them, all
/// of it is one command, which is then refused as a whole: no half of a command is ever carried out.
enum PastedCommands {
    static func commands(in text: String) -> [String] {
        var commands: [String] = []
        var unfinished: String?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let command = (unfinished.map { $0 + "\n" } ?? "") + line
            if (try? CommandWords.split(command)) == nil {
                unfinished = command
            } else {
                commands.append(command)
                unfinished = nil
            }
        }
        return commands + (unfinished.map { [$0] } ?? [])
    }
}
