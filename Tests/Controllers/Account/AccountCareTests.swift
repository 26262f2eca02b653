import Backend
import ControllerKit
import Controllers
import Foundation
import LocalStore
import Records
import SyncAPI
import TestSupport
import Testing

@MainActor
@Suite("Looking after one's account", .timeLimit(.minutes(5)))
struct AccountCareTests {
    private let home: Home
    private let session: Presentation<SessionScreen>

    init() throws {
        home = try Home(signedInAs: "ada")
        session = home.session()
    }

    private func body<Body: Decodable>(_ type: Body.Type, of request: Int) throws -> Body {
        try JSONDecoder().decode(type, from: Data(home.transport.requests[request].body ?? []))
    }

    private func devices(_ more: String = "") -> HTTPResponse {
        .json(
            """
            {"devices": [
              {"id": "laptop-1", "name": "laptop", "createdAt": "2026-11-01T00:00:00.000Z",
               "lastSeenAt": "2026-11-21T05:00:00.000Z", "current": true},
              {"id": "desk", "name": "desktop", "createdAt": "2026-11-02T00:00:00.000Z",
               "lastSeenAt": "2026-11-20T05:00:00.000Z", "current": false}\(more)]}
            """)
    }

    private let phone = """
        , {"id": "p-1", "name": "phone", "createdAt": "2026-11-02T00:00:00.000Z",
           "lastSeenAt": "2026-11-20T05:00:00.000Z", "current": false,
           "appPassword": {"scope": "read-only", "expiresAt": "2027-02-24T00:00:00.000Z"}}
        """

    // MARK: Names

    @Test("Another device is named by the beginning of its id")
    func rename() async throws {
        home.transport.expect(AuthenticatedRoute.devices, answer: devices())
        home.transport.expect(AuthenticatedRoute.renameDevice(id: "desk"), answer: .noContent)
        home.transport.expect(AuthenticatedRoute.devices, answer: devices())
        try await session.send(.rename(device: "de", name: "study"))
        #expect(try body(DeviceNameRequest.self, of: 1).name == "study")
        #expect(session.state.notice == "Named the device desk study.")
        home.transport.verify()
    }

    @Test("The name of this device is kept for later sign-ins")
    func renameThis() async throws {
        let id = try home.services.store.writeNow { try $0.device() }
        home.transport.expect(AuthenticatedRoute.renameDevice(id: id), answer: .noContent)
        home.transport.expect(AuthenticatedRoute.devices, answer: devices())
        try await session.send(.rename(device: nil, name: "kitchen"))
        #expect(session.state.notice == "Named this device kitchen.")
        #expect(try home.services.store.readNow { try $0.account.chosenDeviceName() } == "kitchen")
    }

    @Test("A name without characters is refused before the server is asked")
    func emptyName() async {
        let refusal = await failure { try await session.send(.rename(device: nil, name: " ")) }
        #expect(refusal.category == .usage)
        #expect(home.transport.requests.isEmpty)
    }

    // MARK: App passwords

    @Test(
        "An app password has a scope and an expiry, and its secret is in the state until the next command",
        arguments: [("90d", Int64(7_862_400)), (nil, nil)] as [(String?, Int64?)])
    func create(expires: String?, seconds: Int64?) async throws {
        home.transport.expect(
            AuthenticatedRoute.createAppPassword,
            answer: .json(
                """
                {"device": {"id": "p-1", "name": "phone"}, "secret": "s3cret",
                 "appPassword": {"scope": "read-only", "expiresAt": "2027-02-24T00:00:00.000Z"}}
                """, status: 201))
        // At the beginning of a day, so that the end of the 90th day is 91 days away.
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let dates = DateExpression.Context(now: calendar.startOfDay(for: home.clock.date), calendar: calendar)
        let session = Presentation(SessionController(home.services.account, dates: { dates })) { Issue.record($0) }
        try await session.send(
            .createAppPassword(name: "phone", isReadOnly: true, expires: expires, password: "correct horse"))
        let request = try body(AppPasswordRequest.self, of: 0)
        #expect(request.name == "phone" && request.scope == .readOnly && request.expiresIn == seconds)
        #expect(request.password == "correct horse")
        #expect(session.state.created?.secret == "s3cret")
        let notice = try #require(session.state.notice)
        #expect(notice.hasPrefix("Created the app password phone (read-only, until 2027-02-24)."))
        #expect(!notice.contains("s3cret"))
        home.transport.expect(AuthenticatedRoute.devices, answer: devices())
        try await session.send(.devices)
        #expect(session.state.created == nil)
    }

