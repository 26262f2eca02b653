public import Backend
import Foundation
import Records
public import SyncAPI

extension HTTPRequest {
    /// Path and query, as in the request's first line.
    public var target: String {
        guard let scheme = url.firstRange(of: "://") else { return url }
        let rest = url[scheme.upperBound...]
        return rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? "/"
    }

    /// The path, without query, still percent-encoded.
    public var path: String { String(target.prefix { $0 != "?" }) }

    /// The access token that it carries.
    public var bearerToken: String? {
        header("Authorization").flatMap { $0.hasPrefix("Bearer ") ? String($0.dropFirst(7)) : nil }
    }

    /// The body as text; "" without one.
    public var bodyText: String { String(decoding: body ?? [], as: UTF8.self) }
}

extension HTTPResponse {
    /// An answer of JSON text.
    public static func json(
        _ text: String, status: Int = 200, headers: [(name: String, value: String)] = []
    ) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: [("Content-Type", "application/json; charset=utf-8")] + headers,
            body: Array(text.utf8))
    }

    /// An answer of a value's JSON.
    public static func json(_ value: some Encodable, status: Int = 200) throws -> HTTPResponse {
        json(String(decoding: try JSONEncoder().encode(value), as: UTF8.self), status: status)
    }

    /// The answer 204.
    public static let noContent = HTTPResponse(status: 204)

    /// A refusal.
    public static func problem(
        _ status: Int, _ code: Problem.Code, headers: [(name: String, value: String)] = []
    ) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: [("Content-Type", Problem.mediaType)] + headers,
            body: Array(Problem(status: status, code: code, title: code.rawValue).json.text.utf8))
    }
}
