/// An endpoint of an API, once for both sides: an enum with a case for each, whose values are the variable parts of its
/// path. The client builds requests from it, the server's handler switches over it.
///
/// `Route` has Satchel's own. A server takes those of others beside them (`ServerExtension` of the module ServerCore), and
/// a client calls them (`BackendClient.call` of the module Backend).
///
///     enum CountRoute: Endpoint {
///         case count(space: String)
///         var method: String { "GET" }
///         var path: String { "/v1/spaces/\(Self.segment(space))/count" }
///         static let table = RouteTable<Self>([{ .count(space: $0[0]) }])
///     }
public protocol Endpoint: Sendable {
    /// The HTTP method, in upper case.
    var method: String { get }
    /// The path, each variable part percent-encoded with `segment(_:)`, without a query.
    var path: String { get }
    /// Every endpoint, by which the server matches requests. A case that is missing here is never called.
    static var table: RouteTable<Self> { get }
}

extension Endpoint {
    /// Percent-encodes all but RFC 3986's unreserved characters, for a segment of a path or a value of a query.
    public static func segment(_ text: String) -> String {
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
}
