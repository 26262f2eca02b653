#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// An IPv4 or IPv6 address.
public struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// The 4 bytes of IPv4, or the 16 of IPv6. An IPv4-mapped IPv6 address is stored as the IPv4 address (RFC 4291
    /// section 2.5.5.2).
    private let bytes: [UInt8]

    /// Parses an IPv4 or IPv6 address; nil if the text isn't one.
    public init?(_ text: String) {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 {
            self.bytes = Array(bytes.prefix(4))
        } else if inet_pton(AF_INET6, text, &bytes) == 1 {
            // On a socket for both families, IPv4 clients have mapped addresses; each client must have one form for
            // limits and trust.
            self.bytes = bytes.starts(with: Self.mapped) ? Array(bytes.suffix(4)) : bytes
        } else {
            return nil
        }
    }

    private static let mapped: [UInt8] = Array(repeating: 0, count: 10) + [0xFF, 0xFF]

    /// Whether it is an address of this machine: 127.0.0.0/8 or ::1.
    public var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes == Array(repeating: 0, count: 15) + [1]
    }

    /// Whether it is an address of a private network: of RFC 1918 or RFC 4193, or a link-local one.
    package var isPrivate: Bool {
        if bytes.count == 4 {
            return switch (bytes[0], bytes[1]) {
            case (10, _), (172, 16...31), (192, 168), (169, 254): true
            default: false
            }
        }
        // fc00::/7 and fe80::/10.
        return bytes[0] & 0xFE == 0xFC || (bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80)
    }

    /// Returns whether a host, of an address or of a server's `--host`, is this machine: `localhost` (RFC 6761 section
    /// 6.3), or a loopback address, of IPv6 with or without brackets. Other names are not resolved.
    public static func isLoopback(host: String) -> Bool {
        if host.lowercased() == "localhost" { return true }
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        return IPAddress(isBracketed ? String(host.dropFirst().dropLast()) : host)?.isLoopback ?? false
    }

    /// The key of one subscriber: the IPv4 address, or the first 64 bits of an IPv6 address (RFC 6177), in hexadecimal.
    public var subscriber: String {
        // A subscriber of IPv6 can use any address of a /64, so that limits by address would be evaded.
        bytes.prefix(8).map { ($0 < 0x10 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// The address as text; IPv6 in the form of RFC 5952.
    public var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
