public import Backend
public import ControllerKit
public import Controllers
public import Foundation
public import LocalStore
public import Records
import SyncAPI
public import SyncEngine

extension Services {
    /// Returns services for the test of a controller: a cache in memory and a clock that the test advances. Nothing is
    /// read from the machine, no file is created and no socket is opened.
    ///
    ///     let services = try Services.testing()
    ///     let list = Presentation(ListController(services.notebook)) { Issue.record($0) }
    ///     try await list.send(.add(["Buy", "milk", "+shop"], body: nil))
    ///
    /// - Parameters:
    ///   - transport: The server; by default, any request is an issue of the test.
    ///   - credentials: The session, `Credentials.testing(…)` for a signed-in user; by default, signed out.
    ///   - clock: The clock of this device, the records and the session.
    ///   - types: The record types with their merge rules.
    ///   - timeZone: The user's time zone; by default UTC. Weeks begin on Monday.
    ///   - store: The cache, with its own types; by default one in memory with this clock.
    ///   - terminal: The name of the terminal for the numbers of the last list.
    ///   - gate: The lock that lets one process of a home sync at a time.
    ///   - acceptsInsecureHTTP: Whether a server without encryption is accepted.
    /// - Throws: `LocalStoreError`.
    public static func testing(
        _ transport: any HTTPTransport = MockTransport(), credentials: any CredentialStore = InMemoryCredentialStore(),
        clock: ManualClock = ManualClock(), types: RecordTypes = .standard, timeZone: TimeZone = .gmt,
        store: LocalStore? = nil, terminal: String = "test", gate: SyncGate = .open, acceptsInsecureHTTP: Bool = false
    ) throws -> Services {
        try testing(
            transport, credentials, { clock.milliseconds }, types: types, timeZone: timeZone, store: store,
            terminal: terminal, gate: gate, acceptsInsecureHTTP: acceptsInsecureHTTP)
    }

    /// - Parameter wall: Returns the device's time in milliseconds since 1970.
    static func testing(
        _ transport: any HTTPTransport, _ credentials: any CredentialStore, _ wall: @escaping @Sendable () -> UInt64,
        types: RecordTypes, timeZone: TimeZone = .gmt, store: LocalStore? = nil, terminal: String = "test",
        gate: SyncGate = .open, acceptsInsecureHTTP: Bool = false
    ) throws -> Services {
        let store = try store ?? LocalStore(inMemoryWithWall: wall, types: types)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        calendar.firstWeekday = 2
        return Services(
            store: store, transport: transport, credentials: credentials, gate: gate,
            now: { Date(timeIntervalSince1970: TimeInterval(wall()) / 1_000) }, calendar: calendar, terminal: terminal,
            deviceName: "laptop", acceptsInsecureHTTP: acceptsInsecureHTTP)
    }
}

extension Credentials {
    /// Returns the session of a user who is signed in on `https://notes.example.org` as the device `laptop`, with
    /// tokens that don't expire: `access-1` and `refresh-1`. The account's personal space is `space-ada` for `ada`.
    ///
    /// - Throws: `ServerAddress.Malformed`.
    public static func testing(username: String = "ada") throws -> Credentials {
        Credentials(
            identity: SessionIdentity(
                server: try ServerAddress("https://notes.example.org"),
                account: Account(id: "account-\(username)", username: username, personalSpace: "space-\(username)"),
                device: SessionGrant.Device(id: "laptop-1", name: "laptop")),
            state: .active(tokens: Tokens(access: "access-1", accessExpiresAt: nil, refresh: "refresh-1")))
    }
}

extension Program {
    /// A program with another name than Satchel, whose name generic code must not contain.
    public static let testing = Program(
        name: "Shelf", command: "shelf", version: "1", day: "2026-01-01", related: ["editrc(5)"])
}
