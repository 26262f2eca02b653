/// The names of headers that both sides use.
public enum Header {
    /// Names a push, so that sending it again does nothing twice.
    public static let idempotencyKey = "Idempotency-Key"
    /// Names a request, also in the server's log.
    public static let requestID = "X-Request-ID"

    /// Whether two names are one: they are ASCII, and know no case (RFC 9110, 5.1).
    public static func isSame(_ one: String, _ other: String) -> Bool {
        one.utf8.count == other.utf8.count
            && zip(one.utf8, other.utf8).allSatisfy { lowered($0) == lowered($1) }
    }

    private static func lowered(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
