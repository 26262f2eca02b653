public import ControllerKit
import Terminal

extension LineSession: Frontend {
    public nonisolated static var name: String { "line" }
    public nonisolated static var purpose: String { "for people and scripts" }
    public nonisolated static var takesCommand: Bool { true }

    public nonisolated static func isSession(_ words: [String], isInteractive: Bool) -> Bool {
        words.isEmpty && isInteractive
    }

    /// The commands of every prompt.
    public nonisolated static func commands(of program: Program) -> [FrontendCommand] {
        Own.allCases.map { $0.command(of: program) }
    }

    /// Reads commands until the input ends, or carries out one.
    public func run(_ words: [String]) async throws -> CommandStatus {
        defer { end() }
        let status = words.isEmpty ? await run(prompt: prompt) : await say(words)
        for other in others { await other.stop() }
        return status
    }

    public func perform(_ command: String, _ words: [String]) async throws -> [String] {
        switch Own(rawValue: command) {
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

    /// The commands that a prompt itself has.
    enum Own: String, CaseIterable {
        case help, view, completions, quit

        func command(of program: Program) -> FrontendCommand {
            FrontendCommand(rawValue, usage: usage, help: help, examples: examples(program), words: words)
        }

        private var words: FrontendCommand.Words {
            switch self {
            case .help: .explained
            case .view: .attachable
            case .completions: .fixed(Shell.allCases.map(\.rawValue))
            case .quit: .fixed([])
            }
        }

        private var help: String {
            switch self {
            case .help: "Show examples and all commands, or describe one command or topic."
            case .view: "Show the attached views; attach or detach one."
            case .completions: "Print a script that makes a shell complete commands with Tab."
            case .quit: "Leave."
            }
        }

        var usage: String {
            switch self {
            case .help: "help [<command>|<topic>]"
            case .view: "view [<name> [<file>|off]]"
            case .completions: "completions " + Shell.allCases.map(\.rawValue).joined(separator: "|")
            case .quit: "quit"
            }
        }

        private func examples(_ program: Program) -> [Example] {
            switch self {
            case .help:
                [
                    Example("help add", "Describe one command."),
                    Example("help dates", "Describe a topic."),
                ]
            case .view:
                [
                    Example("view json log.jsonl", "Write what is shown to a file, as JSON lines."),
                    Example("view json off", "No more."),
                ]
            case .completions:
                Shell.allCases.map { Example("completions \($0.rawValue)", $0.installation(of: program.command)) }
            case .quit: [Example("quit", "Leave the prompt, like Ctrl-D.")]
            }
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
