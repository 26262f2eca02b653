import Records
import SQLiteServerStore
import SyncAPI
import TestSupport
import Testing

@testable import ServerCore

/// What an account can make the server store besides the bytes that its quota counts (Operating, "Quotas"): each kind of
/// row is bounded by number.
@Suite struct StoredBoundsTests {
    private let server: InProcessServer
    private var device: WireDevice

    init() async throws {
        server = try InProcessServer()
        device = WireDevice(server)
        try await device.register()
    }

    /// The number of rows of a table.
    private func rows(of name: String) async throws -> Int {
        let table = try #require(StoreTable.all.first { $0.name == name })
        return try await server.store.read { tx in try tx.rows(of: table, after: nil, limit: 50_000).count }
    }

    /// Adds replaced tokens to the session of the device, as many refreshes leave them.
    ///
    /// - Parameter age: The number of generations since.
    private func addTokens(_ count: Int, age: Int64) async throws {
        let expiresAt = server.clock.now + 90 * 86_400_000
        try await server.store.write { tx in
            guard let account = try tx.account(username: "anna"),
                let session = try tx.sessions(account: account.id).first
            else { return }
            for number in 0..<count {
                try tx.insert(
                    StoredToken(
                        hash: OpaqueToken.hash("token \(number)"), session: session.id, kind: .refresh,
                        generation: session.generation - age, pair: 0, expiresAt: expiresAt))
            }
        }
    }

    @Test mutating func aSessionWithVeryManyTokensIsNotRefreshed() async throws {
        try #require(await device.refresh().status == 200)
        // One generation fewer than the limit allows a last refresh.
        try await addTokens(1, age: SessionService.maximumGenerations - 2)
        #expect(try await device.refresh().status == 200)
        let refused = try await device.refresh()
        #expect(refused.status == 401)
        #expect(refused["code"] == "token-expired")
        #expect(refused["refreshedTooOften"] == .bool(true))
        #expect(try await rows(of: "tokens") == 7)
        #expect(try await device.call("GET", "/v1/account").status == 200, "until the access token expires")
        try #require(await device.logIn().status == 201)
        #expect(try await rows(of: "tokens") == 2, "all of the former session are removed")
        #expect(try await rows(of: "sessions") == 1)
    }

    @Test mutating func repeatedRefreshesAddAFewTokensToThoseOfTheGenerations() async throws {
        let replaced = device.refreshToken
        try #require(await device.refresh().status == 200)
        // The generations are those of age 0, 1 and 2, and 4 tokens are stored.
        let most = 2 * 3 + Int(SessionService.surplusTokens)
        try await addTokens(most - 1 - 4, age: 2)
        #expect(try await device.refresh(replaced).status == 200)
        let refused = try await device.refresh(replaced)
        #expect(refused.status == 401)
        #expect(refused["refreshedTooOften"] == .bool(true))
        #expect(try await rows(of: "tokens") == most + 1)
        #expect(try await device.call("GET", "/v1/account").status == 200, "the session continues")
    }

    @Test mutating func aLogInRemovesABoundedPartOfAnEndedSessionAndMaintenanceTheRest() async throws {
        try await addTokens(11_000, age: 1)
        try #require(await device.logIn().status == 201)
        // 200 rows in its own transaction, and in each of 50 more.
        #expect(try await rows(of: "tokens") == 11_004 - 51 * 200)
        let maintenance = Task { [server] in await server.server.maintain() }
        try await eventually("it and both watches wait after the first time") { server.clock.sleeping == 3 }
        #expect(try await rows(of: "tokens") == 2)
        #expect(try await rows(of: "sessions") == 1)
        maintenance.cancel()
        await maintenance.value
    }

