internal import SyncAPI

/// How far a connection is protected against others on the network, as its address and libpq's environment variables
/// say.
///
/// Without an `sslmode`, libpq encrypts if the server can, and verifies nothing: an attacker on the network in between
/// can pose as the server. So the owner has to choose for another machine.
enum ConnectionProtection: Equatable, Sendable {
    /// The connection doesn't leave the machine: a loopback address or a Unix socket.
    case local
    /// The server's certificate is verified.
    case verified
    /// The owner has chosen a mode in which it isn't.
    case unverified(mode: String)
    /// No mode is chosen.
    case unchosen

    /// - Parameter settings: The values of libpq's settings by their keywords.
    init(_ settings: [String: String]) {
        if Self.isLocal(settings) {
            self = .local
        } else if let mode = settings["sslmode"] {
            self = Self.verifying.contains(mode) ? .verified : .unverified(mode: mode)
        } else {
            self = .unchosen
        }
    }

    private static let verifying = ["verify-ca", "verify-full"]

    /// Whether all named hosts are this machine. Without a name, libpq uses a Unix socket, but a service of
    /// pg_service.conf, which isn't read here, can name any.
    private static func isLocal(_ settings: [String: String]) -> Bool {
        let named = ["host", "hostaddr"].compactMap { settings[$0] }
        if named.isEmpty { return settings["service"] == nil }
        let hosts = named.joined(separator: ",").split(separator: ",", omittingEmptySubsequences: false)
        // An empty name is libpq's default; `@` begins the name of an abstract socket.
        return hosts.allSatisfy { host in
            host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@") || IPAddress.isLoopback(host: String(host))
        }
    }
}
