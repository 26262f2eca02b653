public import Foundation

/// The process's own standard input, output and error.
///
/// Where a person sits at a terminal that can do more than print, lines are edited, with a history and completion; else
/// they are read as they come.
public final class SystemTerminal: LineTerminal {
    private let input = InputFile(descriptor: STDIN_FILENO)
    private let output = OutputFile(descriptor: STDOUT_FILENO)
    private let messages = OutputFile(descriptor: STDERR_FILENO)
    private let environment: [String: String]
    private let drafts: URL?
    private let editor: (any LineEditing)?
    private let plainReading = PlainReading()
    private let interruption = Interruption()
    private let foreground = ForegroundMessages()
    private let progress = ShownProgress()

    /// The standard files. Nothing else may read or write them while the terminal is in use.
    ///
    /// - Parameters:
    ///   - program: The name by which `~/.editrc` addresses the program (editrc(5)).
    ///   - history: The file of the lines that were typed; nil keeps them for this session only.
    ///   - drafts: The folder in which texts are edited; it is created if needed. Nil: the system's temporary files.
    ///   - editor: The line editor to use where lines can be edited; nil: libedit.
    public init(
        program: String, environment: [String: String], history: URL? = nil, drafts: URL? = nil,
        editor: (any LineEditing)? = nil
    ) {
        self.environment = environment
        self.drafts = drafts
        let canEdit = TerminalTraits.canEdit(
            isInput: isatty(STDIN_FILENO) == 1, isOutput: isatty(STDERR_FILENO) == 1, environment: environment)
        let file = history.map { HistoryFile(path: $0.path) }
        self.editor =
            canEdit
            ? editor ?? LineEditor(program: program, input: STDIN_FILENO, output: STDERR_FILENO, history: file) : nil
    }

    public var page: LinePage {
        let size = size()
        return TerminalTraits.page(
            isTerminal: isatty(STDOUT_FILENO) == 1, terminalColumns: size?.columns, terminalRows: size?.rows,
            environment: environment)
    }

    public var isInteractive: Bool { isatty(STDIN_FILENO) == 1 }

    // MARK: Writing

    public func write(_ text: String, to stream: LineStream) async throws {
        switch stream {
        case .data where isatty(STDOUT_FILENO) == 1: try await show(text, output)
        case .data: try await output.write(text)
        case .messages: try await show(text, messages)
        }
    }

    /// Writes a text on the terminal, above the line that is being typed, if there is one.
    private func show(_ text: String, _ file: OutputFile) async throws {
        if editor?.post(.text(text)) == true || foreground.keeps(text) { return }
        try await file.write(progress.cleared() + plainReading.written(text))
    }

    @MainActor
    public func browse(_ text: String) async throws {
        guard let pager = ForegroundProgram.pager(environment: environment) else {
            return try await write(text, to: .data)
        }
        do { try await inForeground { try await pager.page(text) } } catch let failure as ProgramFailure {
            throw TerminalError(.failed, failure.description)
        }
    }

    /// Leaves the terminal to a program; messages of that time are shown afterwards.
    @MainActor
    private func inForeground(_ body: @MainActor () async throws -> Void) async throws {
        foreground.begin()
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        for text in foreground.end() { try await messages.write(text) }
        try outcome.get()
    }

    @MainActor
    public func edit(
        _ text: String, ending: String, accept: @MainActor (String) async throws -> EditAgain?
    ) async throws -> Bool {
        guard isInteractive else { return false }
        let program = ForegroundProgram.editor(environment: environment)
        do {
            try await inForeground {
                try await program.edit(text, ending: ending, in: drafts, accept: accept)
            }
        } catch let failure as ProgramFailure {
            let error = TerminalError(.failed, "“\(failure.command)” \(failure.reason).")
            throw failure.leftover.map { RefusedDraft(leftover: $0, reason: error) } ?? error
        } catch let error as CocoaError {
            throw TerminalError(
                .failed, "The text for the editor can't be kept in a file: \(error.localizedDescription)")
        }
        return true
    }

    // MARK: Reading lines

    public func readLine(assistant: LineAssistant) async throws -> String? {
        guard isInteractive else { return try await input.line() }
        interruption.isSession = true
        listenToSignals()
        guard let editor else { return try await readPlainly() }
        let line = try await editor.command(assistant: assistant)
        if let failure = await editor.removeHistoryFailure() { try await messages.write(failure + "\n") }
        return line
    }

    private func readPlainly() async throws -> String? {
        try await messages.write(plainReading.begin())
        defer { plainReading.end() }
        let line = try await input.line()
        if line == nil { try await messages.write("\n") }
        return line
    }

    public func setPrompt(_ prompt: String) {
        plainReading.setPrompt(prompt)
        editor?.setPrompt(prompt)
    }

    // MARK: Showing progress

    public var messageColumns: Int? {
        TerminalTraits.page(
            isTerminal: isatty(STDERR_FILENO) == 1, terminalColumns: size(of: STDERR_FILENO)?.columns,
            terminalRows: nil, environment: environment
        ).columns
    }

    public var progressColumns: Int? {
        TerminalTraits.progressColumns(
            isTerminal: isatty(STDERR_FILENO) == 1, terminalColumns: size(of: STDERR_FILENO)?.columns,
            environment: environment)
    }

