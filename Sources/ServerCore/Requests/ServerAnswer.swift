internal import CZlib
internal import Records
internal import SyncAPI

/// An answer of the server's logic.
public struct ServerAnswer: Sendable {
    /// The HTTP status.
    public var status: Int
    /// The headers, without Content-Length and Date, which the framework adds.
    public var headers: [(name: String, value: String)]
    /// The whole body; empty if there is a stream.
    public var body: [UInt8]
    /// A body that continues after the answer was returned.
    public var stream: BodyStream?
    /// The answer's share of the server's budget, held for as long as the answer exists.
    var hold: RequestHold?

    /// Creates an answer of these parts.
    public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Creates an answer with a body that is produced piece by piece.
    public init(status: Int, headers: [(name: String, value: String)], stream: BodyStream) {
        self.init(status: status, headers: headers)
        self.stream = stream
    }

    /// Returns the value of a header. Its name is case-insensitive.
    public func header(_ name: String) -> String? {
        headers.first { Header.isSame($0.name, name) }?.value
    }
}

extension ServerAnswer {
    /// An answer without a body.
    public static let noContent = ServerAnswer(status: 204)

    /// Returns an answer with a body of JSON.
    public static func json(_ body: [UInt8], status: Int = 200) -> ServerAnswer {
        ServerAnswer(status: status, headers: [("Content-Type", "application/json")], body: body)
    }

    /// Returns an answer with a value's JSON as its body.
    public static func encoded(_ body: some Encodable, status: Int = 200) throws -> ServerAnswer {
        json(try JSONBody.encode(body), status: status)
    }

    /// The headers of every answer. It may contain tokens or records, so no cache may store it (RFC 9111 section
    /// 5.2.2.5), and browsers must not guess its media type from its bytes, nor load or run anything of an answer that is
    /// opened as a page. The answer of an extension may set its own values.
    private static let always: [(name: String, value: String)] = [
        ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
        ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
    ]

    /// Those with TLS: a browser uses no plain HTTP for this host in the next year (RFC 6797), nor for its subdomains
    /// (OWASP ASVS 3.4.1).
    private static let alwaysSecure: [(name: String, value: String)] =
        always + [("Strict-Transport-Security", "max-age=31536000; includeSubDomains")]

    /// Returns the headers of every answer.
    ///
    /// - Parameter isSecure: Whether the server uses TLS. Without it, browsers ignore the header about it.
    static func commonHeaders(isSecure: Bool) -> [(name: String, value: String)] { isSecure ? alwaysSecure : always }

    /// Adds those of `commonHeaders` that are missing.
    mutating func addCommonHeaders(isSecure: Bool) {
        for (name, value) in Self.commonHeaders(isSecure: isSecure) where header(name) == nil {
            headers.append((name, value))
        }
    }

    /// Removes the body from the answer to a `HEAD`. The headers stay as for a `GET`, with the length that the body had.
    mutating func omitBody() {
        if let stream {
            stream.end()
        } else if status != 204, status != 304 {
            headers.append(("Content-Length", String(body.count)))
        }
        (body, stream) = ([], nil)
    }

    /// Returns the answer for a problem, with the headers of its status.
    static func problem(_ problem: Problem) -> ServerAnswer {
        var answer = ServerAnswer(
            status: problem.status, headers: [("Content-Type", Problem.mediaType)], body: Array(problem.json.text.utf8))
        switch problem.status {
        // Required with 401 (RFC 9110 section 15.5.2).
        case 401: answer.headers.append((Header.wwwAuthenticate, "Bearer"))
        case let status where Header.retryAfterStatuses.contains(status):
            let seconds = problem.extensions["retryAfter"]?.integer ?? 1
            answer.headers.append((Header.retryAfter, String(seconds)))
        default: break
        }
        return answer
    }
}

/// A body that is produced piece by piece while it is read. Its resources are freed when it is released.
public struct BodyStream: Sendable {
    /// Waits for the next piece and returns it; nil at the end and when the calling task is cancelled. Only one task
    /// may call it at a time. Nothing is produced before it is called, so a slow reader delays no other.
    public let next: @Sendable () async -> [UInt8]?
    /// Ends the stream soon, from any task. A call that waits for a piece returns nil.
    public let end: @Sendable () -> Void

    /// Creates a stream of these parts.
    public init(next: @escaping @Sendable () async -> [UInt8]?, end: @escaping @Sendable () -> Void) {
        self.next = next
        self.end = end
    }
}

extension ServerAnswer {
    /// Bodies up to this size are not compressed, since that gains too little.
    private static let least = 1_024

    /// Returns the answer in gzip (RFC 1952), if the request accepts it and it saves space.
    ///
    /// A body with an entity tag is unchanged, since the tag names its exact bytes (RFC 9110 section 8.8.3); so is one
    /// that is compressed already.
    func compressed(for request: ServerRequest) -> ServerAnswer {
        compressed(accepting: request.header("Accept-Encoding") ?? "")
    }

    /// Returns the answer in gzip, if `Accept-Encoding` has a value that accepts it, see above.
    func compressed(accepting encodings: String) -> ServerAnswer {
        guard body.count > Self.least, header(Header.entityTag) == nil, header("Content-Encoding") == nil else {
            return self
        }
        var answer = self
        // Also without compression: the choice depended on the request (RFC 9110 section 12.5.5).
        answer.headers.append(("Vary", "Accept-Encoding"))
        guard Self.acceptsGzip(encodings), let bytes = Gzip.compress(body),
            bytes.count < body.count
        else { return answer }
        answer.headers.append(("Content-Encoding", "gzip"))
        answer.body = bytes
        return answer
    }

    /// Returns whether `Accept-Encoding` (RFC 9110 section 12.5.3) names gzip or `*`, and not with a weight of 0.
    package static func acceptsGzip(_ value: String) -> Bool {
        let choices = value.lowercased().split(separator: ",").map { choice in
            choice.split(separator: ";").map { part in String(part.filter { $0 != " " && $0 != "\t" }) }
        }
        let choice = choices.first { $0.first == "gzip" } ?? choices.first { $0.first == "*" }
        guard let choice else { return false }
        let weight = choice.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) }
        return weight != 0
    }
}

/// zlib at its fastest, which compresses JSON to about a fifth.
private enum Gzip {
    /// Returns the compressed bytes; nil if zlib fails, for lack of memory.
    static func compress(_ input: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        // Adding 16 to the largest window selects gzip's header and trailer.
        let opened = deflateInit2_(
            &stream, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS + 16, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard opened == Z_OK, let length = UInt32(exactly: input.count) else { return nil }
        defer { deflateEnd(&stream) }
        var input = input
        // With this capacity, one call of `deflate` finishes.
        let bound = Int(deflateBound(&stream, UInt(length)))
        return input.withUnsafeMutableBufferPointer { source in
            var finished = false
            let output = [UInt8](unsafeUninitializedCapacity: bound) { target, count in
                stream.next_in = source.baseAddress
                stream.avail_in = length
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(clamping: target.count)
                finished = deflate(&stream, Z_FINISH) == Z_STREAM_END
                count = Int(stream.total_out)
            }
            return finished ? output : nil
        }
    }
}
