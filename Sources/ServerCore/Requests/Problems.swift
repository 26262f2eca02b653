internal import Records
public import SyncAPI

/// All problems that this server answers.
extension Problem {
    // MARK: Requests

    static func invalidJSON(_ error: JSONError) -> Problem {
        Problem(status: 400, code: .invalidJSON, title: "The body is not JSON", detail: error.description)
    }

    /// Returns a 400: something outside the body is missing or has the wrong form.
    public static func invalidRequest(_ detail: String) -> Problem {
        Problem(status: 400, code: .invalidRequest, title: "The request is invalid", detail: detail)
    }

    static let bodyBrokenOff = Problem(
        status: 400, code: .invalidRequest, title: "The body is incomplete",
        detail: "the connection ended before the whole body had arrived, or it arrived too slowly")

    static func tooLarge(limit: Int) -> Problem {
        Problem(
            status: 413, code: .tooLarge, title: "The body is too large",
            detail: "this endpoint accepts at most \(limit) bytes; send smaller requests")
    }

    static func tooManyValues(limit: Int) -> Problem {
        Problem(
            status: 413, code: .tooLarge, title: "The body has too many values",
            detail: "a body may have at most \(limit) values, counted at every depth; send smaller requests")
    }

    static func unsupportedMediaType(wanted: String) -> Problem {
        Problem(
            status: 415, code: .unsupportedMediaType, title: "The body has the wrong media type",
            detail: "send it with Content-Type: \(wanted)")
    }

    /// 404: the resource doesn't exist, or the caller may not see it. The answer doesn't say which.
    public static let notFound = Problem(
        status: 404, code: .notFound, title: "Not found",
        detail: "it does not exist, or you have no access to it")

    static func methodNotAllowed(_ method: String) -> Problem {
        Problem(
            status: 405, code: .methodNotAllowed, title: "The method is not allowed here",
            detail: "this path does not support \(method); the Allow header lists the methods that it supports")
    }

    static let hostMissing = invalidRequest("send one Host header, with the name and the port of this server")

    // MARK: Authentication

    static let tokenMissing = Problem(
        status: 401, code: .tokenMissing, title: "An access token is needed",
        detail: "log in, and send Authorization: Bearer TOKEN")

    static let tokenInvalid = Problem(
        status: 401, code: .tokenInvalid, title: "The token is not valid",
        detail: "the session has ended; log in again")

    /// Returns the problem of an unknown refresh token. The epoch lets a device distinguish a revocation from lost
    /// data.
    static func tokenUnknown(epoch: String) -> Problem {
        var problem = tokenInvalid
        problem.extensions["epoch"] = .string(epoch)
        return problem
    }

    static let tokenExpired = Problem(
        status: 401, code: .tokenExpired, title: "The token has expired", detail: "refresh the session")

    /// The problem of an expired refresh token, with which the session can't be refreshed.
    static let sessionExpired = Problem(
        status: 401, code: .tokenExpired, title: "The session has expired",
        detail: "it was unused for a long time, or is a year old; log in again")

    /// The problem of a session with so many replaced tokens that it can't be refreshed any more
    /// (`SessionService.maximumGenerations`). The extension lets a client report the reason.
    static let sessionFull = Problem(
        status: 401, code: .tokenExpired, title: "The session has expired",
        detail: "it was refreshed too often; log in again, and refresh only when the access token expires",
        extensions: ["refreshedTooOften": .bool(true)])

    static func invalidCredentials(status: Int) -> Problem {
        Problem(
            status: status, code: .invalidCredentials, title: "The user name or the password is wrong",
            detail: "check both and try again")
    }

    static func rateLimited(seconds: Int64) -> Problem {
        Problem(
            status: 429, code: .rateLimited, title: "Too many attempts", detail: "try again in \(seconds) s",
            extensions: ["retryAfter": .integer(seconds)])
    }

    /// - Parameter limit: The server's limit for all accounts together.
    static func tooManyStreamsInAll(limit: Int) -> Problem {
        Problem(
            status: 503, code: .unavailable, title: "Too many event streams",
            detail: "the limit of \(limit) streams is reached; try again later", extensions: ["retryAfter": 20])
    }

    /// 403: the caller may see the resource, but not do this with it.
    public static let forbidden = Problem(
        status: 403, code: .forbidden, title: "Your role doesn't allow this",
        detail: "a reader of a space can't change it; ask its owner")