    public func showProgress(_ line: String?) async throws {
        // If the process ends from now on, the row stays as it was.
        if line != nil { listenToSignals() }
        try await messages.write(progress.text(showing: line))
    }

    // MARK: Being interrupted

    public func interruptibly<Result: Sendable>(
        _ operation: @escaping @MainActor @Sendable () async -> Result
    ) async -> Result {
        let work = Task { await operation() }
        interruption.set { work.cancel() }
        defer { interruption.set(nil) }
        return await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            work.cancel()
        }
    }

    /// From now on a person who types here isn't thrown out by Ctrl-C.
    private func listenToSignals() {
        interruption.listen { [weak self] signal in
            switch signal {
            case SIGWINCH: self?.editor?.post(.resized)
            case SIGINT: self?.interrupt()
            default: break
            }
        }
    }

    /// Gives up the line that is being typed, or the command that is under way.
    private func interrupt() {
        if editor?.post(.interrupted) == true { return }
        let (again, cancel) = (plainReading.again, interruption.cancellation)
        let isSession = interruption.isSession
        Task { [editor, messages, progress] in
            let cleared = progress.cleared()
            // The terminal has shown ^C; the next output begins below it. If even this can't be written, the next line
            // reports it.
            try? await messages.write(cleared.isEmpty ? again ?? "\n" : cleared)
            guard isSession else { return Self.endByInterrupt() }
            await editor?.dropPendingCommands()
            cancel?()
        }
    }

    /// Ends the process like the default action of the signal: there is only one command, and no prompt to return to.
    private static func endByInterrupt() {
        signal(SIGINT, SIG_DFL)
        kill(getpid(), SIGINT)
    }

    // MARK: Secrets and files

    public func readSecret(prompt: String) async throws -> String {
        guard isInteractive else {
            throw TerminalError(.usage, "The input is not a terminal, so a secret can't be asked for.")
        }
        // Before the prompt: what a person types at once is neither shown nor discarded.
        let hidden = try await input.hideEcho()
        defer { hidden.restore() }
        try await messages.write(prompt)
        return try await input.secret()
    }

    public func contents(of file: String) async throws -> String {
        if file == "-" { return try await input.rest() }
        return try await ArgumentFile(path: file).text()
    }

    public func isFolder(_ path: String) -> Bool { FolderReader.isFolder(path) }

    public func notes(in folder: String) async throws -> [String: String] {
        try await FolderReader(path: folder).texts()
    }

    public func append(_ text: String, to file: String) async throws {
        let descriptor = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw TerminalError(.notFound, "“\(file)” can't be written: \(String(cString: strerror(errno))).")
        }
        defer { close(descriptor) }
        try await OutputFile(descriptor: descriptor).write(text)
    }

    /// The bytes of the standard input in pieces, for adapters that read no lines.
    public var chunks: AsyncThrowingStream<[UInt8], any Error> {
        AsyncThrowingStream { [input] in try await input.chunk() }
    }

    private func size(of descriptor: Int32 = STDOUT_FILENO) -> (columns: Int, rows: Int)? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}

/// What kind of terminal there is, decided from plain facts.
enum TerminalTraits {
    /// The page for an output.
    ///
    /// Colour is used on a terminal only, not with `NO_COLOR` set to anything (no-color.org), and not when `TERM` is
    /// `dumb` or absent. The width is the terminal's, else `COLUMNS`, else 80; without a terminal there is none. A screen
    /// has an end, beyond which a pager helps, where `TERM` says what it can do and the person wants a pager.
    static func page(
        isTerminal: Bool, terminalColumns: Int?, terminalRows: Int?, environment: [String: String]
    ) -> LinePage {
        guard isTerminal else { return LinePage() }
        let isDumb = isDumb(environment)
        let wantsNone = !(environment["NO_COLOR"] ?? "").isEmpty
        let columns = terminalColumns ?? environment["COLUMNS"].flatMap { Int($0) } ?? 80
        let hasPager = !isDumb && ForegroundProgram.pager(environment: environment) != nil
        let rows = hasPager ? terminalRows.flatMap { $0 > 0 ? $0 : nil } : nil
        return LinePage(columns: max(columns, 20), rows: rows, isColoured: !isDumb && !wantsNone)
    }

    /// Whether lines can be edited: a person sits there, and the terminal can do more than print.
    static func canEdit(isInput: Bool, isOutput: Bool, environment: [String: String]) -> Bool {
        isInput && isOutput && !isDumb(environment)
    }

    /// How many columns a row has that shows how far a work is, on a terminal that can remove it again. The last column
    /// stays free: some terminals go to the next row after it.
    static func progressColumns(isTerminal: Bool, terminalColumns: Int?, environment: [String: String]) -> Int? {
        guard isTerminal, !isDumb(environment) else { return nil }
        return max(terminalColumns ?? environment["COLUMNS"].flatMap { Int($0) } ?? 80, 20) - 1
    }

    private static func isDumb(_ environment: [String: String]) -> Bool {
        ["", "dumb"].contains(environment["TERM"] ?? "")
    }
}
