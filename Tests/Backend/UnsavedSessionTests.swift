import Backend
import Foundation
import SyncAPI
import TestSupport
import Testing

/// Renewing a session with a store that fails, such as a locked keyring or a full disk.
@Suite("A renewed session that can't be saved", .timeLimit(.minutes(5)))
struct UnsavedSessionTests {
    @Test("The server isn't asked for tokens that the store couldn't save", arguments: [1, 20])
    func storeFails(requests: Int) async throws {
        let home = Home(server: Home.takingOnly(2))
        home.store.failSaving(with: DiskFull())
        for _ in 0..<requests { await expectFailure(home.client) }
        #expect(home.refreshes.isEmpty)
        home.store.failSaving(with: nil)
        home.transport.expect(OpenRoute.refresh, answer: Home.grant(2, now: home.clock.date))
        _ = try await home.client.account()
        #expect(home.store.credentials?.tokens?.access == "access-2")
    }

    @Test("A pair that couldn't be saved isn't used, and each request tries to save it again", arguments: [1, 20])
    func newPairFails(requests: Int) async throws {
        let home = Home(server: Home.takingOnly(2))
        home.store.failSaving(with: DiskFull(), after: 1)
        home.transport.expect(OpenRoute.refresh, answer: Home.grant(2, now: home.clock.date))
        for _ in 0..<requests { await expectFailure(home.client) }
        #expect(home.store.credentials?.tokens?.refresh == "refresh-1")
        #expect(home.transport.requests.allSatisfy { $0.bearerToken != "access-2" })
        home.store.failSaving(with: nil)
        _ = try await home.client.account()
        #expect(home.refreshes.count == 1)
        #expect(home.store.credentials?.tokens?.refresh == "refresh-2")
    }

    @Test("The end of the process saves it")
    func endOfProcess() async throws {
        let home = try await homeWithUnsavedPair()
        await home.client.session.saveUnsaved()
        #expect(home.store.credentials?.tokens?.refresh == "refresh-2")
        #expect(home.refreshes.count == 1)
    }

    @Test("If it can't be saved at the end either, the next process renews the session with the former token")
    func nextProcess() async throws {
        let home = try await homeWithUnsavedPair()
        home.store.failSaving(with: DiskFull())
        await home.client.session.saveUnsaved()
        home.store.failSaving(with: nil)
        home.transport.expect(OpenRoute.refresh, answer: Home.grant(2, now: home.clock.date))
        _ = try await home.anotherProcess().account()
        #expect(home.refreshes.map(\.bodyText) == Array(repeating: #"{"refreshToken":"refresh-1"}"#, count: 2))
    }

    @Test("It doesn't replace the pair that another process has saved meanwhile")
    func anotherProcess() async throws {
        let home = try await homeWithUnsavedPair()
        try home.store.save(Home.credentials(3, clock: home.clock))
        await home.client.session.saveUnsaved()
        #expect(home.store.credentials?.tokens?.refresh == "refresh-3")
        await #expect(throws: BackendError.self) { try await home.client.account() }
        #expect(home.transport.requests.last?.bearerToken == "access-3")
        #expect(home.refreshes.count == 1)
    }

    @Test("Nothing is saved at the end of a process whose session is saved")
    func nothingUnsaved() async throws {
        let home = Home()
        await home.client.session.saveUnsaved()
        #expect(home.store.turns == 0)
    }

    @Test("An end that the server reports is adopted although the tokens can't be removed")
    func endWithTokensLeft() async throws {
        let home = Home(server: Home.takingOnly(2))
        home.store.failSaving(with: TokensLeft(reason: "locked"), after: 1)
        home.transport.expect(OpenRoute.refresh) { _ throws(TransportError) in .problem(401, .tokenInvalid) }
        await #expect(throws: BackendError.signedOut(.revoked)) { try await home.client.account() }
        #expect(try await home.client.session.status() == .ended(Home.identity, .revoked))
    }

    @Test("A log-out ends the session although the tokens can't be removed, and reports that")
    func logOutWithTokensLeft() async throws {
        let home = Home(server: Home.takingOnly(1))
        home.store.failSaving(with: TokensLeft(reason: "locked"))
        home.transport.expect(AuthenticatedRoute.logOut) { _ throws(TransportError) in .json("{}") }
        await #expect(throws: BackendError.tokensLeft("locked")) { try await home.client.logOut() }
        #expect(try await home.client.session.status() == .ended(Home.identity, .loggedOut))
    }

    @Test("A log-out that the server doesn't confirm, and whose tokens can't be removed, reports both")
    func unconfirmedLogOutWithTokensLeft() async throws {
        let home = Home(server: Home.takingOnly(1))
        home.store.failSaving(with: TokensLeft(reason: "locked"))
        home.transport.expect(AuthenticatedRoute.logOut, failing: .refused)
        let reason = "locked. The server didn't confirm it; to be sure, revoke this device from another one."
        await #expect(throws: BackendError.tokensLeft(reason)) { try await home.client.logOut() }
        #expect(try await home.client.session.status() == .ended(Home.identity, .loggedOut))
    }

    @Test("Before a log-in, the session that it ends is saved again", arguments: [true, false])
    func checkSaving(isSignedIn: Bool) async throws {
        let credentials = isSignedIn ? Home.credentials(1, clock: ManualClock()) : nil
        let home = Home(credentials: credentials)
        try await home.client.session.checkSaving()
        #expect(home.store.saves == (isSignedIn ? [credentials] : []))
        home.store.failSaving(with: DiskFull())
        if isSignedIn {
            await #expect(throws: BackendError.credentialStore("\(DiskFull())")) {
                try await home.client.session.checkSaving()
            }
        } else {
            try await home.client.session.checkSaving()
        }
    }

    /// A home whose session was renewed and couldn't be saved; now the store works again.
    private func homeWithUnsavedPair() async throws -> Home {
        let home = Home(server: Home.takingOnly(2))
        home.store.failSaving(with: DiskFull(), after: 1)
        home.transport.expect(OpenRoute.refresh, answer: Home.grant(2, now: home.clock.date))
        await expectFailure(home.client)
        home.store.failSaving(with: nil)
        return home
    }

    private func expectFailure(_ client: BackendClient) async {
        await #expect(throws: BackendError.credentialStore("\(DiskFull())")) { try await client.account() }
    }
}

struct DiskFull: Error {}
