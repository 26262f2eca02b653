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
@Suite("The account and its devices", .timeLimit(.minutes(5)))
struct SessionTests {
    private let devices = HTTPResponse.json(
        """
        {"devices": [
          {"id": "laptop-1", "name": "laptop", "createdAt": "2026-11-01T00:00:00.000Z",
           "lastSeenAt": "2026-11-21T05:00:00.000Z", "current": true},
          {"id": "desk", "name": "desktop", "createdAt": "2026-11-02T00:00:00.000Z",
           "lastSeenAt": "2026-11-20T05:00:00.000Z", "current": false},
          {"id": "desk-2", "name": "second desktop", "createdAt": "2026-11-02T00:00:00.000Z",
           "lastSeenAt": "2026-11-19T05:00:00.000Z", "current": false}]}
        """)

    @Test("Before the first sign-in no user is shown, and that is no failure")
    func signedOut() async throws {
        let home = try Home()
        let session = home.session()
        try await session.send(.whoAmI)
        #expect(session.state.username == nil)
        #expect(!session.state.isSignedIn)
        #expect(try session.state.device == home.services.store.writeNow { try $0.device() })
        #expect(home.transport.requests.isEmpty)
    }

    @Test("Account, server and device are shown with the usage, and without it if the server can't be reached")
    func whoAmI() async throws {
        let home = try Home(signedInAs: "ada")
        let session = home.session()
        home.transport.expect(AuthenticatedRoute.account, failing: .cannotResolve)
        try await session.send(.whoAmI)
        #expect(session.state.username == "ada")
        #expect(session.state.server == "https://notes.example.org")
        #expect(session.state.isSignedIn && session.state.usage == nil)
        #expect(session.state.usageFailure?.contains("https://notes.example.org can't be reached") == true)
        home.transport.expect(
            AuthenticatedRoute.account,
            answer: .json(
                """
                {"account": {"id": "a", "username": "ada", "personalSpace": "s"},
                 "usage": {"records": 3, "bytes": 120, "devices": 2, "streams": 0},
                 "quota": {"records": 3, "devices": 100, "streams": 32}}
                """))
        try await session.send(.whoAmI)
        let usage = try #require(session.state.usage)
        #expect((usage.records.used, usage.records.limit) == (3, 3))
        #expect((usage.bytes.used, usage.bytes.limit) == (120, nil))
        #expect((usage.devices?.used, usage.devices?.limit) == (2, 100))
        #expect((usage.streams?.used, usage.streams?.limit) == (0, 32))
        #expect(usage.exhausted == "records")
        #expect(session.state.usageFailure == nil)
        home.transport.verify()
    }

    @Test("A session that the server refuses is shown as ended at once, and nothing of the account's usage")
    func refused() async throws {
        let home = try Home(signedInAs: "ada")
        let session = home.session()
        home.transport.expect(AuthenticatedRoute.account, answer: .problem(401, .tokenInvalid))
        home.transport.expect(OpenRoute.refresh, answer: .problem(401, .tokenInvalid))
        try await session.send(.whoAmI)
        #expect((session.state.isSignedIn, session.state.ended?.rawValue) == (false, "revoked"))
        #expect(session.state.usage == nil && session.state.usageFailure == nil)
        home.transport.verify()
    }

    @Test("A refusal that doesn't end the session is the reason why the usage is unknown")
    func disabled() async throws {
        let home = try Home(signedInAs: "ada")
        let session = home.session()
        home.transport.expect(AuthenticatedRoute.account, answer: .problem(403, .accountDisabled))
        try await session.send(.whoAmI)
        #expect(session.state.isSignedIn)
        #expect(session.state.usageFailure?.hasPrefix("The server's owner has disabled this account.") == true)
        home.transport.verify()
    }

    @Test("A sign-in by another process of the home is noticed")
    func anotherProcess() async throws {
        let home = try Home()
        let session = home.session()
        try await session.send(.whoAmI)
        try home.credentials.save(try .testing())
        home.transport.expect(AuthenticatedRoute.account, failing: .cannotResolve)
        try await session.send(.whoAmI)
        #expect(session.state.username == "ada")
        var ended = try Credentials.testing()
        ended.state = .ended(reason: .loggedOut)
        try home.credentials.save(ended)
        try await session.send(.whoAmI)
        #expect((session.state.isSignedIn, session.state.ended?.rawValue) == (false, "loggedOut"))
    }

