import Records
import SyncAPI
import TestSupport
import Testing

@testable import ServerCore

/// A server that is open for its own machine, behind a proxy that its owner hasn't named.
@Suite struct UnknownProxyTests {
    private static func device(
        invitesBehindUnknownProxy: Bool = true, trusted: Set<IPAddress> = []
    ) throws -> (device: WireDevice, invites: InviteService) {
        var configuration = ServerConfiguration.forTests
        configuration.invitesBehindUnknownProxy = invitesBehindUnknownProxy
        configuration.trustedProxies = trusted
        let server = try InProcessServer(configuration: configuration)
        let device = WireDevice { request in
            var request = request
            request.address = "127.0.0.1"
            return await server.server.answer(request)
        }
        return (device, InviteService(store: server.store, environment: server.server.environment))
    }

    private static let forwarded = ["X-Forwarded-For": "203.0.113.9"]

    private static func registration(invite: String? = nil) -> JSONValue {
        var body: JSONObject = ["username": "ada", "password": "correct horse", "device": ["name": "n"]]
        body["invite"] = invite.map(JSONValue.string)
        return .object(body)
    }

    @Test func aForwardedRegistrationNeedsAnInvitationAndTheAnswerSaysWhy() async throws {
        let (device, _) = try Self.device()
        let path = OpenRoute.register.path
        let refused = try await device.call("POST", path, body: Self.registration(), headers: Self.forwarded)
        #expect(refused.status == 403)
        #expect(refused["code"] == "registration-closed")
        #expect(refused["detail"].string?.contains("--trusted-proxy") == true)
        #expect(try await device.call("POST", path, body: Self.registration()).status == 201, "not forwarded")
    }

    @Test func aForwardedRegistrationWithAnInvitationIsAccepted() async throws {
        let (device, invites) = try Self.device()
        let code = try await invites.add().code
        let answer = try await device.call(
            "POST", OpenRoute.register.path, body: Self.registration(invite: code), headers: Self.forwarded)
        #expect(answer.status == 201)
        #expect(try await invites.list().map(\.used) == [1])
    }

    @Test func theServerOffersRegistrationByInvitationToForwardedRequestsAlone() async throws {
        let (device, _) = try Self.device()
        let path = OpenRoute.capabilities.path
        #expect(try await device.call("GET", path, headers: Self.forwarded)["registration"] == "invite")
        #expect(try await device.call("GET", path)["registration"] == "open")
    }

    @Test func registrationThatTheOwnerOpenedStaysOpenBehindAnyProxy() async throws {
        let (opened, _) = try Self.device(invitesBehindUnknownProxy: false)
        let path = OpenRoute.register.path
        let answer = try await opened.call("POST", path, body: Self.registration(), headers: Self.forwarded)
        #expect(answer.status == 201)
        let (trusting, _) = try Self.device(trusted: [try #require(IPAddress("127.0.0.1"))])
        let second = try await trusting.call("POST", path, body: Self.registration(), headers: Self.forwarded)
        #expect(second.status == 201)
    }
}
