/// An endpoint of an API, defined once for both sides: an enum with a case for each endpoint, whose values are the
/// variable parts of its path. The client builds requests from it, the server's handler switches over it.
///
/// `OpenRoute` and `AuthenticatedRoute` are the endpoints of Satchel. A server also accepts routes of extensions
/// (`ServerExtension` of the module ServerCore), and a client calls them (`BackendClient.call` of the module Backend).
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
    /// The method and the path, with which requests are built and matched.
    var request: RequestLine { get }
    /// All endpoints, with which the server matches requests. A case that is missing here is never called.
    static var table: RouteTable<Self> { get }
    /// The request and the answers of the endpoint, for the OpenAPI document. By default, its answer is any JSON.
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
    /// The indices of the variable segments, counted from 0.
    let variables: Set<Int>

    /// Returns the path with names in braces in place of its variable segments.
    func template(names: [String]) -> String {
        var rest = names[...]
        let segments = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        let parts = segments.enumerated().map { place, segment in
            variables.contains(place) ? "{\(rest.popFirst() ?? "part")}" : String(segment)
        }
        return "/" + parts.joined(separator: "/")
    }

    /// Creates a path without variable segments.
    public init(stringLiteral text: String) { (self.text, variables) = (text, []) }

    /// Creates a path with variable segments.
    public init(stringInterpolation parts: StringInterpolation) { (text, variables) = (parts.text, parts.variables) }

    /// Collects the parts of a path.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""
        fileprivate var variables: Set<Int> = []

        /// Creates an empty path.
        public init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

        /// Adds fixed text.
        public mutating func appendLiteral(_ literal: String) { text += literal }

        /// Adds a variable segment.
        public mutating func appendInterpolation(_ value: String) {
            // The text begins with a slash, and encoded values contain none, so the slashes so far give the segment's
            // index.
            variables.insert(text.utf8.count { $0 == UInt8(ascii: "/") } - 1)
            // Encoded, so that an id such as `a/b` or `a?b` can't change the path.
            text += PercentEncoding.encoded(value)
        }
    }
}

/// Percent-encoding of segments and query values (RFC 3986, section 2).
public enum PercentEncoding {
    /// Returns the text with all but the unreserved characters encoded.
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

    /// Returns the text of a segment; nil if it isn't percent-encoded UTF-8.
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
    /// The key of a push, with which a repeated request has no further effect.
    public static let idempotencyKey = "Idempotency-Key"
    /// The version of a record (RFC 9110, 8.8.3).
    public static let entityTag = "ETag"
    /// The time before the next request: a number of seconds, or a date (RFC 9110, 10.2.3). The server sends seconds.
    public static let retryAfter = "Retry-After"
    /// The authentication scheme that the server requires (RFC 9110, 11.6.1).
    public static let wwwAuthenticate = "WWW-Authenticate"
    /// The id of a request, also in the server's log.
    public static let requestID = "X-Request-ID"

    /// Returns whether two names are equal: they are ASCII, and case is ignored (RFC 9110, 5.1).
    public static func isSame(_ one: String, _ other: String) -> Bool {
        one.utf8.count == other.utf8.count
            && zip(one.utf8, other.utf8).allSatisfy { lowered($0) == lowered($1) }
    }

    private static func lowered(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
