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
