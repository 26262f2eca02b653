import Backend
import Records
import struct Records.Record
import SyncAPI
import TestSupport

/// The real services over a real SQLite store, in process, with one account.
struct RealServer: SimulatedServer {
    private let server: InProcessServer
    /// Signed in like a device, to look at what there is.
    private let auditor: Credentials

    let transport: any HTTPTransport
    private static let password = "correct horse battery staple"

    init() async throws {
        server = try InProcessServer(clock: InProcessServer.Clock(milliseconds: Int64(Simulation.start)))
        transport = InProcessServerTransport(server.server)
        let request = RegisterRequest(
            username: "anna", password: Self.password, device: DeviceClaim(name: "auditor", id: "auditor"))
        auditor = try await Self.client(transport).register(request, at: ServerAddress("https://example.org"))
    }

    /// The id of the account's space.
    var space: String { auditor.identity.account.personalSpace }

    /// Turns the server's clock to a time in milliseconds since 1970.
    func turnClock(to milliseconds: UInt64) {
        server.clock.advance(by: .milliseconds(Int64(milliseconds) - server.clock.now))
    }

    /// A session of the account on a device.
    func logIn(device: String) async throws -> Credentials {
        let request = LogInRequest(
            username: "anna", password: Self.password, device: DeviceClaim(name: device, id: device))
        return try await Self.client(transport).logIn(request, at: ServerAddress("https://example.org"))
    }

    func digest() async throws -> SpaceDigest {
        let client = Self.client(transport, auditor)
        var digest = SpaceDigest()
        var cursor: String?
        while true {
            let answer = try await client.pull(space: space, since: cursor, limit: 5)
            let page = try JSONValue(parsing: answer.body).object ?? [:]
            for record in (page["records"]?.array ?? []).compactMap(Record.init(json:)) where !record.deleted {
                digest.add(collection: record.key.collection, id: record.key.id, version: record.version)
            }
            cursor = page["cursor"]?.string
            if page["more"]?.bool == true { continue }
            guard page["digest"]?.string == digest.description else { throw WrongDigest() }
            return digest
        }
    }

    /// The server's own digest isn't that of what it holds.
    struct WrongDigest: Error {}

    private static func client(_ transport: any HTTPTransport, _ credentials: Credentials? = nil) -> BackendClient {
        BackendClient(transport: transport, credentials: InMemoryCredentialStore(credentials))
    }
}
