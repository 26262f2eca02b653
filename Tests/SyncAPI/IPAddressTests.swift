import SyncAPI
import Testing

@Suite struct IPAddressTests {
    @Test(arguments: ["", "localhost", "1.2.3", "1.2.3.4:5", "[::1]", "01.2.3.4"])
    func `another text is no address`(_ text: String) { #expect(IPAddress(text) == nil) }

    @Test func `of IPv6 the first 64 bits are one subscriber`() throws {
        let one = try #require(IPAddress("2001:db8::1"))
        #expect(one.subscriber == IPAddress("2001:db8::ffff:1")?.subscriber)
        #expect(one.subscriber != IPAddress("2001:db8:0:1::1")?.subscriber)
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("2001:DB8:0:0::1", "2001:db8::1"), ("::ffff:192.0.2.1", "192.0.2.1"),
    ])
    func `an address is written in its shortest form`(_ text: String, _ written: String) {
        #expect(IPAddress(text)?.description == written)
    }

    @Test(arguments: [
        "localhost", "LOCALHOST", "127.0.0.1", "127.255.255.254", "::1", "[::1]", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1",
    ])
    func `a host is this machine itself`(_ host: String) { #expect(IPAddress.isLoopback(host: host)) }

    @Test(arguments: [
        "", "0.0.0.0", "::", "[::]", "128.0.0.1", "10.0.0.1", "::2", "fe80::1", "notes.example.org",
        "localhost.example.org", "127.0.0.1.example.org", "127.1",
        "localhost.localdomain", "[localhost", "ip6-localhost",
    ])
    func `a host is another machine, or may be one`(_ host: String) { #expect(!IPAddress.isLoopback(host: host)) }
}
