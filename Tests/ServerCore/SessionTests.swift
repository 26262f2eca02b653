import Records
import SQLiteServerStore
import SyncAPI
import Testing
import TestSupport

@testable import ServerCore

@Suite struct SessionTests {
    let server: InProcessServer
    let log = Lines()
    var device: WireDevice

    init() async throws {
        server = try InProcessServer(log: { [log] in log.add($0) })
        device = WireDevice(server)
        try await device.register()
    }

    private func status(with token: String?) async throws -> WireDevice.Answer {
        var device = device
        device.accessToken = token
        return try await device.call("GET", "/v1/account")
    }

    // MARK: Tokens

    @Test func anAccessTokenIsValidForFifteenMinutes() async throws {
        server.clock.advance(by: .seconds(15 * 60 - 1))
        #expect(try await status(with: device.accessToken).status == 200)
        server.clock.advance(by: .seconds(1))
        let answer = try await status(with: device.accessToken)
        #expect(answer.status == 401)
        #expect(answer["code"] == "token-expired")
        #expect(answer.header("WWW-Authenticate") == "Bearer")
    }

    @Test(arguments: [nil, "", "made-up"])
    func anInvalidTokenIsRefused(_ token: String?) async throws {
        #expect(try await status(with: token).status == 401)
    }

    @Test mutating func aRefreshTokenIsNoAccessToken() async throws {
        #expect(try await status(with: device.refreshToken).status == 401)
        #expect(try await device.refresh(device.accessToken).status == 401)
        #expect(try await status(with: device.accessToken).status == 200)
    }

    @Test mutating func theRefusalOfAnUnknownTokenHasTheEpochLikeAGrant() async throws {
        let granted = try #require(try await device.refresh()["epoch"].string)
        #expect(try await device.refresh("unknown")["epoch"].string == granted)
    }

    @Test mutating func refreshingRenewsBothTokens() async throws {
        let (access, refresh) = (device.accessToken, device.refreshToken)
        #expect(try await device.refresh().status == 200)
        #expect(device.accessToken != access)
        #expect(device.refreshToken != refresh)
        #expect(try await status(with: device.accessToken).status == 200)
    }

    @Test mutating func aRefreshWhoseAnswerWasLostCanBeRepeated() async throws {
        let first = device.refreshToken
        _ = try await device.refresh(first)
        #expect(try await device.refresh(first).status == 200)
        #expect(try await status(with: device.accessToken).status == 200)
        #expect(try await device.refresh().status == 200)
    }

