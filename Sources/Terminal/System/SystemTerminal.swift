public import Foundation
import Locking
package import PrivateFiles

/// The process's standard input, output and error.
///
/// On a terminal that supports it, lines are edited, with a history and completion. Otherwise they are read unedited.
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
    private let wantedTheme: Theme?
    private let theme: Locked<Theme>
    private let ownFiles = Locked<OwnFiles?>(nil)

    /// Creates the terminal. No other code may read or write the standard files while it is in use.
    ///
    /// - Parameters:
    ///   - program: The program's name in `~/.editrc` (editrc(5)).
    ///   - history: The file for typed lines; nil: they are stored for this session only.
    ///   - drafts: The folder in which texts are edited, created if necessary; nil: the system's temporary folder.
    ///   - theme: The colours; nil: those for the terminal's background, see ``findTheme()``.
    ///   - editor: The line editor where lines can be edited; nil: libedit.
    public init(
        program: String, environment: [String: String], history: URL? = nil, drafts: URL? = nil,
        theme: Theme? = nil, editor: (any LineEditing)? = nil
    ) {
        self.environment = environment
        wantedTheme = theme
        self.theme = Locked(Theme.choose(wanted: theme, background: nil, environment: environment))
        self.drafts = drafts
        let canEdit = TerminalTraits.canEdit(
            isInput: isatty(STDIN_FILENO) == 1, isOutput: isatty(STDERR_FILENO) == 1, environment: environment)
        let file = history.map { HistoryFile(path: $0.path) }
        self.editor =
            canEdit
            ? editor ?? LineEditor(program: program, input: STDIN_FILENO, output: STDERR_FILENO, history: file) : nil
    }

    /// Refuses to append to these files (``append(_:to:)``).
    package func keep(_ files: OwnFiles) { ownFiles.withLock { $0 = files } }

    public var page: LinePage {
        let size = Self.size()
        return TerminalTraits.page(
            isTerminal: isatty(STDOUT_FILENO) == 1, terminalColumns: size?.columns, terminalRows: size?.rows,
            environment: environment, theme: theme.withLock { $0 })
    }

    /// Asks the terminal for its background, unless the theme is set or `COLORFGBG` names it, and chooses the theme. It
    /// takes at most 100 ms. Without an answer, the colours are readable on dark and light backgrounds.
    public func findTheme() async {
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1,
            BackgroundColorQuery.isUseful(wanted: wantedTheme, environment: environment),
            let background = await input.backgroundColor(output: STDOUT_FILENO)
        else { return }
        let found = Theme.choose(wanted: wantedTheme, background: background, environment: environment)
        theme.withLock { $0 = found }
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

    /// Writes a text to the terminal, above the line that is being typed, if there is one.
    private func show(_ text: String, _ file: OutputFile) async throws {
        // Only the editor writes while a line is edited: other output would disturb its row.
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

    /// Runs an operation while another program uses the terminal. Messages of that time are shown afterwards.
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

    public var messageColumns: Int? { Self.messageColumns(environment: environment) }

    /// Returns the width to which messages are wrapped, in columns, for a process that uses no terminal yet; nil: they
    /// go to a file or a pipe.
    package static func messageColumns(environment: [String: String]) -> Int? {
        TerminalTraits.page(
            isTerminal: isatty(STDERR_FILENO) == 1, terminalColumns: size(of: STDERR_FILENO)?.columns,
            terminalRows: nil, environment: environment
        ).columns
    }

    public var progressColumns: Int? {
        TerminalTraits.progressColumns(
            isTerminal: isatty(STDERR_FILENO) == 1, terminalColumns: Self.size(of: STDERR_FILENO)?.columns,
            environment: environment)
    }

    public func showProgress(_ line: String?) async throws {
        // From now on Ctrl-C is handled: `interrupt` erases the row before the process ends.
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

    /// Starts to handle the terminal's signals. In a session, Ctrl-C then no longer ends the process.
    private func listenToSignals() {
        interruption.listen { [weak self] signal in
            switch signal {
            case SIGWINCH: self?.editor?.post(.resized)
            case SIGINT: self?.interrupt()
            default: break
            }
        }
    }

    /// Discards the line that is being typed, or cancels the running command.
    private func interrupt() {
        if editor?.post(.interrupted) == true { return }
        let (again, cancel) = (plainReading.again, interruption.cancellation)
        let isSession = interruption.isSession
        Task { [editor, messages, progress] in
            let cleared = progress.cleared()
            // The terminal has shown ^C; the next output begins below it. The error is ignored: if the output is
            // closed, the next command reports it.
            try? await messages.write(cleared.isEmpty ? again ?? "\n" : cleared)
            guard isSession else { return Self.endByInterrupt() }
            await editor?.dropPendingCommands()
            cancel?()
        }
    }

    /// Ends the process with the signal's default action: there is only one command and no prompt. The shell sees that
    /// the signal ended the process.
    private static func endByInterrupt() {
        signal(SIGINT, SIG_DFL)
        kill(getpid(), SIGINT)
    }

    // MARK: Secrets and files

    public func readSecret(prompt: String) async throws -> String {
        guard isInteractive else {
            throw TerminalError(.usage, "The input is not a terminal, so a secret can't be asked for.")
        }
        // The echo is off before the prompt is shown: keys typed right after it are neither shown nor discarded.
        let hidden = try await input.hideEcho()
        defer { hidden.restore() }
        try await messages.write(prompt)
        return try await input.answer()
    }

    public func readAnswer(prompt: String) async throws -> String {
        guard isInteractive else {
            throw TerminalError(.usage, "The input is not a terminal, so no question can be asked.")
        }
        let settings = try await input.beginAnswer()
        defer { settings.restore() }
        try await messages.write(progress.cleared() + prompt)
        return try await input.answer()
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
        if let own = ownFiles.withLock({ $0 }), own.contains(file) {
            throw TerminalError(.rejected, OwnFiles.refusal(file))
        }
        // 0600: the file will contain the person's records.
        let descriptor = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw TerminalError(.notFound, "“\(file)” can't be written: \(SystemError.last).")
        }
        defer { close(descriptor) }
        try await OutputFile(descriptor: descriptor).write(text)
    }

    /// The bytes of standard input in chunks, for adapters that don't read lines.
    public var chunks: AsyncThrowingStream<[UInt8], any Error> {
        AsyncThrowingStream { [input] in try await input.chunk() }
    }

    private static func size(of descriptor: Int32 = STDOUT_FILENO) -> (columns: Int, rows: Int)? {
        var size = winsize()
        // A pseudo terminal whose size was never set reports 0 columns.
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}

/// The abilities of a terminal, derived from the environment without I/O.
enum TerminalTraits {
    /// Returns the page for an output.
    ///
    /// Colour is used on a terminal only, not if `NO_COLOR` is set and not empty (no-color.org), and not if `TERM` is
    /// `dumb` or absent. The width is the terminal's, else `COLUMNS`, else 80; without a terminal there is none. The
    /// page has rows, beyond which a pager is used, unless `TERM` is `dumb` or absent or the person wants no pager. Block
    /// characters are drawn unless `TERM` is `dumb` or absent or the locale names an encoding other than UTF-8.
    static func page(
        isTerminal: Bool, terminalColumns: Int?, terminalRows: Int?, environment: [String: String],
        theme: Theme = .basic
    ) -> LinePage {
        guard isTerminal else { return LinePage() }
        let isDumb = isDumb(environment)
        let wantsNone = !(environment["NO_COLOR"] ?? "").isEmpty
        let columns = terminalColumns ?? environment["COLUMNS"].flatMap { Int($0) } ?? 80
        let hasPager = !isDumb && ForegroundProgram.pager(environment: environment) != nil
        let rows = hasPager ? terminalRows.flatMap { $0 > 0 ? $0 : nil } : nil
        // Tables need some columns; a terminal that is narrower than 20 wraps their lines.
        let isColoured = !isDumb && !wantsNone
        return LinePage(
            columns: max(columns, 20), rows: rows, isColoured: isColoured,
            drawsBlocks: !isDumb && !namesOtherEncoding(environment), theme: isColoured ? theme : .basic)
    }

    /// Returns whether lines can be edited: input and output are a terminal that can move its cursor.
    static func canEdit(isInput: Bool, isOutput: Bool, environment: [String: String]) -> Bool {
        isInput && isOutput && !isDumb(environment)
    }

    /// Returns the columns of a row that shows progress; nil: the output can't erase it again. The last column is left
    /// free, since some terminals move to the next row after it.
    static func progressColumns(isTerminal: Bool, terminalColumns: Int?, environment: [String: String]) -> Int? {
        guard isTerminal, !isDumb(environment) else { return nil }
        return max(terminalColumns ?? environment["COLUMNS"].flatMap { Int($0) } ?? 80, 20) - 1
    }

    /// Returns whether the locale names an encoding other than UTF-8. Without a locale, the encoding counts as UTF-8.
    private static func namesOtherEncoding(_ environment: [String: String]) -> Bool {
        // The order of POSIX (Base Definitions, section 8.2).
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        return locale.map { !$0.lowercased().replacing("-", with: "").contains("utf8") } ?? false
    }

    private static func isDumb(_ environment: [String: String]) -> Bool {
        ["", "dumb"].contains(environment["TERM"] ?? "")
    }
}
