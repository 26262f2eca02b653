import Records
import SQLiteServerStore
import Testing
import TestSupport

@testable import ServerCore
@testable import SyncAPI

@Suite struct AppPasswordTests {
    let server: InProcessServer
    var device: WireDevice

    init() async throws {
        server = try InProcessServer()
        device = WireDevice(server)
        try await device.register()
    }

    /// Creates an app password, and returns a client that uses it.
    private func client(_ scope: String, expiresIn: Int64? = nil) async throws -> (client: WireDevice, id: String) {
        var body: JSONObject = ["name": "a script", "scope": .string(scope), "password": "correct horse"]
        body["expiresIn"] = expiresIn.map(JSONValue.integer)
        let answer = try await device.call("POST", "/v1/account/app-passwords", body: .object(body))
        try #require(answer.status == 201)
        var client = WireDevice(id: "unused", server)
        client.accessToken = answer["secret"].string
        client.space = device.space
        return (client, try #require(answer["device"].object?["id"]?.string))
    }

    private var record: String { AuthenticatedRoute.readRecord(space: device.space, collection: "tasks", id: "a").path }

    private func put(_ client: WireDevice) async throws -> Int {
        try await client.call("PUT", record, body: ["fields": [:]], headers: ["If-None-Match": "*"]).status
    }

    @Test func aFullOneReadsAndChangesRecords() async throws {
        let (client, _) = try await client("full")
        #expect(try await put(client) == 201)
        #expect(try await client.call("GET", record).status == 200)
        #expect(try await client.pull().status == 200)
        #expect(try await client.call("GET", "/v1/account").status == 200)
    }

    @Test func aReadOnlyOneOnlyReads() async throws {
        let (client, _) = try await client("read-only")
        try #require(try await put(device) == 201)
        #expect(try await client.call("GET", record).status == 200)
        #expect(try await client.pull().status == 200)
        for (method, path) in [
            ("PUT", record), ("PATCH", record), ("DELETE", record),
            ("POST", AuthenticatedRoute.pushChanges(space: device.space).path), ("DELETE", "/v1/sessions/current"),
        ] {
            let answer = try await client.call(method, path)
            #expect(answer.status == 403, "\(method) \(path)")
            #expect(answer["code"] == "forbidden", "\(method) \(path)")
        }
    }

    @Test(arguments: ["read-only", "full"])
    func noneManagesTheAccount(_ scope: String) async throws {
        let (client, id) = try await client(scope)
        for kind in AuthenticatedRoute.Kind.allCases {
            let pattern = AuthenticatedRoute.table[kind]
            let route = pattern.make(pattern.template.parameters.map { _ in id })
            guard route.managesAccount else { continue }
            let answer = try await client.call(route.method, route.path)
            #expect(answer.status == 403, "\(route)")
            #expect(answer["code"] == "forbidden", "\(route)")
        }
    }

    @Test func itIsListedAndRevokedAsADevice() async throws {
        let (client, id) = try await client("full", expiresIn: 60)
        let devices = try await device.call("GET", "/v1/devices")["devices"].array ?? []
        let entry = try #require(devices.first { $0.object?["id"]?.string == id }?.object)
        #expect(entry["name"] == "a script")
        #expect(entry["current"] == false)
        #expect(
            entry["appPassword"] == [
                "scope": "full",
                "expiresAt": .string(WireMoment(milliseconds: server.clock.now + 60_000).text),
            ])
        #expect(devices.first { $0.object?["id"]?.string == device.id }?.object?["appPassword"] == nil)
        #expect(try await device.call("DELETE", "/v1/devices/\(id)").status == 204)
        #expect(try await client.call("GET", "/v1/account").status == 401)
    }

