import ServerCore
import SyncAPI

/// The address on which the server answers `GET /metrics`.
struct MetricsAddress: Equatable, Sendable {
    let host: String
    let port: Int

    /// Parses an address such as `127.0.0.1:9280` or `[::1]:9280`; nil if the text isn't one.
    init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (0...65_535).contains(port)
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        // An address, not a name: a name may have an address that other machines can reach.
        guard IPAddress(String(host)) != nil else { return nil }
        (self.host, self.port) = (String(host), port)
    }

    /// Whether other machines can reach it.
    var isExposed: Bool { !IPAddress.isLoopback(host: host) }

    /// Whether a server can't listen both here and on another address.
    func overlaps(_ other: ListeningAddress) -> Bool {
        // 0: any port that is free.
        guard case .port(let otherPort, let otherHost) = other, port == otherPort, port != 0 else { return false }
        let isLocalhost = otherHost.lowercased() == "localhost"
        // The resolver knows other names; then the system refuses the second address, after the server has begun.
        guard let mine = IPAddress(host), let others = IPAddress(isLocalhost ? "127.0.0.1" : otherHost) else {
            return false
        }
        let (everywhere, everywhereIn4) = (IPAddress("::"), IPAddress("0.0.0.0"))
        // `::` accepts connections of both families.
        if mine == everywhere || others == everywhere || mine == others { return true }
        if isLocalhost, mine == IPAddress("::1") { return true }
        return (mine == everywhereIn4 && !otherHost.contains(":")) || (others == everywhereIn4 && !host.contains(":"))
    }

    var text: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
