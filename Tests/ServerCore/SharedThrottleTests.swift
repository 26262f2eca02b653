import Records
import SQLiteServerStore
import SyncAPI
import TestSupport
import Testing

@testable import ServerCore

/// The throttle of clients that can't be distinguished: those on the server's machine, on a Unix socket, and behind a
/// proxy that isn't trusted or names no client.
@Suite struct SharedThrottleTests {
    private let lines = Lines()
    private let server: InProcessServer
    private let owner: AdministrationService
    private let invites: InviteService

    init() throws {
        server = try Self.server(.open, lines)
        owner = AdministrationService(store: server.store, environment: server.server.environment)
        invites = InviteService(store: server.store, environment: server.server.environment)
    }

    private static func server(
        _ registration: Capabilities.Registration, _ lines: Lines, store: SQLiteServerStore? = nil,
        clock: InProcessServer.Clock = InProcessServer.Clock()
    ) throws -> InProcessServer {
        var configuration = ServerConfiguration.forTests
        configuration.registration = registration
        return try InProcessServer(store: store, configuration: configuration, clock: clock, log: { lines.add($0) })
    }

    /// A device on the server's machine.
    private func device(_ id: String = "dev-1", of server: InProcessServer? = nil) -> WireDevice {
        let server = server ?? self.server
        return WireDevice(id: id) { request in
            var request = request
            request.address = "127.0.0.1"
            return await server.server.answer(request)
        }
    }

    /// Sets the count of a subject as if it had used up its allowance a moment ago.
    private func exhaust(_ subject: ThrottleSubject) async throws {
        let now = server.clock.now
        try await server.store.write { tx in
            let used = StoredAttempts(count: subject.allowance, last: now, blockedUntil: now, importance: .account)
            try tx.put(used, of: subject.name)
        }
    }

    private func count(_ subject: ThrottleSubject) async throws -> Int64 {
        try await server.store.read { tx in try tx.attempts(of: subject.name)?.count ?? 0 }
    }

    private static func registration(_ name: String, invite: String? = nil) -> JSONValue {
        var body: JSONObject = ["username": .string(name), "password": "correct horse", "device": ["name": "n"]]
        body["invite"] = invite.map(JSONValue.string)
        return .object(body)
    }

    private static func reset(_ name: String, _ code: String) -> JSONValue {
        [
            "username": .string(name), "code": .string(code), "newPassword": "correct battery",
            "device": ["name": "n"],
        ]
    }

    // MARK: Counts

    @Test func registrationsTogetherAreOneInASecondBeyondTheirAllowance() async throws {
        var laptop = device()
        try #require(await laptop.register("first").status == 201)
        #expect(try await count(.registrations(address: nil)) == 1)
        try await exhaust(.registrations(address: nil))
        #expect(try await laptop.register("user-1").status == 201)
        let refused = try await laptop.register("user-2")
        #expect(refused.status == 429)
        #expect(refused.header("Retry-After") == "1")
        server.clock.advance(by: .seconds(1))
        #expect(try await laptop.register("user-2").status == 201)
        #expect(try await laptop.register("user-3").status == 429)
    }

    @Test func aForgedAddressDoesNotEvadeTheCommonCount() async throws {
        try await exhaust(.registrations(address: nil))
        let statuses = try await withStatuses(3) { number in
            try await device().call(
                "POST", OpenRoute.register.path, body: Self.registration("user-\(number)"),
                headers: ["X-Forwarded-For": "203.0.113.\(number)"])
        }
        #expect(statuses == [201, 429, 429])
    }

    private func withStatuses(
        _ times: Int, _ call: (_ number: Int) async throws -> WireDevice.Answer
    ) async throws -> [Int] {
        var statuses: [Int] = []
        for number in 1...times { statuses.append(try await call(number).status) }
        return statuses
    }

    @Test func unknownRefreshTokensAreThrottledTogetherAndKnownOnesAreNot() async throws {
        var laptop = device()
        try #require(await laptop.register().status == 201)
        try await exhaust(.refreshes(address: nil))
        var other = device("dev-2")
        #expect(try await other.refresh("unknown").status == 401)
        #expect(try await other.refresh("unknown").status == 429)
        #expect(try await laptop.refresh().status == 200)
        server.clock.advance(by: .seconds(1))
        #expect(try await other.refresh("unknown").status == 401)
    }

