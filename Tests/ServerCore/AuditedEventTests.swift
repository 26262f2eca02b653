import Records
import SQLiteServerStore
import SyncAPI
import TestSupport
import Testing

@testable import ServerCore

/// Every security event has a cause that leaves it, once. A new event needs a line in the table.
@Suite struct AuditedEventTests {
    private let server: InProcessServer
    private let log = Lines()
    private let owner: AdministrationService
    private let invites: InviteService
    private var device: WireDevice

    init() async throws {
        server = try InProcessServer(log: { [log] in log.add($0) })
        let (store, environment) = (server.store, server.server.environment)
        owner = AdministrationService(store: store, environment: environment, owner: "carol")
        invites = InviteService(store: store, environment: environment, owner: "carol")
        device = WireDevice(server)
        try await device.register()
    }

    /// What leaves an event.
    private struct Cause: Sendable {
        let event: AuditEvent.Name
        let run: @Sendable (inout AuditedEventTests) async throws -> Void

        init(_ event: AuditEvent.Name, _ run: @escaping @Sendable (inout AuditedEventTests) async throws -> Void) {
            (self.event, self.run) = (event, run)
        }
    }

    private static let causes: [Cause] = ofLogIns + ofSessions + ofTheOwner

    private static let ofLogIns = [
        Cause(.loggedIn) { test in _ = try await test.logIn() },
        Cause(.logInRefused) { test in _ = try await test.logIn("battery staple") },
        Cause(.logInLimited) { test in for _ in 0..<2 { _ = try await test.logIn("battery staple") } },
        Cause(.registered) { test in
            var other = test.other
            try await other.register("ben")
        },
        Cause(.registrationRefused) { test in
            var other = test.other
            try await other.register("anna")
        },
        Cause(.registrationLimited) { test in
            var other = test.other
            // The account of this suite is the first of 21 registrations that are answered.
            for _ in 0..<21 { try await other.register("anna") }
        },
        Cause(.passwordReset) { test in
            let code = try await test.owner.resetPassword("anna").text
            let body: JSONValue = [
                "username": "anna", "code": .string(code), "newPassword": "correct battery", "device": ["name": "n"],
            ]
            _ = try await test.device.call("POST", OpenRoute.resetLogIn.path, body: body)
        },
        Cause(.refreshLimited) { test in
            var other = test.other
            for _ in 0..<22 { _ = try await other.refresh("unknown") }
        },
    ]

    private static let ofSessions = [
        Cause(.passwordRefused) { test in try await test.changePassword(from: "wrong horse") },
        Cause(.passwordLimited) { test in for _ in 0..<2 { try await test.changePassword(from: "wrong horse") } },
        Cause(.passwordChanged) { test in try await test.changePassword(from: "correct horse") },
        Cause(.loggedOut) { test in _ = try await test.device.call("DELETE", AuthenticatedRoute.logOut.path) },
        Cause(.deviceRevoked) { test in
            let id = try await test.logIn().id
            _ = try await test.device.call("DELETE", AuthenticatedRoute.revokeDevice(id: id).path)
        },
        Cause(.deviceDisplaced) { test in
            _ = try await test.owner.changeQuota(of: "anna") { $0.devices = 1 }
            _ = try await test.logIn()
        },
        Cause(.devicesSignedOut) { test in
            _ = try await test.device.call(
                "POST", AuthenticatedRoute.signOutDevices.path, body: ["includingThis": true])
        },
        Cause(.tokenReuse) { test in
            let first = test.device.refreshToken
            _ = try await test.device.refresh()
            _ = try await test.device.call("GET", AuthenticatedRoute.account.path)
            _ = try await test.device.refresh(first)
        },
        Cause(.appPasswordCreated) { test in _ = try await test.createAppPassword() },
        Cause(.appPasswordRevoked) { test in
            let id = try await test.createAppPassword()
            _ = try await test.device.call("DELETE", AuthenticatedRoute.revokeDevice(id: id).path)
        },
        Cause(.accountDeleted) { test in
            _ = try await test.device.call(
                "POST", AuthenticatedRoute.deleteAccount.path, body: ["password": "correct horse"])
        },
    ]

    private static let ofTheOwner = [
        Cause(.userAdded) { test in _ = try await test.owner.add("ben") },
        Cause(.userDisabled) { test in _ = try await test.owner.disable("anna") },
        Cause(.userEnabled) { test in
            _ = try await test.owner.disable("anna")
            _ = try await test.owner.enable("anna")
        },
        Cause(.userDeleted) { test in try await test.owner.delete("anna") },
        Cause(.resetCodeMade) { test in _ = try await test.owner.resetPassword("anna") },
        Cause(.quotaChanged) { test in _ = try await test.owner.changeQuota(of: "anna") { $0.records = 5 } },
        Cause(.inviteAdded) { test in _ = try await test.invites.add() },
        Cause(.inviteWithdrawn) { test in _ = try await test.invites.withdraw(id: test.invites.add().invite.id) },
        Cause(.deviceRevokedByOwner) { test in _ = try await test.owner.revoke(device: "dev-1", of: "anna") },
    ]

    /// A device that isn't signed in.
    private var other: WireDevice { WireDevice(id: "dev-2", server) }

    private func logIn(_ password: String = "correct horse") async throws -> WireDevice {
        var other = other
        try await other.logIn(password: password)
        return other
    }

    private func changePassword(from present: String) async throws {
        let body: JSONValue = ["currentPassword": .string(present), "newPassword": "correct battery"]
        _ = try await device.call("PUT", AuthenticatedRoute.changePassword.path, body: body)
    }

    private func createAppPassword() async throws -> String {
        let answer = try await device.call(
            "POST", AuthenticatedRoute.createAppPassword.path, body: WireDevice.appPassword())
        return try #require(answer["device"].object?["id"]?.string)
    }

    private func count(_ event: AuditEvent.Name) -> Int {
        log.all.count { line in line.split(whereSeparator: \.isWhitespace).contains("event=\(event.rawValue)") }
    }

    @Test(arguments: 0..<causes.count)
    func anEventIsWrittenOnceForItsCause(_ number: Int) async throws {
        let cause = Self.causes[number]
        var test = self
        let before = count(cause.event)
        try await cause.run(&test)
        // The commands of the owner are other processes, whose events the server writes.
        try await AuditRelay(
            store: server.store, environment: server.server.environment, audit: server.server.audit
        ).relay()
        #expect(count(cause.event) - before == 1, "\(cause.event.rawValue)")
    }

    @Test func everyEventHasACause() {
        // A restore replaces the database or is a mark of another engine, and a move has two stores:
        // Tests/EndToEnd/test_administration.py, test_migrate_store.py.
        let elsewhere: Set<AuditEvent.Name> = [.restored, .storeMoved]
        let events = Self.causes.map(\.event)
        #expect(Set(events).union(elsewhere) == Set(AuditEvent.Name.allCases))
        #expect(events.count == Set(events).count)
    }
}
