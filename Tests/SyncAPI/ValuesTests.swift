import Records
import SyncAPI
import Testing

@Suite("Problems on the wire")
struct ProblemTests {
    @Test("a problem survives a round trip, including extensions and unknown codes")
    func roundTrip() throws {
        let problem = Problem(
            status: 410, code: Problem.Code(rawValue: "new-one"), title: "Gone", detail: "Read again.", requestID: "r1",
            extensions: ["shared": 17, "errors": [["pointer": "/a", "detail": "b"]]])
        #expect(Problem(json: try JSONValue(parsing: problem.json.text), status: 410) == problem)
    }

    @Test("members that a server omits are derived from the status")
    func bare() throws {
        for text in ["{}", "[]", "null", #"{"code":5}"#] {
            let problem = Problem(json: try JSONValue(parsing: text), status: 502)
            #expect(problem.status == 502)
            #expect(problem.code.rawValue == "http-502")
            #expect(!problem.title.isEmpty)
            #expect(problem.detail == nil)
        }
    }

    @Test("an extension can't replace a member of the problem")
    func overriding() {
        let problem = Problem(status: 404, code: .notFound, title: "t", extensions: ["status": 200, "code": "x"])
        #expect(problem.json.object?["status"] == 404)
        #expect(problem.json.object?["code"] == "not-found")
    }
}

@Suite struct IPAddressTests {
    @Test(arguments: ["", "localhost", "1.2.3", "1.2.3.4:5", "[::1]", "01.2.3.4"])
    func `another text is refused`(_ text: String) { #expect(IPAddress(text) == nil) }

    @Test func `the first 64 bits of an IPv6 address identify a subscriber`() throws {
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

@Suite struct UsernameTests {
    @Test(arguments: ["anna", "a", "a.b_c-d", "0x", String(repeating: "a", count: 64)])
    func aUserNameIsAccepted(_ text: String) {
        #expect(Username(text)?.text == text)
    }

    @Test(arguments: ["", ".a", "-a", "a b", "ä", "a/b", String(repeating: "a", count: 65)])
    func anotherUserNameIsRefused(_ text: String) {
        #expect(Username(text) == nil)
    }

    @Test func capitalsInAUserNameEqualSmallLetters() {
        #expect(Username("Anna.B")?.text == "anna.b")
    }

    @Test func twoNotationsOfANameAreOneAccount() {
        #expect(Username.folded("Anna") == Username.folded("aNNa"))
        #expect(Username.folded("\u{212A}") == "\u{212A}", "a sign that only looks like a letter is unchanged")
    }
}

@Suite("Names of header fields")
struct HeaderTests {
    @Test(
        "Case makes no difference, everything else does",
        arguments: [
            ("ETag", "etag", true), ("X-Request-ID", "x-request-id", true), ("", "", true), ("Date", "Dato", false),
            ("Date", "Dat", false), ("a[", "a{", false), ("a@", "a`", false),
        ])
    func isSame(one: String, other: String, expected: Bool) {
        #expect(Header.isSame(one, other) == expected)
        #expect(Header.isSame(other, one) == expected)
    }
}
