/// An endpoint of an API, once for both sides: an enum with a case for each, whose values are the variable parts of its
/// path. The client builds requests from it, the server's handler switches over it.
///
/// `OpenRoute` and `AuthenticatedRoute` have Satchel's own. A server also accepts routes of others (`ServerExtension` of
/// the module ServerCore), and a client calls them (`BackendClient.call` of the module Backend).
///
///     enum CountRoute: Endpoint {
///         case count(space: String)
///         var request: RequestLine {
///             switch self {
///             case .count(let space): .get("/v1/spaces/\(space)/count")
///             }
///         }
///         static let table = RouteTable<Self>([{ .count(space: $0[0]) }])
///     }
public protocol Endpoint: Sendable {
    /// The method and the path, from which requests are built, and by which they are matched.
    var request: RequestLine { get }
    /// Every endpoint, by which the server matches requests. A case that is missing here is never called.
    static var table: RouteTable<Self> { get }
    /// The request and the answers of the endpoint, for the OpenAPI document. By default it answers any JSON.
    var operation: Operation { get }
}

extension Endpoint {
    public var operation: Operation {
        Operation(
            "\(Self.self).\(String(describing: self).prefix { $0 != "(" })", "An endpoint of an extension.",
            parameters: request.path.variables.indices.map { _ in .path("part") }, answers: [.json(.any)])
    }
}

extension Endpoint {
    /// The HTTP method, in upper case.
    public var method: String { request.method }

    /// The path, percent-encoded (RFC 3986), without a query.
    public var path: String { request.path.text }
}

/// The method and the path of a request.
public struct RequestLine: Sendable, Equatable {
    /// The HTTP method, in upper case.
    public let method: String
    /// The path, without a query.
    public let path: EndpointPath

    /// `GET`: reads.
    public static func get(_ path: EndpointPath) -> Self { Self(method: "GET", path: path) }
    /// `POST`: creates or acts.
    public static func post(_ path: EndpointPath) -> Self { Self(method: "POST", path: path) }
    /// `PUT`: replaces.
    public static func put(_ path: EndpointPath) -> Self { Self(method: "PUT", path: path) }
    /// `PATCH`: changes a part.
    public static func patch(_ path: EndpointPath) -> Self { Self(method: "PATCH", path: path) }
    /// `DELETE`: removes.
    public static func delete(_ path: EndpointPath) -> Self { Self(method: "DELETE", path: path) }
}

/// A path, written as a text whose interpolated values are its variable segments: `"/v1/devices/\(id)"`. Values are
/// percent-encoded; each must be a whole segment.
public struct EndpointPath: Sendable, Equatable, ExpressibleByStringInterpolation {
    /// The path, percent-encoded (RFC 3986).
    public let text: String
    /// The places of the variable segments, counted from 0.
    let variables: Set<Int>

    /// The path with names in braces in place of its variable segments.
    func template(names: [String]) -> String {
        var rest = names[...]
        let segments = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        let parts = segments.enumerated().map { place, segment in
            variables.contains(place) ? "{\(rest.popFirst() ?? "part")}" : String(segment)
        }
        return "/" + parts.joined(separator: "/")
    }

    /// A path without variable segments.
    public init(stringLiteral text: String) { (self.text, variables) = (text, []) }

    /// A path with variable segments.
    public init(stringInterpolation parts: StringInterpolation) { (text, variables) = (parts.text, parts.variables) }

    /// Collects the parts of a path.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""
        fileprivate var variables: Set<Int> = []

        /// An empty path.
        public init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

        /// Adds fixed text.
        public mutating func appendLiteral(_ literal: String) { text += literal }

        /// Adds a variable segment.
        public mutating func appendInterpolation(_ value: String) {
            // The text begins with a slash, and encoded values have none.
            variables.insert(text.utf8.count { $0 == UInt8(ascii: "/") } - 1)
            text += PercentEncoding.encoded(value)
        }
    }
}

/// Percent-encoding of segments and query values (RFC 3986, section 2).
public enum PercentEncoding {
    /// Encodes all but the unreserved characters.
    public static func encoded(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            let character = Character(Unicode.Scalar(byte))
            if byte < 0x80, character.isLetter || character.isNumber || "-._~".contains(character) {
                encoded.append(character)
            } else {
                encoded += "%" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return encoded
    }

    /// The text of a segment; nil if it is not percent-encoded UTF-8.
    static func decoded(_ segment: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(segment.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(hexDigit), let low = rest.popFirst().flatMap(hexDigit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        byte < 0x80 ? Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) } : nil
    }
}

/// The names of headers that both sides use.
public enum Header {
    /// Names a push, so that sending it again does nothing twice.
    public static let idempotencyKey = "Idempotency-Key"
    /// The version of a record (RFC 9110, 8.8.3).
    public static let entityTag = "ETag"
    /// When to send the request again: a number of seconds, or a date (RFC 9110, 10.2.3). The server sends seconds.
    public static let retryAfter = "Retry-After"
    /// The authentication scheme that the server requires (RFC 9110, 11.6.1).
    public static let wwwAuthenticate = "WWW-Authenticate"
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
