public import Controllers
import ControllerKit
public import Records
import SQLiteServerStore
import ServerCore

extension Services {
    /// Services of a device that is signed in on a server in this process, to an account that its first device makes. Nothing
    /// is synced by itself: `services.engine.sync()` does it when the test says so. The device's clock is the server's, so
    /// that `server.clock.advance(by:)` turns them all.
    ///
    ///     let server = try InProcessServer()
    ///     let laptop = try await Services.testing(on: server)
    ///     let phone = try await Services.testing(on: server)
    ///
    /// - Parameters:
    ///   - username: whose device it is.
    ///   - types: the kinds of records, with their merge rules.
    /// - Throws: What signing in throws.
    @MainActor
    public static func testing(
        on server: InProcessServer, username: String = "ada", types: RecordTypes = .standard
    ) async throws -> Services {
        let clock = server.clock
        let services = try testing(
            InProcessServerTransport(server.server), InMemoryCredentialStore(), { UInt64(max(0, clock.now)) },
            types: types)
        let login = Presentation(LoginController(services.account)) { _ in }
        let (password, address) = ("correct horse battery", "https://notes.example.org")
        let isKnown = try await server.store.read { try $0.account(username: username) != nil }
        try await login.send(
            isKnown
                ? .logIn(username: username, password: password, server: address)
                : .register(username: username, password: password, server: address, invite: nil))
        login.unload()
        return services
    }
}