    @Test(arguments: ["read-only", "full"])
    func theAccountSaysWhatItMayDo(_ scope: String) async throws {
        let (client, _) = try await client(scope, expiresIn: 60)
        let status = try await client.call("GET", "/v1/account")
        #expect(
            status["appPassword"] == [
                "scope": .string(scope),
                "expiresAt": .string(WireMoment(milliseconds: server.clock.now + 60_000).text),
            ])
        #expect(try await device.call("GET", "/v1/account")["appPassword"] == .null)
    }

    @Test func itExpires() async throws {
        let (client, _) = try await client("full", expiresIn: 60)
        server.clock.advance(by: .seconds(59))
        #expect(try await client.call("GET", "/v1/account").status == 200)
        server.clock.advance(by: .seconds(1))
        let answer = try await client.call("GET", "/v1/account")
        #expect(answer.status == 401)
        #expect(answer["code"] == "token-expired")
        #expect(answer["title"] == "The app password has expired")
    }

    @Test func itLivesThoughItIsUnusedForLong() async throws {
        let (client, id) = try await client("full", expiresIn: 300 * 86_400)
        server.clock.advance(by: .seconds(299 * 86_400))
        try await server.store.write { [now = server.clock.now] tx in
            _ = try tx.deleteSessions(
                lastSeenBefore: now - 120 * 86_400_000, createdBefore: now - 395 * 86_400_000,
                expiredBefore: now - 30 * 86_400_000, limit: RemovalLimit())
        }
        #expect(try await client.call("GET", "/v1/account").status == 200)
        var again = device
        try await again.logIn()
        let devices = try await again.call("GET", "/v1/devices")["devices"].array ?? []
        #expect(devices.contains { $0.object?["id"]?.string == id })
    }

    @Test func anExpiryTooFarAwayIsRefused() async throws {
        let most = Limits.appPasswordSeconds
        for (seconds, status) in [(most, 201), (most + 1, 422), (0, 422), (Int64.max, 422)] {
            let answer = try await device.call(
                "POST", "/v1/account/app-passwords",
                body: [
                    "name": "n", "scope": "full", "expiresIn": .integer(seconds), "password": "correct horse",
                ])
            #expect(answer.status == status, "\(seconds)")
        }
    }

    @Test func aTokenAloneCreatesNone() async throws {
        let path = "/v1/account/app-passwords"
        #expect(try await device.call("POST", path, body: ["name": "n", "scope": "full"]).status == 422)
        let wrong = try await device.call("POST", path, body: WireDevice.appPassword("not the password"))
        #expect(wrong.status == 403)
        #expect(wrong["code"] == "invalid-credentials")
        // The wrong one delays the next.
        let next = try await device.call("POST", path, body: WireDevice.appPassword())
        #expect(next.status == 429)
        #expect(try await server.store.read { tx in try tx.totals().appPasswords } == 0)
        server.clock.advance(by: .seconds(1))
        #expect(try await device.call("POST", path, body: WireDevice.appPassword()).status == 201)
    }

    @Test func expiredOnesNeitherCountNorAccumulate() async throws {
        var configuration = ServerConfiguration.forTests
        configuration.quota.devices = 3
        let server = try InProcessServer(configuration: configuration)
        var device = WireDevice(server)
        try await device.register()
        func create() async throws -> Int {
            let body: JSONValue = ["name": "n", "scope": "full", "expiresIn": 60, "password": "correct horse"]
            return try await device.call("POST", "/v1/account/app-passwords", body: body).status
        }
        for _ in 0..<3 {
            #expect(try await create() == 201)
            #expect(try await create() == 201)
            #expect(try await create() == 403)
            #expect(try await device.call("GET", "/v1/account")["usage"].object?["devices"] == 3)
            server.clock.advance(by: .seconds(60))
            #expect(try await device.call("GET", "/v1/account")["usage"].object?["devices"] == 1)
            #expect(try await device.call("GET", "/v1/devices")["devices"].array?.count == 1)
        }
        #expect(try await server.store.read { tx in try tx.totals().appPasswords } == 2)
        let overview = try await AdministrationService(store: server.store, environment: server.server.environment)
            .account("anna")
        #expect(overview.usage.devices == 1)
    }

    @Test func theSecretIsStoredAsAHashOnly() async throws {
        let (client, _) = try await client("full")
        let secret = try #require(client.accessToken)
        #expect(secret.hasPrefix(AppPasswordGrant.secretPrefix))
        let token = try await server.store.read { tx in try tx.token(hash: OpaqueToken.hash(secret)) }
        #expect(token != nil)
        #expect(token?.hash != Array(secret.utf8))
    }

    @Test func aLogInEndsTheLongestUnusedDeviceAndNoAppPassword() async throws {
        var configuration = ServerConfiguration.forTests
        configuration.quota.devices = 3
        let server = try InProcessServer(configuration: configuration)
        var (first, second, third) = (
            WireDevice(id: "first", server), WireDevice(id: "second", server), WireDevice(id: "third", server)
        )
        try await first.register()
        server.clock.advance(by: .seconds(120))
        try await second.logIn()
        func create() async throws -> WireDevice.Answer {
            try await second.call("POST", "/v1/account/app-passwords", body: WireDevice.appPassword())
        }
        #expect(try await create().status == 201)
        let refused = try await create()
        #expect(refused.status == 403)
        #expect(refused["code"] == "quota-exceeded")
        #expect(refused["quota"] == "devices")
        server.clock.advance(by: .seconds(120))
        #expect(try await third.logIn().status == 201)
        #expect(try await first.call("GET", "/v1/account").status == 401)
        let devices = try await third.call("GET", "/v1/devices")["devices"].array ?? []
        #expect(devices.count == 3)
        #expect(devices.count { $0.object?["appPassword"] != nil } == 1)
    }
}

