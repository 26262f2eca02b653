/// A line editor on a terminal. ``SystemTerminal`` uses libedit; another editor conforms to this protocol.
public protocol LineEditing: Sendable {
    /// Returns the next command; nil: the input has ended. A discarded line isn't a command.
    ///
    /// - Throws: `TerminalError` if no line can be edited on this terminal.
    func command(assistant: LineAssistant) async throws -> String?
    /// Sets the prompt of the line that is being edited and of the lines after it.
    func setPrompt(_ prompt: String)
    /// Passes an event to the line that is being edited. Returns false if there is none.
    @discardableResult
    func post(_ event: LineEditingEvent) -> Bool
    /// Drops the commands of a paste that were not performed yet, after an interruption.
    func dropPendingCommands() async
    /// Returns why the history can't be read or written, once; nil: there is nothing to report.
    func removeHistoryFailure() async -> String?
}

/// An event while a person edits a line. New cases may be added.
public enum LineEditingEvent: Sendable, Equatable {
    /// A text is to be shown above the line.
    case text(String)
    /// The prompt has changed.
    case prompt
    /// The size of the terminal has changed.
    case resized
    /// The line is discarded (Ctrl-C).
    case interrupted
}

/// The functions of a command language for a line editor.
public struct LineAssistant: Sendable {
    /// Returns the completion of the text before the cursor.
    public var complete: @Sendable (String) async -> LineCompletion
    /// Returns whether a line may be stored in the history. One that contains a secret must not be.
    public var isKept: @Sendable (String) -> Bool
    /// Splits a typed or pasted text into commands. By default each line is one.
    public var commands: @Sendable (String) -> [String]

    /// Creates an assistant for a language.
    public init(
        complete: @escaping @Sendable (String) async -> LineCompletion, isKept: @escaping @Sendable (String) -> Bool,
        commands: @escaping @Sendable (String) -> [String] = { $0.split(separator: "\n").map(String.init) }
    ) {
        (self.complete, self.isKept, self.commands) = (complete, isKept, commands)
    }

    /// An assistant without a language: there are no completions, and every line is stored.
    public static let none = LineAssistant(complete: { _ in LineCompletion() }, isKept: { _ in true })
}

/// The change of a line by a completion.
public struct LineCompletion: Sendable, Equatable {
    /// The number of Unicode scalars before the cursor that are replaced.
    public var removed = 0
    /// The inserted text.
    public var inserted = ""
    /// The possible completions, shown if nothing is inserted.
    public var choices: [Choice] = []

    /// Creates a completion that changes nothing.
    public init() {}

    /// A possible completion.
    public struct Choice: Sendable, Equatable {
        /// The word.
        public let text: String
        /// A description for the choice between completions; may be empty.
        public let note: String

        /// Creates a choice.
        public init(_ text: String, note: String = "") { (self.text, self.note) = (text, note) }
    }
}