    @Test("The account's devices are listed; this one is marked")
    func list() async throws {
        let home = try Home(signedInAs: "ada")
        let session = home.session()
        home.transport.expect(AuthenticatedRoute.devices, answer: devices)
        try await session.send(.devices)
        #expect(session.state.devices.map(\.name) == ["laptop", "desktop", "second desktop"])
        #expect(session.state.devices.map(\.isThisOne) == [true, false, false])
    }

    @Test("A device is signed out by the beginning of its id; a whole id is never too short")
    func revoke() async throws {
        let home = try Home(signedInAs: "ada")
        let session = home.session()
        for (typed, id, name) in [("desk-", "desk-2", "second desktop"), ("desk", "desk", "desktop")] {
            home.transport.expect(AuthenticatedRoute.devices, answer: devices)
            home.transport.expect(AuthenticatedRoute.revokeDevice(id: id), answer: .noContent)
            home.transport.expect(AuthenticatedRoute.devices, answer: devices)
            try await session.send(.revoke(device: typed))
            #expect(session.state.notice == "Signed out \(name) (\(id)).")
        }
        home.transport.verify()
    }

    @Test("The help of `devices` says by what a device is named")
    func help() throws {
        let verb = try #require(SessionScreen.verbs.first { $0.signature.name == "devices" }).signature
        for name in ["revoke", "rename"] {
            let help = try #require(verb.arguments.first { $0.name == name }).help
            #expect(help.contains("name, id or beginning of an id"))
        }
    }

    @Test(
        "A reference that doesn't name exactly one other device signs nothing out",
        arguments: [
            ("phone", Failure(.notFound, "No device's id begins with “phone”. See `devices`.")),
            ("des", Failure(.notFound, "The ids of several devices begin with “des”. See `devices`.")),
            ("laptop", Failure(.usage, "That is this device. To sign it out, use `logout`.")),
        ])
    func revokeNone(typed: String, refusal: Failure) async throws {
        let home = try Home(signedInAs: "ada")
        home.transport.expect(AuthenticatedRoute.devices, answer: devices)
        #expect(await failure { try await home.session().send(.revoke(device: typed)) } == refusal)
        home.transport.verify()
    }

    @Test("A session that the server has ended is reported and shown; the message says what to do")
    func revoked() async throws {
        let home = try Home(signedInAs: "ada")
        let session = home.session()
        home.transport.expect(AuthenticatedRoute.devices, answer: .problem(401, .tokenExpired))
        home.transport.expect(OpenRoute.refresh, answer: .problem(401, .tokenInvalid))
        let refusal = await failure { try await session.send(.devices) }
        #expect(refusal.category == .signedOut)
        #expect(refusal.message.contains("`login`") && refusal.message.contains("unsent edits stay here"))
        #expect((session.state.isSignedIn, session.state.ended?.rawValue) == (false, "revoked"))
        #expect(session.state.username == "ada")
        let logOut = await failure { try await session.send(.logOut) }
        #expect(logOut.category == .signedOut && logOut.message.contains("the account no longer exists"))
    }

    @Test("Without a session, a new password is refused before it is typed")
    func passwordWithoutSession() async throws {
        let change = SessionScreen.Intent.changePassword(current: "", new: "")
        let refusal = await failure { try await Home().session().check(change) }
        #expect(refusal == Failure(.signedOut, "Not signed in. `login` first, then change the password."))
        try await Home(signedInAs: "ada").session().check(change)
    }