@Suite struct DeviceManagementTests {
    let server: InProcessServer
    var laptop: WireDevice
    var phone: WireDevice

    init() async throws {
        server = try InProcessServer()
        laptop = WireDevice(id: "laptop", server)
        phone = WireDevice(id: "phone", server)
        try await laptop.register()
        try await phone.logIn()
    }

    @Test func aDeviceGetsAnotherName() async throws {
        #expect(
            try await laptop.call("PUT", "/v1/devices/phone/name", body: ["name": "Anna's phone"]).status == 204)
        let devices = try await phone.call("GET", "/v1/devices")["devices"].array ?? []
        #expect(devices.compactMap { $0.object?["name"]?.string }.sorted() == ["Anna's phone", "a device"])
        #expect(try await laptop.call("PUT", "/v1/devices/none/name", body: ["name": "n"]).status == 404)
        #expect(try await laptop.call("PUT", "/v1/devices/phone/name", body: ["name": ""]).status == 422)
    }

    @Test(arguments: [(true, 3), (false, 2)] as [(Bool, Int64)])
    func allDevicesAreSignedOutAtOnce(_ includingThis: Bool, _ count: Int64) async throws {
        try #require(
            try await laptop.call("POST", "/v1/account/app-passwords", body: WireDevice.appPassword()).status == 201)
        let answer = try await laptop.call(
            "POST", "/v1/account/sign-out", body: ["includingThis": .bool(includingThis)])
        #expect(answer.status == 200)
        #expect(answer["devices"] == .integer(count))
        #expect(try await phone.call("GET", "/v1/account").status == 401)
        #expect(try await laptop.call("GET", "/v1/account").status == (includingThis ? 401 : 200))
        #expect(try await server.store.read { tx in try tx.totals().appPasswords } == 0)
    }

    @Test func theDevicesOfOthersAreNotReached() async throws {
        var other = WireDevice(id: "other", server)
        try await other.register("ben")
        #expect(try await other.call("PUT", "/v1/devices/phone/name", body: ["name": "n"]).status == 404)
        #expect(
            try await other.call("POST", "/v1/account/sign-out", body: ["includingThis": false])["devices"] == 0)
        #expect(try await phone.call("GET", "/v1/account").status == 200)
    }
}