    @Test mutating func aLostAnswerCanBeLostAgain() async throws {
        let first = device.refreshToken
        for _ in 0..<3 { #expect(try await device.refresh(first).status == 200) }
        #expect(try await status(with: device.accessToken).status == 200)
    }

    @Test mutating func aTokenWhoseSuccessorIsAskedForTooOftenEndsTheSession() async throws {
        let first = device.refreshToken
        for _ in 0...RefreshDecision.repetitions { try #require(await device.refresh(first).status == 200) }
        let session = try await server.store.read { tx in
            let account = try #require(try tx.account(username: "anna"))
            let session = try #require(try tx.sessions(account: account.id).first)
            #expect(
                try tx.tokenCount(session: session.id, generation: session.generation)
                    == 2 * (RefreshDecision.repetitions + 1))
            return session.id
        }
        #expect(try await device.refresh(first).status == 401)
        #expect(try await server.store.read { tx in try tx.session(id: session) } == nil)
        #expect(log.all.contains { $0.contains("event=token-reuse") })
    }

    @Test(arguments: [0, 1, 2])
    mutating func theAnswerToAnyOfSeveralEqualRefreshesCanBeUsed(_ used: Int) async throws {
        let first = device.refreshToken
        var answered: [WireDevice] = []
        for _ in 0..<3 {
            try #require(await device.refresh(first).status == 200)
            answered.append(device)
        }
        device = answered[used]
        #expect(try await status(with: device.accessToken).status == 200)
        #expect(try await device.refresh().status == 200)
        #expect(try await status(with: device.accessToken).status == 200)
        // Two parties have used tokens of the session.
        #expect(try await status(with: answered[(used + 1) % 3].accessToken).status == 401)
        #expect(try await status(with: device.accessToken).status == 401)
        #expect(log.all.contains { $0.contains("event=token-reuse") })
    }

    @Test mutating func refreshingWithoutARequestBetweenWithdrawsTheOtherPairs() async throws {
        let first = device.refreshToken
        try #require(await device.refresh(first).status == 200)
        var other = device
        try #require(await device.refresh(first).status == 200)
        try #require(await device.refresh().status == 200)
        #expect(try await other.refresh().status == 401)
        #expect(try await status(with: device.accessToken).status == 401)
    }

    /// How the owner uses the token after a thief has replayed its predecessor and used the answer.
    enum Comeback: CaseIterable {
        case request, lateRequest, refresh, lateRefresh
    }

    @Test(arguments: Comeback.allCases)
    mutating func aReplayBeforeTheSuccessorWasUsedIsDetectedWhenTheOwnerReturns(_ comeback: Comeback) async throws {
        let first = device.refreshToken
        try #require(await device.refresh().status == 200)
        var thief = device
        try #require(await thief.refresh(first).status == 200)
        try #require(await status(with: thief.accessToken).status == 200)
        switch comeback {
        case .request, .refresh: break
        case .lateRequest: server.clock.advance(by: .seconds(16 * 60))
        case .lateRefresh: try #require(await thief.refresh().status == 200)
        }
        let answer: WireDevice.Answer
        switch comeback {
        case .request, .lateRequest: answer = try await status(with: device.accessToken)
        case .refresh, .lateRefresh: answer = try await device.refresh()
        }
        #expect(answer.status == 401)
        #expect(answer["code"] == "token-invalid")
        #expect(try await status(with: thief.accessToken).status == 401)
        #expect(try await thief.refresh().status == 401)
        let line = try #require(log.all.first { $0.contains("event=token-reuse") })
        let requestID = try #require(answer.header(Header.requestID))
        #expect(line.contains("request=\(requestID)"))
        #expect(line.contains("address=192.0.2.1"))
        #expect(line.contains("user=anna"))
        let secrets = [first, device.accessToken, device.refreshToken, thief.accessToken, thief.refreshToken]
        for secret in secrets.compactMap(\.self) { #expect(!log.all.contains { $0.contains(secret) }) }
    }

    @Test mutating func aReplacedTokenThatIsUsedAfterItsSuccessorEndsTheSession() async throws {
        let first = device.refreshToken
        try #require(await device.refresh().status == 200)
        let second = device
        try #require(await status(with: second.accessToken).status == 200)
        let stolen = try await device.refresh(first)
        let requestID = try #require(stolen.header(Header.requestID))
        #expect(stolen.status == 401)
        #expect(try await status(with: second.accessToken).status == 401)
        #expect(try await device.refresh(second.refreshToken).status == 401)
        #expect(log.all.contains { $0.contains("event=token-reuse") && $0.contains("request=\(requestID)") })
        #expect(!log.all.contains { $0.contains(first ?? "-") })
    }

    @Test mutating func aSuccessorIsAlsoUsedByRefreshingWithIt() async throws {
        let first = device.refreshToken
        try #require(await device.refresh().status == 200)
        try #require(await device.refresh().status == 200)
        #expect(try await device.refresh(first).status == 401)
        #expect(try await status(with: device.accessToken).status == 401)
    }

    @Test mutating func aSessionExpiresNinetyDaysAfterItsLastUse() async throws {
        server.clock.advance(by: .seconds(89 * 86_400))
        #expect(try await device.refresh().status == 200)
        server.clock.advance(by: .seconds(90 * 86_400))
        let answer = try await device.refresh()
        #expect(answer.status == 401)
        #expect(answer["code"] == "token-expired")
        #expect(answer["detail"].string?.contains("log in again") == true)
    }

    @Test mutating func aSessionExpiresAfterAYear() async throws {
        for _ in 0..<6 {
            server.clock.advance(by: .seconds(60 * 86_400))
            #expect(try await device.refresh().status == 200)
        }
        server.clock.advance(by: .seconds(5 * 86_400))
        #expect(try await device.refresh().status == 401)
    }

    // MARK: Devices

    @Test func devicesAreListedAndRevokedAtOnce() async throws {
        var other = WireDevice(id: "dev-2", server)
        server.clock.advance(by: .seconds(1))
        try await other.logIn()
        let list = try await device.call("GET", "/v1/devices")["devices"].array ?? []
        #expect(list.compactMap { $0.object?["id"]?.string } == ["dev-1", "dev-2"])
        #expect(list.compactMap { $0.object?["current"]?.bool } == [true, false])
        #expect(try await device.call("DELETE", "/v1/devices/dev-2").status == 204)
        #expect(try await status(with: other.accessToken).status == 401)
        #expect(try await other.refresh().status == 401)
        #expect(try await device.call("DELETE", "/v1/devices/dev-2").status == 404)
    }

    @Test func loggingInAgainOnADeviceEndsItsEarlierSession() async throws {
        var again = device
        try await again.logIn()
        #expect(try await status(with: device.accessToken).status == 401)
        #expect(try await again.call("GET", "/v1/devices")["devices"].array?.count == 1)
    }

    @Test func aLogInBeyondTheLimitEndsTheSessionThatWasUnusedForTheLongestTime() async throws {
        var configuration = ServerConfiguration.forTests
        configuration.quota.devices = 2
        let lines = Lines()
        let server = try InProcessServer(configuration: configuration, log: { lines.add($0) })
        var devices = ["first", "second", "third"].map { WireDevice(id: $0, server) }
        try await devices[0].register()
        for number in [1, 2] {
            server.clock.advance(by: .seconds(120))
            try await devices[number].logIn()
            if number == 1 {
                server.clock.advance(by: .seconds(120))
                #expect(try await devices[0].call("GET", "/v1/account").status == 200)
            }
        }
        #expect(try await devices[1].call("GET", "/v1/account").status == 401)
        let list = try await devices[2].call("GET", "/v1/devices")["devices"].array ?? []
        #expect(list.compactMap { $0.object?["id"]?.string } == ["first", "third"])
        let displaced = lines.all.filter { $0.contains("event=device-displaced") }
        #expect(displaced.count == 1)
        #expect(displaced.first?.contains("device=third") == true)
        #expect(displaced.first?.contains("revoked=second") == true)
    }

    @Test func devicesOfTwoAccountsMayHaveTheSameId() async throws {
        var other = WireDevice(id: device.id, server)
        #expect(try await other.register("ben").status == 201)
        #expect(try await status(with: device.accessToken).status == 200)
        #expect(try await other.call("DELETE", "/v1/devices/\(device.id)").status == 204)
        #expect(try await status(with: device.accessToken).status == 200)
    }

    @Test func aDeviceWithoutIdGetsOne() async throws {
        let body: JSONValue = ["username": "anna", "password": "correct horse", "device": ["name": "n"]]
        let answer = try await device.call("POST", "/v1/sessions", body: body)
        #expect(answer["device"].object?["id"]?.string?.count == 36)
    }

    @Test func theLastUseOfADeviceIsStoredToTheMinute() async throws {
        func seen() async throws -> String? {
            try await device.call("GET", "/v1/devices")["devices"].array?.first?.object?["lastSeenAt"]?.string
        }
        let first = try await seen()
        server.clock.advance(by: .seconds(59))
        #expect(try await seen() == first)
        server.clock.advance(by: .seconds(1))
        #expect(try await seen() == Timestamp.text(milliseconds: server.clock.now))
    }

    @Test func loggingOutRevokesBothTokens() async throws {
        #expect(try await device.call("DELETE", "/v1/sessions/current").status == 204)
        #expect(try await status(with: device.accessToken).status == 401)
        var device = device
        #expect(try await device.refresh().status == 401)
    }
}
