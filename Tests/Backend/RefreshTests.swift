import Backend
import Foundation
import SyncAPI
import TestSupport
import Testing

/// ControllerKit.docc/Checklist.md, C21: the interceptor that adds the bearer token, refreshes once for all waiting
/// requests, then retries.
@Suite("Refreshing the access token", .timeLimit(.minutes(5)))
struct RefreshTests {
    @Test("C21 fifty requests whose token has expired cause one refresh, and all succeed")
    func oneRefreshForAll() async throws {
        let home = Home(server: Home.takingOnly(2))
        let gate = Gate()
        home.transport.expect(OpenRoute.refresh, behind: gate, answer: Home.grant(2, now: home.clock.date))
        async let answers = withThrowingTaskGroup(of: AccountStatus.self) { group in
            for _ in 0..<50 { group.addTask { try await home.client.account() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        try await home.transport.receive(51)
        gate.open()
        #expect(try await answers.count == 50)
        #expect(home.refreshes.count == 1)
        #expect(home.store.turns == 1)
        #expect(home.transport.requests.count == 50 + 1 + 50)
        home.transport.verify()
    }

    @Test("The new pair is stored before it is used")
    func storedBeforeUse() async throws {
        let home = Home()
        let store = home.store
        home.transport.expect(AuthenticatedRoute.account, answer: Home.tokenExpired)
        home.transport.expect(OpenRoute.refresh, answer: Home.grant(2, now: home.clock.date))
        home.transport.expect(AuthenticatedRoute.account) { request throws(TransportError) in
            #expect(request.bearerToken == "access-2")
            #expect(store.credentials?.tokens?.access == "access-2")
            #expect(store.credentials?.tokens?.refresh == "refresh-2")
            return Home.accountStatus
        }
        _ = try await home.client.account()
        home.transport.verify()
    }

    @Test("A refresh whose answer was lost is sent again with the same refresh token")
    func lostRefreshAnswer() async throws {
        let home = Home(server: Home.takingOnly(3))
        home.transport.expect(OpenRoute.refresh, losingAnswer: .timedOut) {
            [date = home.clock.date] _ throws(TransportError) in
            Home.grant(2, now: date)
        }
        let error = await #expect(throws: BackendError.self) { try await home.client.account() }
        guard case .transport(let lost) = error else { throw try #require(error) }
        #expect(lost.kind == .timedOut)
        #expect(home.store.credentials?.tokens?.refresh == "refresh-1")
        home.transport.expect(OpenRoute.refresh, answer: Home.grant(3, now: home.clock.date))
        _ = try await home.client.account()
        #expect(home.refreshes.map(\.bodyText) == Array(repeating: #"{"refreshToken":"refresh-1"}"#, count: 2))
    }

    @Test("A pair that another process has stored meanwhile is used without another refresh")
    func refreshedByAnotherProcess() async throws {
        let home = Home(server: Home.takingOnly(2))
        _ = try await home.client.session.status()
        try home.store.save(Home.credentials(2, clock: home.clock))
        _ = try await home.client.account()
        #expect(home.refreshes.isEmpty)
    }

    @Test("Two processes whose token has expired cause one refresh between them")
    func twoProcesses() async throws {
        let home = Home(server: Home.takingOnly(2))
        let other = home.anotherProcess()
        let gate = Gate()
        home.transport.expect(OpenRoute.refresh, behind: gate, answer: Home.grant(2, now: home.clock.date))
        async let first = home.client.account()
        async let second = other.account()
        try await home.transport.receive(3)
        gate.open()
        _ = try await (first, second)
        #expect(home.refreshes.count == 1)
    }

    @Test("A token about to expire is renewed before the request")
    func renewedAhead() async throws {
        let home = Home(server: Home.takingOnly(2))
        home.clock.advance(by: .seconds(880))
        home.transport.expect(OpenRoute.refresh, answer: Home.grant(2, now: home.clock.date))
        _ = try await home.client.account()
        #expect(home.transport.requests.map(\.path) == ["/satchel/v1/sessions/refresh", "/satchel/v1/account"])
    }

    @Test("A clock that is an hour fast doesn't renew the token with each request")
    func wrongClock() async throws {
        let home = Home(server: Home.takingOnly(2))
        home.clock.advance(by: .seconds(3_600))
        let serverDate = home.clock.date.addingTimeInterval(-3_600)
        home.transport.expect(
            OpenRoute.refresh,
            answer: Home.grant(2, now: serverDate, headers: [("Date", "Sat, 21 Nov 2026 05:20:00 GMT")]))
        for _ in 0..<3 { _ = try await home.client.account() }
        #expect(home.refreshes.count == 1)
    }

    @Test("A request is sent again only once")
    func retriedOnce() async throws {
        let home = Home(server: Home.takingOnly(9))
        home.transport.expect(OpenRoute.refresh, answer: Home.grant(2, now: home.clock.date))
        let error = await #expect(throws: BackendError.self) { try await home.client.account() }
        #expect(error?.problem?.code == .tokenExpired)
        #expect(home.transport.requests.count == 3)
    }

    @Test("A wrong password, which is also a 401, refreshes nothing")
    func wrongPassword() async throws {
        let home = Home()
        home.transport.expect(AuthenticatedRoute.changePassword) { _ throws(TransportError) in
            .problem(401, .invalidCredentials)
        }
        let error = await #expect(throws: BackendError.self) {
            try await home.client.changePassword(PasswordChangeRequest(currentPassword: "x", newPassword: "y"))
        }
        #expect(error?.problem?.code == .invalidCredentials)
        home.transport.verify()
    }

    @Test("Cancelling one waiting request leaves the refresh to the others")
    func cancelledWaiter() async throws {
        let home = Home(server: Home.takingOnly(2))
        let gate = Gate()
        home.transport.expect(OpenRoute.refresh, behind: gate, answer: Home.grant(2, now: home.clock.date))
        let starter = Task { try await home.client.account() }
        try await home.transport.receive(2)
        let other = Task { try await home.client.account() }
        try await home.transport.receive(3)
        starter.cancel()
        let error = await #expect(throws: BackendError.self) { try await starter.value }
        #expect(error == .transport(TransportError(.cancelled)))
        gate.open()
        _ = try await other.value
        #expect(home.refreshes.count == 1)
        #expect(home.store.credentials?.tokens?.access == "access-2")
    }

    @Test("A refresh is completed and its pair kept even if its only waiting request is cancelled")
    func lonelyCancelledWaiter() async throws {
        let home = Home(server: Home.takingOnly(2))
        let gate = Gate()
        home.transport.expect(OpenRoute.refresh, behind: gate, answer: Home.grant(2, now: home.clock.date))
        let only = Task { try await home.client.account() }
        try await home.transport.receive(2)
        only.cancel()
        await #expect(throws: BackendError.self) { try await only.value }
        gate.open()
        try await eventually("the new pair is kept") { home.store.credentials?.tokens?.access == "access-2" }
    }
}

extension BackendError {
    var problem: Problem? {
        if case .problem(let problem, _) = self { problem } else { nil }
    }
}
