import Foundation
import Logging
import Records
import SQLiteServerStore
import SyncAPI
import Testing
import TestSupport

@testable import ServerCore

/// The security events of requests, as lines of the log.
@Suite struct AuditTests {
    let server: InProcessServer
    let log = Lines()
    var device: WireDevice

    init() async throws {
        server = try InProcessServer(log: { [log] in log.add($0) })
        device = WireDevice(server)
        try await device.register()
    }

    /// The part of the log's lines with an event that follows the time and the level, without the request's id.
    private func events() -> [String] {
        log.all.filter { $0.contains(" event=") }.map { line in
            line.split(separator: " ").drop { !$0.hasPrefix("message=") }
                .filter { !$0.hasPrefix("request=") && !$0.hasPrefix("account=") }.joined(separator: " ")
                .trimmingSuffix("\n")
        }
    }

    @Test func registeringIsAnEventWithAccountAndAddress() async throws {
        let account = try await device.call("GET", "/v1/account")["account"].object?["id"]?.string ?? "-"
        #expect(
            events() == [#"message="an account was created" address=192.0.2.1 device=dev-1 event=registered user=anna"#]
        )
        #expect(log.all.contains { $0.contains("event=registered") && $0.contains(" account=\(account) ") })
    }

    @Test func aRefusedRegistrationIsAnEventWithItsReason() async throws {
        var other = WireDevice(id: "dev-2", server)
        try await other.register()
        #expect(
            events().last
                == #"message="a registration was refused" address=192.0.2.1 event=registration-refused reason=username-taken user=anna"#
        )
    }

    @Test func loggingInIsAnEventAndSoIsItsRefusal() async throws {
        var other = WireDevice(id: "dev-2", server)
        try await other.logIn(password: "battery staple")
        try await other.logIn(password: "battery staple")
        server.clock.advance(by: .seconds(1))
        try await other.logIn()
        #expect(
            events().dropFirst() == [
                #"message="a log-in was refused" address=192.0.2.1 event=login-refused reason=invalid-credentials user=anna"#,
                #"message="a log-in was refused after too many attempts" address=192.0.2.1 event=login-limited user=anna"#,
                #"message="a device has signed in" address=192.0.2.1 device=dev-2 event=logged-in user=anna"#,
            ])
    }

    @Test(arguments: ["correct horse", "Tr0ub4dor&3", "x\" event=logged-in address=192.0.2.9", "a\nb"])
    func aTextThatIsNotAUserNameIsNotLogged(_ name: String) async throws {
        var other = WireDevice(id: "dev-2", server)
        try await other.logIn(name)
        #expect(
            events().last
                == #"message="a log-in was refused" address=192.0.2.1 event=login-refused reason=invalid-credentials"#)
        #expect(!log.all.contains { $0.contains(name) })
    }

    @Test func changingThePasswordIsAnEventAndSoIsItsRefusal() async throws {
        let wrong: JSONValue = ["currentPassword": "wrong horse", "newPassword": "battery staple"]
        let right: JSONValue = ["currentPassword": "correct horse", "newPassword": "battery staple"]
        for body in [wrong, wrong] { _ = try await device.call("PUT", "/v1/account/password", body: body) }
        server.clock.advance(by: .seconds(60))
        _ = try await device.call("PUT", "/v1/account/password", body: right)
        #expect(
            events().dropFirst() == [
                #"message="a signed-in device gave a wrong password" address=192.0.2.1 device=dev-1 event=password-refused reason=invalid-credentials"#,
                #"message="a password of a signed-in device was refused after too many attempts" address=192.0.2.1 device=dev-1 event=password-limited"#,
                #"message="a password was changed; the other sessions of the account have ended" address=192.0.2.1 device=dev-1 event=password-changed"#,
            ])
    }

    @Test func endingSessionsIsAnEvent() async throws {
        var other = WireDevice(id: "dev-2", server)
        try await other.logIn()
        _ = try await device.call("DELETE", "/v1/devices/dev-2")
        _ = try await device.call("DELETE", "/v1/sessions/current")
        #expect(
            events().suffix(2) == [
                #"message="a device was removed" address=192.0.2.1 device=dev-1 event=device-revoked revoked=dev-2"#,
                #"message="a device has signed out" address=192.0.2.1 device=dev-1 event=logged-out"#,
            ])
    }

    @Test func signingOutAllDevicesIsAnEventWithTheirNumber() async throws {
        for id in ["dev-2", "dev-3"] {
            var other = WireDevice(id: id, server)
            try await other.logIn()
        }
        let path = AuthenticatedRoute.signOutDevices.path
        _ = try await device.call("POST", path, body: ["includingThis": false])
        #expect(
            events().last
                == #"message="devices and app passwords of an account were signed out" address=192.0.2.1 count=2 device=dev-1 event=devices-signed-out"#
        )
    }

    @Test func anAppPasswordsBeginningAndEndAreEventsWithoutItsSecret() async throws {
        let grant = try await device.call(
            "POST", AuthenticatedRoute.createAppPassword.path,
            body: ["name": "phone", "scope": "read-only", "password": "correct horse"])
        let id = try #require(grant["device"].object?["id"]?.string)
        let secret = try #require(grant["secret"].string)
        _ = try await device.call("DELETE", AuthenticatedRoute.revokeDevice(id: id).path)
        #expect(
            events().suffix(2) == [
                #"message="an app password was created" address=192.0.2.1 created=\#(id) device=dev-1 event=app-password-created scope=read-only"#,
                #"message="an app password was revoked" address=192.0.2.1 device=dev-1 event=app-password-revoked revoked=\#(id)"#,
            ])
        #expect(!log.all.contains { $0.contains(secret) })
    }

    @Test func anOwnersCommandIsAnEventOfTheServerOnce() async throws {
        let service = AdministrationService(
            store: server.store, environment: server.server.environment, owner: "carol")
        let code = try await service.resetPassword("anna")
        _ = try await service.changeQuota(of: "anna") { ($0.records, $0.bytes) = (5, QuotaRules.unlimited) }
        _ = try await service.disable("anna")
        // Changes nothing.
        _ = try await service.disable("anna")
        _ = try await service.enable("anna")
        _ = try await service.revoke(device: "dev-1", of: "anna")
        _ = try await service.add("ben")
        try await service.delete("ben")
        let relay = AuditRelay(
            store: server.store, environment: server.server.environment, audit: server.server.audit)
        for _ in 0..<2 { try await relay.relay() }
        let at = WireMoment(milliseconds: server.clock.now).text
        func line(_ message: String, _ fields: String) -> String { "message=\"\(message)\" at=\(at) \(fields)" }
        #expect(
            events().dropFirst() == [
                line("the owner made a one-time code for a new password", "by=carol event=reset-code-made user=anna"),
                line(
                    "the owner changed the limits of an account",
                    "by=carol bytes=unlimited devices=default event=quota-changed records=5 streams=default user=anna"),
                line("the owner disabled an account", "by=carol event=user-disabled user=anna"),
                line("the owner enabled an account", "by=carol event=user-enabled user=anna"),
                line(
                    "the owner signed out a device or revoked an app password",
                    "by=carol event=device-revoked-by-owner revoked=dev-1 user=anna"),
                line("the owner added an account", "by=carol event=user-added user=ben"),
                line("the owner deleted an account", "by=carol event=user-deleted user=ben"),
            ])
        #expect(!log.all.contains { $0.contains(code.text) })
    }

    @Test func eventsAreReadAtTheStartAndAfterCommitsOfOtherProcesses() async throws {
        try await withTemporaryDirectory { directory in
            let store = try SQLiteServerStore(directory: directory)
            let server = try InProcessServer(store: store, log: { [log] in log.add($0) })
            func add(_ name: String, to store: SQLiteServerStore) async throws {
                _ = try await AdministrationService(
                    store: store, environment: server.server.environment, owner: "carol"
                ).add(name)
            }
            func added() -> [String] {
                events().filter { $0.contains("event=user-added") }
                    .compactMap { $0.split(separator: " ").last.map(String.init) }
            }
            let relay = AuditRelay(store: store, environment: server.server.environment, audit: server.server.audit)
            try await add("ben", to: store)
            let known = await relay.look(nil)
            #expect(added() == ["user=ben"])
            // An event of this process, which the owner's commands aren't: it shows that nothing is read.
            try await add("cleo", to: store)
            #expect(await relay.look(known) == known)
            #expect(added() == ["user=ben"])
            let other = try await SQLiteServerStore.openShared(directory: directory)
            try await add("dora", to: other)
            try await other.shutDown()
            #expect(await relay.look(known) != known)
            #expect(added() == ["user=ben", "user=cleo", "user=dora"])
        }
    }

    @Test func invitationsOfTheOwnerAreEventsWithoutTheirCodes() async throws {
        let service = InviteService(store: server.store, environment: server.server.environment, owner: "carol")
        let made = try await service.add()
        _ = try await service.withdraw(id: made.invite.id)
        _ = try await service.withdraw(id: made.invite.id)
        try await AuditRelay(
            store: server.store, environment: server.server.environment, audit: server.server.audit
        ).relay()
        let names = events().compactMap { $0.split(separator: " ").first { $0.hasPrefix("event=") } }
        #expect(names.suffix(2) == ["event=invite-added", "event=invite-withdrawn"])
        #expect(!log.all.contains { $0.contains(made.code) })
    }

    @Test func aOneTimeCodeThatIsUsedIsAnEvent() async throws {
        let code = try await AdministrationService(
            store: server.store, environment: server.server.environment
        ).resetPassword("anna").text
        let body: JSONValue = [
            "username": "anna", "code": .string(code), "newPassword": "a new password",
            "device": ["name": "a device", "id": "dev-2"],
        ]
        _ = try await device.call("POST", OpenRoute.resetLogIn.path, body: body)
        #expect(
            events().suffix(2) == [
                #"message="a password was set with a one-time code; the earlier sessions of the account have ended" address=192.0.2.1 device=dev-2 event=password-reset user=anna"#,
                #"message="a device has signed in" address=192.0.2.1 device=dev-2 event=logged-in user=anna"#,
            ])
        #expect(!log.all.contains { $0.contains(code) })
    }

    @Test func deletingTheAccountIsAnEvent() async throws {
        _ = try await device.call("POST", "/v1/account/deletion", body: ["password": "correct horse"])
        #expect(
            events().last
                == #"message="an account was deleted" address=192.0.2.1 device=dev-1 event=account-deleted"#)
    }

    @Test func aRequestThatChangesNothingForSecurityIsNotAnEvent() async throws {
        _ = try await device.call("GET", "/v1/account")
        _ = try await device.call("DELETE", "/v1/devices/unknown")
        _ = try await device.call("POST", "/v1/sessions", bytes: Array("{".utf8))
        #expect(events().count == 1)
    }

    @Test func thePageOperatingHasTheGeneratedTableOfEvents() throws {
        let page = try String(
            contentsOf: URL(filePath: #filePath)
                .appending(path: "../../../Sources/ServerCore/ServerCore.docc/Operating.md").standardizedFileURL,
            encoding: .utf8)
        #expect(page.contains(AuditEvent.Name.table), "put this table into the page:\n\(AuditEvent.Name.table)")
    }

    @Test func everyEventIsWrittenWhateverTheLevelOfTheLog() {
        let lines = Lines()
        let audit = AuditLog(Logger(label: "test") { _ in LogfmtHandler(level: .critical) { lines.add($0) } })
        audit.record(.loggedIn(AuditSubject(user: "anna")))
        audit.record(.deviceRevoked(AuditSubject(user: "anna"), revoked: "phone"))
        #expect(lines.all.count == 2)
        #expect(lines.all.last?.contains("event=device-revoked") == true)
    }

    @Test(arguments: AuditedAttempt.allCases)
    func onlyARefusalOfTheCallerIsAnEvent(_ attempt: AuditedAttempt) {
        let subject = AuditSubject(user: "anna")
        for problem in [Problem.overloaded, .insufficientStorage, .internalError, .invalidRequest("x")] {
            #expect(attempt.refusal(problem, of: subject) == nil)
        }
        #expect(attempt.refusal(QueueRefusal.full, of: subject) == nil)
        #expect(attempt.refusal(CancellationError(), of: subject) == nil)
        let busy = attempt.refusal(QueueRefusal.keyIsBusy, of: subject)
        #expect(busy != nil)
        #expect(busy == attempt.refusal(Problem.rateLimited(seconds: 1), of: subject))
        #expect(attempt.refusal(Problem.invalidCredentials(status: 403), of: subject) != nil)
    }
}

