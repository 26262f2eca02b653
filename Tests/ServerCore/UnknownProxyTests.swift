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
        #expect(refused["detail"].string?.contains("ask the server's owner for an invite code") == true)
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

    // MARK: Proxies in a private network

    private func warnings(
        at address: String, trusted: Set<IPAddress> = []
    ) async throws -> (shown: [JSONValue], logged: Int) {
        let lines = Lines()
        var configuration = ServerConfiguration.forTests
        configuration.trustedProxies = trusted
        let server = try InProcessServer(configuration: configuration, log: { lines.add($0) })
        let device = WireDevice { request in
            var request = request
            request.address = address
            return await server.server.answer(request)
        }
        for _ in 0..<2 { _ = try await device.call("GET", OpenRoute.capabilities.path, headers: Self.forwarded) }
        let shown = try await device.call("GET", OpenRoute.readiness.path)["warnings"].array ?? []
        return (shown, lines.all.count { $0.contains("--trusted-proxy") })
    }

    @Test(arguments: ["172.17.0.1", "10.0.0.9", "192.168.1.2", "169.254.1.1", "fd00::7", "fe80::1"])
    func aProxyAtAPrivateAddressIsNoticedOnce(_ address: String) async throws {
        let (shown, logged) = try await warnings(at: address)
        #expect(shown.count == 1)
        #expect(shown.first?.string?.contains("a proxy at a private address") == true)
        #expect(logged == 1)
    }

    @Test func aTrustedProxyIsNot() async throws {
        let proxy = try #require(IPAddress("172.17.0.1"))
        #expect(try await warnings(at: "172.17.0.1", trusted: [proxy]).logged == 0)
    }

    @Test(arguments: ["198.51.100.9", "172.32.0.1", "192.169.0.1", "2001:db8::1", "fec0::1"])
    func aClientWithAPublicAddressIsNot(_ address: String) async throws {
        #expect(try await warnings(at: address).logged == 0)
    }
}