    @Test func wrongOneTimeCodesAreThrottledTogetherAndTheRightOneIsNot() async throws {
        let code = try await owner.add("ben").text
        try await exhaust(.oneTimeCodes)
        let path = OpenRoute.resetLogIn.path
        #expect(try await device().call("POST", path, body: Self.reset("ben", "wrong")).status == 401)
        let refused = try await device().call("POST", path, body: Self.reset("ben", "wrong"))
        #expect(refused.status == 429)
        #expect(try await device().call("POST", path, body: Self.reset("ben", code)).status == 201)
    }

    @Test func wrongInviteCodesAreThrottledTogetherAndARightOneIsNot() async throws {
        let invited = try Self.server(.invite, lines, store: server.store, clock: server.clock)
        let code = try await invites.add().code
        try await exhaust(.invites(address: nil))
        func register(_ code: String) async throws -> Int {
            try await device(of: invited).call(
                "POST", OpenRoute.register.path, body: Self.registration("cleo", invite: code)
            ).status
        }
        #expect(try await register("wrong") == 403)
        #expect(try await register("wrong") == 429)
        #expect(try await register(code) == 201)
    }

    @Test func wrongPasswordsOfOneDelayTheOthersAtThisAccountForAMinuteAtMost() async throws {
        var laptop = device()
        try #require(await laptop.register().status == 201)
        var other = device("dev-2")
        for _ in 0..<20 {
            _ = try await other.logIn(password: "battery staple")
            server.clock.advance(by: .seconds(60))
        }
        #expect(try await other.logIn(password: "battery staple").status == 401)
        var phone = device("phone")
        #expect(try await phone.logIn().header("Retry-After") == "60")
        let proof = laptop.deviceProof
        #expect(try await laptop.logIn(proof: proof).status == 201, "a device with a proof")
    }

    // MARK: Warnings

    /// The requests that are counted by the client's address, and another one.
    private static let kinds: [(path: String, body: JSONValue?)] = [
        (OpenRoute.register.path, registration("ada")), (OpenRoute.register.path, registration("eve", invite: "wrong")),
        (OpenRoute.logIn.path, ["username": "ada", "password": "wrong horse", "device": ["name": "n"]]),
        (OpenRoute.resetLogIn.path, reset("ada", "wrong")), (OpenRoute.refresh.path, ["refreshToken": "unknown"]),
        (OpenRoute.capabilities.path, nil),
    ]

    @Test(arguments: 0..<kinds.count)
    func readinessAndTheLogWarnOnceOfAnUnknownProxy(_ kind: Int) async throws {
        let (path, body) = Self.kinds[kind]
        #expect(try await device().call("GET", "/readyz")["warnings"] == .null)
        let method = body == nil ? "GET" : "POST"
        // A request of a client on the server's machine.
        _ = try await device().call(method, path, body: body)
        #expect(try await device().call("GET", "/readyz")["warnings"] == .null)
        let forwarded = ["X-Forwarded-For": "198.51.100.9"]
        for _ in 0..<2 { _ = try await device().call(method, path, body: body, headers: forwarded) }
        let answer = try await device().call("GET", "/readyz")
        #expect(answer.status == 200)
        #expect(answer["warnings"].array?.count == 1)
        let warning = answer["warnings"].array?.first?.string ?? ""
        #expect(warning.contains("--trusted-proxy"))
        // What happens to the counts: see `aClientWithoutAKnownAddressIsCountedWithAllOthersOfItsKind`.
        #expect(warning.contains("which clients can forge, and also for all its clients together"))
        #expect(lines.all.count { $0.contains("--trusted-proxy") } == 1)
    }

    @Test(arguments: ["Forwarded", "Via", "X-Real-IP", "X-Forwarded-Host", "X-Forwarded-Proto"])
    func aProxyThatNamesNoClientIsNoticedByItsOtherHeaders(_ name: String) async throws {
        _ = try await device().call("GET", OpenRoute.capabilities.path, headers: [name: "x"])
        #expect(lines.all.count { $0.contains("--trusted-proxy") } == 1)
    }
}
