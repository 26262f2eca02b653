import Backend
import ControllerKit
import Controllers
import CurlTransport
import LineView
import LocalStore
import SatchelScreens
import SyncEngine

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

extension Catalog {
    /// The screens, to be explained.
    static func explained() throws -> Catalog { try .satchel(.looking(at: nil)) }
}

extension HelpBook {
    /// The program's help.
    @MainActor
    static func standard(_ catalog: Catalog) -> HelpBook {
        HelpBook(catalog, beside: Medium.all.compactMap(\.command), tour: .satchel, topics: HelpTopic.satchel)
    }
}

/// Nobody's session.
private struct NoCredentials: CredentialStore {
    func load() -> Credentials? { nil }
    func save(_ credentials: Credentials?) throws { throw Failure(.failed, "Nobody can sign in here.") }
    func exclusively<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        try await body()
    }
}
