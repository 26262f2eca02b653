#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// An address of a peer, for deciding whom to slow down and whose word about others to take.
public struct IPAddress: Hashable, Sendable {
    /// 4 bytes, or 16 of IPv6. An IPv4 address in IPv6 form is the IPv4 address (RFC 4291 section 2.5.5.2).
    private let bytes: [UInt8]

    /// Reads the text of an IPv4 or IPv6 address; nil if it is none.
    public init?(_ text: String) {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 {
            self.bytes = Array(bytes.prefix(4))
        } else if inet_pton(AF_INET6, text, &bytes) == 1 {
            self.bytes = bytes.starts(with: Self.mapped) ? Array(bytes.suffix(4)) : bytes
        } else {
            return nil
        }
    }

    private static let mapped: [UInt8] = Array(repeating: 0, count: 10) + [0xFF, 0xFF]

    /// Whether it is this machine itself.
    var isLoopback: Bool { bytes.count == 4 ? bytes[0] == 127 : bytes == Array(repeating: 0, count: 15) + [1] }

    /// What one subscriber has: the address itself, of IPv6 its first 64 bits (RFC 6177), in hexadecimal.
    var subscriber: String {
        bytes.prefix(8).map { ($0 < 0x10 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
