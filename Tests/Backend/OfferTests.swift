import Backend
import Foundation
import SyncAPI
import TestSupport
import Testing

@Suite("A server that lacks a part of the protocol", .timeLimit(.minutes(5)))
struct OfferTests {
    private let home = Home()
    private let notFound = HTTPResponse.problem(404, .notFound)
    private let request = AppPasswordRequest(name: "phone", scope: .readOnly, expiresIn: nil, password: "correct horse")

    private func expectQuestion(_ answer: String) {
        home.transport.expect(OpenRoute.capabilities, answer: .json(answer))
    }

    @Test(
        "Its refusal says what it lacks, whether or not it announces its parts",
        arguments: [#"{"capabilities": ["records", "telepathy"]}"#, #"{"protocols": [1, 9]}"#, "{}"])
    func lacking(announced: String) async {
        home.transport.expect(AuthenticatedRoute.createAppPassword, answer: notFound)
        expectQuestion(announced)
        let error = await #expect(throws: BackendError.self) {
            try await home.client.createAppPassword(request)
        }
        #expect(error == .unsupported(Home.server, .appPasswords))
        #expect(error?.message.contains("\(Home.server) doesn't support app passwords") == true)
        #expect(error?.isTransient == false)
        home.transport.verify()
    }

    @Test("A stream of events is a part, too")
    func events() async {
        home.transport.expect(AuthenticatedRoute.events, answer: .problem(405, .methodNotAllowed))
        expectQuestion(#"{"capabilities": []}"#)
        await #expect(throws: BackendError.unsupported(Home.server, .events)) { try await home.client.events() }
        home.transport.verify()
    }

    @Test(
        "A device that doesn't exist isn't a missing part",
        arguments: [
            (#"{"capabilities": ["device-names", "telepathy"]}"#, false), ("{}", false),
            (#"{"capabilities": []}"#, true),
        ])
    func missingDevice(announced: String, isLacking: Bool) async {
        home.transport.expect(AuthenticatedRoute.renameDevice(id: "d9"), answer: notFound)
        expectQuestion(announced)
        let error = await #expect(throws: BackendError.self) {
            try await home.client.renameDevice(id: "d9", to: "kitchen")
        }
        #expect((error == .unsupported(Home.server, .deviceNames)) == isLacking)
        #expect((error?.problem?.code == .notFound) == !isLacking)
    }

    @Test("A page of a proxy isn't taken for a server's answer")
    func proxy() async {
        let page = HTTPResponse(status: 404, headers: [("Content-Type", "text/html")], body: Array("<html>".utf8))
        home.transport.expect(AuthenticatedRoute.signOutDevices, answer: page)
        home.transport.expect(OpenRoute.capabilities, answer: page)
        let error = await #expect(throws: BackendError.self) {
            try await home.client.signOutDevices(includingThis: false)
        }
        #expect(error?.message.contains("not a sync server") == true)
    }

    @Test("Without a common version of the protocol, that is the error of each request")
    func noCommonProtocol() async {
        home.transport.expect(AuthenticatedRoute.account, answer: notFound)
        expectQuestion(#"{"protocols": [0]}"#)
        await #expect(throws: BackendError.incompatible(Home.server, isNewer: false)) {
            try await home.client.account()
        }
    }

    @Test("Other refusals lead to no question")
    func otherRefusals() async {
        home.transport.expect(AuthenticatedRoute.deleteAccount, answer: .problem(403, .invalidCredentials))
        await #expect(throws: BackendError.self) {
            try await home.client.deleteAccount(AccountDeletionRequest(password: "wrong horse"))
        }
        #expect(home.transport.requests.count == 1)
    }

    @Test("A one-time code is refused with the reason")
    func passwordReset() async {
        home.transport.expect(OpenRoute.resetLogIn, answer: notFound)
        let request = ResetLogInRequest(
            username: "ada", code: "code", newPassword: "correct horse", device: DeviceClaim(name: "laptop", id: "d1"))
        await #expect(throws: BackendError.unsupported(Home.server, .passwordReset)) {
            try await home.client.resetLogIn(request, at: Home.server)
        }
    }

    @Test("Each part has a message", arguments: Capability.allCases)
    func messages(capability: Capability) {
        let error = BackendError.unsupported(Home.server, capability)
        #expect(error.message.hasPrefix("The server \(Home.server) ") && error.message.hasSuffix("."))
        #expect(error.diagnostic.contains(capability.rawValue))
    }

    @Test("What a server announces is the same after it was stored")
    func stored() async throws {
        expectQuestion(
            """
            {"name": "satcheld", "protocols": [1, 2], "capabilities": ["records", "telepathy"],
             "registration": "invite",
             "limits": {"bodyBytes": 1, "fieldsBytes": 2, "mutations": 3, "pageRecords": 4}, "region": "moon"}
            """)
        let offer = try await home.client.offer()
        #expect(offer.supports(.records) == true && offer.supports(.events) == false)
        #expect(ServerOffer().supports(.events) == nil)
        #expect(try JSONBody.decode(ServerOffer.self, from: JSONBody.encode(offer)) == offer)
        #expect(offer.limits?.pageRecords == 4 && offer.registration == .invite)
    }
}
