/// An endpoint of an API, defined once for both sides: an enum with a case for each endpoint, whose values are the
/// variable parts of its path. The client builds requests from it, the server's handler switches over it.
///
/// `OpenRoute` and `AuthenticatedRoute` are the endpoints of Satchel. A server also accepts routes of extensions
/// (`ServerExtension` of the module ServerCore), and a client calls them (`BackendClient.call` of the module Backend).
///
///     enum CountRoute: Endpoint {
///         case count(space: String)
///
///         enum Kind: CaseIterable {
///             case count
///         }
///
///         static let table = RouteTable<Self> { kind in
///             switch kind {
///             case .count: .init(.get, "/v1/spaces/\(.space)/count", Self.count)
///             }
///         }
///
///         var kindAndValues: (kind: Kind, values: [String]) {
///             switch self {
///             case .count(let space): (.count, [space])
///             }
///         }
///     }
public protocol Endpoint: Sendable {
    /// An enum that lists the cases without their values, so that each has a pattern. An enum whose cases have no values
    /// may be its own kind: `typealias Kind = OwnRoute`.
    associatedtype Kind: CaseIterable, Hashable, Sendable

    /// The patterns of all kinds, by which requests are built and matched. Declare it as a `static let`.
    static var table: RouteTable<Self> { get }

    /// The kind of the endpoint, and the values of its path's parameters in the order of the path.
    var kindAndValues: (kind: Kind, values: [String]) { get }

    /// Returns the requests and the answers of a kind, for the OpenAPI document. By default, the answer is any JSON.
    static func operation(of kind: Kind) -> Operation
}

extension Endpoint where Kind == Self {
    /// The endpoint itself: an enum without values may be its own kind.
    public var kindAndValues: (kind: Self, values: [String]) { (self, []) }
}

extension Endpoint {
    /// Returns an operation that answers any JSON.
    public static func operation(of kind: Kind) -> Operation {
        Operation("\(Self.self).\(kind)", "An endpoint of an extension.", answers: [.json(.any)])
    }

    /// The HTTP method, in upper case.
    public var method: String { Self.table[kindAndValues.kind].method.rawValue }

    /// The path, percent-encoded (RFC 3986), without a query.
    public var path: String {
        let (kind, values) = kindAndValues
        return Self.table[kind].template.path(values)
    }

    /// The path with the names of the parameters in braces, as in an OpenAPI document.
    package var pattern: String { Self.table[kindAndValues.kind].template.text }

    /// The method and the pattern of each endpoint.
    package static var patterns: [(method: String, path: String)] {
        Kind.allCases.map { (table[$0].method.rawValue, table[$0].template.text) }
    }

    /// Returns the pattern of a request's endpoint; nil if there is none.
    package static func pattern(method: String, path: String) -> String? {
        table.route(method: method, path: path)?.pattern
    }

    /// The space that the request reads or changes; nil if its path has no `PathParameter.space`.
    public var access: SpaceAccess? {
        let (kind, values) = kindAndValues
        return Self.table[kind].access(values)
    }
}

/// The access of a request to a space. The server checks the caller's role before it reads the request's body.
public struct SpaceAccess: Sendable, Equatable {
    /// The space's id.
    public let space: String
    /// Whether the request changes the space, for which a role is required.
    public let isWriting: Bool
}

/// Percent-encoding of segments and query values (RFC 3986, section 2).
public enum PercentEncoding {
    /// Returns the text with all but the unreserved characters encoded.
    public static func encoded(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            let character = Character(Unicode.Scalar(byte))
            // Only ASCII: a byte of UTF-8 such as 0xE9 isn't the letter U+00E9.
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
        // Almost every segment: ids and names need no encoding.
        guard segment.utf8.contains(UInt8(ascii: "%")) else { return String(segment) }
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
    /// The statuses of problems whose answers have `Retry-After`.
    package static let retryAfterStatuses: Set<Int> = [429, 503, 507]
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
