public import ControllerKit
public import Terminal

/// A session of a person at a terminal or of a script: it reads commands as lines and writes answers as lines.
///
/// The commands are the verbs of all screens and `help`, `view`, `completions` and `quit`. A command that answers with
/// a state prints it when it is done, without intermediate states. While a person is at the prompt, changes from
/// elsewhere on the screen in front are printed, too. Data go to standard output, messages to standard error.
@MainActor
public final class LineSession {
    let coordinator: Coordinator
    let terminal: any LineTerminal
    /// The front ends that can be used from this one.
    let others: [any Frontend]
    /// The attached views of the others.
    let attachedViews: AttachedViews
    let program: Program
    private let givenPrompt: String?
    /// The prompt's own text.
    var prompt: String { givenPrompt ?? program.command + "> " }
    /// The source of the prompt's status.
    private let status: PromptStatus?
    /// Writes the failures of commands and of background work.
    let reports: FailureReports
    /// Messages for the user that don't belong to a command, as they occur.
    let news: @Sendable () -> AsyncStream<String>
    /// Whether commands are read from the standard input, which `-` would read, too.
    private(set) var readsScript = false
    var hasQuit = false
    /// Whether the prompt waits for a line.
    var isWaiting = false
    /// The texts of `help`.
    let book: HelpBook
    /// The grammar for completion and highlighting in the line editor.
    let language: LineLanguage
    /// Shows the progress of long work.
    let progress: ProgressLines
    /// Stores the open screens from one prompt to the next.
    private let memory: Memory?

    /// Stores the open screens of a session.
    public struct Memory: Sendable {
        /// Returns the memory saved last; empty if it can't be read.
        public var load: @MainActor @Sendable () -> SessionMemory
        /// Saves the open screens.
        public var save: @MainActor @Sendable (SessionMemory) -> Void

        /// Creates a storage from its two operations.
        public init(
            load: @escaping @MainActor @Sendable () -> SessionMemory,
            save: @escaping @MainActor @Sendable (SessionMemory) -> Void
        ) {
            (self.load, self.save) = (load, save)
        }
    }

    /// Shows changes from elsewhere while the person is at the prompt.
    var live: LiveLines?

    /// Creates a session for a catalogue.
    ///
    /// - Throws: `CatalogError.nameReserved` if a verb has the name of a command of a front end.
    /// - Parameters:
    ///   - book: The texts of `help`; nil: those of the catalogue's verbs and the front ends' commands.
    ///   - program: The program's name and version.
    ///   - prompt: The prompt's own text; nil: the program's command.
    ///   - others: The front ends that can be used from this one, by their commands or attached with `view`.
    ///   - coordinator: A session for the same catalogue with which this one shares presentations; nil: none.
    ///   - memory: Stores the open screens from one prompt to the next; nil: they aren't stored.
    ///   - status: The source of the prompt's status; nil: the prompt has none.
    ///   - completions: Looks up the completions of arguments.
    ///   - news: Messages for a person at the prompt that don't belong to a command, as they occur. They are read until
    ///     `run` returns.
    public init(
        _ catalog: Catalog, of program: Program, terminal: any LineTerminal, book: HelpBook? = nil,
        prompt: String? = nil, others: [any Frontend] = [], sharingWith coordinator: Coordinator? = nil,
        memory: Memory? = nil, status: PromptStatus? = nil, completions: @escaping CompletionSource = { _, _ in [] },
        news: @escaping @Sendable () -> AsyncStream<String> = { AsyncStream { $0.finish() } }
    ) throws(CatalogError) {
        self.terminal = terminal
        self.news = news
        self.status = status
        self.memory = memory
        self.program = program
        givenPrompt = prompt
        self.others = others
        let book = book ?? HelpBook(catalog, of: program, frontends: others.map { type(of: $0) })
        self.book = book
        let reserved = Set(book.own.map(\.name))
        // A command of the session would hide the screen's command of the same name.
        if let name = catalog.commands.map(\.spelling).first(where: reserved.contains) {
            throw .nameReserved(name)
        }
        language = LineLanguage(
            book, attachable: others.map { type(of: $0) }.filter { $0.canBeAttached }.map { $0.name },
            source: completions)
        let reports = FailureReports(terminal)
        self.reports = reports
        self.coordinator = Coordinator(catalog, sharingWith: coordinator) { reports.report($0) }
        attachedViews = AttachedViews(of: others, to: self.coordinator, terminal)
        progress = ProgressLines(terminal)
        if terminal.progressColumns != nil { self.coordinator.attach(progress) }
    }

