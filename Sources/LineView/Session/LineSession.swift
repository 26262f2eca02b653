public import ControllerKit
internal import Controllers

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
    let media: Media
    let companions: [Companion]
    let polish: [String: LinePolish]
    /// Writes the failures of commands, and of work that no command waits for.
    let reports: FailureReports
    /// What a person is told whatever screen is in front, as it comes.
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
    /// The state of the screen in front as the person saw it last.
    var inFront: (any ScreenState)?

    /// A session over a catalogue.
    ///
    /// - Parameters:
    ///   - polish: How some screens are shown better than plainly.
    ///   - book: What `help` explains; the catalogue's commands and those of the companions, unless stated.
    ///   - media: Other media that `view` may attach to this session's controllers.
    ///   - companions: What this session may run beside itself.
    ///   - shared: What this session has in common with others over the same catalogue; nil: nothing.
    ///   - offers: Looks up what an argument may be completed to.
    ///   - news: What a person at the prompt is told whatever screen is in front, as it comes; read while `run` lasts.
    public init(
        _ catalog: Catalog, terminal: any LineTerminal, polish: [LinePolish] = [], book: HelpBook? = nil,
        media: [OtherMedium] = [], companions: [Companion] = [], sharing shared: SharedPresentations? = nil,
        offers: @escaping OfferSource = { _, _ in [] },
        news: @escaping @Sendable () -> AsyncStream<String> = { AsyncStream { $0.finish() } }
    ) {
        self.terminal = terminal
        self.news = news
        self.polish = Dictionary(polish.map { ($0.screen, $0) }) { $1 }
        self.media = Media(media)
        self.companions = companions
        let book = book ?? HelpBook(catalog, beside: companions.map(\.command))
        self.book = book
        language = LineLanguage(book, media: media.map(\.name), source: offers)
        let reports = FailureReports(terminal)
        self.reports = reports
        coordinator = Coordinator(catalog, sharing: shared) { reports.report($0) }
        progress = ProgressLines(terminal)
        if terminal.progressColumns != nil { coordinator.attach(progress) }
    }

    private func statusPrompt(_ base: String) -> StatusPrompt {
        let (terminal, reports) = (terminal, reports)
        return StatusPrompt(
            coordinator.catalog, base: base, report: { reports.report($0) },
            changed: { await terminal.changePrompt(to: $0) })
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
            return await tell(Failure(error))
        }
    }

    /// Reads lines until their end or `quit`, and carries them out.
    ///
    /// With a person there is a prompt, and the status is that of quitting. A script goes on after a line that
    /// failed, tells the line's number, and ends with the status of the first failure. Empty lines and lines that begin
    /// with `#` are skipped.
    public func run(prompt: String) async -> CommandStatus {
        readsScript = !terminal.isInteractive
        defer { readsScript = false }
        let prompt = statusPrompt(prompt)
        defer { prompt.end() }
        if terminal.isInteractive {
            coordinator.attach(LiveLines { [weak self] in try await self?.showLive($0, of: $1) })
            await prompt.start()
        }
        let telling = terminal.isInteractive ? Task { [weak self] in await self?.tellNews() } : nil
        defer { telling?.cancel() }
        var number = 0
        var status = CommandStatus.ok
        do {
            while !hasQuit, let line = try await nextLine(prompt) {
                number += 1
                guard let failure = await terminal.interruptibly({ await self.carryOut(line) }) else { continue }
                let ended = await tell(failure, line: readsScript ? number : nil)
                if status == .ok { status = ended }
            }
        } catch {
            return await tell(Failure(error))
        }
        return terminal.isInteractive ? .ok : status
    }

    /// The next line, or why that one can't be taken; nil at the end.
    private func nextLine(_ prompt: StatusPrompt) async throws -> Result<String, Failure>? {
        do {
            return try await readLineLive(prompt).map { .success($0) }
        } catch let failure as Failure where failure.category == .usage {
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

    private func tell(_ failure: Failure, line: Int? = nil) async -> CommandStatus {
        if failure.message.isEmpty { return CommandStatus(failure.category) }
        await reports.report(failure, line: line)
        return CommandStatus(failure.category)
    }
}
