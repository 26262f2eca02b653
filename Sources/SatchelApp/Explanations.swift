internal import Backend
internal import ControllerKit
internal import Controllers
internal import CurlTransport
internal import LineView
internal import LocalStore
internal import Manual
internal import Notebook
internal import SatchelScreens
internal import SyncEngine
internal import Terminal

// The services of help, the man page and completion. They work without a home and with a damaged one, and create none.
extension Services {
    /// Returns services that only read a home, or have an empty one, and never send anything.
    ///
    /// - Parameter home: The home to read; nil, or one that can't be read: an empty one.
    static func reading(_ home: Home?, of client: ClientProgram) throws -> Services {
        // A cache that can't be read must not prevent completion.
        let store =
            try home.flatMap { try? LocalStore(readOnly: $0, types: client.types) }
            ?? LocalStore(inMemoryWithWall: LocalStore.systemWall, types: client.types)
        return Services(
            store: store, transport: CurlTransport(), credentials: NoCredentials(), gate: .open,
            terminal: TerminalName.current, deviceName: "")
    }
}

extension ClientApp {
    /// Performs a command that needs no home: `help`, `completions`, or one with `--help`. Errors of the settings don't
    /// prevent it.
    static func explain(
        _ words: [String], of client: ClientProgram, _ settings: LoadedSettings, on terminal: any LineTerminal
    ) async throws -> CommandStatus {
        let services = try Services.reading(nil, of: client).configured(by: settings)
        let catalog = try client.screens(services)
        return try await LineSession(
            catalog, of: client.program, terminal: terminal, book: client.help(catalog, services)
        ).say(words)
    }

    /// Returns the man page.
    ///
    /// - Parameter process: The options of the process.
    static func manual(of process: CommandHelp, _ client: ClientProgram) throws -> Manual {
        try client.help().manual(of: process)
    }
}

/// An empty credential store that rejects saving.
private struct NoCredentials: CredentialStore {
    func load() -> Credentials? { nil }
    func save(_ credentials: Credentials?) throws { throw Failure(.failed, "Signing in is not possible here.") }
    func exclusively<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        try await body()
    }
}

/// The answer to `COMMAND --complete SHELL LINE [BREAKS]`, which the shells' scripts call: the completions of the last
/// word of a line.
struct ShellAnswer {
    private let shell: Shell
    private let line: String
    private let breaks: String

    /// Parses the arguments of the process; nil if they are another command.
    init?(_ arguments: some Collection<String>) {
        let arguments = Array(arguments)
        guard arguments.first == "--complete", arguments.count >= 3, let shell = Shell(rawValue: arguments[1]) else {
            return nil
        }
        self.shell = shell
        line = arguments[2]
        breaks = arguments.count > 3 ? arguments[3] : ""
    }

    /// Returns the lines of the answer.
    ///
    /// - Parameter process: The options of the process.
    @MainActor
    func lines(
        of process: CommandHelp, _ client: ClientProgram, environment: [String: String]
    ) async throws -> [String] {
        let command = ShellCommand(line, of: process, breakingAt: breaks)
        let home = Home.resolve(client.home, option: command.options["home"], environment: environment)
        // Errors are ignored: the command itself reports them.
        let settings = ConfigurationFile(client.program, option: command.options["config"], environment)?.settings()
        let services = try Services.reading(home, of: client).configured(by: settings ?? LoadedSettings())
        let completion = ShellCompletion(
            client.help(try client.screens(services), services), process: process,
            attachable: client.views.map { $0.type }.filter { $0.canBeAttached }.map { $0.name },
            completions: RecordCompletions(services.notebook).source)
        return await completion.answer(command, for: shell)
    }
}
