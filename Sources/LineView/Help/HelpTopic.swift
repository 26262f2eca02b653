public import ControllerKit
public import Manual

/// Something that `help` explains besides the commands, and the man page, too: how dates are written, for instance.
public struct HelpTopic: Sendable {
    /// What `help` knows it by.
    public let name: String
    /// Its heading.
    public let title: String
    /// What it is about, in a few words.
    public let summary: String
    /// What there is to know.
    public let blocks: [Manual.Block]
    /// Whether the help of a command points here, by one of its arguments.
    let concerns: @Sendable (ArgumentSpec) -> Bool

    /// A topic.
    ///
    /// - Parameter concerns: whether it helps with an argument.
    public init(
        _ name: String, title: String, summary: String, _ blocks: [Manual.Block],
        concerns: @escaping @Sendable (ArgumentSpec) -> Bool = { _ in false }
    ) {
        self.name = name
        self.title = title
        self.summary = summary
        self.blocks = blocks
        self.concerns = concerns
    }
}