    @Test("Logging out keeps the cache, reports unsent edits, and keeps account and server known")
    func logOut() async throws {
        let home = try Home(signedInAs: "ada")
        try home.put(["a": ["title": "One"], "b": ["title": "Two"]])
        let session = home.session()
        home.transport.expect(AuthenticatedRoute.logOut, answer: .noContent)
        try await session.send(.logOut)
        #expect(
            session.state.notice
                == "Signed out ada. 2 records have unsent edits; they stay here and are sent after the next "
                + "`login`.")
        #expect((session.state.isSignedIn, session.state.username) == (false, "ada"))
        #expect(try home.titles() == ["One", "Two"])
        #expect(home.credentials.credentials?.state == .ended(reason: .loggedOut))
    }

    @Test("Without unsent edits there is no warning; without the server, logging out ends the session here only")
    func logOutOffline() async throws {
        let home = try Home(signedInAs: "ada")
        let session = home.session()
        home.transport.expect(AuthenticatedRoute.logOut, failing: .cannotResolve)
        try await session.send(.logOut)
        #expect(
            session.state.notice
                == "Signed out ada. The server didn't confirm it; to be sure, revoke this device from another one. The server "
                + "https://notes.example.org can't be reached: its name wasn't found. Check the address and whether this "
                + "machine is online.")
        #expect(!session.state.isSignedIn)
    }

    @Test("Logging out without a session is refused with the reason")
    func logOutWithoutSession() async throws {
        let refusal = await failure { try await Home().session().send(.logOut) }
        #expect(refusal == Failure(.signedOut, "Not signed in, so there is nothing to sign out of."))
    }

    @Test("A changed password is reported; a wrong one changes nothing and names the password, not the user")
    func changePassword() async throws {
        let home = try Home(signedInAs: "ada")
        let session = home.session()
        home.transport.expect(AuthenticatedRoute.changePassword, answer: .problem(401, .invalidCredentials))
        let refusal = await failure {
            try await session.send(.changePassword(current: "guessed it", new: "a new password"))
        }
        #expect(refusal == Failure(.signedOut, "The current password is wrong. Nothing was changed. Try again."))
        #expect(session.state.isSignedIn)
        home.transport.expect(AuthenticatedRoute.changePassword, answer: .noContent)
        try await session.send(.changePassword(current: "correct horse", new: "a new password"))
        #expect(
            session.state.notice
                == "Changed the password. All other devices must sign in again. All app passwords were revoked: create "
                + "new ones for the programs that used them.")
    }

    @Test(
        "A wrong combination of arguments is refused with the names of the fields, as forms and commands have them",
        arguments: [
            ("logout", ["everywhere": .flag(true), "others": .flag(true)], "Choose either `everywhere` or `others`."),
            ("devices", ["rename": .text("desk")], "The new name of the device is missing. Fill in `name`, too."),
            (
                "devices", ["revoke": .text("desk"), "name": .text("study")],
                "A device is either signed out or named. Leave out `revoke`, or the other fields."
            ),
            (
                "token", ["action": .text("add"), "password": .text("correct horse")],
                "The app password needs a name, for example that of the program that uses it."
            ),
            ("token", ["action": .text("revoke")], "Which app password? Give its name or its id."),
            (
                "token", ["action": .text("list"), "read-only": .flag(true)],
                "`list` needs nothing else, and `revoke` only the name. Only `add` has options and a password."
            ),
        ] as [(String, ArgumentValues, String)])
    func combinations(verb: String, values: ArgumentValues, message: String) async throws {
        let home = try Home(signedInAs: "ada")
        let session = Coordinator(try Catalog.standard(home.services)) { Issue.record($0) }
        defer { session.end() }
        let refusal = await failure { try await session.perform(verb, values) }
        #expect(refusal == Failure(.usage, message))
        #expect(home.transport.requests.isEmpty)
    }

    @Test("The command that changes the password says that it revokes app passwords")
    func changePasswordHelp() throws {
        let verb = try #require(SessionScreen.verbs.first { $0.signature.name == "password" })
        #expect(verb.signature.help.contains("all app passwords are revoked"))
    }

    @Test("A new password that is the current one is refused before the server is asked")
    func samePassword() async throws {
        let home = try Home(signedInAs: "ada")
        let refusal = await failure {
            try await home.session().send(.changePassword(current: "correct horse", new: "correct horse"))
        }
        #expect(refusal.category == .usage)
        #expect(refusal.message.hasPrefix("The new password is the same as the current one. Nothing was changed."))
        #expect(home.transport.requests.isEmpty)
    }

    @Test("A new password that is too short is refused before the server is asked; so is one without an account")
    func shortPassword() async throws {
        let home = try Home(signedInAs: "ada")
        let short = await failure {
            try await home.session().send(.changePassword(current: "correct horse", new: "no"))
        }
        #expect(
            short == Failure(.usage, "The password has 2 characters; a new one has at least 8. Choose a longer one."))
        let signedOut = await failure {
            try await Home().session().send(.changePassword(current: "correct horse", new: "a new password"))
        }
        #expect(signedOut.category == .signedOut)
        #expect(home.transport.requests.isEmpty)
    }
}