    static let readOnly = Problem(
        status: 403, code: .forbidden, title: "The app password is read-only",
        detail: "use an app password with the scope full, or a signed-in device")

    static let managementForbidden = Problem(
        status: 403, code: .forbidden, title: "An app password can't manage the account",
        detail: "passwords and devices are managed from a signed-in device")

    static let accountDisabled = Problem(
        status: 403, code: .accountDisabled, title: "The account is disabled",
        detail: "the server's owner has disabled it; its data are kept. Ask the owner to enable it")

    static let appPasswordExpired = Problem(
        status: 401, code: .tokenExpired, title: "The app password has expired",
        detail: "create another one on a signed-in device")

    static let resetCodeWrong = Problem(
        status: 401, code: .invalidCredentials, title: "The user name or the reset code is wrong",
        detail: "a code works once and expires after a day; check both, or ask the server's owner for another code")

    static let registrationClosed = Problem(
        status: 403, code: .registrationClosed, title: "Registration is closed",
        detail: "this server accepts no new accounts; ask its owner")

    static let inviteNeeded = Problem(
        status: 403, code: .registrationClosed, title: "Registration requires an invitation",
        detail: "this server requires an invite code; ask its owner for one")

    static let inviteNeededBehindProxy = Problem(
        status: 403, code: .registrationClosed, title: "Registration requires an invitation",
        detail: "registration is open on the server's own machine only, and this request came through a proxy that the "
            + "server doesn't trust; ask the server's owner for an invite code, or to open registration to everyone "
            + "with --registration open")

    static let inviteInvalid = Problem(
        status: 403, code: .registrationClosed, title: "The invitation is not valid",
        detail: "the invite code is wrong, withdrawn, expired or used up; ask the server's owner for another one")

    static let usernameTaken = Problem(
        status: 409, code: .usernameTaken, title: "The user name is taken",
        detail: "choose another, or log in if it is yours")

    // MARK: Quota

    static func tooManyRecords(limit: Int64) -> Problem {
        quotaExceeded(
            "the account may have \(limit.counted("record")); delete some, or ask the server's owner for more",
            .records, limit)
    }

    static func tooManyBytes(limit: Int64) -> Problem {
        quotaExceeded(
            "the account may use \(limit.counted("byte")); delete records, or ask the server's owner for more",
            .bytes, limit)
    }

    static func tooManyDevices(limit: Int64) -> Problem {
        let most = limit == 1 ? "1 device or app password" : "\(limit) devices and app passwords"
        return quotaExceeded("the account may have \(most); revoke one that is no longer used", .devices, limit)
    }

    static func tooManyStreams(limit: Int64) -> Problem {
        quotaExceeded(
            "the account may have \(limit.counted("event stream")) at once; close one, or ask the server's owner for more",
            .streams, limit)
    }

    private static func quotaExceeded(_ detail: String, _ resource: QuotaResource, _ limit: Int64) -> Problem {
        Problem(
            status: 403, code: .quotaExceeded, title: "The account's quota is used up", detail: detail,
            extensions: [Self.quotaName: .string(resource.rawValue), "limit": .integer(limit)])
    }

    /// The member with the name of the limit, as in the quota of `GET /v1/account`.
    private static let quotaName = "quota"

    /// The resource whose limit the problem reports; nil for any other problem.
    var exceeded: QuotaResource? {
        code == .quotaExceeded ? extensions[Self.quotaName]?.string.flatMap { QuotaResource(rawValue: $0) } : nil
    }

    // MARK: Changes

    static let invalidCursor = Problem(
        status: 400, code: .invalidCursor, title: "Invalid cursor",
        detail: "send a cursor that this server issued, or none to read everything")

    static let cursorExpired = Problem(
        status: 410, code: .cursorExpired, title: "The cursor has expired",
        detail: "deletions after it are no longer kept; read the whole space again")

    /// - Parameter shared: The version up to which both epochs agree.
    static func epochChanged(shared: Int64) -> Problem {
        Problem(
            status: 410, code: .epochChanged, title: "The cursor is from another database",
            detail: "it was created again or restored; read the whole space again",
            extensions: ["shared": .integer(shared)])
    }

