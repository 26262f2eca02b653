public import Records

/// An error as the server reports it: RFC 9457 `application/problem+json`, with the extensions of
/// SyncAPI.docc/Protocol.md, "Errors".
public struct Problem: Error, Sendable, Equatable {
    /// The HTTP status.
    public var status: Int
    /// The kind of problem: a stable name, for programs.
    public var code: Code
    /// The problem in a few words, the same for each problem of this kind.
    public var title: String
    /// The problem of this request and what to do, for the user.
    public var detail: String?
    /// The id of the request, also in the server's log.
    public var requestID: String?
    /// Further members: `errors` (of a 422), `current` (of a 412), `shared` (of `epoch-changed`), ….
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

    /// The stable name of a kind of problem. A struct, since a newer server may send other names.
    public struct Code: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
        /// The name in the document.
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Creates a code.
        public init(stringLiteral value: String) { rawValue = value }

        /// 400: the body is not I-JSON (RFC 7493).
        public static let invalidJSON: Code = "invalid-json"
        /// 400 or 422: a header, or a name in the address or in a mutation, is missing or has the wrong form.
        public static let invalidRequest: Code = "invalid-request"
        /// 422: JSON of the wrong form; `errors` contains the places.
        public static let invalidBody: Code = "invalid-body"
        /// 413: the body is larger than the server accepts.
        public static let tooLarge: Code = "too-large"
        /// 415: the endpoint doesn't accept the body's media type.
        public static let unsupportedMediaType: Code = "unsupported-media-type"
        /// 404: no such path or record, or a space of which the account is not a member.
        public static let notFound: Code = "not-found"
        /// 405: the path has other methods; `Allow` names them.
        public static let methodNotAllowed: Code = "method-not-allowed"
        /// 401: no such user name, or a wrong password; the answer is the same for both, so that names can't be
        /// guessed.
        ///
        /// 403: the password given with a valid token is wrong.
        public static let invalidCredentials: Code = "invalid-credentials"
        /// 401: the request needs an access token.
        public static let tokenMissing: Code = "token-missing"
        /// 401: the token is unknown, revoked, or was used up.
        public static let tokenInvalid: Code = "token-invalid"
        /// 401: the token has expired; refresh the session.
        public static let tokenExpired: Code = "token-expired"
        /// 403: the account's role, or the scope of the app password, doesn't allow it.
        public static let forbidden: Code = "forbidden"
        /// 403: the server's owner has disabled the account; its data and its sessions are kept.
        public static let accountDisabled: Code = "account-disabled"
        /// 403: this server accepts no new accounts, or none without an invitation.
        public static let registrationClosed: Code = "registration-closed"
        /// 409: another account has the name.
        public static let usernameTaken: Code = "username-taken"
        /// 429: too many attempts; `Retry-After` contains the time to wait.
        public static let rateLimited: Code = "rate-limited"
        /// 403: the account's quota is used up; nothing was applied.
        public static let quotaExceeded: Code = "quota-exceeded"
        /// 428: a plain REST write needs `If-Match` or `If-None-Match`.
        public static let preconditionRequired: Code = "precondition-required"
        /// 412: the record has another version; `current` has it.
        public static let versionConflict: Code = "version-conflict"
        /// 400: the string isn't a cursor.
        public static let invalidCursor: Code = "invalid-cursor"
        /// 410: the cursor is older than the tombstones that are kept; read the whole space.
        public static let cursorExpired: Code = "cursor-expired"
        /// 410: the server has been restored from a backup; `shared` is the last common version.
        public static let epochChanged: Code = "epoch-changed"
        /// 400: a push needs an `Idempotency-Key`.
        public static let idempotencyKeyMissing: Code = "idempotency-key-missing"
        /// 422: the key was used with another body.
        public static let idempotencyKeyReused: Code = "idempotency-key-reused"
        /// 409: the key's first request is still running.
        public static let idempotencyKeyInUse: Code = "idempotency-key-in-use"
        /// 503: the server is busy; `Retry-After` contains the time to wait.
        public static let unavailable: Code = "unavailable"
        /// 507 (503 of `GET /readyz`): the server has no room to store anything; nothing was applied. `Retry-After` contains
        /// the time to wait.
        public static let insufficientStorage: Code = "insufficient-storage"
        /// 500: a fault of the server; its log has the request's id.
        public static let internalError: Code = "internal-error"
    }
}

extension Problem {
    /// The media type of a problem.
    public static let mediaType = "application/problem+json"

    /// Reads a problem document; members that a server omits are derived from the status.
    public init(json: JSONValue, status: Int) {
        // The status of the answer counts, and not that of the document, which is only advisory (RFC 9457, section 3.1.2).
        var members = json.object ?? [:]
        let code = members["code"]?.string ?? "http-\(status)"
        self.init(
            status: status, code: Code(rawValue: code),
            title: members["title"]?.string ?? "The server answered \(status)",
            detail: members["detail"]?.string, requestID: members["requestID"]?.string)
        // All other members are extensions (RFC 9457, section 3.2).
        for name in ["type", "title", "status", "detail", "code", "requestID"] { members[name] = nil }
        extensions = members
    }

