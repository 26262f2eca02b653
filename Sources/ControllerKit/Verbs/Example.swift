/// A line that a person may say, and what it does. Help and manuals show it; tests say it.
///
///     Verb("move", …, help: "Move the square.", examples: [Example("move 3 4", "To the third column, fourth row.")])
public struct Example: Sendable, Equatable {
    /// The line as it is typed at a prompt, beginning with the verb. Written so that a shell cuts it into the same words.
    public let line: String
    /// What it does, in one sentence.
    public let meaning: String

    /// An example.
    public init(_ line: String, _ meaning: String) {
        self.line = line
        self.meaning = meaning
    }
}
