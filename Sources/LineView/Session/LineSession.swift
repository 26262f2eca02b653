public import ControllerKit

/// A session of a person at a terminal, or of a script: commands as lines in, what was asked for as lines out.
///
/// The verbs of all screens are the commands, besides `help`, `view` and `quit`. A command that answers with a state
/// shows it once it is done; intermediate states are not printed. Data go to the standard output, messages to the
/// standard error.
@MainActor
public final class LineSession {
    let coordinator: Coordinator
    let terminal: any LineTerminal
    let media: Media
    private let polish: [String: LinePolish]
    /// Whether the lines come from the input that `-` would read.
    private var readsScript = false
    private var hasQuit = false

    /// A session over a catalogue.
    ///
    /// - Parameters:
    ///   - polish: How some screens are shown better than plainly.
    ///   - media: Other media that `view` may attach to this session's controllers.
    public init(
        _ catalog: Catalog, terminal: any LineTerminal, polish: [LinePolish] = [], media: [OtherMedium] = []
    ) {
        self.terminal = terminal
        self.polish = Dictionary(polish.map { ($0.screen, $0) }) { $1 }
        self.media = Media(media)
        coordinator = Coordinator(catalog) { error in
            // If even this can't be written, the next command's own message tells.
            Task { try? await terminal.write(Failure(error).message.neutralised() + "\n", to: .messages) }
        }
    }

    /// Closes all screens.
    public func end() { coordinator.end() }

    // MARK: Running

    /// Carries out one command, given in words: `["add", "Buy milk", "+shop"]`.
    public func say(_ words: [String]) async -> CommandStatus {
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
        var number = 0
        var status = CommandStatus.ok
        do {
            while !hasQuit, let line = try await nextLine(prompt) {
                number += 1
                guard let failure = await carryOut(line) else { continue }
                let ended = await tell(failure, line: readsScript ? number : nil)
                if status == .ok { status = ended }
            }
            if terminal.isInteractive, !hasQuit { try await terminal.write("\n", to: .messages) }
        } catch {
            return await tell(Failure(error))
        }
        return terminal.isInteractive ? .ok : status
    }

    /// The next line, or why that one can't be taken; nil at the end.
    private func nextLine(_ prompt: String) async throws -> Result<String, Failure>? {
        do {
            return try await terminal.readLine(prompt: prompt).map { .success($0) }
        } catch let failure as Failure where failure.category == .usage {
            return .failure(failure)
        }
    }

    private func carryOut(_ line: Result<String, Failure>) async -> Failure? {
        do {
            let line = try line.get()
            guard !line.allSatisfy(\.isWhitespace), !line.hasPrefix("#") else { return nil }
            try await carryOut(Tokenizer.words(of: line))
            return nil
        } catch {
            return Failure(error)
        }
    }

    private func tell(_ failure: Failure, line: Int? = nil) async -> CommandStatus {
        let place = line.map { "line \($0): " } ?? ""
        let text = (place + failure.message).neutralised(keepingLines: true)
        // Nobody is left to be told that nobody can be told; the status says it.
        try? await terminal.write(text + "\n", to: .messages)
        return CommandStatus(failure.category)
    }

    // MARK: One command

    private func carryOut(_ words: [String]) async throws {
        guard let said = words.first else { return }
        let names = coordinator.catalog.verbs.map(\.name) + Builtin.allCases.map(\.rawValue)
        let name = try Vocabulary(noun: "command", names: names).name(meantBy: said)
        let rest = Array(words.dropFirst())
        switch Builtin(rawValue: name) {
        case .help: try await write(help(rest))
        case .view: try await write(try await view(rest))
        case .quit: hasQuit = true
        case nil: try await perform(name, rest)
        }
    }

    private func perform(_ name: String, _ words: [String]) async throws {
        guard let verb = coordinator.catalog.verb(named: name) else { return }
        let presentation: any AnyPresentation
        do {
            let values = try await values(LineArguments(words, for: verb), of: verb)
            presentation = try await coordinator.perform(name, values)
        } catch let failure as Failure where failure.category == .usage && !failure.message.contains("Usage: ") {
            throw Failure(.usage, failure.message + "\nUsage: \(verb.usage)")
        }
        let state = presentation.anyState
        if verb.answer == .state { try await write(lines(of: state, on: presentation.screenName)) }
        if let notice = state.notice {
            try await terminal.write(notice.neutralised(keepingLines: true) + "\n", to: .messages)
        }
    }

    private func lines(of state: any ScreenState, on screen: String) throws -> [String] {
        let page = terminal.page
        return try polish[screen]?.lines(of: state, on: page) ?? LinePolish.plainLines(of: state, on: page)
    }

    /// The values of a command, those from files read and those that are secret asked for.
    private func values(_ arguments: LineArguments, of verb: VerbSignature) async throws -> ArgumentValues {
        var values = arguments.values
        for spec in verb.arguments where spec.kind == .secret || spec.kind == .contents {
            if let file = arguments.files[spec.name] {
                values[spec.name] = .text(try await contents(of: file, for: spec))
            } else if spec.kind == .secret, spec.isRequired {
                values[spec.name] = .text(try await secret(spec))
            }
        }
        return values
    }

    private func contents(of file: String, for spec: ArgumentSpec) async throws -> String {
        guard file != "-" || !readsScript else {
            throw Failure(.usage, "“-” is the script itself here; give \(spec.name) in a file.")
        }
        let text = try await terminal.contents(of: file)
        // A password file ends with a line end that is no part of the password.
        return spec.kind == .secret ? String(text.prefix { !$0.isNewline }) : text
    }

    private func secret(_ spec: ArgumentSpec) async throws -> String {
        guard terminal.isInteractive else {
            throw Failure(
                .usage, "\(spec.name) can't be asked for, the input is not a terminal: give --\(spec.optionName) FILE.")
        }
        return try await terminal.readSecret(prompt: spec.name + ": ")
    }

    private func write(_ lines: [String]) async throws {
        guard !lines.isEmpty else { return }
        try await terminal.write(lines.joined(separator: "\n") + "\n", to: .data)
    }
}

/// The commands that the line view itself has.
enum Builtin: String, CaseIterable {
    case help, view, quit

    var help: String {
        switch self {
        case .help: "Show all commands, or one."
        case .view: "Show which views are attached; attach or detach one."
        case .quit: "Leave."
        }
    }

    var usage: String {
        switch self {
        case .help: "help [<command>]"
        case .view: "view [<name> [<file>|off]]"
        case .quit: "quit"
        }
    }
}
