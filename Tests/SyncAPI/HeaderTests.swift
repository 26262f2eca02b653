import SyncAPI
import Testing

@Suite("Names of header fields")
struct HeaderTests {
    @Test(
        "They know no case of letters, and nothing else is the same",
        arguments: [
            ("ETag", "etag", true), ("X-Request-ID", "x-request-id", true), ("", "", true), ("Date", "Dato", false),
            ("Date", "Dat", false), ("a[", "a{", false), ("a@", "a`", false),
        ])
    func isSame(one: String, other: String, expected: Bool) {
        #expect(Header.isSame(one, other) == expected)
        #expect(Header.isSame(other, one) == expected)
    }
}
