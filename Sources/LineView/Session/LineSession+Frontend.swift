public import ControllerKit
internal import Manual
internal import Terminal

extension LineSession: Frontend {
    public nonisolated static var name: String { "line" }
    public nonisolated static var purpose: String { "for people and scripts" }
    public nonisolated static var takesCommand: Bool { true }

    public nonisolated static func isSession(_ words: [String], isInteractive: Bool) -> Bool {
        words.isEmpty && isInteractive
    }

    /// The commands of every prompt.
    public nonisolated static func commands(of program: Program) -> [FrontendCommand] {
        PromptCommand.all(of: program)
    }

    /// Reads commands until the input ends, or carries out one.
    public func run(_ words: [String]) async throws -> CommandStatus {
        defer { end() }
        let status = words.isEmpty ? await run(prompt: prompt) : await say(words)
        for other in others { await other.stop() }
        return status
    }

    public func perform(_ command: String, _ words: [String]) async throws -> [String] {
        switch PromptCommand(rawValue: command) {
        case .help: return try help(words)
        case .view: return try await view(words)
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
    /// Shows which views are attached; `view json` attaches one to the output, `view json FILE` to a file, and
    /// `view json off` detaches it.
    private func view(_ words: [String]) async throws -> [String] {
        guard let said = words.first else { return attachedViews() }
        let names = [Self.name] + attachable.map(\.frontendName)
        let usage = "\nUsage: view [\(names.dropFirst().joined(separator: "|")) [<file>|off]]"
        let name: String
        do { name = try Vocabulary(noun: "view", names: names).name(meantBy: said) } catch {
            throw Failure(.usage, error.message + usage)
        }
        if words.count > 2 { throw Failure(.usage, "Unexpected “\(words[2])” after “view”." + usage) }
        guard let frontend = attachable.first(where: { $0.frontendName == name }) else {
            throw Failure(.usage, "The line view is the one that you type in, so it can't be detached.")
        }
        let argument = words.dropFirst().first
        // Reports a file that can't be written before anything changes.
        if let argument, argument != "off" { try await terminal.append("", to: argument) }
        if let views = attached.removeValue(forKey: name) { coordinator.detach(views) }
        if argument != "off" { attach(frontend, file: argument) }
        return attachedViews()
    }

    /// The front ends whose views can be attached.
    private var attachable: [any Frontend] { others.filter { type(of: $0).canBeAttached } }

    private func attach(_ frontend: any Frontend, file: String?) {
        let views = frontend.views { [terminal] line in
            if let file {
                try await terminal.append(line + "\n", to: file)
            } else {
                try await terminal.write(line + "\n", to: .data)
            }
        }
        guard let views else { return }
        attached[frontend.frontendName] = views
        coordinator.attach(views)
    }

    private func attachedViews() -> [String] {
        ["\(Self.name): attached"]
            + attachable.map {
                "\($0.frontendName): " + (attached[$0.frontendName] == nil ? "not attached" : "attached")
            }
    }
}

extension Frontend {
    fileprivate var frontendName: String { Self.name }
}

extension LineSession {
    /// The script for a shell.
    func completions(_ words: [String]) throws -> [String] {
        guard let said = words.first, words.count == 1 else {
            throw Failure(.usage, "Which shell? Usage: \(PromptCommand.completions.usage)")
        }
        let name = try Vocabulary(noun: "shell", names: Shell.allCases.map(\.rawValue)).name(meantBy: said)
        return Shell(rawValue: name).map { [$0.script(of: program.command)] } ?? []
    }

    /// Examples and all commands; or what there is to know about one command or topic.
    func help(_ words: [String]) throws -> [String] {
        guard let first = words.first else { return book.overview().lines(on: terminal.page) }
        let two = words.prefix(2).joined(separator: " ")
        let said = book.names.contains(two) ? two : first
        let name = try Vocabulary(noun: "command or topic", names: book.names).name(meantBy: said)
        return book.explanation(of: name).lines(on: terminal.page)
    }

    /// Whether a command, given in words, only explains or prints something of the program itself, and so needs no home.
    public nonisolated static func needsNoRecords(_ words: [String]) -> Bool {
        guard let said = words.first else { return false }
        let names = [PromptCommand.help, .completions].map(\.rawValue)
        return names.contains(said) || asksForHelp(Array(words.dropFirst()))
    }

    /// Whether the words after a command ask for its help: `--help` among its options, or `-h` alone, which would else take
    /// a tag away.
    nonisolated static func asksForHelp(_ words: [String]) -> Bool {
        words.prefix { $0 != "--" }.contains("--help") || words == ["-h"]
    }
}
