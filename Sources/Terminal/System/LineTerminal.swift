/// The input and output of the line view. Tests implement it in memory.
public protocol LineTerminal: Sendable {
    /// The present page. A terminal may be resized between two commands.
    var page: LinePage { get }
    /// Whether a person types: there is a prompt, and secrets can be asked for.
    var isInteractive: Bool { get }

    /// Writes a text unchanged to the stream. Returns when it is written or queued. While a person types a line, the
    /// text is shown above it.
    ///
    /// - Throws: An error if the output is closed.
    func write(_ text: String, to stream: LineStream) async throws
    /// Shows a text that is longer than the screen in the person's pager. Returns when the person leaves it.
    ///
    /// - Throws: An error if the pager can't be used. The caller must then write the text.
    func browse(_ text: String) async throws
    /// Opens a text in the person's editor and passes the edited text to `accept`. Returns false, without effect, if
    /// that isn't possible. A text that isn't accepted remains in a file, which the error names.
    ///
    /// - Parameters:
    ///   - ending: The extension of the file's name, by which editors choose a mode: `md`.
    ///   - accept: Returns nil if it has accepted the text, otherwise the next text to edit, with the reason, until the
    ///     person leaves it unchanged.
    /// - Throws: The error or the last reason of `accept`; `TerminalError` if the editor fails.
    @MainActor
    func edit(_ text: String, ending: String, accept: @MainActor (String) async throws -> EditAgain?) async throws
        -> Bool
    /// Reads a line, without its end; nil: the input has ended. A person is shown the latest prompt.
    ///
    /// - Parameter assistant: The functions of the command language for a line editor.
    /// - Throws: `TerminalError` of kind `usage` for a line that can't be read, after which the next one may be
    ///   readable; any other error if the input can't be read any more.
    func readLine(assistant: LineAssistant) async throws -> String?
    /// Sets the prompt of the next lines and of the line that is being edited.
    @MainActor
    func setPrompt(_ prompt: String)
    /// The width to which messages are wrapped, in columns; nil: they go to a file or a pipe.
    var messageColumns: Int? { get }
    /// The width of a row that shows progress, in columns; nil: the row would not be visible or could not be erased.
    var progressColumns: Int? { get }
    /// Shows a row that the next row or any other output replaces; nil: erases it.
    func showProgress(_ line: String?) async throws
    /// Performs a command. If the person interrupts it (Ctrl-C), only this operation is cancelled.
    func interruptibly<Result: Sendable>(
        _ operation: @escaping @MainActor @Sendable () async -> Result
    ) async -> Result
    /// Asks a person for a secret, without echo.
    ///
    /// - Throws: `TerminalError` if the input isn't a terminal, `CancellationError` if the person cancels.
    func readSecret(prompt: String) async throws -> String
    /// Asks a person a question and returns the typed line.
    ///
    /// - Throws: `TerminalError` if the input isn't a terminal, `CancellationError` if the person cancels.
    func readAnswer(prompt: String) async throws -> String
    /// Returns the text of a file or pipe; for `-`, the remaining input.
    ///
    /// - Throws: `TerminalError` that names the file; `CancellationError` if the task is cancelled while it waits for a
    ///   pipe.
    func contents(of file: String) async throws -> String
    /// Returns whether the path is that of a folder.
    func isFolder(_ path: String) -> Bool
    /// Returns the texts of a folder's Markdown files, by their paths within it.
    ///
    /// - Throws: `TerminalError` that names the file that can't be read.
    func notes(in folder: String) async throws -> [String: String]
    /// Appends a text to a file, which is created if necessary.
    func append(_ text: String, to file: String) async throws
}

extension LineTerminal {
    /// Asks a person a question, and returns whether the answer is yes. Any other answer, and Ctrl-C, is no.
    ///
    /// - Throws: `TerminalError`.
    public func confirm(_ question: String) async throws -> Bool {
        let prompt = (question + " [y/N]").message(columns: messageColumns) + " "
        do {
            let answer = try await readAnswer(prompt: prompt)
            return ["y", "yes"].contains(answer.filter { !$0.isWhitespace }.lowercased())
        } catch is CancellationError { return false }
    }

    /// Writes a message for a person, without control characters, wrapped between words, and with a final line feed.
    ///
    /// - Throws: An error if the output is closed.
    public func writeMessage(_ text: String) async throws {
        try await write(text.message(columns: messageColumns) + "\n", to: .messages)
    }

    /// Returns false: by default, there is no editor.
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

/// The destination of a text.
public enum LineStream: Sendable {
    /// Standard output: the answers of commands.
    case data
    /// Standard error: all other output.
    case messages
}