    private func statusPrompt(_ base: String) -> StatusPrompt {
        let (terminal, reports) = (terminal, reports)
        return StatusPrompt(
            coordinator.catalog, base: base, status: status, report: { reports.report($0) },
            changed: { terminal.setPrompt($0) })
    }

    /// The output of the session.
    var output: LineOutput { LineOutput(coordinator: coordinator, terminal: terminal) }
    /// The input of argument values that aren't in the line.
    var input: ArgumentInput {
        ArgumentInput(coordinator: coordinator, terminal: terminal, readsScript: readsScript)
    }

    /// Closes all screens.
    public func end() { coordinator.end() }

    // MARK: Running

    /// Performs one command, given in words: `["add", "Buy milk", "+shop"]`.
    public func say(_ words: [String]) async -> CommandStatus {
        reports.begin()
        do {
            try await perform(words)
            return .ok
        } catch {
            return await report(Failure(error))
        }
    }

    /// Reads lines until the end of the input or `quit`, and performs them.
    ///
    /// A person is shown a prompt, and the result is `ok`. A script continues after a line that failed, reports the
    /// number of the line, and ends with the status of the first failure. Empty lines and lines that begin with `#`
    /// are skipped.
    public func run(prompt: String) async -> CommandStatus {
        readsScript = !terminal.isInteractive
        defer { readsScript = false }
        let prompt = statusPrompt(prompt)
        defer { prompt.end() }
        if terminal.isInteractive {
            let live = LiveLines(self)
            self.live = live
            coordinator.attach(live)
            await prompt.start()
            await begin()
        }
        let showing = terminal.isInteractive ? Task { [weak self] in await self?.showNews() } : nil
        defer { showing?.cancel() }
        var number = 0
        var status = CommandStatus.ok
        do {
            while !hasQuit, let line = try await nextLine(prompt) {
                number += 1
                guard let failure = await terminal.interruptibly({ await self.perform(line) }) else { continue }
                let ended = await report(failure, line: readsScript ? number : nil)
                // The exit status of a script is that of its first failure.
                if status == .ok { status = ended }
            }
        } catch {
            return await report(Failure(error))
        }
        // Only prompts restore screens; a script must not replace what a prompt has stored.
        if terminal.isInteractive { memory?.save(coordinator.memory) }
        return terminal.isInteractive ? .ok : status
    }

    /// Opens the screens of the last session, and shows the screen that the program's state requests.
    private func begin() async {
        if let memory { await coordinator.restore(memory.load()) }
        do {
            guard try await coordinator.begin(), let front = coordinator.current else { return }
            try await output.write(output.lines(of: front))
        } catch { reports.report(error) }
    }

    /// Returns the next line, or the failure of a line that can't be read; nil: the input has ended.
    private func nextLine(_ prompt: StatusPrompt) async throws -> Result<String, Failure>? {
        do {
            return try await readLineLive(prompt).map { .success($0) }
        } catch {
            let failure = Failure(error)
            // Such a line isn't UTF-8. The next one may be.
            guard failure.category == .usage else { throw error }
            return .failure(failure)
        }
    }

    private func perform(_ line: Result<String, Failure>) async -> Failure? {
        reports.begin()
        do {
            let line = try line.get()
            guard !line.allSatisfy(\.isWhitespace), !line.hasPrefix("#") else { return nil }
            try await perform(CommandWords.split(line))
            return nil
        } catch {
            return Failure(error)
        }
    }

    private func report(_ failure: Failure, line: Int? = nil) async -> CommandStatus {
        // The output is closed; there is nothing to write and nowhere to write it.
        if failure.message.isEmpty { return CommandStatus(failure.category) }
        await reports.report(failure, line: line)
        return CommandStatus(failure.category)
    }
}
