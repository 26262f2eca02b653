import Records
import SQLiteServerStore
import Testing
import TestSupport

@testable import ServerCore
@testable import SyncAPI

@Suite struct AdministrationTests {
    let server: InProcessServer
    var device: WireDevice
    private let service: AdministrationService

    init() async throws {
        server = try InProcessServer()
        device = WireDevice(server)
        try await device.register()
        service = AdministrationService(store: server.store, environment: server.server.environment)
    }

    private func reset(
        _ device: WireDevice, _ username: String, _ code: String, password: String = "a new password"
    ) async throws -> WireDevice.Answer {
        try await device.call(
            "POST", "/v1/sessions/reset",
            body: [
                "username": .string(username), "code": .string(code), "newPassword": .string(password),
                "device": ["name": "a device", "id": .string(device.id)],
            ])
    }

    // MARK: Restores

    @Test func aMarkOfARestoreBeginsAnEpochAndLeavesDevicesSignedInIfTheOwnerWants() async throws {
        let before = try await server.store.read { try $0.epoch() }
        let code = try await service.resetPassword("anna")
        let ended = try await service.markRestored(signingOut: false)
        let after = try await server.store.read { try $0.epoch() }
        #expect(ended == 0)
        #expect(after != before)
        var other = WireDevice(id: "dev-2", server)
        #expect(try await reset(other, "anna", code.text).status == 401, "codes of the backup are invalid")
        server.clock.advance(by: .seconds(60))
        #expect(try await other.logIn().status == 201)
        let audits = try await server.store.write { try $0.removeOldestAudits(limit: 9) }
        #expect(audits.last?.event == "restored")
        #expect(audits.last?.fields == ["by": "owner", "marked": "true"])
    }

    @Test func aMarkOfARestoreSignsAllDevicesOut() async throws {
        var ben = WireDevice(id: "ben-1", server)
        #expect(try await ben.register("ben").status == 201)
        let ended = try await service.markRestored(signingOut: true)
        #expect(ended == 2)
        for device in [device, ben] { #expect(try await device.pull().status == 401) }
        #expect(try await ben.logIn("ben").status == 201)
        let audits = try await server.store.write { try $0.removeOldestAudits(limit: 9) }
        #expect(audits.last?.fields == ["by": "owner", "marked": "true", "signedOut": "2"])
    }

    // MARK: Accounts

    @Test func allAccountsAreListedInOrderOfTheirNames() async throws {
        for number in 0..<250 {
            let id = "id\(number)"
            let account = StoredAccount(
                id: id, username: "user\(1_000 + number)", passwordHash: "", personalSpace: "space\(number)",
                createdAt: 1)
            _ = try await server.store.write { tx in try tx.create(account) }
        }
        let accounts = try await service.accounts()
        #expect(accounts.count == 251)
        #expect(accounts.map(\.account.username) == accounts.map(\.account.username).sorted())
        #expect(accounts.first?.account.username == "anna")
        #expect(accounts.first?.usage.devices == 1)
        #expect(accounts.first?.lastSeenAt == server.clock.now)
        #expect(accounts.last?.lastSeenAt == nil)
    }

    @Test func anAddedAccountHasNoPasswordUntilItsCodeIsUsed() async throws {
        let code = try await service.add("Ben")
        var ben = WireDevice(id: "ben-1", server)
        #expect(try await ben.logIn("ben", password: "correct horse").status == 401)
        server.clock.advance(by: .seconds(10))
        #expect(try await reset(ben, "ben", code.text).status == 201)
        #expect(try await ben.logIn("ben", password: "a new password").status == 201)
        #expect(try await ben.pull().status == 200)
    }

    @Test(
        arguments: [
            ("anna", AdministrationError.nameInUse("anna")), ("ANNA", .nameInUse("anna")), ("", .badName("")),
            ("a b", .badName("a b")),
        ] as [(String, AdministrationError)])
    func aNameThatCannotBeAddedIsRefused(_ name: String, _ error: AdministrationError) async throws {
        await #expect(throws: error) { try await service.add(name) }
    }

    @Test func anUnknownNameIsRefused() async throws {
        let error = AdministrationError.noAccount("nobody")
        await #expect(throws: error) { try await service.account("nobody") }
        await #expect(throws: error) { try await service.disable("nobody") }
        await #expect(throws: error) { try await service.enable("nobody") }
        await #expect(throws: error) { try await service.delete("nobody") }
        await #expect(throws: error) { try await service.resetPassword("nobody") }
        await #expect(throws: error) { try await service.devices(of: "nobody") }
        await #expect(throws: error) { try await service.revoke(device: "d", of: "nobody") }
        await #expect(throws: error) { try await service.changeQuota(of: "nobody") { $0.records = 1 } }
    }

    @Test func aDeletedAccountIsGoneWithItsSpace() async throws {
        _ = try await device.push(
            [["collection": "tasks", "id": "a", "base": 0, "at": "000000000001-0000-d", "set": ["n": 1]]], key: "k")
        try await service.delete("anna")
        #expect(try await device.call("GET", "/v1/account").status == 401)
        let totals = try await service.totals()
        #expect(totals == StoredTotals())
    }

    // MARK: Disabled accounts

    @Test func aDisabledAccountIsRefusedEverywhereUntilItIsEnabled() async throws {
        var device = device
        #expect(try await service.disable("anna"))
        #expect(try await !service.disable("anna"))
        for kind in AuthenticatedRoute.Kind.allCases {
            let pattern = AuthenticatedRoute.table[kind]
            let route = pattern.make(pattern.template.parameters.map { $0.name == "space" ? device.space : "x" })
            let answer = try await device.call(route.method, route.path)
            #expect(answer.status == 403, "\(route)")
            #expect(answer["code"] == "account-disabled", "\(route)")
        }
        let before = device.refreshToken
        #expect(try await device.refresh()["code"] == "account-disabled")
        #expect(try await device.logIn(password: "a wrong one")["code"] == "invalid-credentials")
        server.clock.advance(by: .seconds(60))
        #expect(try await device.logIn()["code"] == "account-disabled")
        #expect(try await service.enable("anna"))
        #expect(try await !service.enable("anna"))
        #expect(try await device.call("GET", "/v1/account").status == 200)
        #expect(try await device.refresh(before).status == 200)
    }

    @Test func aWriteIsRefusedIfItsAccountIsDisabledMeanwhile() async throws {
        let caller = try await server.server.sessions.authenticate(
            device.accessToken, from: RequestOrigin(ServerRequest(method: "GET", target: "/"), behind: [])
        ).caller
        _ = try await service.disable("anna")
        await #expect(throws: Problem.accountDisabled) {
            try await server.store.write(as: caller) { tx in try tx.insertSpace(id: "s") }
        }
    }

