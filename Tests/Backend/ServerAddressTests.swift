import Backend
import Foundation
import Testing

@Suite("The address of a server")
struct ServerAddressTests {
    @Test(
        "An address that a user types is completed",
        arguments: [
            ("notes.example.org", "https://notes.example.org"),
            ("  HTTPS://Notes.Example.ORG/  ", "https://notes.example.org"),
            ("http://notes.example.org", "http://notes.example.org"),
            ("notes.example.org:8443", "https://notes.example.org:8443"),
            ("https://notes.example.org:443", "https://notes.example.org"),
            ("http://notes.example.org:80/", "http://notes.example.org"),
            ("http://notes.example.org:443", "http://notes.example.org:443"),
            ("notes.example.org/Satchel/a//", "https://notes.example.org/Satchel/a"),
            ("localhost:8080", "http://localhost:8080"),
            ("localhost", "http://localhost"),
            ("127.0.0.1:9", "http://127.0.0.1:9"),
            ("[::1]:8080", "http://[::1]:8080"),
            ("127.8.9.10:80", "http://127.8.9.10"),
            ("https://localhost", "https://localhost"),
            ("[2001:DB8::1]", "https://[2001:db8::1]"),
            ("192.168.1.7", "https://192.168.1.7"),
            ("e\u{0301}xample.org", "https://e\u{0301}xample.org"),
            ("نامه\u{200C}ای.ir", "https://نامه\u{200C}ای.ir"),
            (" unix:/run/satcheld/socket ", "unix:/run/satcheld/socket"),
            ("UNIX:/run/My Socket", "unix:/run/My Socket"),
        ])
    func completed(typed: String, normal: String) throws {
        let address = try ServerAddress(typed)
        #expect(address.description == normal)
        #expect(try ServerAddress(normal) == address)
    }

    @Test(
        "An invalid address is refused with the reason",
        arguments: [
            ("", "it is empty"),
            ("   ", "it is empty"),
            ("ftp://example.org", "not by “ftp”"),
            ("my server", "a space"),
            ("ada:secret@example.org", "user name or password"),
            ("example.org?x=1", "a query or a fragment"),
            ("example.org/#top", "a query or a fragment"),
            ("example.org:http", "isn't a valid port"),
            ("example.org:0", "isn't a valid port"),
            ("example.org:65536", "isn't a valid port"),
            ("example.org:", "isn't a valid port"),
            ("https://", "isn't a valid host name"),
            ("https:///path", "isn't a valid host name"),
            ("exa\u{0007}mple.org", "isn't a valid host name"),
            ("[zz]", "isn't a valid host name"),
            ("\u{0610}st:9998", "isn't a valid host name"),
            ("https://\u{0301}example.org", "isn't a valid"),
            ("example\u{0D4E}:80", "isn't a valid host name"),
            ("example.org/a?\u{0301}x", "a query or a fragment"),
            ("::1", "isn't a valid host name"),
            ("unix:run/socket", "the absolute path of a socket"),
            ("unix:///run/socket", "the absolute path of a socket"),
            ("unix:/", "the absolute path of a socket"),
            ("unix:/run/\u{0007}", "a control character"),
            ("unix:/" + String(repeating: "x", count: 103), "at most 103 bytes"),
        ])
    func refused(typed: String, reason: String) throws {
        let error = try #require(throws: ServerAddress.Malformed.self) { try ServerAddress(typed) }
        #expect(error.reason.contains(reason))
    }

    @Test("The longest path on which a server listens is accepted")
    func longestSocketPath() throws {
        let typed = "unix:/" + String(repeating: "x", count: 102)
        #expect(try ServerAddress(typed).description == typed)
    }

    @Test("A request to a Unix socket has an http address and the socket's path, and can't be read on the way")
    func unixSocket() throws {
        let address = try ServerAddress("unix:/run/satcheld/socket")
        #expect(address.url("/v1/") == "http://localhost/v1/")
        #expect(address.socket == "/run/satcheld/socket")
        #expect(!address.isExposed)
        #expect(try JSONDecoder().decode(ServerAddress.self, from: JSONEncoder().encode(address)) == address)
    }

    @Test(
        "Plain http can be read on the way, except to this machine itself",
        arguments: [
            ("http://notes.example.org", true), ("http://192.168.1.7:8280", true), ("http://[2001:db8::1]", true),
            ("http://127.0.0.1.example.org", true), ("http://localhost.example.org", true), ("http://0.0.0.0", true),
            ("https://notes.example.org", false), ("https://192.168.1.7", false), ("http://localhost:8280", false),
            ("http://127.0.0.1", false), ("http://127.255.255.254", false), ("http://[::1]:8280", false),
        ])
    func exposed(typed: String, isExposed: Bool) throws {
        #expect(try ServerAddress(typed).isExposed == isExposed)
    }

    @Test(
        "Requests to this machine itself use no proxy",
        arguments: [
            ("http://localhost:8280/v1/?a=b", true), ("https://127.0.0.1/", true), ("http://[::1]:1/v1/", true),
            ("http://notes.example.org/?localhost", false), ("http://localhost.example.org/", false),
            ("nothing", false),
        ])
    func proxied(url: String, isToLoopback: Bool) {
        #expect(HTTPRequest(method: "GET", url: url).isToLoopback == isToLoopback)
    }

    @Test("It is stored as one text")
    func coding() throws {
        let address = try ServerAddress("https://notes.example.org/a")
        let text = try JSONEncoder().encode([address])
        #expect(try JSONDecoder().decode([ServerAddress].self, from: text) == [address])
        #expect(throws: (any Error).self) {
            try JSONDecoder().decode([ServerAddress].self, from: Data(#"["ftp://x"]"#.utf8))
        }
    }
}
