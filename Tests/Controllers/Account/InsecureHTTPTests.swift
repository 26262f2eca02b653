import Backend
import ControllerKit
import Controllers
import Foundation
import SyncAPI
import TestSupport
import Testing

@MainActor
@Suite("A server without encryption", .timeLimit(.minutes(5)))
struct InsecureHTTPTests {
    private static let server = "http://notes.example.org"

    private func logIn(at server: String? = server, insecureHTTP: Bool = false) -> LoginScreen.Intent {
        .logIn(username: "ada", password: "correct horse", server: server, insecureHTTP: insecureHTTP)
    }

    private func register(insecureHTTP: Bool = false) -> LoginScreen.Intent {
        .register(
            username: "ada", password: "correct horse", server: Self.server, invite: nil, insecureHTTP: insecureHTTP)
    }

    /// A home that has signed in there and accepted it.
    private func home() async throws -> Home {
        let home = try Home()
        home.transport.expect(OpenRoute.logIn, answer: Answer.grant())
        try await home.login().send(logIn(insecureHTTP: true))
        return home
    }

    @Test("It is refused before anything is sent; the message says how to continue")
    func refused() async throws {
        for intent in [logIn(), register()] {
            let home = try Home()
            let error = await failure { try await home.login().send(intent) }
            #expect(error.category == .usage)
            #expect(error.message.contains(Self.server) && error.message.contains("the option `insecure-http`"))
            #expect(home.transport.requests.isEmpty)
            #expect(home.credentials.credentials == nil)
        }
    }

    @Test("It is accepted by the verb's argument in every notation")
    func accepted() async throws {
        let words: ArgumentValues = [
            "name": .text("ada"), "password": .text("correct horse"), "server": .text(Self.server),
            "insecure-http": .flag(true),
        ]
        for (verb, route) in [("login", OpenRoute.logIn), ("register", .register)] {
            let home = try Home()
            home.transport.expect(route, answer: Answer.grant())
            let signature = try #require(LoginScreen.verbs.first { $0.signature.name == verb })
            try await home.login().send(signature.intent(from: words))
            #expect(home.credentials.credentials?.identity.insecureHTTP == true)
        }
    }

    @Test("A process may accept it for all of its sign-ins")
    func acceptedByTheProcess() async throws {
        let home = try Home(acceptsInsecureHTTP: true)
        home.transport.expect(OpenRoute.logIn, answer: Answer.grant())
        try await Presentation(LoginController(home.services.account)) { Issue.record($0) }.send(logIn())
        #expect(home.credentials.credentials?.identity.insecureHTTP == true)
    }

    @Test("Acceptance applies to later sign-ins to the same server only")
    func remembered() async throws {
        let home = try await home()
        home.transport.expect(OpenRoute.logIn, answer: Answer.grant(generation: 2))
        try await home.login().send(logIn(at: nil))
        #expect(home.credentials.credentials?.identity.insecureHTTP == true)
        let error = await failure { try await home.login().send(logIn(at: "http://other.example.org")) }
        #expect(error.category == .usage)
        home.transport.verify()
    }

    @Test("`whoami` and `doctor` show it")
    func shown() async throws {
        let home = try await home()
        let session = home.session()
        home.transport.expect(AuthenticatedRoute.account, failing: .cannotResolve)
        try await session.send(.whoAmI)
        #expect(session.state.insecureHTTP)
        let doctor = Presentation(
            DoctorController(
                home.services.notebook, engine: home.services.engine, sync: home.services.sync,
                hooks: home.services.hooks)
        ) { Issue.record($0) }
        home.transport.expect(AuthenticatedRoute.pullChanges(space: "space-ada"), failing: .refused)
        try await doctor.send(.check(deep: false))
        let check = try #require(doctor.state.checks.first { $0.name == .session })
        #expect(check.verdict == .ok)
        #expect(check.detail == "ada on \(Self.server), \(SessionScreen.insecureHTTPNote)")
        let other = try Home(signedInAs: "ada")
        let encrypted = other.session()
        other.transport.expect(AuthenticatedRoute.account, failing: .cannotResolve)
        try await encrypted.send(.whoAmI)
        #expect(!encrypted.state.insecureHTTP)
    }

    @Test("A session of an earlier version, which accepted nothing, has ended")
    func earlierSession() async throws {
        let home = try await home()
        var earlier = try #require(home.credentials.credentials)
        earlier.identity.insecureHTTP = false
        try home.credentials.save(earlier)
        let session = home.session()
        try await session.send(.whoAmI)
        #expect((session.state.isSignedIn, session.state.ended?.rawValue) == (false, "unencrypted"))
        let error = await failure { try await home.sync().send(.sync) }
        #expect(error.category == .signedOut)
        #expect(error.message.contains("`login NAME --insecure-http`"))
        home.transport.verify()
    }
}