/// The two formats of the log.
@Suite struct LogFormatTests {
    private func line(_ format: LogFormat, _ value: String) -> String {
        let lines = Lines()
        let logger = Logger(label: "test") { _ in format.handler(level: .info) { lines.add($0) } }
        logger.info("an event", metadata: ["value": "\(value)", "status": "200", "user": "007"])
        return lines.all.joined()
    }

    @Test(arguments: ["a\nb", "\u{1B}[31m", "a\u{9B}b", "a\u{2028}b", "\"", "\\", "a=b", "", "ä 💼"])
    func anyValueStaysWithinItsLine(_ value: String) throws {
        for format in LogFormat.allCases {
            let line = line(format, value)
            #expect(line.hasSuffix("\n"))
            #expect(line.unicodeScalars.dropLast().allSatisfy { $0.value >= 0x20 && $0.value != 0x7F })
        }
        #expect(!line(.logfmt, value).contains("\u{9B}"))
        #expect(!line(.logfmt, value).contains("\u{2028}"))
        #expect(try JSONValue(parsing: Array(line(.json, value).utf8)).object?["value"] == .string(value))
    }

    @Test(arguments: [(.logfmt, "time="), (.json, "{\"time\":\"")] as [(LogFormat, String)])
    func aLineBeginsWithTheTimeInUTC(_ format: LogFormat, _ beginning: String) throws {
        let line = line(format, "x")
        try #require(line.hasPrefix(beginning))
        let time = line.dropFirst(beginning.count).prefix(24)
        #expect(time.wholeMatch(of: /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z/) != nil)
    }

    @Test func aLineInJSONBeginsWithTimeLevelAndMessage() {
        let line = line(.json, "x")
        #expect(line.hasPrefix("{\"time\":\"2"))
        #expect(
            line.contains(
                "Z\",\"level\":\"info\",\"message\":\"an event\",\"status\":200,\"user\":\"007\",\"value\":\"x\"}"))
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
