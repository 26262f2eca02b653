import Backend
import Records
import SyncAPI
import TestSupport
import Testing

private struct LogOutSucceeded: Error {}

@Suite("The session", .timeLimit(.minutes(5)))
struct SessionTests {
    @Test(
        "A refused refresh ends the session and keeps account, server and device",
        arguments: [
            (Problem.Code.tokenInvalid, SessionEnd.revoked), (.tokenExpired, .expired),
        ])
    func refusedRefresh(code: Problem.Code, end: SessionEnd) async throws {
        let home = Home()
        home.transport.expect(AuthenticatedRoute.account, answer: Home.tokenExpired)
        home.transport.expect(OpenRoute.refresh, answer: .problem(401, code))
        await #expect(throws: BackendError.signedOut(end)) { try await home.client.account() }
        #expect(home.store.credentials == Credentials(identity: Home.identity, state: .ended(reason: end)))
        #expect(try await home.client.session.status() == .ended(Home.identity, end))
        await #expect(throws: BackendError.signedOut(end)) { try await home.client.account() }
        home.transport.verify()
    }

    private func expectRefusedRefresh(_ home: Home, _ problem: Problem) {
        home.transport.expect(AuthenticatedRoute.account, answer: Home.tokenExpired)
        home.transport.expect(
            OpenRoute.refresh,
            answer: HTTPResponse(
                status: 401, headers: [("Content-Type", Problem.mediaType)], body: Array(problem.json.text.utf8)))
    }

    @Test("A session that was refreshed too often is reported as such, not as one that has expired")
    func refreshedTooOften() async throws {
        let home = Home()
        var problem = Problem(status: 401, code: .tokenExpired, title: "The session has expired")
        problem.extensions["refreshedTooOften"] = .bool(true)
        expectRefusedRefresh(home, problem)
        let error = BackendError.signedOut(.refreshedTooOften)
        await #expect(throws: error) { try await home.client.account() }
        #expect(home.store.credentials?.end == .refreshedTooOften)
        #expect(error.message.hasPrefix("The session was refreshed too often"))
    }

    @Test(
        "A server whose data have changed since the session was renewed is reported not to know it",
        arguments: [("e1", "e2", SessionEnd.unknownToServer), ("e1", "e1", .revoked), (nil, "e2", .revoked)]
            as [(String?, String, SessionEnd)])
    func lostData(known: String?, present: String, end: SessionEnd) async throws {
        var credentials = Home.credentials(1, clock: ManualClock())
        credentials.identity.epoch = known
        let home = Home(credentials: credentials)
        var problem = Problem(status: 401, code: .tokenInvalid, title: "The token is not valid")
        problem.extensions["epoch"] = .string(present)
        expectRefusedRefresh(home, problem)
        await #expect(throws: BackendError.signedOut(end)) { try await home.client.account() }
        #expect(home.store.credentials?.end == end)
    }

    @Test("A refusal that isn't the server's own (a captive portal's) doesn't end the session")
    func portal() async throws {
        let home = Home()
        home.transport.expect(AuthenticatedRoute.account, answer: Home.tokenExpired)
        home.transport.expect(OpenRoute.refresh, answer: HTTPResponse(status: 401, body: Array("<html>".utf8)))
        await #expect(throws: BackendError.self) { try await home.client.account() }
        #expect(home.store.credentials?.tokens?.refresh == "refresh-1")
    }

    @Test("The proof of a device outlives refreshes and the session, and is for its own account and server")
    func deviceProof() async throws {
        var credentials = Home.credentials(1, clock: ManualClock())
        credentials.deviceProof = "proof"
        let home = Home(credentials: credentials)
        home.transport.expect(AuthenticatedRoute.account, answer: Home.tokenExpired)
        home.transport.expect(OpenRoute.refresh, answer: Home.grant(2, now: home.clock.date))
        home.transport.expect(AuthenticatedRoute.account, answer: .problem(404, .notFound))
        await #expect(throws: BackendError.self) { try await home.client.account() }
        #expect(home.store.credentials?.tokens?.refresh == "refresh-2")
        #expect(home.store.credentials?.deviceProof == "proof")
        home.transport.expect(AuthenticatedRoute.logOut, failing: .refused)
        _ = try await home.client.logOut()
        let session = home.client.session
        let other = try ServerAddress("https://other.example.org")
        #expect(await session.deviceProof(username: "Ada", at: Home.server) == "proof")
        #expect(await session.deviceProof(username: "ben", at: Home.server) == nil)
        #expect(await session.deviceProof(username: "ada", at: other) == nil)
    }

    @Test("Without a login no request is sent")
    func neverLoggedIn() async throws {
        let home = Home(credentials: nil)
        await #expect(throws: BackendError.signedOut(nil)) { try await home.client.devices() }
        #expect(home.transport.requests.isEmpty)
    }

    @Test("C22 a login is stored when it is begun, not before")
    func logIn() async throws {
        let home = Home(credentials: nil)
        home.transport.expect(OpenRoute.logIn, answer: Home.grant(1, now: home.clock.date))
        let request = LogInRequest(username: "ada", password: "secret", device: DeviceClaim(name: "laptop"))
        let credentials = try await home.client.logIn(request, at: Home.server)
        #expect(home.store.credentials == nil)
        try await home.client.session.begin(credentials)
        #expect(home.store.credentials == Home.credentials(1, clock: home.clock))
        #expect(try await home.client.session.status() == .active(Home.identity))
    }

    @Test("A login by another process is noticed at the next call")
    func loggedInElsewhere() async throws {
        let home = Home(credentials: nil, server: Home.takingOnly(1))
        #expect(try await home.client.session.status() == .neverSignedIn)
        try home.store.save(Home.credentials(1, clock: home.clock))
        _ = try await home.client.account()
    }

    @Test("C23 a new observer receives the present status at once, and then each change")
    func observers() async throws {
        let home = Home()
        var statuses = try await home.client.session.statuses().makeAsyncIterator()
        #expect(await statuses.next() == .active(Home.identity))
        home.transport.expect(AuthenticatedRoute.logOut, answer: .noContent)
        _ = try await home.client.logOut()
        #expect(await statuses.next() == .ended(Home.identity, .loggedOut))
        try home.store.save(Home.credentials(2, clock: home.clock))
        try await home.client.session.reload()
        #expect(await statuses.next() == .active(Home.identity))
    }

    @Test("A logout without a network ends the session here and reports that the server wasn't notified")
    func logOutOffline() async throws {
        let home = Home()
        home.transport.expect(AuthenticatedRoute.logOut, failing: .refused)
        let outcome = try await home.client.logOut()
        guard case .hereOnly(.transport(let error)) = outcome else { throw LogOutSucceeded() }
        #expect((error.kind, error.address) == (.refused, Home.identity.server.description))
        #expect(home.store.credentials == Credentials(identity: Home.identity, state: .ended(reason: .loggedOut)))
    }

    @Test("A deleted account is forgotten")
    func deletedAccount() async throws {
        let home = Home()
        home.transport.expect(AuthenticatedRoute.deleteAccount) { _ throws(TransportError) in .noContent }
        try await home.client.deleteAccount(AccountDeletionRequest(password: "secret"))
        #expect(home.store.credentials == nil)
    }
}
