internal import SyncAPI

/// The base address of a server: scheme, host, port and, behind a reverse proxy, a path prefix; normalised, so that two
/// spellings of one server are equal. Or the path of a Unix socket on which a server of this machine listens.
public struct ServerAddress: Sendable, Hashable, CustomStringConvertible {
    /// `https` or `http`; of a Unix socket `unix`.
    public let scheme: String
    /// The host in lower case; an IPv6 address is in brackets. Of a Unix socket `localhost`.
    public let host: String
    /// The port; nil: that of the scheme.
    public let port: Int?
    /// The path prefix: empty, or it begins with a slash and doesn't end with one.
    public let prefix: String

    /// The path of the Unix socket; nil: the server is reached by host and port.
    public let socket: String?

    /// The address as text, for instance `https://notes.example.org`, `http://localhost:8080/satchel` or
    /// `unix:/run/satcheld/socket`.
    public var description: String { socket.map { "\(scheme):\($0)" } ?? "\(scheme)://\(authority)\(prefix)" }

    /// Host and port, as shown to the user.
    var authority: String { host + (port.map { ":\($0)" } ?? "") }

    /// Whether traffic to the server can be read in transit: plain http to a machine other than this one.
    public var isExposed: Bool { scheme == "http" && !IPAddress.isLoopback(host: host) }

    /// Returns the address of a path of this server; the path begins with a slash. Of a Unix socket, the http address
    /// that the server sees.
    public func url(_ path: String) -> String { (socket == nil ? description : "http://\(host)") + path }

    /// Parses what a user types. Without a scheme it is https, but http for this machine itself (`localhost`,
    /// `127.0.0.1`, `[::1]`). Trailing slashes are dropped. `unix:` is followed by the absolute path of a socket.
    ///
    /// - Throws: `Malformed`, whose message says what is wrong.
    public init(_ typed: String) throws(Malformed) {
        var text = Substring(typed)
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        guard !text.isEmpty else { throw Malformed(typed, "it is empty") }
        if text.lowercased().hasPrefix(Self.unixScheme + ":") {
            (scheme, host, port, prefix) = (Self.unixScheme, "localhost", nil, "")
            socket = try Self.socketPath(text.dropFirst(Self.unixScheme.count + 1), typed)
            return
        }
        guard !text.contains(where: \.isWhitespace) else { throw Malformed(typed, "it contains a space") }
        // By scalars, since a combining mark would be one character with the sign.
        guard !text.unicodeScalars.contains(where: { $0 == "?" || $0 == "#" }) else {
            throw Malformed(typed, "it must not have a query or a fragment")
        }
        let given = try Self.readScheme(of: &text, typed)
        let end = text.firstIndex(of: "/") ?? text.endIndex
        (host, port) = try Self.hostAndPort(text[..<end], scheme: given, typed)
        scheme = given ?? Self.usualScheme(of: host)
        prefix = Self.withoutTrailingSlashes(text[end...])
        socket = nil
    }

    /// A text that can't be the address of a server.
    public struct Malformed: Error, Sendable, Equatable {
        /// What was typed.
        public let typed: String
        /// Why it was refused, as a clause.
        public let reason: String

        init(_ typed: String, _ reason: String) {
            self.typed = typed
            self.reason = reason
        }

        /// The message to the user.
        public var message: String {
            "“\(typed)” isn't a valid server address: \(reason). Write it like https://notes.example.org."
        }
    }
}

extension ServerAddress {
    private static let unixScheme = "unix"

    private static func socketPath(_ path: Substring, _ typed: String) throws(Malformed) -> String {
        // A relative path would be another one in another working directory.
        guard path.hasPrefix("/"), !path.hasPrefix("//"), !path.hasSuffix("/") else {
            throw Malformed(
                typed, "after “unix:” the absolute path of a socket is expected, as in unix:/run/server/socket")
        }
        guard path.utf8.count <= Limits.socketPathBytes else {
            throw Malformed(typed, "the path of a socket has at most \(Limits.socketPathBytes) bytes")
        }
        guard !path.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw Malformed(typed, "the path contains a control character")
        }
        return String(path)
    }

    private static func usualScheme(of host: String) -> String { IPAddress.isLoopback(host: host) ? "http" : "https" }

    private static func readScheme(of text: inout Substring, _ typed: String) throws(Malformed) -> String? {
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { return nil }
        let scheme = text[..<colon].lowercased()
        guard scheme == "http" || scheme == "https" else {
            throw Malformed(typed, "a server is reached by https or http, not by “\(scheme)”")
        }
        text = text[colon...].dropFirst(3)
        return scheme
    }

    private static func hostAndPort(
        _ authority: Substring, scheme: String?, _ typed: String
    ) throws(Malformed) -> (host: String, port: Int?) {
        // The address is stored and shown in messages, so it must not contain a password.
        guard !authority.contains("@") else {
            throw Malformed(typed, "it must not contain a user name or password; `login` asks for them")
        }
        // In an IPv6 address, the colon of the port follows the bracket.
        let bracket = authority.lastIndex(of: "]")
        let colon = authority[(bracket ?? authority.startIndex)...].firstIndex(of: ":")
        let host = authority[..<(colon ?? authority.endIndex)].lowercased()
        guard isHost(host) else { throw Malformed(typed, "“\(host)” isn't a valid host name") }
        guard let colon else { return (host, nil) }
        let digits = authority[colon...].dropFirst()
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let port = Int(digits), (1...65_535).contains(port)
        else { throw Malformed(typed, "“\(digits)” isn't a valid port; ports are 1 to 65535") }
        // The usual port is omitted, so that two spellings of one server are equal.
        let usualPort = (scheme ?? usualScheme(of: host)) == "http" ? 80 : 443
        return (host, port == usualPort ? nil : port)
    }

    /// Returns whether it is a name, an IPv4 address, or an IPv6 address in brackets; the resolver decides whether it
    /// exists.
    private static func isHost(_ host: String) -> Bool {
        if host.hasPrefix("["), host.hasSuffix("]") {
            return host.contains(":") && host.dropFirst().dropLast().allSatisfy { $0.isHexDigit || ":.".contains($0) }
        }
        // A mark at the beginning would be one character with the slash before the host (RFC 5891, 4.2.3.2).
        guard let first = host.unicodeScalars.first, !isMark(first) else { return false }
        return host.unicodeScalars.allSatisfy { scalar in
            let properties = scalar.properties
            return properties.isAlphabetic || properties.numericType != nil || isMark(scalar) || isJoiner(scalar)
                || "-._".unicodeScalars.contains(scalar)
        }
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }

    /// Returns whether it is a zero-width joiner or non-joiner, which names in some scripts have (RFC 5892, A.1 and A.2).
    private static func isJoiner(_ scalar: Unicode.Scalar) -> Bool { scalar == "\u{200C}" || scalar == "\u{200D}" }

    private static func withoutTrailingSlashes(_ path: Substring) -> String {
        var path = path
        while path.last == "/" { path.removeLast() }
        return String(path)
    }
}

extension ServerAddress: Codable {
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        try self.init(text)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
