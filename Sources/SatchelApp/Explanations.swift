internal import Backend
public import ControllerKit
internal import Controllers
internal import CurlTransport
internal import LineView
internal import LocalStore
public import Manual
internal import SatchelScreens
internal import SyncEngine
public import Terminal

// What help, the man page and completion are made from: they work where a home is broken, or isn't there, and make none.
extension Services {
    /// Services over a home as it is, or over nothing, which look and never change or send anything.
    ///
    /// - Parameter home: where to look things up; nil, or one that can't be read: nowhere.
    static func looking(at home: Home?) throws -> Services {
        let store =
            try home.flatMap { try? LocalStore(lookingAt: $0) } ?? LocalStore(inMemoryWithWall: LocalStore.systemWall)
        return Services(
            store: store, transport: CurlTransport(), credentials: NoCredentials(), gate: .open,
            terminal: TerminalName.current, deviceName: "")
    }
}

extension ClientApp {
    /// Whether a command, given in words, is explained or printed without a home.
    public nonisolated static func needsNoRecords(_ words: [String]) -> Bool { LineSession.needsNoRecords(words) }

    /// Carries out a command that needs no home: `help`, `completions`, or one with `--help`.
    public static func explain(_ words: [String], on terminal: any LineTerminal) async throws -> CommandStatus {
        let catalog = try Catalog.satchel(.looking(at: nil))
        return try await LineSession(catalog, of: .satchel, terminal: terminal, book: .satchel(catalog)).say(words)
    }

    /// The man page.
    ///
    /// - Parameter process: The options of the process itself.
    public static func manual(of process: CommandHelp) throws -> Manual {
        try HelpBook.satchel(.satchel(.looking(at: nil)))
            .manual(of: process)
    }
}

extension HelpBook {
    /// The program's help.
    @MainActor
    static func satchel(_ catalog: Catalog) -> HelpBook {
        HelpBook(
            catalog, of: .satchel, frontends: ClientApp.views.map { $0.type }.filter { $0.name != LineSession.name },
            tour: .satchel,
            topics: HelpTopic.satchel)
    }
}

/// A credential store without a session, in which nothing can be stored.
private struct NoCredentials: CredentialStore {
    func load() -> Credentials? { nil }
    func save(_ credentials: Credentials?) throws { throw Failure(.failed, "Signing in is not possible here.") }
    func exclusively<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        try await body()
    }
}

/// What `satchel --complete SHELL LINE [BREAKS]` prints, which the shells' scripts call: what the word at the end of a line
/// could be.
public struct ShellAnswer {
    private let shell: Shell
    private let line: String
    private let breaks: String

    /// Nil if the process was started for something else.
    public init?(_ arguments: some Collection<String>) {
        let arguments = Array(arguments)
        guard arguments.first == "--complete", arguments.count >= 3, let shell = Shell(rawValue: arguments[1]) else {
            return nil
        }
        self.shell = shell
        line = arguments[2]
        breaks = arguments.count > 3 ? arguments[3] : ""
    }

    /// The lines of the answer.
    ///
    /// - Parameter process: The options of the process itself.
    @MainActor
    public func lines(of process: CommandHelp, environment: [String: String]) async throws -> [String] {
        let command = ShellCommand(line, of: process, breakingAt: breaks)
        let home = Home.resolve(.satchel, option: command.options["home"], environment: environment)
        let services = try Services.looking(at: home)
        let completion = ShellCompletion(
            .satchel(try .satchel(services)), process: process,
            attachable: ClientApp.views.map { $0.type }.filter { $0.canBeAttached }.map { $0.name },
            completions: RecordCompletions(services.notebook).source)
        return await completion.answer(command, for: shell)
    }
}
