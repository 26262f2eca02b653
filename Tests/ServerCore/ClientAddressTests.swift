import SyncAPI
import Testing

@testable import ServerCore

/// Who asks, as far as it can be known behind proxies.
@Suite struct ClientAddressTests {
    struct Case: Sendable {
        var peer: String
        var headers: [(name: String, value: String)] = []
        var client: String?

        init(_ peer: String, _ headers: [(name: String, value: String)] = [], is client: String?) {
            (self.peer, self.headers, self.client) = (peer, headers, client)
        }
    }

    static let cases = [
        Case("192.0.2.1", is: "192.0.2.1"),
        Case("192.0.2.1", [("X-Forwarded-For", "198.51.100.7")], is: "192.0.2.1"),
        Case("127.0.0.1", is: nil), Case("::1", is: nil), Case("::ffff:127.0.0.1", is: nil), Case("", is: nil),
        Case("10.0.0.1", [("X-Forwarded-For", "198.51.100.7")], is: "198.51.100.7"),
        Case("::ffff:10.0.0.1", [("x-forwarded-for", "198.51.100.7:4711")], is: "198.51.100.7"),
        Case("10.0.0.1", [("X-Forwarded-For", "203.0.113.9, 198.51.100.7 , 10.0.0.2")], is: "198.51.100.7"),
        Case("10.0.0.1", [("X-Forwarded-For", "198.51.100.7"), ("X-Forwarded-For", "10.0.0.2")], is: "198.51.100.7"),
        Case("10.0.0.1", [("Forwarded", #"for="[2001:db8::1]:80";proto=https"#)], is: "2001:db8::1"),
        Case("10.0.0.1", [("Forwarded", "for=203.0.113.9, by=x; For=198.51.100.7")], is: "198.51.100.7"),
        Case("10.0.0.1", [("X-Forwarded-For", "2001:db8::1")], is: "2001:db8::1"),
        Case("10.0.0.1", [("X-Forwarded-For", "198.51.100.7, unknown")], is: nil),
        Case("10.0.0.1", [("Forwarded", "proto=https")], is: nil), Case("10.0.0.1", is: nil),
    ]

    @Test(arguments: cases)
    func theLastAddressThatIsNoTrustedProxysCounts(_ entry: Case) throws {
        let proxies = Set(["10.0.0.1", "10.0.0.2"].compactMap(IPAddress.init))
        let request = ServerRequest(method: "POST", target: "/", headers: entry.headers, address: entry.peer)
        #expect(request.client(behind: proxies) == entry.client.flatMap(IPAddress.init))
    }
}
