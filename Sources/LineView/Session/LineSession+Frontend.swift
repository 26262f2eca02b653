public import ControllerKit
internal import Manual
internal import Terminal

extension LineSession: Frontend {
    public nonisolated static var name: String { "line" }
    public nonisolated static var purpose: String { "for people and scripts" }
    public nonisolated static var ownsCommand: Bool { true }

    public nonisolated static func isSession(_ words: [String], isInteractive: Bool) -> Bool {
        words.isEmpty && isInteractive
    }

    /// The commands of every prompt.
    public nonisolated static func commands(of program: Program) -> [FrontendCommand] {
        PromptCommand.all(of: program)
    }

    /// Reads commands until the input ends, or performs one.
    public func run(_ words: [String]) async throws -> CommandStatus {
        defer { end() }
        let status = words.isEmpty ? await run(prompt: prompt) : await say(words)
        for other in others { await other.stop() }
        return status
    }

    public func perform(_ command: String, _ words: [String]) async throws -> [String] {
        switch PromptCommand(rawValue: command) {
        case .help: return try help(words)
        case .view: return try await attachedViews.perform(words)
        case .completions: return try completions(words)
        case .quit:
            if let more = words.first { throw Failure(.usage, "Unexpected “\(more)” after “quit”.") }
            hasQuit = true
            return []
        case nil: throw Failure(.usage, "Unknown command “\(command)”.")
        }
    }
}

extension LineSession {
    /// Returns the completion script for a shell.
    func completions(_ words: [String]) throws -> [String] {
        guard let said = words.first, words.count == 1 else {
            throw Failure(.usage, "Which shell? Usage: \(PromptCommand.completions.usage)")
        }
        let name = try Vocabulary(noun: "shell", names: Shell.allCases.map(\.rawValue)).name(meantBy: said)
        return Shell(rawValue: name).map { [$0.script(of: program.command)] } ?? []
    }

    /// Returns examples and all commands, or the help on one command or topic.
    func help(_ words: [String]) throws -> [String] {
        guard let first = words.first else { return book.overview().lines(on: terminal.page) }
        let two = words.prefix(2).joined(separator: " ")
        let said = book.names.contains(two) ? two : first
        let name = try Vocabulary(noun: "command or topic", names: book.names, namesElsewhere: book.namesElsewhere)
            .name(meantBy: said)
        return book.explanation(of: name).lines(on: terminal.page)
    }

    /// Returns whether a command only prints information about the program, so that it needs no home.
    public nonisolated static func needsNoHome(_ words: [String]) -> Bool {
        guard let said = words.first else { return false }
        let names = [PromptCommand.help, .completions].map(\.rawValue)
        return names.contains(said) || asksForHelp(Array(words.dropFirst()))
    }

    /// Returns whether the words after a command request its help: `--help` among its options, or `-h` as the only
    /// word, since `-h` among other words removes the tag `h`.
    nonisolated static func asksForHelp(_ words: [String]) -> Bool {
        words.prefix { $0 != "--" }.contains("--help") || words == ["-h"]
    }
}