    /// Whether it was read from a problem document, and not derived from the status of another answer.
    public var isDocument: Bool { code.rawValue != "http-\(status)" }

    /// The problem document.
    public var json: JSONValue {
        // The standard members are set last, so that an extension can't replace them.
        var members = extensions
        // The code identifies the problem, so its type has no further meaning (RFC 9457, section 4.2.1).
        members["type"] = "about:blank"
        members["title"] = .string(title)
        members["status"] = .integer(Int64(status))
        members["code"] = .string(code.rawValue)
        members["detail"] = detail.map(JSONValue.string)
        members["requestID"] = requestID.map(JSONValue.string)
        return .object(members)
    }
}

extension Problem.Code {
    /// The meaning of a code, for documentation.
    package struct Meaning: Sendable {
        /// The code.
        package let code: Problem.Code
        /// The HTTP statuses with which it is answered.
        package let statuses: [Int]
        /// The condition in which it is answered.
        package let text: String
    }

    /// Every code of this version of the protocol.
    package static let all: [Meaning] = [
        Meaning(code: .invalidJSON, statuses: [400], text: "The body is not I-JSON (RFC 7493)."),
        Meaning(
            code: .invalidRequest, statuses: [400, 422],
            text: "A header, a parameter, or a name in the address or in a mutation is missing or has the wrong form."),
        Meaning(code: .invalidBody, statuses: [422], text: "JSON of the wrong form; `errors` says where."),
        Meaning(code: .tooLarge, statuses: [413], text: "The body, or a record, is larger than the server accepts."),
        Meaning(code: .unsupportedMediaType, statuses: [415], text: "The body has another media type."),
        Meaning(
            code: .notFound, statuses: [404],
            text: "No such path or record, or a space of which the account is not a member."),
        Meaning(code: .methodNotAllowed, statuses: [405], text: "The path has other methods; `Allow` names them."),
        Meaning(
            code: .invalidCredentials, statuses: [401, 403],
            text: "No such user name, or a wrong password; the answer is the same for both."),
        Meaning(code: .tokenMissing, statuses: [401], text: "The request needs an access token."),
        Meaning(code: .tokenInvalid, statuses: [401], text: "The token is unknown, revoked, or was used up."),
        Meaning(code: .tokenExpired, statuses: [401], text: "The token has expired; refresh the session."),
        Meaning(
            code: .forbidden, statuses: [403],
            text: "The account's role in the space, or the scope of the app password, doesn't allow it."),
        Meaning(
            code: .accountDisabled, statuses: [403],
            text: "The server's owner has disabled the account; its data and its sessions are kept."),
        Meaning(
            code: .registrationClosed, statuses: [403],
            text: "The server accepts no new accounts, or none without an invite."),
        Meaning(code: .usernameTaken, statuses: [409], text: "Another account has the name."),
        Meaning(code: .rateLimited, statuses: [429], text: "Too many attempts; `Retry-After` says when to try again."),
        Meaning(
            code: .quotaExceeded, statuses: [403],
            text: "The account's quota is used up; nothing was stored. Deleting works."),
        Meaning(
            code: .preconditionRequired, statuses: [428],
            text: "A write over plain REST needs `If-Match` or `If-None-Match`."),
        Meaning(
            code: .versionConflict, statuses: [412],
            text: "The record has another version; `current` has it, or null if there is no such record."),
        Meaning(code: .invalidCursor, statuses: [400], text: "The string is not a cursor."),
        Meaning(
            code: .cursorExpired, statuses: [410],
            text: "The cursor is older than the tombstones that are kept: read the whole space."),
        Meaning(
            code: .epochChanged, statuses: [410],
            text: "The server was restored from a backup: read the whole space. `shared` is the last common version."),
        Meaning(code: .idempotencyKeyMissing, statuses: [400], text: "A push needs an `Idempotency-Key`."),
        Meaning(code: .idempotencyKeyReused, statuses: [422], text: "The key was used with another body."),
        Meaning(code: .idempotencyKeyInUse, statuses: [409], text: "The first request with the key is still running."),
        Meaning(code: .unavailable, statuses: [503], text: "The server is busy; `Retry-After` says when to try again."),
        Meaning(
            code: .insufficientStorage, statuses: [503, 507],
            text: "The server's disk is full; nothing was stored. `Retry-After` says when to try again."),
        Meaning(code: .internalError, statuses: [500], text: "A fault of the server; its log has the request's id."),
    ]
}

/// The error of an answer that violates the protocol; nothing of it was applied.
public struct MalformedAnswer: Error, Sendable, Equatable {
    /// The violation, for diagnostics.
    public let reason: String

    /// Creates an error.
    public init(_ reason: String) { self.reason = reason }
}
