/// Lets a person edit lines on a terminal. ``SystemTerminal`` uses libedit; another editor conforms to this protocol.
public protocol LineEditing: Sendable {
    /// The next command; nil at the end of the input. A line that the person gave up is none.
    ///
    /// - Throws: `TerminalError` if no line can be edited on this terminal.
    func command(assistant: LineAssistant) async throws -> String?
    /// Sets the prompt of the line that is being edited, and of the lines after it.
    func setPrompt(_ prompt: String)
    /// Hands an event to the line that is being edited; false if none is.
    @discardableResult
    func post(_ event: LineEditingEvent) -> Bool
    /// Drops the commands of a paste that were not carried out yet, after an interruption.
    func dropPendingCommands() async
    /// Why the history can't be read or written, reported once.
    func removeHistoryFailure() async -> String?
}

/// What happens while a person edits a line.
public enum LineEditingEvent: Sendable, Equatable {
    /// A text to be shown above the line.
    case text(String)
    /// The prompt has changed.
    case prompt
    /// The terminal has another size.
    case resized
    /// The line is given up (Ctrl-C).
    case interrupted
}

/// What an editor asks of the language that is typed.
public struct LineAssistant: Sendable {
    /// What Tab does, by the text before the cursor.
    public var complete: @Sendable (String) async -> LineCompletion
    /// Whether a line may be stored in the history: one that contains a secret must not.
    public var isKept: @Sendable (String) -> Bool
    /// The commands in a text that was typed or pasted. By default each line is one.
    public var commands: @Sendable (String) -> [String]

    /// An assistant that knows a language.
    public init(
        complete: @escaping @Sendable (String) async -> LineCompletion, isKept: @escaping @Sendable (String) -> Bool,
        commands: @escaping @Sendable (String) -> [String] = { $0.split(separator: "\n").map(String.init) }
    ) {
        (self.complete, self.isKept, self.commands) = (complete, isKept, commands)
    }

    /// An assistant without a language: Tab offers nothing, and every line is kept.
    public static let none = LineAssistant(complete: { _ in LineCompletion() }, isKept: { _ in true })
}

/// What becomes of a line when its end is completed.
public struct LineCompletion: Sendable, Equatable {
    /// How many Unicode scalars before the cursor are replaced.
    public var removed = 0
    /// What is inserted in their place.
    public var inserted = ""
    /// What the word could be, to be shown where there is nothing to insert.
    public var choices: [Choice] = []

    /// A completion that changes nothing.
    public init() {}

    /// A word that the end of the line could be completed to.
    public struct Choice: Sendable, Equatable {
        /// The word.
        public let text: String
        /// What it is, to choose by; may be empty.
        public let note: String

        /// A choice.
        public init(_ text: String, note: String = "") { (self.text, self.note) = (text, note) }
    }
}
