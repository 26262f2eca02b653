public import Foundation
public import SyncAPI

/// The server, as typed calls over a transport.
///
/// Calls that need a session use its server and token. If the server refuses the token, it is renewed and the call is
/// sent once more. Nothing else is ever sent twice: the caller decides when to try again (`BackendError.isTransient`,
/// `retryAfter`). Cancelling the calling task ends a call with `.transport(.cancelled)`.
public struct BackendClient: Sendable {
    /// The session of this home.
    public let session: Session
    let wire: Wire

    /// - Parameters:
    ///   - transport: Carries the requests.
    ///   - credentials: Stores the session, for all processes of the home.
    ///   - userAgent: The name and version of the client, for example `satchel/1.2` (RFC 9110, 10.1.5).
    ///   - now: This device's clock.
    ///   - sleep: Waits for the given duration; throws `CancellationError`.
    ///   - executor: Runs the shared refresh, which no single caller owns; nil: the default executor.
    public init(
        transport: any HTTPTransport, credentials: any CredentialStore, userAgent: String = "sync-client",
        now: @escaping @Sendable () -> Date = { Date() },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        executor: (any TaskExecutor)? = nil
    ) {
        wire = Wire(transport: transport, userAgent: userAgent, now: now, sleep: sleep)
        session = Session(store: credentials, wire: wire, executor: executor)
    }

    /// The time without a byte, in either direction, after which an ordinary request times out. A stream of events has
    /// `eventSilence`.
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

    /// Sends a request with the session's token, and once more with another token if the server refuses the first.
    private func authenticated<Answer: Sendable>(
        _ request: (Session.Access) async throws(BackendError) -> Answer
    ) async throws(BackendError) -> Answer {
        let access = try await session.access()
        do {
            return try await request(access)
        } catch .problem(let problem, _) where problem.refusesToken {
            // The server checks the token first, so the refused request had no effect.
            return try await request(try await session.access(insteadOf: access.token))
        }
    }
}

extension Problem {
    /// Whether another access token may help: any 401 but the one for a wrong password.
    var refusesToken: Bool { status == 401 && code != .invalidCredentials }

    /// Whether a refused refresh means that the session is over, and not that something on the way (a proxy, a captive
    /// portal) requires a sign-in of its own.
    var endsSession: Bool { status == 401 && [.tokenExpired, .tokenInvalid].contains(code) }
}

/// A successful answer, with its body as received: pages of records go into the cache without being decoded.
public struct BackendAnswer: Sendable {
    /// Status and headers.
    public var head: HTTPHead
    /// JSON text, decompressed.
    public var body: [UInt8]

    public init(head: HTTPHead, body: [UInt8]) {
        self.head = head
        self.body = body
    }

    /// The server's clock when it answered, to the second; it shows by how much this device's clock is wrong.
    public var date: Date? { head.date }
}

extension BackendAnswer {
    /// Returns the answer if its media type is JSON. Any other answer comes from something on the way (a portal, a
    /// proxy).
    func json() throws(BackendError) -> BackendAnswer {
        let type = head.header("Content-Type") ?? "no media type"
        guard type.lowercased().hasPrefix("application/json") else {
            throw .malformedAnswer("status \(head.status) with \(type) instead of JSON")
        }
        return self
    }

    /// Decodes a small answer.
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
    /// Calls an endpoint of another module under the session, in the way of Satchel's own calls: with the access token,
    /// which is renewed once if the server refuses it, and with a refusal as `BackendError.problem`.
    ///
    /// - Parameters:
    ///   - query: Names and values, not encoded.
    ///   - body: The body, which is sent as JSON; nil: none.
    ///   - answer: The type as which the server's JSON is decoded.
    public func call<Answer: Decodable & Sendable>(
        _ endpoint: some Endpoint, query: [(name: String, value: String)] = [], body: (any Encodable)? = nil,
        as answer: Answer.Type = Answer.self
    ) async throws(BackendError) -> Answer {
        var call = Call(endpoint: endpoint, query: query)
        if let body { call.body = try json(body) }
        return try await send(call).decoded(answer)
    }
}
