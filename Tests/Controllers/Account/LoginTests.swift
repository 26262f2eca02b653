import Backend
import ControllerKit
import Controllers
import Foundation
import LocalStore
import Records
import SyncAPI
import SyncEngine
import TestSupport
import Testing

private let password = "correct horse"

@MainActor
@Suite("Creating an account and signing in", .timeLimit(.minutes(5)))
struct LoginTests {
    private func logIn(_ username: String = "ada", at server: String? = "https://notes.example.org")
        -> LoginScreen.Intent
    {
        .logIn(username: username, password: password, server: server)
    }

    @Test("D10 creating an account signs in, binds the home, and claims this device's id")
    func register() async throws {
        let home = try Home()
        let login = home.login()
        home.transport.expect(OpenRoute.register, answer: Answer.grant())
        try await login.send(
            .register(username: "ada", password: password, server: "notes.example.org", invite: "welcome"))

        let sent = try JSONDecoder().decode(RegisterRequest.self, from: Data(home.transport.requests[0].body ?? []))
        #expect(home.transport.requests[0].url == "https://notes.example.org/v1/accounts")
        #expect((sent.username, sent.password, sent.invite) == ("ada", password, "welcome"))
        #expect(sent.device.name == "laptop")
        #expect(try sent.device.id == home.services.store.writeNow { try $0.device() })
        #expect(login.state.signedInAs == "ada")
        #expect(login.state.notice == "Created the account ada and signed in. `sync` sends your records at once.")
        #expect(
            try home.services.store.readNow { try ($0.account.owner(), $0.replica.state().remote) } == (
                "ada", "space-ada"
            ))
        #expect(home.credentials.credentials?.identity.account.username == "ada")
        home.transport.verify()
    }

    @Test(
        "A server of a former or of a later version is used if it supports the protocol of this one",
        arguments: [
            #"{"protocols": [1]}"#, "{}",
            #"{"protocols": [1, 2], "registration": "waiting-list", "limits": 7, "more": {}}"#,
            #"{"name": 7, "protocols": [1, 9], "capabilities": ["records", "telepathy"]}"#, #"{"protocols": "1"}"#,
        ])
    func otherVersions(announced: String) async throws {
        let home = try Home()
        home.transport.expect(OpenRoute.capabilities, answer: .json(announced))
        home.transport.expect(OpenRoute.logIn, answer: Answer.grant())
        try await home.login().send(logIn())
        #expect(home.credentials.credentials?.identity.account.username == "ada")
        home.transport.verify()
    }

    // MARK: App passwords

    /// A secret as a server makes them.
    private static let secret = "app_" + String(repeating: "aB3-", count: 10) + "xyz"

    private func status(of username: String) -> HTTPResponse {
        .json(
            """
            {"account": {"id": "account-ada", "username": "\(username)", "personalSpace": "space-ada"},
             "usage": {"records": 3, "bytes": 120}}
            """)
    }

    @Test("An app password is used in place of a session, and isn't sent as a password")
    func appPassword() async throws {
        let home = try Home()
        home.transport.expect(AuthenticatedRoute.account, answer: status(of: "ada"))
        let login = home.login()
        try await login.send(.logIn(username: "Ada", password: Self.secret, server: "notes.example.org"))
        #expect(login.state.signedInAs == "ada")
        #expect(home.transport.requests.map(\.bearerToken) == [Self.secret])
        let stored = try #require(home.credentials.credentials)
        #expect(stored.tokens == Tokens(access: Self.secret, accessExpiresAt: nil, refresh: ""))
        #expect(try stored.identity.deviceID == home.services.store.writeNow { try $0.device() })
        #expect(try home.services.store.readNow { try $0.replica.state().remote } == "space-ada")
        home.transport.verify()
    }

    private static let readOnlyStatus = HTTPResponse.json(
        """
        {"account": {"id": "account-ada", "username": "ada", "personalSpace": "space-ada"},
         "usage": {"records": 3, "bytes": 120},
         "appPassword": {"scope": "read-only", "expiresAt": "2027-02-24T00:00:00.000Z"}}
        """)

    @Test("`whoami` shows what the app password of the home may do, also without the server")
    func accessOfAppPassword() async throws {
        let home = try Home()
        home.transport.expect(
            AuthenticatedRoute.account, answer: Self.readOnlyStatus)
        try await home.login().send(.logIn(username: "ada", password: Self.secret, server: "notes.example.org"))
        let session = home.session()
        home.transport.expect(AuthenticatedRoute.account, failing: .cannotResolve)
        try await session.send(.whoAmI)
        let access = try #require(session.state.appPassword)
        #expect(access.isReadOnly)
        #expect(access.expiresAt == Date(timeIntervalSince1970: 1_803_427_200))
        home.transport.verify()
    }

    @Test("`whoami` learns from the server what an app password may do that was stored without that")
    func accessOfEarlierAppPassword() async throws {
        let home = try Home()
        home.transport.expect(AuthenticatedRoute.account, answer: status(of: "ada"))
        try await home.login().send(.logIn(username: "ada", password: Self.secret, server: "notes.example.org"))
        let session = home.session()
        home.transport.expect(
            AuthenticatedRoute.account, answer: Self.readOnlyStatus)
        try await session.send(.whoAmI)
        #expect(session.state.appPassword?.isReadOnly == true)
        #expect(session.state.usage?.records.used == 3)
        home.transport.verify()
    }

    @Test("The app password of another account changes nothing, and stays valid")
    func otherAppPassword() async throws {
        let home = try Home()
        home.transport.expect(AuthenticatedRoute.account, answer: status(of: "eve"))
        let error = await failure {
            try await home.login().send(.logIn(username: "ada", password: Self.secret, server: "notes.example.org"))
        }
        #expect(error.category == .usage && error.message.contains("belongs to the account eve"))
        #expect(home.credentials.credentials == nil)
        #expect(home.transport.requests.count == 1)
    }

    @Test(
        "A text of that form that the server refuses isn't sent as a password, which would count as a wrong one",
        arguments: [Problem.Code.tokenExpired, .tokenInvalid])
    func refusedAppPassword(code: Problem.Code) async throws {
        let home = try Home(signedInAs: "ada")
        home.transport.expect(AuthenticatedRoute.account, answer: .problem(401, code))
        let error = await failure {
            try await home.login().send(.logIn(username: "ada", password: Self.secret, server: nil))
        }
        #expect(error.category == .signedOut && error.message.contains("it may have expired"))
        #expect(home.transport.requests.count == 1)
        #expect(home.credentials.credentials == (try .testing()))
        home.transport.verify()
    }

    @Test("The 401 of a proxy is reported as such, and the text isn't sent as a password")
    func appPasswordAtProxy() async throws {
        let home = try Home()
        home.transport.expect(AuthenticatedRoute.account, answer: HTTPResponse(status: 401))
        let error = await failure {
            try await home.login().send(.logIn(username: "ada", password: Self.secret, server: "notes.example.org"))
        }
        #expect(!error.message.contains("app password"))
        #expect(home.transport.requests.count == 1)
    }

    @Test(
        "The session that an app password replaces ends on the server, if that answers",
        arguments: [nil, TransportError.Kind.timedOut])
    func replacedSession(lost: TransportError.Kind?) async throws {
        let home = try Home(signedInAs: "ada")
        home.transport.expect(AuthenticatedRoute.account, answer: status(of: "ada"))
        if let lost {
            home.transport.expect(AuthenticatedRoute.logOut, failing: lost)
        } else {
            home.transport.expect(AuthenticatedRoute.logOut, answer: .noContent)
        }
        try await home.login().send(.logIn(username: "ada", password: Self.secret, server: nil))
        #expect(home.transport.requests.map(\.bearerToken) == [Self.secret, "access-1"])
        #expect(home.credentials.credentials?.tokens?.access == Self.secret)
        home.transport.verify()
    }

    @Test("An app password that can't be stored leaves this device's session as it is")
    func unsavedAppPassword() async throws {
        struct Locked: Error {}
        let home = try Home(signedInAs: "ada")
        let former = home.credentials.credentials
        // The present session is saved again before the sign-in.
        home.credentials.failSaving(with: Locked(), after: 1)
        home.transport.expect(AuthenticatedRoute.account, answer: status(of: "ada"))
        let error = await failure {
            try await home.login().send(.logIn(username: "ada", password: Self.secret, server: nil))
        }
        #expect(error.message.contains("can't be read or saved"))
        #expect(!error.message.contains("signed out"))
        #expect(home.transport.requests.map(\.bearerToken) == [Self.secret])
        #expect(home.credentials.credentials == former)
        home.transport.verify()
    }

    @Test("An app password that replaces another one leaves that valid on the server")
    func replacedAppPassword() async throws {
        let home = try Home()
        let former = "app_" + String(Self.secret.dropFirst(4).reversed())
        for secret in [former, Self.secret] {
            home.transport.expect(AuthenticatedRoute.account, answer: status(of: "ada"))
            try await home.login().send(.logIn(username: "ada", password: secret, server: "notes.example.org"))
        }
        #expect(home.transport.requests.map(\.bearerToken) == [former, Self.secret])
        home.transport.verify()
    }

    @Test("A new password of the form of an app password is refused, since a log-in would use it as one")
    func newPasswordOfThatForm() async throws {
        let home = try Home()
        let error = await failure {
            try await home.login().send(
                .register(username: "ada", password: Self.secret, server: "notes.example.org", invite: nil))
        }
        #expect(error.category == .usage && error.message.contains("the form of an app password"))
        #expect(home.transport.requests.isEmpty)
    }

    @Test("What a server announces at a log-in is remembered, and replaced at the next one")
    func offerRemembered() async throws {
        let home = try Home()
        for records in [7, 9] {
            home.transport.expect(
                OpenRoute.capabilities,
                answer: .json(
                    """
                    {"protocols": [1], "capabilities": ["records"],
                     "limits": {"bodyBytes": 4000, "fieldsBytes": 1000, "mutations": 3, "pageRecords": \(records)}}
                    """))
            home.transport.expect(OpenRoute.logIn, answer: Answer.grant())
            try await home.login().send(logIn())
            let offer = try home.services.store.readNow { try ServerOffer.stored(in: $0) }
            #expect(offer?.limits?.pageRecords == records && offer?.capabilities == ["records"])
        }
        home.transport.verify()
    }

    @Test("A server that can't be asked for its version is used")
    func noVersion() async throws {
        for answer in [HTTPResponse.problem(404, .notFound), .json("[]"), .json("no JSON")] {
            let home = try Home()
            home.transport.expect(OpenRoute.capabilities, answer: answer)
            home.transport.expect(OpenRoute.logIn, answer: Answer.grant())
            try await home.login().send(logIn())
            home.transport.verify()
        }
    }

    @Test(
        "A server without a common version of the protocol is refused before the password is sent",
        arguments: [("[2, 3]", "too new"), ("[0]", "too old"), ("[]", "too old")])
    func incompatible(protocols: String, reason: String) async throws {
        let home = try Home()
        home.transport.expect(OpenRoute.capabilities, answer: .json(#"{"protocols": \#(protocols)}"#))
        let error = await failure { try await home.login().send(logIn()) }
        #expect(error.category == .rejected)
        #expect(error.message.contains(reason))
        #expect(home.transport.requests.count == 1)
        home.transport.verify()
    }

    @Test("The home keeps the name of a device until another one is given")
    func deviceNameKept() async throws {
        let home = try Home()
        for (typed, sent) in [("kitchen", "kitchen"), (nil, "kitchen"), ("desk", "desk"), (nil, "desk")] {
            home.transport.expect(OpenRoute.logIn, answer: Answer.grant())
            try await home.login().send(
                .logIn(username: "ada", password: password, server: "notes.example.org", deviceName: typed))
            let request = try JSONDecoder().decode(
                LogInRequest.self, from: Data(home.transport.requests.last?.body ?? []))
            #expect(request.device.name == sent)
        }
        home.transport.verify()
    }

    @Test("A device that logs in again proves its last session to the same server")
    func deviceProof() async throws {
        let home = try Home()
        for (server, proof) in [
            ("notes.example.org", nil), ("notes.example.org", "proof-1"), ("elsewhere.example.org", nil),
        ] {
            home.transport.expect(OpenRoute.logIn, answer: Answer.grant(proof: "proof-1"))
            try await home.login().send(.logIn(username: "ada", password: password, server: server))
            let request = try JSONDecoder().decode(
                LogInRequest.self, from: Data(home.transport.requests.last?.body ?? []))
            #expect(request.deviceProof == proof)
        }
        home.transport.verify()
    }

    @Test("The name of a failed sign-in isn't kept")
    func deviceNameOfFailure() async throws {
        let home = try Home()
        home.transport.expect(OpenRoute.logIn, answer: .problem(401, .invalidCredentials))
        _ = await failure {
            try await home.login().send(
                .logIn(username: "ada", password: password, server: "notes.example.org", deviceName: "kitchen"))
        }
        #expect(try home.services.store.readNow { try $0.account.chosenDeviceName() } == nil)
    }

    @Test(
        "An invalid address is refused before the password is asked for",
        arguments: ["http://notes.example.org", "ftp://notes.example.org", "notes example", "notes.example.org:0"])
    func addressChecked(server: String) async throws {
        let home = try Home()
        let intents: [LoginScreen.Intent] = [
            .logIn(username: "ada", password: "", server: server),
            .register(username: "ada", password: "", server: server, invite: nil),
        ]
        for intent in intents {
            let error = await failure { try await home.login().check(intent) }
            #expect(error.category == .usage)
            #expect(error.message.contains("notes"))
        }
        #expect(home.transport.requests.isEmpty)
    }

    @Test("A check before the password accepts what a sign-in would: a known server, and plain http that was accepted")
    func checkAccepts() async throws {
        let home = try Home(signedInAs: "ada")
        try await home.login().check(.logIn(username: "ada", password: "", server: nil))
        try await home.login().check(
            .logIn(username: "ada", password: "", server: "http://notes.example.org", insecureHTTP: true))
        let error = await failure {
            try await home.login().check(.logIn(username: "bob", password: "", server: nil))
        }
        #expect(error.category == .conflict)
    }

    @Test("A user name in capital letters is that of the account, whose own name the message has")
    func capitals() async throws {
        let home = try Home()
        home.transport.expect(OpenRoute.logIn, answer: Answer.grant())
        let login = home.login()
        try await login.send(.logIn(username: "ADA", password: password, server: "notes.example.org"))
        #expect(login.state.notice?.hasPrefix("Signed in as ada. ") == true)
    }

    @Test("A device has the name that the user gives or its host name")
    func deviceName() async throws {
        for (typed, sent) in [(nil, "laptop"), ("kitchen", "kitchen")] as [(String?, String)] {
            let home = try Home()
            home.transport.expect(OpenRoute.logIn, answer: Answer.grant())
            try await home.login().send(
                .logIn(username: "ada", password: password, server: "notes.example.org", deviceName: typed))
            let request = try JSONDecoder().decode(LogInRequest.self, from: Data(home.transport.requests[0].body ?? []))
            #expect(request.device.name == sent)
        }
        for wrong in ["", " ", String(repeating: "n", count: 257), "a\nb", "a\u{1B}[2J", "a\u{2028}b", "\u{9B}m"] {
            let home = try Home()
            let error = await failure {
                try await home.login().send(
                    .logIn(username: "ada", password: password, server: "notes.example.org", deviceName: wrong))
            }
            #expect(error.category == .usage && error.message.hasPrefix("The device's name"))
            #expect(home.transport.requests.isEmpty)
        }
    }

    @Test("E8 a running request is shown until it is answered")
    func underWay() async throws {
        let home = try Home()
        let login = home.login()
        let view = ScriptedView<LoginScreen>()
        login.attach(view)
        let gate = Gate()
        home.transport.expect(OpenRoute.logIn, behind: gate, answer: Answer.grant())
        async let done: Void = view.send(logIn())
        let waiting = await view.next { $0.isUnderWay }
        #expect(waiting.username == "ada")
        #expect(waiting.server == "https://notes.example.org")
        gate.open()
        try await done
        #expect(view.shown.last?.isUnderWay == false)
        #expect(view.shown.last?.notice == "Signed in as ada. `sync` brings this device up to date.")
    }

    @Test(
        "D8 invalid input is refused before the server is asked",
        arguments: [
            ("", password, "The user name is empty. Give a name."),
            ("ada", "", "The password is empty. Enter a password."),
            (
                "ada", String(repeating: "x", count: 1_025),
                "The password has 1025 bytes; at most 1024 are allowed. Enter another password."
            ),
        ])
    func empty(username: String, password: String, message: String) async throws {
        let home = try Home()
        let error = await failure {
            try await home.login().send(.logIn(username: username, password: password, server: "notes.example.org"))
        }
        #expect(error == Failure(.usage, message))
        #expect(home.transport.requests.isEmpty)
    }

    @Test("A short password is wrong like any other at a log-in: only a new one has a least length")
    func shortWrongPassword() async throws {
        let home = try Home()
        home.transport.expect(OpenRoute.logIn, answer: .problem(401, .invalidCredentials))
        let error = await failure {
            try await home.login().send(.logIn(username: "ada", password: "oops", server: "notes.example.org"))
        }
        #expect(error.message == "User name or password is wrong. Check both and try again.")
        home.transport.verify()
    }

    @Test("A new password is counted in characters, an existing one in bytes, so that those of earlier versions work")
    func shortPassword() async throws {
        let home = try Home()
        let new = await failure {
            try await home.login().send(
                .register(username: "ada", password: "äöüß", server: "notes.example.org", invite: nil))
        }
        #expect(
            new == Failure(.usage, "The password has 4 characters; a new one has at least 8. Choose a longer one."))
        #expect(home.transport.requests.isEmpty)
        home.transport.expect(OpenRoute.logIn, answer: Answer.grant())
        try await home.login().send(.logIn(username: "ada", password: "äöüß", server: "notes.example.org"))
        home.transport.verify()
    }

    @Test("Without a given or known server, the user is asked for one")
    func noServer() async throws {
        let error = await failure { try await Home().login().send(logIn(at: nil)) }
        #expect(error == Failure(.usage, "Which server? Name it with --server https://notes.example.org."))
    }

    @Test("An invalid address is refused with an example")
    func malformedServer() async throws {
        let error = await failure { try await Home().login().send(logIn(at: "https://a b")) }
        #expect(error.category == .usage)
        #expect(error.message.contains("Write it like https://notes.example.org"))
    }

    @Test(
        "D11 the server's errors become messages for the user",
        arguments: [
            (
                HTTPResponse.problem(401, .invalidCredentials), Failure.Category.signedOut,
                "User name or password is wrong"
            ),
            (.problem(429, .rateLimited, headers: [("Retry-After", "30")]), .rejected, "Wait 30 seconds"),
            (.problem(500, .internalError), .unreachable, "The server failed"),
            (.problem(409, .idempotencyKeyInUse), .unreachable, "still processing"),
            (.json("<html>", status: 200), .unreachable, "isn't from a sync server"),
            (.problem(418, "teapot"), .rejected, "The server refused"),
        ])
    func refused(answer: HTTPResponse, category: Failure.Category, message: String) async throws {
        let home = try Home()
        let login = home.login()
        home.transport.expect(OpenRoute.logIn, answer: answer)
        let error = await failure { try await login.send(logIn()) }
        #expect(error.category == category)
        #expect(error.message.contains(message))
        #expect(login.state.signedInAs == nil)
        #expect(!login.state.isUnderWay)
        #expect(home.credentials.credentials == nil)
        #expect(try home.services.store.readNow { try $0.account.owner() } == nil)
    }

    @Test("D11 an unknown user and a wrong password have the same message")
    func sameWords() async throws {
        let home = try Home()
        home.transport.expect(OpenRoute.logIn, answer: .problem(401, .invalidCredentials))
        home.transport.expect(OpenRoute.logIn, answer: .problem(401, .invalidCredentials))
        let wrong = await failure { try await home.login().send(logIn("ada")) }
        let unknown = await failure { try await home.login().send(logIn("nobody")) }
        #expect(wrong == unknown)
    }

    @Test("An unreachable server is reported, and nothing changes")
    func unreachable() async throws {
        let home = try Home()
        home.transport.expect(OpenRoute.logIn, failing: .refused)
        let error = await failure { try await home.login().send(logIn()) }
        #expect(error.category == .unreachable)
        #expect(error.message.hasPrefix("The server https://notes.example.org can't be reached."))
    }

    @Test("D9 a wrong password clears nothing: the session and the unsent edits are kept")
    func wrongPassword() async throws {
        let home = try Home(signedInAs: "ada")
        try home.put(["a": ["title": "Unsent"]])
        let login = home.login()
        home.transport.expect(OpenRoute.logIn, answer: .problem(401, .invalidCredentials))
        _ = await failure { try await login.send(logIn()) }
        #expect(login.state.signedInAs == "ada")
        #expect(home.credentials.credentials == (try .testing()))
        #expect(try home.titles() == ["Unsent"])
        #expect(try home.services.store.readNow { try $0.outbox.unsent().records } == 1)
    }

    @Test("C24 without a server, sign-in uses the one that the home knows; capital letters make no difference")
    func knownServer() async throws {
        let home = try Home(signedInAs: "ada")
        let login = home.login()
        home.transport.expect(OpenRoute.logIn, answer: Answer.grant(generation: 2))
        try await login.send(logIn("Ada", at: nil))
        #expect(home.transport.requests.first?.url == "https://notes.example.org/v1/sessions")
        #expect(login.state.signedInAs == "ada")
    }

    @Test("Another account is refused before the server is asked; the message names --home")
    func otherAccount() async throws {
        let home = try Home(signedInAs: "ada")
        let error = await failure { try await home.login().send(logIn("eve")) }
        #expect(error.category == .conflict)
        #expect(
            error.message == "This home belongs to the account ada. Sign in as ada, or use another home with --home.")
        #expect(home.transport.requests.isEmpty)
    }

    @Test("An account is created only on a home without owner; otherwise the server isn't asked")
    func secondAccount() async throws {
        let home = try Home(signedInAs: "ada")
        let error = await failure {
            try await home.login().send(
                .register(username: "ada", password: password, server: "https://other.example.org", invite: nil))
        }
        #expect(error.category == .conflict)
        #expect(error.message.contains("belongs to the account ada") && error.message.contains("--home"))
        #expect(home.transport.requests.isEmpty)
    }

    @Test("The same name on another server is another account: refused, and the new session is revoked")
    func sameNameElsewhere() async throws {
        let home = try Home(signedInAs: "ada")
        let login = home.login()
        home.transport.expect(OpenRoute.logIn, answer: Answer.grant(space: "space-elsewhere", generation: 7))
        home.transport.expect(AuthenticatedRoute.logOut, answer: .noContent)
        let error = await failure { try await login.send(logIn(at: "https://other.example.org")) }
        #expect(error.category == .conflict)
        #expect(error.message.contains("ada on https://notes.example.org"))
        #expect(error.message.contains("ada on https://other.example.org"))
        #expect(error.message.contains("--home"))
        let givenBack = try #require(home.transport.requests.last)
        #expect(givenBack.url == "https://other.example.org/v1/sessions/current")
        #expect(givenBack.bearerToken == "access-7")
        #expect(home.credentials.credentials == (try .testing()))
        #expect(login.state.signedInAs == "ada")
        home.transport.verify()
    }

    @Test(
        "A server that has lost the account creates it again under the same name; this home is bound to it",
        arguments: [true, false])
    func lostServer(registers: Bool) async throws {
        let home = try Home(signedInAs: "ada")
        try home.put(["a": ["title": "Unsent"]])
        let login = home.login()
        home.transport.expect(
            registers ? OpenRoute.register : .logIn, answer: Answer.grant(space: "space-new", generation: 2))
        try await login.send(
            registers
                ? .register(username: "Ada", password: password, server: "notes.example.org", invite: nil)
                : logIn(at: nil))
        #expect(login.state.notice?.contains("no longer has the account that this home belonged to") == true)
        let state = try home.services.store.readNow { try $0.replica.state() }
        #expect(state.remote == "space-new")
        #expect(state.reading == ["mode": "epoch-changed", "shared": 0])
        #expect(try home.services.store.readNow { try $0.outbox.unsent().records } == 1)
        #expect(home.credentials.credentials?.identity.personalSpace == "space-new")
        home.transport.verify()
    }

    @Test("Signing in to a server that moved to another address works; the home keeps the same space")
    func movedServer() async throws {
        let home = try Home(signedInAs: "ada")
        let login = home.login()
        home.transport.expect(OpenRoute.logIn, answer: Answer.grant(generation: 2))
        try await login.send(logIn(at: "https://moved.example.org"))
        #expect(login.state.notice == "Signed in as ada. `sync` brings this device up to date.")
        let kept = try home.services.store.readNow {
            try ($0.replica.state().remote, $0.replica.state().reading, $0.account.server())
        }
        #expect(kept == ("space-ada", nil, "https://moved.example.org"))
        #expect(login.state.server == "https://moved.example.org")
    }

    @Test("A session that a full disk can't store is revoked; the message doesn't say that nothing was changed")
    func fullDisk() async throws {
        let home = try Home()
        home.credentials.failSaving(with: BackendError.diskFull(path: "/home/session"))
        home.transport.expect(OpenRoute.logIn, answer: Answer.grant())
        home.transport.expect(AuthenticatedRoute.logOut, answer: .noContent)
        let error = await failure { try await home.login().send(logIn()) }
        #expect(error.category == .damaged)
        #expect(error.message.hasPrefix("The disk is full: /home/session can't be written."))
        #expect(error.message.hasSuffix("This device is now signed out: free some space, then `login` again."))
        #expect(!error.message.contains("othing was changed"))
        home.transport.verify()
    }

    @Test("A session that can't be stored is revoked")
    func lockedStore() async throws {
        struct Locked: Error {}
        let home = try Home()
        home.credentials.failSaving(with: Locked())
        home.transport.expect(OpenRoute.logIn, answer: Answer.grant())
        home.transport.expect(AuthenticatedRoute.logOut, answer: .noContent)
        let error = await failure { try await home.login().send(logIn()) }
        #expect(error.category == .failed)
        #expect(error.message.contains("can't be read or saved"))
        #expect(error.message.contains("This device is now signed out: `login` again"))
        home.transport.verify()
    }

    @Test("While the store fails, a sign-in that would end this device's session is not sent")
    func failingStore() async throws {
        struct Locked: Error {}
        let home = try Home(signedInAs: "ada")
        let former = home.credentials.credentials
        home.credentials.failSaving(with: Locked())
        let error = await failure { try await home.login().send(logIn()) }
        #expect(error.category == .failed)
        #expect(error.message.contains("can't be read or saved"))
        #expect(home.transport.requests.isEmpty)
        #expect(home.credentials.credentials == former)
    }

    @Test("Signing in replaces a session file that can't be read")
    func damagedSession() async throws {
        let transport = MockTransport()
        let store = DamagedCredentialStore()
        let services = try Services.testing(transport, credentials: store)
        let login = Presentation(LoginController(services.account)) { Issue.record($0) }
        let error = await failure { try await login.send(logIn(at: nil)) }
        #expect(error.category == .usage && error.message.contains("--server"))
        transport.expect(OpenRoute.logIn, answer: Answer.grant())
        try await login.send(logIn())
        #expect(login.state.signedInAs == "ada")
        #expect(store.repaired.credentials?.identity.account.username == "ada")
    }

    @Test("E6 one controller drives two views; a typed failure goes to the sender")
    func twoViews() async throws {
        let home = try Home()
        let login = home.login()
        let (first, second) = (ScriptedView<LoginScreen>(), ScriptedView<LoginScreen>())
        login.attach(first)
        login.attach(second)
        home.transport.expect(OpenRoute.logIn, answer: .problem(401, .invalidCredentials))
        let error = await failure { try await first.send(logIn()) }
        #expect(error.category == .signedOut)
        home.transport.expect(OpenRoute.logIn, answer: Answer.grant())
        try await second.send(logIn())
        #expect(first.shown.last?.signedInAs == "ada")
        #expect(first.shown.last == second.shown.last)
    }
}

/// A store whose contents can't be read until something is saved.
private final class DamagedCredentialStore: CredentialStore {
    struct Damaged: Error {}
    let repaired = InMemoryCredentialStore()

    func load() throws -> Credentials? {
        guard let credentials = repaired.credentials else { throw Damaged() }
        return credentials
    }
    func save(_ credentials: Credentials?) throws { try repaired.save(credentials) }
    func exclusively<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        try await repaired.exclusively(body)
    }
}
