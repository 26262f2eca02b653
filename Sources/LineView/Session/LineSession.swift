public import ControllerKit
public import Terminal

/// A session of a person at a terminal, or of a script: commands as lines in, what was asked for as lines out.
///
/// The verbs of all screens are the commands, besides `help`, `view` and `quit`. A command that answers with a state
/// shows it once it is done; intermediate states are not printed, but what others change on the screen in front is, while
/// a person sits at the prompt. Data go to the standard output, messages to the
/// standard error.
@MainActor
public final class LineSession {
    let coordinator: Coordinator
    let terminal: any LineTerminal
    /// The front ends that are used from this one.
    let others: [any Frontend]
    /// The views of others that are attached.
    let attachedViews: AttachedViews
    let program: Program
    private let givenPrompt: String?
    /// The text before a line that a person types.
    var prompt: String { givenPrompt ?? program.command + "> " }
    /// What the prompt shows besides.
    private let status: PromptStatus?
    /// Writes the failures of commands, and of work that no command waits for.
    let reports: FailureReports
    /// Messages for the user that are shown in front of any screen, as they occur.
    let news: @Sendable () -> AsyncStream<String>
    /// Whether the lines come from the input that `-` would read.
    private(set) var readsScript = false
    var hasQuit = false
    /// Whether a person sits at the prompt.
    var isWaiting = false
    /// What can be explained.
    let book: HelpBook
    /// What an editor needs to know of the commands.
    let language: LineLanguage
    /// Shows how far a long work is.
    let progress: ProgressLines
    /// Where open screens are kept from one session to the next.
    private let memory: Memory?

    /// Keeps what a session has open.
    public struct Memory: Sendable {
        /// What was saved last; nothing, if that can't be read.
        public var load: @MainActor @Sendable () -> SessionMemory
        /// Saves what is open.
        public var save: @MainActor @Sendable (SessionMemory) -> Void

        /// A place to keep it.
        public init(
            load: @escaping @MainActor @Sendable () -> SessionMemory,
            save: @escaping @MainActor @Sendable (SessionMemory) -> Void
        ) {
            (self.load, self.save) = (load, save)
        }
    }

    /// Shows what others change while the person is at the prompt.
    var live: LiveLines?

    /// A session over a catalogue.
    ///
    /// - Throws: `CatalogError.nameReserved` if a verb has the name of a command of a front end.
    /// - Parameters:
    ///   - book: What `help` explains; the commands of the catalogue and of the front ends, unless stated.
    ///   - program: What the program calls itself.
    ///   - prompt: The text before a line that a person types; nil: the program's command.
    ///   - others: The front ends that can be used from this one: by their commands, or attached by `view`.
    ///   - coordinator: A session over the same catalogue with which this one shares its presentations; nil: none.
    ///   - memory: Where the open screens of a prompt are kept until the next one; nil: nowhere.
    ///   - status: What the prompt shows besides its own text.
    ///   - completions: Looks up what an argument may be completed to.
    ///   - news: Messages for a person at the prompt that don't belong to a command, as they occur; read while `run`
    ///     lasts.
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

    /// What the session writes.
    var output: LineOutput { LineOutput(coordinator: coordinator, terminal: terminal) }
    /// Where the values of arguments come from that are not in a line.
    var input: ArgumentInput {
        ArgumentInput(coordinator: coordinator, terminal: terminal, readsScript: readsScript)
    }

    /// Closes all screens.
    public func end() { coordinator.end() }

    // MARK: Running

    /// Carries out one command, given in words: `["add", "Buy milk", "+shop"]`.
    public func say(_ words: [String]) async -> CommandStatus {
        reports.begin()
        do {
            try await carryOut(words)
            return .ok
        } catch {
            return await report(Failure(error))
        }
    }

    /// Reads lines until their end or `quit`, and carries them out.
    ///
    /// With a person there is a prompt, and the status is that of quitting. A script continues after a line that
    /// failed, reports the line's number, and ends with the status of the first failure. Empty lines and lines that
    /// begin with `#` are skipped.
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
                guard let failure = await terminal.interruptibly({ await self.carryOut(line) }) else { continue }
                let ended = await report(failure, line: readsScript ? number : nil)
                if status == .ok { status = ended }
            }
        } catch {
            return await report(Failure(error))
        }
        if terminal.isInteractive { memory?.save(coordinator.memory) }
        return terminal.isInteractive ? .ok : status
    }

    /// Opens what the last session had open, and shows what the state asks for.
    private func begin() async {
        if let memory { await coordinator.restore(memory.load()) }
        do {
            guard try await coordinator.begin(), let front = coordinator.current else { return }
            try await output.write(output.lines(of: front))
        } catch { reports.report(error) }
    }

    /// The next line, or why it can't be read; nil at the end.
    private func nextLine(_ prompt: StatusPrompt) async throws -> Result<String, Failure>? {
        do {
            return try await readLineLive(prompt).map { .success($0) }
        } catch {
            let failure = Failure(error)
            guard failure.category == .usage else { throw error }
            return .failure(failure)
        }
    }

    private func carryOut(_ line: Result<String, Failure>) async -> Failure? {
        reports.begin()
        do {
            let line = try line.get()
            guard !line.allSatisfy(\.isWhitespace), !line.hasPrefix("#") else { return nil }
            try await carryOut(CommandWords.split(line))
            return nil
        } catch {
            return Failure(error)
        }
    }

    private func report(_ failure: Failure, line: Int? = nil) async -> CommandStatus {
        if failure.message.isEmpty { return CommandStatus(failure.category) }
        await reports.report(failure, line: line)
        return CommandStatus(failure.category)
    }
}
