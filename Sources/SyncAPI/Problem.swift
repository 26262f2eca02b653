public import Records

/// An error as the server tells it: RFC 9457 `application/problem+json`, with the extensions of PROTOCOL.md, "Errors".
public struct Problem: Error, Sendable, Equatable {
    /// The HTTP status.
    public var status: Int
    /// The kind of problem, stable, for programs.
    public var code: Code
    /// What happened, in a few words, the same for each problem of this kind.
    public var title: String
    /// What happened to this request and what to do, for the person.
    public var detail: String?
    /// Which request it was; stands in the server's log too.
    public var requestID: String?
    /// What else the problem carries: `errors` (of a 422), `current` (of a 412), `shared` (of `epoch-changed`), ….
    public var extensions: JSONObject

    public init(
        status: Int, code: Code, title: String, detail: String? = nil, requestID: String? = nil,
        extensions: JSONObject = [:]
    ) {
        self.status = status
        self.code = code
        self.title = title
        self.detail = detail
        self.requestID = requestID
        self.extensions = extensions
    }

    /// A stable name of a kind of problem. Open, because a newer server may know more.
    public struct Code: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public init(stringLiteral value: String) { rawValue = value }

        public static let invalidJSON: Code = "invalid-json"
        public static let invalidRequest: Code = "invalid-request"
        public static let invalidBody: Code = "invalid-body"
        public static let tooLarge: Code = "too-large"
        public static let unsupportedMediaType: Code = "unsupported-media-type"
        public static let notFound: Code = "not-found"
        public static let methodNotAllowed: Code = "method-not-allowed"
        public static let invalidCredentials: Code = "invalid-credentials"
        public static let tokenMissing: Code = "token-missing"
        public static let tokenInvalid: Code = "token-invalid"
        public static let tokenExpired: Code = "token-expired"
        public static let forbidden: Code = "forbidden"
        public static let registrationClosed: Code = "registration-closed"
        public static let usernameTaken: Code = "username-taken"
        public static let rateLimited: Code = "rate-limited"
        public static let quotaExceeded: Code = "quota-exceeded"
        public static let preconditionRequired: Code = "precondition-required"
        public static let versionConflict: Code = "version-conflict"
        public static let invalidCursor: Code = "invalid-cursor"
        public static let cursorExpired: Code = "cursor-expired"
        public static let epochChanged: Code = "epoch-changed"
        public static let idempotencyKeyMissing: Code = "idempotency-key-missing"
        public static let idempotencyKeyReused: Code = "idempotency-key-reused"
        public static let idempotencyKeyInUse: Code = "idempotency-key-in-use"
        public static let unavailable: Code = "unavailable"
        public static let internalError: Code = "internal-error"
    }
}

extension Problem {
    /// The media type of a problem.
    public static let mediaType = "application/problem+json"

    /// Reads a problem document; what an odd server leaves out is filled in from the status.
    public init(json: JSONValue, status: Int) {
        var members = json.object ?? [:]
        let code = members["code"]?.string ?? "http-\(status)"
        self.init(
            status: status, code: Code(rawValue: code),
            title: members["title"]?.string ?? "The server answered \(status)",
            detail: members["detail"]?.string, requestID: members["requestID"]?.string)
        for name in ["type", "title", "status", "detail", "code", "requestID"] { members[name] = nil }
        extensions = members
    }

    /// The problem document.
    public var json: JSONValue {
        var members = extensions
        members["type"] = "about:blank"
        members["title"] = .string(title)
        members["status"] = .integer(Int64(status))
        members["code"] = .string(code.rawValue)
        members["detail"] = detail.map(JSONValue.string)
        members["requestID"] = requestID.map(JSONValue.string)
        return .object(members)
    }
}
