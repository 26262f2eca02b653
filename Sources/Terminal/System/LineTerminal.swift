/// The medium of the line view: where lines come from and where they go. Tests put one in memory.
public protocol LineTerminal: Sendable {
    /// What lines are laid out for now; a terminal may be resized between two commands.
    var page: LinePage { get }
    /// Whether a person types: then there is a prompt, and secrets can be asked for.
    var isInteractive: Bool { get }

    /// Writes a text, as it is, to where data or messages go; returns when it is written, or will be. While a person types
    /// a line, it is shown above what was typed so far.
    ///
    /// - Throws: When the output is closed.
    func write(_ text: String, to stream: LineStream) async throws
    /// Shows a text that is longer than the screen in the person's pager; returns when it is left.
    ///
    /// - Throws: When the pager can't be used; the text must then be written.
    func browse(_ text: String) async throws
    /// Lets the user edit a text in an editor, and passes the result on; false, with no effect, where that isn't
    /// possible. A text that isn't accepted is kept, and the error says where.
    ///
    /// - Parameters:
    ///   - ending: The file's ending, by which editors choose how they show it: `md`.
    ///   - accept: Returns nil when it has accepted the text; else the text to edit instead, until the user leaves it
    ///     unchanged, and the reason.
    /// - Throws: What `take` throws, or says at last; `TerminalError` when the editor fails.
    @MainActor
    func edit(_ text: String, ending: String, accept: @MainActor (String) async throws -> EditAgain?) async throws
        -> Bool
    /// Reads a line, without its end; nil at the end of the input. A person sees the prompt that was set last.
    ///
    /// - Throws: `TerminalError` of category `usage` for a line that can't be read, though the next one may be; anything else
    ///   when nothing can be read any more.
    ///
    /// - Parameter assistant: What an editor asks of the language that is typed.
    func readLine(assistant: LineAssistant) async throws -> String?
    /// Sets the prompt of the next lines, and of the line that is being edited.
    @MainActor
    func setPrompt(_ prompt: String)
    /// The width in columns to which messages are wrapped; nil when they go to a file or a pipe.
    var messageColumns: Int? { get }
    /// The columns of a row that shows progress; nil: the row would not be visible, or could not be removed again.
    var progressColumns: Int? { get }
    /// Shows a row that the next one, or any other output, replaces; nil removes it.
    func showProgress(_ line: String?) async throws
    /// Carries out what a line asked for. When a person interrupts it (Ctrl-C), it is cancelled, and nothing else.
    func interruptibly<Result: Sendable>(
        _ operation: @escaping @MainActor @Sendable () async -> Result
    ) async -> Result
    /// Asks a person for a secret, without echo.
    ///
    /// - Throws: `TerminalError` when the input is not a terminal, `CancellationError` when the person cancels.
    func readSecret(prompt: String) async throws -> String
    /// The text of a file or pipe; of the remaining input for `-`.
    ///
    /// - Throws: `TerminalError` that names the file; `CancellationError` when the task is cancelled while a pipe is awaited.
    func contents(of file: String) async throws -> String
    /// Whether the path is that of a folder.
    func isFolder(_ path: String) -> Bool
    /// The texts of a folder's Markdown files, by their paths within it.
    ///
    /// - Throws: `TerminalError` that names the file that can't be read.
    func notes(in folder: String) async throws -> [String: String]
    /// Appends a text to a file, which is made if need be.
    func append(_ text: String, to file: String) async throws
}

extension LineTerminal {
    /// Writes a message to a person: without control characters, wrapped between words, and ended by a line feed.
    ///
    /// - Throws: When the output is closed.
    public func writeMessage(_ text: String) async throws {
        try await write(text.message(columns: messageColumns) + "\n", to: .messages)
    }

    /// Without an editor.
    @MainActor
    public func edit(
        _ text: String, ending: String, accept: @MainActor (String) async throws -> EditAgain?
    ) async throws -> Bool { false }

    public var progressColumns: Int? { nil }

    public func showProgress(_ line: String?) async throws {}

    public func interruptibly<Result: Sendable>(
        _ operation: @escaping @MainActor @Sendable () async -> Result
    ) async -> Result {
        await operation()
    }
}

/// Where a text goes.
public enum LineStream: Sendable {
    /// What was asked for: the standard output.
    case data
    /// All other output: the standard error.
    case messages
}
