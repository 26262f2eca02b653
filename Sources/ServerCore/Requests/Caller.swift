internal import SyncAPI

/// The caller of a request: a device that is signed in.
public struct Caller: Sendable, Equatable {
    /// The account's id.
    public internal(set) var account: String
    /// The session's id.
    public internal(set) var session: String
    /// The device's id.
    public internal(set) var device: String
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

/// Where a request comes from.
struct ClientAddress: Sendable {
    /// The client's address; nil if it is shared by clients that can't be distinguished.
    let known: IPAddress?
    /// The address that an unknown proxy on this machine names. It may be forged, so it only decides whose turn it is.
    let claimed: IPAddress?
}

extension ServerRequest {
    /// The client's address, or the one that an unknown proxy claims.
    func clientAddress(behind proxies: Set<IPAddress>) -> ClientAddress {
        let known = client(behind: proxies)
        return ClientAddress(known: known, claimed: known == nil ? forwardedFor.last.flatMap(Self.address) : nil)
    }

    /// Where the request really comes from; nil if that client can't be distinguished from others.
    ///
    /// The client's address from a trusted proxy is used: of all addresses on the way, the last one that isn't a
    /// trusted proxy's, since the ones before it may be forged. Loopback without a trusted proxy is no particular
    /// client: an unknown proxy forwards the requests of all clients.
    func client(behind proxies: Set<IPAddress>) -> IPAddress? {
        guard let peer = IPAddress(address) else { return nil }
        guard proxies.contains(peer) else { return peer.isLoopback ? nil : peer }
        for text in forwardedFor.reversed() {
            guard let address = Self.address(text) else { return nil }
            if !proxies.contains(address) { return address }
        }
        return nil
    }

    /// Whether the request was forwarded by a proxy on this machine that isn't trusted.
    func isForwardedByUnknownProxy(_ trusted: Set<IPAddress>) -> Bool {
        guard header("X-Forwarded-For") != nil || header("Forwarded") != nil else { return false }
        guard let peer = IPAddress(address), peer.isLoopback else { return false }
        return !trusted.contains(peer)
    }

    /// Who asked the proxies on the way, the first of them first: from `Forwarded` (RFC 7239), else `X-Forwarded-For`.
    private var forwardedFor: [Substring] {
        let elements = values("Forwarded").flatMap { $0.split(separator: ",") }
        guard elements.isEmpty else {
            return elements.map { element in
                let pairs = element.split(separator: ";").map { $0.trimmed }
                return pairs.first { $0.lowercased().hasPrefix("for=") }?.dropFirst(4) ?? ""
            }
        }
        return values("X-Forwarded-For").flatMap { $0.split(separator: ",") }.map(\.trimmed)
    }

    /// The address in `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]:80` and each in quotes.
    private static func address(_ text: Substring) -> IPAddress? {
        let bare = text.filter { $0 != "\"" }
        if bare.hasPrefix("[") { return IPAddress(String(bare.dropFirst().prefix { $0 != "]" })) }
        let colons = bare.count { $0 == ":" }
        return IPAddress(colons == 1 ? String(bare.prefix { $0 != ":" }) : String(bare))
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        let start = drop { $0 == " " || $0 == "\t" }
        return start.lastIndex { $0 != " " && $0 != "\t" }.map { start[...$0] } ?? ""
    }
}