    @Test(arguments: ["disable", "revoke"])
    func aStreamEndsSoonAfterACommitOfAnotherProcess(_ command: String) async throws {
        try await withTemporaryDirectory { directory in
            let server = try InProcessServer(store: SQLiteServerStore(directory: directory))
            var device = WireDevice(id: "phone", server)
            try await device.register()
            let caller = try await server.server.sessions.authenticate(
                device.accessToken, from: RequestOrigin(ServerRequest(method: "GET", target: "/"), behind: [])
            ).caller
            let stream = try await server.server.events.open(caller, from: "192.0.2.1", lastEventID: nil)
            #expect(await stream.next() != nil)
            let watch = CommitWatch(
                store: server.store, environment: server.server.environment, events: server.server.events.hub)
            let known = await watch.look(nil)
            #expect(await watch.look(known) == known, "nothing has happened")
            let waiting = Task { await stream.next() }
            let other = try await SQLiteServerStore.openShared(directory: directory)
            let service = AdministrationService(store: other)
            if command == "disable" {
                _ = try await service.disable("anna")
            } else {
                _ = try await service.revoke(device: "phone", of: "anna")
            }
            try await other.shutDown()
            #expect(await watch.look(known) != known)
            #expect(await waiting.value == nil)
        }
    }

    @Test func theServersOwnCommitsAreNotForeign() async throws {
        let before = try await server.store.foreignCommits()
        _ = try await service.disable("anna")
        #expect(try await server.store.foreignCommits() == before)
    }

    // MARK: Reset codes

