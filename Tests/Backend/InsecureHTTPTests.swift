import Backend
import Foundation
import SyncAPI
import TestSupport
import Testing

/// Passwords and tokens over plain http: only to this machine or where the user has accepted it.
@Suite("Plain http to another machine")
struct InsecureHTTPTests {
    private let device = DeviceClaim(name: "laptop", id: "d1")
    private var request: LogInRequest { LogInRequest(username: "ada", password: "correct horse", device: device) }

    @Test("Nothing is sent unless it was accepted")
    func refused() async throws {
        let home = Home(credentials: nil)
        let server = try ServerAddress("http://notes.example.org")
        await #expect(throws: BackendError.insecureServer(server)) { try await home.client.logIn(request, at: server) }
        await #expect(throws: BackendError.insecureServer(server)) {
            let request = RegisterRequest(username: "ada", password: "correct horse", device: device, invite: nil)
            return try await home.client.register(request, at: server)
        }
        await #expect(throws: BackendError.insecureServer(server)) { try await home.client.negotiate(with: server) }
        #expect(home.transport.requests.isEmpty)
        #expect(BackendError.insecureServer(server).message.contains("the option `insecure-http`"))
    }

    @Test(
        "Acceptance is stored with the session, and only where it is needed",
        arguments: [
            ("http://notes.example.org", true), ("https://notes.example.org", false), ("http://localhost", false),
        ])
    func accepted(server: String, isKept: Bool) async throws {
        let home = Home(credentials: nil)
        home.transport.expect(OpenRoute.logIn, answer: Home.grant(1, now: home.clock.date))
        let credentials = try await home.client.logIn(request, at: try ServerAddress(server), insecureHTTP: true)
        #expect(credentials.identity.insecureHTTP == isKept)
        let file = try JSONEncoder().encode(credentials)
        #expect(try JSONDecoder().decode(Credentials.self, from: file) == credentials)
        try await home.client.session.begin(credentials)
        home.clock.advance(by: .seconds(3_600))
        home.transport.expect(OpenRoute.refresh, answer: Home.grant(2, now: home.clock.date))
        home.transport.expect(AuthenticatedRoute.account, answer: Home.accountStatus)
        _ = try await home.client.account()
        #expect(home.store.credentials?.identity == credentials.identity)
        home.transport.verify()
    }

    /// A session file as earlier versions wrote it.
    private func earlier(_ server: String) throws -> Credentials {
        let text = """
            {"identity": {"server": "\(server)", "account": {"id": "a1", "username": "ada", "personalSpace": "s1"},
             "device": {"id": "d1", "name": "laptop"}},
             "state": {"active": {"tokens": {"access": "access-1", "refresh": "refresh-1"}}}}
            """
        return try JSONDecoder().decode(Credentials.self, from: Data(text.utf8))
    }

    @Test("A session of an earlier version is refused; the message says what to type")
    func earlierSession() async throws {
        let home = Home(credentials: try earlier("http://notes.example.org"))
        await #expect(throws: BackendError.signedOut(.unencrypted)) { try await home.client.account() }
        await #expect(throws: BackendError.signedOut(.unencrypted)) { try await home.client.events() }
        #expect(home.transport.requests.isEmpty)
        let identity = try #require(home.store.credentials).identity
        #expect(try await home.client.session.status() == .ended(identity, .unencrypted))
        let message = BackendError.signedOut(.unencrypted).message
        #expect(message.contains("`login NAME --server https://…`"))
        #expect(message.contains("`login NAME --insecure-http`"))
    }

    @Test(
        "A session of an earlier version continues over https and on this machine",
        arguments: ["https://x.org", "http://[::1]"])
    func earlierSessionGoesOn(server: String) async throws {
        let home = Home(credentials: try earlier(server))
        home.transport.expect(AuthenticatedRoute.account, answer: Home.accountStatus)
        _ = try await home.client.account()
        home.transport.verify()
    }

    @Test("Acceptance by another process is noticed")
    func acceptedElsewhere() async throws {
        var credentials = try earlier("http://notes.example.org")
        let home = Home(credentials: credentials)
        await #expect(throws: BackendError.signedOut(.unencrypted)) { try await home.client.account() }
        credentials.identity.insecureHTTP = true
        try await home.anotherProcess().session.begin(credentials)
        home.transport.expect(AuthenticatedRoute.account, answer: Home.accountStatus)
        _ = try await home.client.account()
        home.transport.verify()
    }
}