    static let keyMissing = Problem(
        status: 400, code: .idempotencyKeyMissing, title: "An idempotency key is needed",
        detail: "send Idempotency-Key: a UUID, the same for each repetition of this request")

    static let keyReused = Problem(
        status: 422, code: .idempotencyKeyReused, title: "The idempotency key was used for another request",
        detail: "use a new key for a new request")

    static let keyInUse = Problem(
        status: 409, code: .idempotencyKeyInUse, title: "A request with this key is still under way",
        detail: "try again when it is done")

    static func fieldsTooLarge(limit: Int) -> Problem {
        Problem(
            status: 413, code: .tooLarge, title: "The record is too large",
            detail: "its fields may take at most \(limit) bytes")
    }

    static func clocksTooLarge(limit: Int) -> Problem {
        Problem(
            status: 413, code: .tooLarge, title: "The record is too large",
            detail: "its fields and clocks together may take at most \(limit) bytes")
    }

    static func changesTooLarge(limit: Int) -> Problem {
        Problem(
            status: 413, code: .tooLarge, title: "The request is too large",
            detail:
                "the records that one request changes may take at most \(limit) bytes, counted before and after; send "
                + "fewer mutations at once")
    }

    static func badCollection(_ name: String) -> Problem {
        Problem(
            status: 422, code: .invalidRequest, title: "The collection's name has the wrong form",
            detail: "a collection is [a-z][a-z0-9-]{0,63}, not \"\(beginning(of: name))\"")
    }

    static func badRecordID(_ id: String) -> Problem {
        Problem(
            status: 422, code: .invalidRequest, title: "The record's id has the wrong form",
            detail: "an id is [A-Za-z0-9_-]{1,64}, not \"\(beginning(of: id))\"")
    }

    static func badField(_ name: String) -> Problem {
        Problem(
            status: 422, code: .invalidRequest, title: "A field can't have this name",
            detail: "\"\(name)\" stands for all fields in clocks")
    }

    /// Returns the beginning of a name, for a message. Counted in bytes: one character can have any number of combining
    /// marks.
    private static func beginning(of name: String) -> String { String(decoding: name.utf8.prefix(80), as: UTF8.self) }

    // MARK: Plain REST

    static let preconditionRequired = Problem(
        status: 428, code: .preconditionRequired, title: "A precondition is needed",
        detail: "send If-Match with the record's ETag, or If-None-Match: * for a new one")

    static func badPrecondition(_ header: String) -> Problem {
        invalidRequest("\(header) should be * or a list of entity tags, for instance \"42\" with its quotes")
    }

    /// - Parameter current: The present record; nil if there is none.
    static func preconditionFailed(current: RawRecord?) throws(JSONError) -> Problem {
        let json = try current.map { (record) throws(JSONError) in try JSONValue(parsing: record.body) }
        return Problem(
            status: 412, code: .versionConflict, title: "The precondition failed",
            detail: current == nil
                ? "there is no such record; If-None-Match: * creates it"
                : "the record has changed since; compare it with current",
            extensions: ["current": json ?? .null])
    }

    // MARK: The server

    static let overloaded = Problem(
        status: 503, code: .unavailable, title: "The server is busy", detail: "try again in a moment")

    static func tooManyRequests(limit: Int) -> Problem {
        Problem(
            status: 503, code: .unavailable, title: "Too many requests at once",
            detail: "a session may have \(limit) requests under way; wait for an answer")
    }

    static let storageBusy = Problem(
        status: 503, code: .unavailable, title: "The server is busy", detail: "try again in a moment",
        extensions: ["retryAfter": 5])

    static let storageUnavailable = Problem(
        status: 503, code: .unavailable, title: "The server's storage is unavailable",
        detail: "it restarts, or can't be reached; try again in a moment", extensions: ["retryAfter": 5])

    static let insufficientStorage = diskFull(
        status: 507, "nothing of this request was stored; send it again when there is room")

    /// The answer of `/readyz` if the disk is full.
    static let writesFail = diskFull(status: 503, "writes fail; reading and deleting work")

    private static func diskFull(status: Int, _ detail: String) -> Problem {
        Problem(
            status: status, code: .insufficientStorage, title: "The server's disk is full", detail: detail,
            extensions: ["retryAfter": 60])
    }

    static let internalError = Problem(
        status: 500, code: .internalError, title: "Internal server error",
        detail: "the server's log has the details under this request's id")
}
