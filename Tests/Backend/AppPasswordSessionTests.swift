import Backend
import Foundation
import SyncAPI
import TestSupport
import Testing

@Suite("A session with an app password", .timeLimit(.minutes(5)))
struct AppPasswordSessionTests {
    private static let tokens = Tokens(access: "secret", accessExpiresAt: nil, refresh: "")
    private static let credentials = Credentials(identity: Home.identity, state: .active(tokens: tokens))
    private let home = Home(credentials: AppPasswordSessionTests.credentials)

    @Test("Its secret is checked with the account's status, which names the account")
    func opened() async throws {
        home.transport.expect(AuthenticatedRoute.account) { request throws(TransportError) in
            #expect(request.bearerToken == "secret")
            return Home.accountStatus
        }
        let session = try await home.client.open(appPassword: "secret", as: Home.device, at: Home.server)
        #expect(session == Self.credentials)
        home.transport.verify()
    }

    @Test("It is the token of each request")
    func used() async throws {
        home.transport.expect(AuthenticatedRoute.account) { request throws(TransportError) in
            #expect(request.bearerToken == "secret")
            return Home.accountStatus
        }
        _ = try await home.client.account()
        home.transport.verify()
    }

    @Test("A refused one ends the session without a refresh", arguments: [Problem.Code.tokenExpired, .tokenInvalid])
    func refused(code: Problem.Code) async throws {
        home.transport.expect(AuthenticatedRoute.account, answer: .problem(401, code))
        await #expect(throws: BackendError.signedOut(.appPasswordRefused)) { try await home.client.account() }
        #expect(try await home.client.session.status() == .ended(Home.identity, .appPasswordRefused))
        #expect(home.store.credentials?.end == .appPasswordRefused)
        #expect(home.transport.requests.count == 1)
    }

    @Test("The 401 of a proxy doesn't end the session")
    func proxy() async throws {
        home.transport.expect(AuthenticatedRoute.account, answer: HTTPResponse(status: 401))
        await #expect(throws: BackendError.self) { try await home.client.account() }
        #expect(try await home.client.session.status() == .active(Home.identity))
    }

    @Test("A log-out removes it from this device only, as does a log-in that fails later")
    func loggedOut() async throws {
        try await home.client.discard(Self.credentials)
        #expect(try await home.client.logOut() == .everywhere)
        #expect(try await home.client.session.status() == .ended(Home.identity, .loggedOut))
        #expect(home.transport.requests.isEmpty)
    }
}
