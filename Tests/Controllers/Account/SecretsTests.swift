import ControllerKit
import Controllers
import Foundation
import SyncAPI
import TestSupport
import Testing

@MainActor
@Suite("Secrets", .timeLimit(.minutes(5)))
struct SecretsTests {
    private static let secret = "s3cret-and-long"

    /// Whether the secret is in any state that the view received, as JSON.
    private func leaks<S: Screen>(_ view: ScriptedView<S>) throws -> Bool {
        try view.shown.contains { state in
            String(decoding: try JSONEncoder().encode(state), as: UTF8.self).contains(Self.secret)
        }
    }

    @Test("A password is in no state, before, during and after, whether right or wrong")
    func login() async throws {
        let home = try Home()
        let login = home.login()
        let view = ScriptedView<LoginScreen>()
        login.attach(view)
        home.transport.expect(OpenRoute.logIn, answer: .problem(401, .invalidCredentials))
        let error = await failure {
            try await view.send(.logIn(username: "ada", password: Self.secret, server: "notes.example.org"))
        }
        home.transport.expect(OpenRoute.register, answer: Answer.grant())
        try await view.send(
            .register(username: "ada", password: Self.secret, server: "notes.example.org", invite: nil))
        #expect(view.shown.contains { $0.isUnderWay } && view.shown.last?.signedInAs == "ada")
        #expect(try !leaks(view))
        #expect(!error.message.contains(Self.secret) && error.diagnostic?.contains(Self.secret) != true)
    }

    @Test("No state contains the old or the new password of a password change")
    func change() async throws {
        let home = try Home(signedInAs: "ada")
        let session = home.session()
        let view = ScriptedView<SessionScreen>()
        session.attach(view)
        home.transport.expect(AuthenticatedRoute.changePassword, answer: .noContent)
        try await view.send(.changePassword(current: Self.secret, new: Self.secret + "2"))
        #expect(view.shown.last?.notice != nil)
        #expect(try !leaks(view))
    }

    @Test("A password that is too long isn't quoted in its refusal")
    func refused() async throws {
        let long = Self.secret + String(repeating: "x", count: 2_000)
        let error = await failure {
            try await Home().login().send(.logIn(username: "ada", password: long, server: "notes.example.org"))
        }
        #expect(error.message == "The password has 2015 bytes; at most 1024 are allowed. Enter another password.")
    }
}