    @Test func aCodeSetsANewPasswordOnceAndEndsOtherSessions() async throws {
        try #require(
            try await device.call("POST", "/v1/account/app-passwords", body: WireDevice.appPassword()).status == 201)
        let code = try await service.resetPassword("anna")
        // Until it is used, nothing has changed.
        #expect(try await device.call("GET", "/v1/account").status == 200)
        var other = WireDevice(id: "other", server)
        let answer = try await reset(other, "Anna", code.text.uppercased().replacing("-", with: " "))
        #expect(answer.status == 201)
        other.accessToken = answer["accessToken"].string
        #expect(try await other.call("GET", "/v1/devices")["devices"].array?.count == 1)
        #expect(try await device.call("GET", "/v1/account").status == 401)
        #expect(try await other.logIn().status == 401)
        server.clock.advance(by: .seconds(60))
        #expect(try await other.logIn(password: "a new password").status == 201)
        #expect(try await reset(other, "anna", code.text)["code"] == "invalid-credentials")
    }

    @Test func aCodeExpiresAfterADay() async throws {
        let code = try await service.resetPassword("anna")
        #expect(code.expiresAt == server.clock.now + 86_400_000)
        server.clock.advance(by: .seconds(86_400))
        #expect(try await reset(device, "anna", code.text).status == 401)
    }

    @Test func aLaterCodeReplacesAnEarlierOneAndAChangedPasswordRemovesIt() async throws {
        let first = try await service.resetPassword("anna")
        let second = try await service.resetPassword("anna")
        #expect(try await reset(device, "anna", first.text).status == 401)
        server.clock.advance(by: .seconds(60))
        let change = try await device.call(
            "PUT", "/v1/account/password",
            body: ["currentPassword": "correct horse", "newPassword": "correct battery"])
        #expect(change.status == 204)
        #expect(try await reset(device, "anna", second.text).status == 401)
    }

    @Test func aWrongCodeAnUnknownNameAndACodeOfAnotherAccountAreAnsweredAlike() async throws {
        _ = try await service.add("ben")
        let code = try await service.resetPassword("anna")
        var answers: [JSONValue] = []
        for (name, typed) in [("anna", "00000-00000-00000-00000"), ("nobody", code.text), ("ben", code.text), ("", "")]
        {
            let answer = try await reset(device, name, typed)
            #expect(answer.status == 401)
            answers.append(answer["detail"])
        }
        #expect(Set(answers.map(\.text)).count == 1)
        // An address may send 21 wrong ones, whatever their names.
        for _ in 5...21 { #expect(try await reset(device, "anna", "wrong").status == 401) }
        #expect(try await reset(device, "anna", code.text).status == 429)
        server.clock.advance(by: .seconds(60))
        #expect(try await reset(device, "anna", code.text, password: "short").status == 422)
        #expect(try await reset(device, "anna", code.text).status == 201)
    }

    @Test func aDisabledAccountCannotUseItsCode() async throws {
        let code = try await service.resetPassword("anna")
        _ = try await service.disable("anna")
        #expect(try await reset(device, "anna", code.text)["code"] == "account-disabled")
        _ = try await service.enable("anna")
        #expect(try await reset(device, "anna", code.text).status == 201)
    }

    @Test func onlyTheHashOfACodeIsStored() async throws {
        let code = try await service.resetPassword("anna")
        let stored = try await server.store.read { tx in
            try tx.account(username: "anna").flatMap { try tx.reset(account: $0.id) }
        }
        #expect(stored?.codeHash == ReadableCode.hash(code.text))
        #expect(stored?.codeHash != Array(code.text.utf8))
    }

    // MARK: Devices

    @Test func aDeviceIsRevokedByItsIDOrByANameThatOnlyItHas() async throws {
        var phone = WireDevice(id: "phone", server)
        try await phone.logIn()
        await #expect(throws: AdministrationError.ambiguous("a device", account: "anna")) {
            try await service.revoke(device: "a device", of: "anna")
        }
        await #expect(throws: AdministrationError.noDevice("none", account: "anna")) {
            try await service.revoke(device: "none", of: "anna")
        }
        #expect(try await service.revoke(device: "phone", of: "anna").device == "phone")
        #expect(try await phone.call("GET", "/v1/account").status == 401)
        #expect(try await service.revoke(device: "a device", of: "anna").device == device.id)
        #expect(try await service.devices(of: "anna").isEmpty)
    }

    // MARK: Reading

    @Test func totalsCountEverything() async throws {
        _ = try await service.add("ben")
        _ = try await service.disable("ben")
        _ = try await device.push(
            [["collection": "tasks", "id": "a", "base": 0, "at": "000000000001-0000-d", "set": ["n": 1]]], key: "k")
        try #require(
            try await device.call("POST", "/v1/account/app-passwords", body: WireDevice.appPassword()).status == 201)
        #expect(
            try await service.totals()
                == StoredTotals(
                    accounts: 2, disabledAccounts: 1, devices: 1, appPasswords: 1, spaces: 2, records: 1,
                    bytes: 85 + Int64(StoredOutcome.rowBytes)))
    }

    @Test func aCheckFindsWhatDiffersFromTheRecords() async throws {
        _ = try await device.push(
            [["collection": "tasks", "id": "a", "base": 0, "at": "000000000001-0000-d", "set": ["n": 1]]], key: "k")
        #expect(try await AdministrationService.check(server.store) == [])
        try await server.store.write { [space = device.space] tx in
            guard var row = try tx.lockSpace(space) else { return }
            (row.records, row.version, row.digest) = (2, 0, SpaceDigest())
            try tx.update(row)
        }
        #expect(
            try await AdministrationService.check(server.store) == [
                "anna: 1 records are stored, and 2 are counted", "anna: the digest differs from the records",
                "anna: a record has version 1, after the last one, 0",
            ])
    }
}
