import Backend
import Foundation
import SyncAPI
import TestSupport

/// A home with a scripted server, the setup of the tests in this folder.
struct Home {
    let transport: MockTransport
    let clock = ManualClock()
    let store: InMemoryCredentialStore
    let client: BackendClient

    /// Signed in with the tokens `access-1` and `refresh-1`, valid for 15 minutes.
    init(server: MockTransport.Handler? = nil) {
        self.init(credentials: Self.credentials(1, clock: ManualClock()), server: server)
    }

    init(credentials: Credentials?, server: MockTransport.Handler? = nil) {
        transport = MockTransport(server: server)
        store = InMemoryCredentialStore(credentials)
        client = Self.client(transport, store, clock)
    }

    /// Another process of this home. It shares only the store with the first one.
    func anotherProcess() -> BackendClient { Self.client(transport, store, clock) }

    private static func client(
        _ transport: MockTransport, _ store: InMemoryCredentialStore, _ clock: ManualClock
    ) -> BackendClient {
        BackendClient(transport: transport, credentials: store, userAgent: "satchel/9.9") { clock.date }
    }

    static func credentials(_ generation: Int, clock: ManualClock) -> Credentials {
        Credentials(
            identity: identity,
            state: .active(
                tokens: Tokens(
                    access: "access-\(generation)", accessExpiresAt: clock.date.addingTimeInterval(900),
                    refresh: "refresh-\(generation)")))
    }

    static let account = Account(id: "a1", username: "ada", personalSpace: "s1")
    static let device = SessionGrant.Device(id: "d1", name: "laptop")
    static let server = address("https://notes.example.org/satchel")
    static let identity = SessionIdentity(server: server, account: account, device: device)

    private static func address(_ text: String) -> ServerAddress {
        do { return try ServerAddress(text) } catch { preconditionFailure(error.message) }
    }
}

extension Home {
    /// What a server grants, 15 minutes from `now` by its own clock.
    static func grant(_ generation: Int, now: Date, headers: [(name: String, value: String)] = []) -> HTTPResponse {
        let time = now.addingTimeInterval(900).ISO8601Format(.init(includingFractionalSeconds: true))
        return .json(
            """
            {"account": {"id": "a1", "username": "ada", "personalSpace": "s1"}, "device": {"id": "d1", "name": "laptop"},
             "accessToken": "access-\(generation)", "accessTokenExpiresAt": "\(time)",
             "refreshToken": "refresh-\(generation)", "refreshTokenExpiresAt": "\(time)"}
            """, headers: headers)
    }

    static let accountStatus = HTTPResponse.json(
        """
        {"account": {"id": "a1", "username": "ada", "personalSpace": "s1"}, "usage": {"records": 3, "bytes": 120}}
        """)

    static let tokenExpired = HTTPResponse.problem(401, .tokenExpired)

    /// A server that accepts the access token of one generation only.
    static func takingOnly(_ generation: Int) -> MockTransport.Handler {
        { request throws(TransportError) in
            request.bearerToken == "access-\(generation)" ? accountStatus : tokenExpired
        }
    }

    var refreshes: [HTTPRequest] { transport.requests.filter { $0.path.hasSuffix("/sessions/refresh") } }
}
