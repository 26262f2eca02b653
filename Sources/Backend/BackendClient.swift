public import Foundation
public import SyncAPI

/// The server, as typed calls over a transport.
///
/// Calls that need a session take server and token from it; a token that the server refuses is renewed and the call
/// sent once more. Nothing else is ever sent twice: when to try again is for the caller to decide
/// (`BackendError.isTransient`, `retryAfter`). Cancelling the calling task ends a call with `.transport(.cancelled)`.
public struct BackendClient: Sendable {
    /// The session of this home.
    public let session: Session
    let wire: Wire

    /// - Parameters:
    ///   - transport: carries the requests.
    ///   - credentials: keeps the session, for all processes of the home.
    ///   - userAgent: how the client names itself, `satchel/<version>` (RFC 9110, 10.1.5).
    ///   - now: this device's clock.
    ///   - sleep: waits for the given duration; throws `CancellationError`.
    ///   - executor: where the shared refresh runs, on which no single caller waits; nil: the default pool.
    public init(
        transport: any HTTPTransport, credentials: any CredentialStore, userAgent: String = "sync-client",
        now: @escaping @Sendable () -> Date = { Date() },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        executor: (any TaskExecutor)? = nil
    ) {
        wire = Wire(transport: transport, userAgent: userAgent, now: now, sleep: sleep)
        session = Session(store: credentials, wire: wire, executor: executor)
    }

    /// An ordinary request times out when no byte was transferred for this long, in either direction. The server has
    /// some
    /// seconds for its database; a stream of events has `eventSilence`.
    public static let answerSilence = Duration.seconds(15)

    /// Opens a stream under the session.
    func stream(_ call: Call) async throws(BackendError) -> HTTPStream {
        try await authenticated { access async throws(BackendError) in
            try await wire.stream(call, to: access.server, token: access.token)
        }
    }

    /// Sends a call under the session.
    func send(_ call: Call) async throws(BackendError) -> BackendAnswer {
        try await authenticated { access async throws(BackendError) in
            try await wire.send(call, to: access.server, token: access.token)
        }
    }

    /// Sends a request with the session's token; once more with another token, if the server refuses the first.
    private func authenticated<Answer: Sendable>(
        _ request: (Session.Access) async throws(BackendError) -> Answer
    ) async throws(BackendError) -> Answer {
        let access = try await session.access()
        do {
            return try await request(access)
        } catch .problem(let problem, _) where problem.refusesToken {
            return try await request(try await session.access(insteadOf: access.token))
        }
    }
}

extension Problem {
    /// Whether another access token may help: any 401 but the one for a wrong password.
    var refusesToken: Bool { status == 401 && code != .invalidCredentials }

    /// Whether a refused refresh means that the session is over, not that something on the way (a proxy, a portal)
    /// wants a sign-in of its own.
    var endsSession: Bool { status == 401 && [.tokenExpired, .tokenInvalid].contains(code) }
}

/// A successful answer, its body as it came: pages of records go into the cache without being decoded.
public struct BackendAnswer: Sendable {
    /// Status and headers.
    public var head: HTTPHead
    /// JSON text, decompressed.
    public var body: [UInt8]

    public init(head: HTTPHead, body: [UInt8]) {
        self.head = head
        self.body = body
    }

    /// The server's clock when it answered, to find out by how much one's own is wrong; to the second.
    public var date: Date? { head.date }
}

extension BackendAnswer {
    /// The answer, if it says that it is JSON: what isn't comes from something else than the server (a portal, a proxy).
    func json() throws(BackendError) -> BackendAnswer {
        let type = head.header("Content-Type") ?? "no media type"
        guard type.lowercased().hasPrefix("application/json") else {
            throw .malformedAnswer("status \(head.status) with \(type) instead of JSON")
        }
        return self
    }

    /// Reads a small answer.
    func decoded<Value: Decodable>(_ type: Value.Type) throws(BackendError) -> Value {
        do {
            return try JSONBody.decode(type, from: json().body)
        } catch let error as BackendError {
            throw error
        } catch {
            throw .malformedAnswer("\(type): \(error)")
        }
    }
}

extension BackendClient {
    /// Calls an endpoint of one's own under the session, as Satchel's own calls are made: with the access token, renewed
    /// once if the server refuses it, and a refusal as `BackendError.problem`.
    ///
    /// - Parameters:
    ///   - query: names and values, not encoded.
    ///   - body: sent as JSON; nil: no body.
    ///   - answer: what the server's JSON is read as.
    public func call<Answer: Decodable & Sendable>(
        _ endpoint: some Endpoint, query: [(name: String, value: String)] = [], body: (any Encodable)? = nil,
        as answer: Answer.Type = Answer.self
    ) async throws(BackendError) -> Answer {
        var call = Call(endpoint: endpoint, query: query)
        if let body { call.body = try json(body) }
        return try await send(call).decoded(answer)
    }
}
