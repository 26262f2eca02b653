internal import Records
internal import SyncAPI

extension ServerAnswer {
    /// An answer without a body.
    public static let noContent = ServerAnswer(status: 204)

    /// An answer whose body is JSON already.
    public static func json(_ body: [UInt8], status: Int = 200) -> ServerAnswer {
        ServerAnswer(status: status, headers: [("Content-Type", "application/json")], body: body)
    }

    /// An answer whose body is a value's JSON.
    public static func encoded(_ body: some Encodable, status: Int = 200) throws -> ServerAnswer {
        json(try JSONBody.encode(body), status: status)
    }

    /// A record with its entity tag.
    static func record(_ record: RawRecord, status: Int = 200) -> ServerAnswer {
        var answer = json(record.body, status: status)
        answer.headers.append(("ETag", Precondition.tag(record.version)))
        return answer
    }

    /// The headers that every answer has: it may contain tokens or records, so no cache may store it (RFC 9111 section
    /// 5.2.2.5), and browsers must not guess its media type from its bytes. The answer of an extension may set its own
    /// values.
    static let commonHeaders: [(name: String, value: String)] = [
        ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
    ]

    /// Adds those of `commonHeaders` that are missing.
    mutating func addCommonHeaders() {
        for (name, value) in Self.commonHeaders where header(name) == nil { headers.append((name, value)) }
    }

    /// A problem with the headers that belong to its status.
    static func problem(_ problem: Problem) -> ServerAnswer {
        var answer = ServerAnswer(
            status: problem.status, headers: [("Content-Type", Problem.mediaType)], body: Array(problem.json.text.utf8))
        switch problem.status {
        case 401: answer.headers.append(("WWW-Authenticate", "Bearer"))
        case 429, 503:
            let seconds = problem.extensions["retryAfter"]?.integer ?? 1
            answer.headers.append(("Retry-After", String(seconds)))
        default: break
        }
        return answer
    }
}