    @Test("A server without app passwords is named, with what to do")
    func noAppPasswords() async {
        home.transport.expect(AuthenticatedRoute.createAppPassword, answer: .problem(404, .notFound))
        home.transport.expect(OpenRoute.capabilities, answer: .json(#"{"capabilities": ["records"]}"#))
        let refusal = await failure {
            try await session.send(
                .createAppPassword(name: "phone", isReadOnly: true, expires: nil, password: "correct horse"))
        }
        #expect(refusal.category == .rejected)
        #expect(refusal.message.contains("doesn't support app passwords. Nothing was changed."))
        home.transport.verify()
    }

    @Test(
        "An expiry that isn't one is refused before the server is asked", arguments: ["yesterday", "30y", "soon-ish"])
    func expiry(text: String) async {
        let refusal = await failure {
            try await session.send(
                .createAppPassword(name: "phone", isReadOnly: false, expires: text, password: "correct horse"))
        }
        #expect(refusal.category == .usage)
        #expect(home.transport.requests.isEmpty)
    }

    @Test(
        "The words of a new app password are checked before the password is typed",
        arguments: [
            .createAppPassword(name: "phone", isReadOnly: false, expires: "yesterday", password: ""),
            .createAppPassword(name: " ", isReadOnly: false, expires: nil, password: ""), .refuse("No."),
        ] as [SessionScreen.Intent])
    func checkedFirst(intent: SessionScreen.Intent) async {
        let refusal = await failure { try await session.check(intent) }
        #expect(refusal.category == .usage)
        #expect(home.transport.requests.isEmpty)
    }

    @Test("A wrong password creates no app password")
    func wrongPasswordForAnother() async {
        home.transport.expect(AuthenticatedRoute.createAppPassword, answer: .problem(403, .invalidCredentials))
        let refusal = await failure {
            try await session.send(
                .createAppPassword(name: "phone", isReadOnly: false, expires: nil, password: "not the password"))
        }
        #expect(refusal.message == "The current password is wrong. Nothing was changed. Try again.")
        #expect(session.state.created == nil)
    }

    @Test("App passwords are listed apart and among the devices, and revoked by name")
    func listAndRevoke() async throws {
        home.transport.expect(AuthenticatedRoute.devices, answer: devices(phone))
        try await session.send(.appPasswords)
        #expect(session.state.devices.map(\.name) == ["phone"])
        #expect(session.state.devices[0].appPassword?.isReadOnly == true)
        home.transport.expect(AuthenticatedRoute.devices, answer: devices(phone))
        home.transport.expect(AuthenticatedRoute.revokeDevice(id: "p-1"), answer: .noContent)
        home.transport.expect(AuthenticatedRoute.devices, answer: devices())
        try await session.send(.revoke(device: "phone"))
        #expect(session.state.notice == "Revoked the app password phone (p-1).")
        #expect(session.state.devices.isEmpty)
        home.transport.verify()
    }

    @Test(
        "The words after `token` mean an intent, or are refused",
        arguments: [
            ([:], "appPasswords"), (["action": .text("list")], "appPasswords"),
            (["action": .text("add"), "name": .text("phone"), "password": .text("p")], "createAppPassword"),
            (["action": .text("add"), "name": .text("phone")], "refuse"),
            (["password": .text("p")], "refuse"),
            (["action": .text("revoke"), "name": .text("phone"), "password": .text("p")], "refuse"),
            (["action": .text("revoke"), "name": .text("phone")], "revoke"), (["action": .text("add")], "refuse"),
            (["action": .text("revoke")], "refuse"), (["read-only": .flag(true)], "refuse"),
            (["action": .text("revoke"), "name": .text("phone"), "expires": .text("90d")], "refuse"),
        ] as [(ArgumentValues, String)])
    func words(values: ArgumentValues, intent: String) throws {
        let verb = try #require(SessionScreen.verbs.first { $0.signature.name == "token" })
        let described = String(describing: try verb.intent(from: values))
        #expect(described.hasPrefix(intent))
    }

    // MARK: Signing out

    @Test("Signing out everywhere ends this session, too, and keeps unsent edits")
    func everywhere() async throws {
        try home.put(["a": ["title": "One"]])
        home.transport.expect(AuthenticatedRoute.signOutDevices, answer: .json(#"{"devices": 3}"#))
        try await session.send(.signOut(.everywhere))
        #expect(try body(SignOutRequest.self, of: 0).includingThis)
        #expect(
            session.state.notice
                == "Signed out 3 devices and app passwords of the account, this device included. 1 record has unsent edits; "
                + "they stay here and are sent after the next `login`.")
        #expect(home.credentials.credentials?.state == .ended(reason: .loggedOut))
        #expect(try home.titles() == ["One"])
    }

    @Test("Signing out the others keeps this session")
    func others() async throws {
        home.transport.expect(AuthenticatedRoute.signOutDevices, answer: .json(#"{"devices": 1}"#))
        try await session.send(.signOut(.others))
        #expect(try body(SignOutRequest.self, of: 0).includingThis == false)
        #expect(session.state.isSignedIn)
    }

    // MARK: Deleting the account

    @Test("Deleting the account forgets the session, keeps the records, and frees the home for any account")
    func delete() async throws {
        try home.put(["a": ["title": "One"]])
        home.transport.expect(AuthenticatedRoute.deleteAccount, answer: .noContent)
        try await session.send(.deleteAccount(password: "correct horse"))
        #expect(try body(AccountDeletionRequest.self, of: 0).password == "correct horse")
        #expect(session.state.notice?.hasPrefix("Deleted the account ada and its records on https://") == true)
        #expect(!session.state.isSignedIn && session.state.username == nil)
        #expect(home.credentials.credentials == nil)
        #expect(try home.titles() == ["One"])
        home.transport.expect(OpenRoute.register, answer: Answer.grant("bob"))
        try await home.login().send(
            .register(username: "bob", password: "correct horse", server: "notes.example.org", invite: nil))
        #expect(
            try home.services.store.readNow { try ($0.account.owner(), $0.replica.state().remote) } == (
                "bob", "space-bob"
            ))
        #expect(try home.titles() == ["One"])
    }

    @Test("A wrong password deletes nothing")
    func wrongPassword() async throws {
        home.transport.expect(AuthenticatedRoute.deleteAccount, answer: .problem(403, .invalidCredentials))
        let refusal = await failure { try await session.send(.deleteAccount(password: "guessed it")) }
        #expect(refusal == Failure(.signedOut, "The current password is wrong. Nothing was changed. Try again."))
        #expect(session.state.isSignedIn)
        #expect(try home.services.store.readNow { try $0.account.owner() } == "ada")
    }

    @Test("Without a session, the password isn't asked for")
    func withoutSession() async throws {
        let refusal = await failure { try await Home().session().check(.deleteAccount(password: "")) }
        #expect(refusal == Failure(.signedOut, "Not signed in. `login` first, then delete the account."))
    }

    // MARK: A forgotten password

    @Test("C22 a one-time code signs in and sets a new password; unsent edits stay")
    func reset() async throws {
        try home.put(["a": ["title": "One"]])
        home.transport.expect(OpenRoute.resetLogIn, answer: Answer.grant())
        let login = home.login()
        try await login.send(
            .reset(username: "ada", code: "K7PQ-2MXA", password: "a new password", server: "notes.example.org"))
        let request = try body(ResetLogInRequest.self, of: 0)
        #expect((request.username, request.code, request.newPassword) == ("ada", "K7PQ-2MXA", "a new password"))
        #expect(login.state.signedInAs == "ada")
        #expect(login.state.notice?.hasPrefix("Set the new password and signed in as ada.") == true)
        #expect(login.state.notice?.contains("all app passwords were revoked") == true)
        #expect(try home.titles() == ["One"])
        #expect(try home.services.store.readNow { try $0.outbox.unsent().records } == 1)
    }

    @Test("A wrong, used or expired code changes nothing, and the refusal is about the code")
    func wrongCode() async throws {
        home.transport.expect(OpenRoute.resetLogIn, answer: .problem(401, .invalidCredentials))
        let refusal = await failure {
            try await home.login().send(
                .reset(username: "ada", code: "wrong", password: "a new password", server: nil))
        }
        #expect(refusal.category == .signedOut && refusal.message.contains("one-time code is wrong"))
    }

    @Test(
        "An empty code, a short password or another account is refused before the server is asked",
        arguments: [("ada", "", "a new password"), ("ada", "K7PQ", "short"), ("bob", "K7PQ", "a new password")])
    func badReset(name: String, code: String, password: String) async {
        _ = await failure {
            try await home.login().send(.reset(username: name, code: code, password: password, server: nil))
        }
        #expect(home.transport.requests.isEmpty)
    }

    @Test("`login` asks for the password, with --reset for the code and a new password")
    func asked() throws {
        let verb = try #require(LoginScreen.verbs.first { $0.signature.name == "login" }).signature
        func secrets(_ values: ArgumentValues) -> [String] {
            verb.arguments.map { $0.settled(by: values) }.filter { $0.kind == .secret && $0.isRequired }.map(\.name)
        }
        #expect(secrets([:]) == ["password"])
        #expect(secrets(["reset": .flag(true)]) == ["code", "new-password"])
    }

    @Test(
        "A password together with --reset, and a code without it, are refused before anything is asked for",
        arguments: [
            (["reset": .flag(true), "password": .text("p")], "--new-password-file"),
            (["code": .text("c"), "password": .text("p")], "`reset`"),
            (["new-password": .text("n"), "password": .text("p")], "`reset`"),
        ] as [(ArgumentValues, String)])
    func contradictions(values: ArgumentValues, way: String) async throws {
        let verb = try #require(LoginScreen.verbs.first { $0.signature.name == "login" })
        var values = values
        values["name"] = .text("ada")
        // The secrets that are asked for.
        for spec in verb.signature.arguments where spec.kind == .secret && spec.settled(by: values).isRequired {
            values[spec.name] = values[spec.name] ?? .text("")
        }
        let intent = try verb.intent(from: values)
        let refusal = await failure { try await home.login().check(intent) }
        #expect(refusal.category == .usage && refusal.message.contains(way))
        #expect(await failure { try await home.login().send(intent) } == refusal)
    }
}
