public import ControllerKit

/// A command that no screen has: one of the line view itself, or of what runs beside it. This is what `help` tells of it.
public struct OwnCommand: Sendable {
    /// What is said.
    public let name: String
    /// How it is written: `web [--port N]`.
    public let usage: String
    /// One line, for the list of commands.
    public let help: String
    /// What may be said.
    public let examples: [Example]
    /// The words that may stand behind it, for Tab.
    public let words: [String]

    /// A command.
    public init(_ name: String, usage: String, help: String, examples: [Example] = [], words: [String] = []) {
        (self.name, self.usage, self.help) = (name, usage, help)
        (self.examples, self.words) = (examples, words)
    }
}
