import Records
import SQLiteServerStore
import SyncAPI
import Testing
import TestSupport

@testable import ServerCore

@Suite struct AccountTests {
    let server: InProcessServer
    var device: WireDevice

    init() async throws {
        server = try InProcessServer()
        device = WireDevice(server)
        try await device.register()
    }

    @Test func aNameIsUsedByOneAccount() async throws {
        var other = WireDevice(id: "dev-2", server)
        let answer = try await other.register("ANNA")
        #expect(answer.status == 409)
        #expect(answer["code"] == "username-taken")
    }

    @Test func whetherNamesAreTakenIsAnsweredAFewTimesForAnAddress() async throws {
        var other = WireDevice(id: "dev-2", server)
        // The account of this suite is the first registration from the address.
        for _ in 2...21 { #expect(try await other.register("anna").status == 409) }
        #expect(try await other.register("anna").status == 429)
        server.clock.advance(by: .seconds(1))
        #expect(try await other.register("anna").status == 409)
        #expect(try await other.register("anna").status == 429)
    }

    @Test func anUnknownNameAndAWrongPasswordHaveTheSameAnswer() async throws {
        var other = WireDevice(id: "dev-2", server)
        let wrong = try await other.logIn(password: "battery staple")
        server.clock.advance(by: .seconds(1))
        let unknown = try await other.logIn("nobody")
        #expect(wrong.status == 401)
        #expect(wrong["code"] == "invalid-credentials")
        for name in ["status", "code", "title", "detail", "type"] { #expect(wrong[name] == unknown[name]) }
    }

    @Test func aBodyAboutAccountsAndSessionsHas64KiBAtMost() async throws {
        func logIn(bytes count: Int) async throws -> WireDevice.Answer {
            let body = Array(#"{"username":"anna","password":"correct horse","device":{"name":"n"}}"#.utf8)
            let blanks = [UInt8](repeating: UInt8(ascii: " "), count: count - body.count)
            return try await device.call("POST", OpenRoute.logIn.path, bytes: body + blanks)
        }
        #expect(try await logIn(bytes: 65_536).status == 201)
        let refused = try await logIn(bytes: 65_537)
        #expect(refused.status == 413)
        #expect(refused["code"] == "too-large")
        #expect(refused["detail"].string?.contains("at most 65536 bytes") == true)
    }

    @Test func aPasswordMatchesInAnyNormalisationForm() async throws {
        var other = WireDevice(id: "dev-2", server)
        try await other.register("ben", password: "cafe\u{301} olé")
        #expect(try await other.logIn("ben", password: "caf\u{E9} ole\u{301}").status == 201)
    }

    @Test func wrongPasswordsSlowDownButDoNotEndALiveSession() async throws {
        var other = WireDevice(id: "dev-2", server)
        #expect(try await other.logIn(password: "battery staple").status == 401)
        let blocked = try await other.logIn()
        #expect(blocked.status == 429)
        #expect(blocked["code"] == "rate-limited")
        #expect(blocked.header("Retry-After") == "1")
        #expect(try await device.call("GET", "/v1/account").status == 200)
        server.clock.advance(by: .seconds(1))
        #expect(try await other.logIn(password: "battery staple").status == 401)
        server.clock.advance(by: .seconds(1))
        #expect(try await other.logIn().status == 429)
        server.clock.advance(by: .seconds(1))
        #expect(try await other.logIn().status == 201)
    }

    @Test func wrongPasswordsForInventedNamesLockOutNoOtherUser() async throws {
        var other = WireDevice(id: "dev-2", server)
        for number in 1...20 { #expect(try await other.logIn("invented-\(number)").status == 401) }
        #expect(try await other.logIn().status == 201)
        #expect(try await other.logIn("invented").status == 401)
        #expect(try await other.logIn().status == 429)
    }

    @Test func aHashIsRenewedWhenTheCostGrew() async throws {
        var configuration = ServerConfiguration.forTests
        configuration.passwordCost.memory = 16
        let dearer = try InProcessServer(store: server.store, configuration: configuration)
        var other = WireDevice(id: "dev-2", dearer)
        #expect(try await other.logIn().status == 201)
        let hash = try await server.store.read { tx in try tx.account(username: "anna")?.passwordHash }
        #expect(hash?.contains("m=16,") == true)
        #expect(try await other.logIn().status == 201)
    }

    @Test func changingThePasswordEndsTheOtherSessions() async throws {
        var other = WireDevice(id: "dev-2", server)
        try await other.logIn()
        let change: JSONValue = ["currentPassword": "correct horse", "newPassword": "battery staple"]
        #expect(try await device.call("PUT", "/v1/account/password", body: change).status == 204)
        #expect(try await device.call("GET", "/v1/account").status == 200)
        #expect(try await other.call("GET", "/v1/account").status == 401)
        #expect(try await other.logIn().status == 401)
        server.clock.advance(by: .seconds(1))
        #expect(try await other.logIn(password: "battery staple").status == 201)
    }

    @Test func changingThePasswordRequiresThePresentOne() async throws {
        let change: JSONValue = ["currentPassword": "wrong horse", "newPassword": "battery staple"]
        let answer = try await device.call("PUT", "/v1/account/password", body: change)
        #expect(answer.status == 403)
        #expect(answer["code"] == "invalid-credentials")
        #expect(try await device.call("PUT", "/v1/account/password", body: change).status == 429)
    }

    @Test func aDeletedAccountIsRemovedWithItsSpace() async throws {
        let wrong = try await device.call("POST", "/v1/account/deletion", body: ["password": "wrong horse"])
        #expect(wrong.status == 403)
        server.clock.advance(by: .seconds(1))
        let answer = try await device.call("POST", "/v1/account/deletion", body: ["password": "correct horse"])
        #expect(answer.status == 204)
        #expect(try await device.call("GET", "/v1/account").status == 401)
        let space = device.space
        #expect(try await server.store.read { tx in try tx.space(space) } == nil)
        var again = WireDevice(server)
        #expect(try await again.register().status == 201)
        #expect(again.space != space)
    }

    @Test func theAccountReportsItsUsage() async throws {
        _ = try await device.push(
            [["collection": "tasks", "id": "a", "base": 0, "at": "000000000001-0000-d", "set": ["n": 1]]], key: "k")
        let answer = try await device.call("GET", "/v1/account")
        let bytes = 85 + Int64(StoredOutcome.rowBytes)
        #expect(answer["usage"] == ["records": 1, "bytes": .integer(bytes), "devices": 1, "streams": 0])
        #expect(answer["account"].object?["username"] == "anna")
    }

    // MARK: Permission to register

    @Test func aClosedServerAcceptsNoRegistration() async throws {
        var device = WireDevice(try InProcessServer(configuration: configuration(.closed)))
        let answer = try await device.register()
        #expect(answer.status == 403)
        #expect(answer["code"] == "registration-closed")
        let unread = try await device.call("POST", "/v1/accounts", bytes: Array("not json".utf8))
        #expect(unread.status == 403)
    }

    private func configuration(_ registration: Capabilities.Registration) -> ServerConfiguration {
        var configuration = ServerConfiguration.forTests
        configuration.registration = registration
        return configuration
    }

    // MARK: Shapes

    @Test(arguments: [
        (#"{"username":"a b","password":"correct horse","device":{"name":"n"}}"#, "/username"),
        (#"{"username":"ben","password":"short","device":{"name":"n"}}"#, "/password"),
        (#"{"username":"ben","password":1,"device":{"name":"n"}}"#, "/password"),
        (#"{"username":"ben","password":"correct horse"}"#, "/device"),
        (#"{"username":"ben","password":"correct horse","device":{"name":""}}"#, "/device/name"),
        (#"{"username":"ben","password":"correct horse","device":{"name":"n","id":"a/b"}}"#, "/device/id"),
        (#"{"username":"ben","password":"correct horse","device":{"name":"n"},"invite":7}"#, "/invite"),
        ("[]", ""),
    ])
    func aRegistrationOfTheWrongShapeIsRefusedWithThePlace(_ body: String, _ pointer: String) async throws {
        let answer = try await device.call("POST", "/v1/accounts", bytes: Array(body.utf8))
        #expect(answer.status == 422)
        #expect(answer["errors"].array?.first?.object?["pointer"] == .string(pointer))
    }
}