    @Test mutating func aSessionThatIsRefreshedOftenHasFewTokens() async throws {
        for _ in 0..<100 { try #require(await device.refresh().status == 200) }
        #expect(try await rows(of: "tokens") == 2 * (Int(SessionService.storedGenerations) + 1))
    }

    @Test mutating func tokensWithoutClaimsAreKeptUntilTheyExpire() async throws {
        // As an earlier version made it: the present token, without a claim.
        let former = OpaqueToken.make(server.server.environment).text
        try await server.store.write { [now = server.clock.now] tx in
            guard let account = try tx.account(username: "anna"),
                let session = try tx.sessions(account: account.id).first
            else { return }
            try tx.insert(
                StoredToken(
                    hash: OpaqueToken.hash(former), session: session.id, kind: .refresh, generation: 0, pair: 0,
                    expiresAt: now + 90 * 86_400_000))
        }
        try #require(await device.refresh(former).status == 200)
        for _ in 0..<100 { try #require(await device.refresh().status == 200) }
        // The three of the first generation remain.
        #expect(try await rows(of: "tokens") == 3 + 2 * (Int(SessionService.storedGenerations) + 1))
        #expect(try await device.refresh(former).status == 401)
        #expect(try await device.call("GET", "/v1/account").status == 401, "the session has ended")
    }

    /// Around an upgrade, a generation may have pairs with claims and without.
    @Test mutating func aWithdrawnTokenWithoutAClaimIsKeptHoweverOftenAThiefRefreshes() async throws {
        let (former, owned) = (
            OpaqueToken.make(server.server.environment).text, OpaqueToken.make(server.server.environment).text
        )
        try await server.store.write { [now = server.clock.now] tx in
            guard let account = try tx.account(username: "anna"),
                var session = try tx.sessions(account: account.id).first
            else { return }
            session.generation = 1
            try tx.put(session)
            for (generation, text) in [(0, former), (1, owned)] {
                try tx.insert(
                    StoredToken(
                        hash: OpaqueToken.hash(text), session: session.id, kind: .refresh,
                        generation: Int64(generation), pair: 0, expiresAt: now + 90 * 86_400_000))
            }
        }
        try #require(await device.refresh(former).status == 200)
        for _ in 0..<30 { try #require(await device.refresh().status == 200) }
        #expect(try await device.refresh(owned).status == 401)
        #expect(try await device.call("GET", "/v1/account").status == 401, "the session has ended")
    }

    @Test mutating func aClaimOfALaterGenerationIsOfALostDatabase() async throws {
        let later = try #require(device.refreshToken).replacing(".0.0", with: ".9.0")
        #expect(try await device.refresh(later)["epoch"].string != nil)
        #expect(try await device.call("GET", "/v1/account").status == 200, "the session continues")
    }

    @Test mutating func refreshingOftenHidesNoTheft() async throws {
        let first = device.refreshToken
        for _ in 0..<300 { try #require(await device.refresh().status == 200) }
        #expect(try await device.call("GET", "/v1/account").status == 200)
        #expect(try await device.refresh(first).status == 401)
        #expect(try await device.call("GET", "/v1/account").status == 401, "the session has ended")
    }

    @Test mutating func loggingInAndOutLeavesNoRowsBehind() async throws {
        for _ in 0..<20 {
            for _ in 0..<5 { try #require(await device.refresh().status == 200) }
            try #require(await device.logIn().status == 201)
        }
        #expect(try await rows(of: "sessions") == 1)
        #expect(try await rows(of: "tokens") == 2)
        try #require(await device.call("DELETE", AuthenticatedRoute.logOut.path).status == 204)
        try #require(await device.logIn().status == 201)
        #expect(try await rows(of: "sessions") == 1)
    }

    @Test func theQuotaOfDevicesBoundsSessionsAndAHundredProofsAreKept() async throws {
        for number in 1...120 {
            var other = WireDevice(id: "other-\(number)", server)
            try #require(await other.logIn().status == 201)
        }
        #expect(try await rows(of: "sessions") == 100)
        #expect(try await rows(of: "tokens") == 200)
        #expect(try await rows(of: "device_proofs") == 100)
    }

    @Test func theOutcomesOfADeviceAreBoundedAndTheirRowsCount() async throws {
        for number in 1...40 {
            let mutation: JSONValue = [
                "collection": "tasks", "id": .string("r\(number)"), "base": 0, "at": "000000000001-0000-d",
                "set": ["n": 1],
            ]
            try #require(await device.push([mutation], key: "key-\(number)").status == 200)
        }
        #expect(try await rows(of: "outcomes") == StoredOutcome.kept)
        let usage = try await AdministrationService(store: server.store).account("anna").usage
        #expect(usage.bytes > Int64(StoredOutcome.kept * StoredOutcome.rowBytes))
    }

    @Test func anAccountHasOneOneTimeCode() async throws {
        for _ in 0..<3 { _ = try await AdministrationService(store: server.store).resetPassword("anna") }
        #expect(try await rows(of: "resets") == 1)
    }

    @Test func eventsOfTheOwnersCommandsAreBounded() async throws {
        let kept = StoredAudit.kept
        try await server.store.write { tx in
            for number in 0..<(kept + 10) {
                try tx.insert(OwnerAudit(.userAdded, by: "carol", at: Int64(number)))
            }
        }
        let oldest = try await server.store.write { tx in try tx.removeOldestAudits(limit: 1) }
        #expect(oldest.map(\.at) == [10])
    }
}
