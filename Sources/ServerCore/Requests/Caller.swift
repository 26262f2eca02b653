public import SyncAPI

/// The caller of a request: a device that is signed in.
public struct Caller: Sendable, Equatable {
    /// The account's id.
    public internal(set) var account: String
    /// The session's id.
    public internal(set) var session: String
    /// The device's id.
    public internal(set) var device: String
    /// What the app password of the request may do; nil for a signed-in device.
    public internal(set) var scope: AccessScope?
}

/// Identifies a request and its client in the log.
struct RequestOrigin: Sendable {
    /// The request's id.
    let requestID: String
    /// The client's address; behind a proxy that is not trusted, the proxy's.
    let address: String

    init(_ request: ServerRequest, behind proxies: Set<IPAddress>) {
        requestID = request.id
        address = request.client(behind: proxies)?.description ?? request.address
    }
}

/// The address of a request's client.
struct ClientAddress: Sendable {
    /// The client's address; nil if it is shared by clients that can't be distinguished.
    let known: IPAddress?
    /// The address that an untrusted proxy on this machine claims. It may be forged, so limits don't depend on it
    /// alone.
    let claimed: IPAddress?

    /// The key by which attempts from the address are counted. A forged address separates its sender from others, and
    /// doesn't evade the limits that don't depend on the address.
    var counted: String? { (known ?? claimed)?.subscriber }
}

extension ServerRequest {
    /// Returns the client's address, or the one that an untrusted proxy claims.
    func clientAddress(behind proxies: Set<IPAddress>) -> ClientAddress {
        // Only the last claimed address is used: the proxy added it, and a client can forge those before it.
        let known = client(behind: proxies)
        return ClientAddress(known: known, claimed: known == nil ? forwardedFor.last.flatMap(Self.address) : nil)
    }

    /// Returns the client's address; nil if the client can't be distinguished from others.
    ///
    /// From a trusted proxy, the forwarded address is used: of all addresses on the way, the last one that isn't a
    /// trusted proxy's, since those before it may be forged. Loopback without a trusted proxy identifies no client:
    /// another proxy forwards the requests of all clients.
    package func client(behind proxies: Set<IPAddress>) -> IPAddress? {
        guard let peer = IPAddress(address) else { return nil }
        guard proxies.contains(peer) else { return peer.isLoopback ? nil : peer }
        for text in forwardedFor.reversed() {
            // An entry such as `unknown` hides the client, and those before it may be forged.
            guard let address = Self.address(text) else { return nil }
            if !proxies.contains(address) { return address }
        }
        return nil
    }

    /// The headers that proxies add. A proxy that adds none looks like a client on this machine.
    private static let ofProxies = [
        "X-Forwarded-For", "Forwarded", "Via", "X-Real-IP", "X-Forwarded-Host", "X-Forwarded-Proto",
    ]

    /// Returns whether the request was forwarded by a proxy that isn't trusted, on this machine or in its private
    /// network, such as that of a container. A peer with a public address is a client, which may send any header.
    func isForwardedByUnknownProxy(_ trusted: Set<IPAddress>) -> Bool {
        guard Self.ofProxies.contains(where: { header($0) != nil }) else { return false }
        guard let peer = IPAddress(address), peer.isLoopback || peer.isPrivate else { return false }
        return !trusted.contains(peer)
    }

    /// The addresses of the clients of all proxies on the way in `X-Forwarded-For`, the first client first.
    ///
    /// `Forwarded` (RFC 7239) isn't read: proxies that set only `X-Forwarded-For`, as nginx and Caddy do, pass the
    /// client's own `Forwarded` on, with any address that the client likes.
    private var forwardedFor: [Substring] {
        values("X-Forwarded-For").flatMap { $0.split(separator: ",") }.map(\.trimmed)
    }

    /// Returns the address in `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1` or `[2001:db8::1]:80`.
    private static func address(_ text: Substring) -> IPAddress? {
        if text.hasPrefix("[") { return IPAddress(String(text.dropFirst().prefix { $0 != "]" })) }
        // One colon separates a port; an IPv6 address has at least two.
        let colons = text.count { $0 == ":" }
        return IPAddress(colons == 1 ? String(text.prefix { $0 != ":" }) : String(text))
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        let start = drop { $0 == " " || $0 == "\t" }
        return start.lastIndex { $0 != " " && $0 != "\t" }.map { start[...$0] } ?? ""
    }
}
