import Foundation
import Records
import SyncAPI

/// A call as a value, without its server and session.
struct Call: Sendable {
    var endpoint: any Endpoint
    var query: [(name: String, value: String)] = []
    var headers: [(name: String, value: String)] = []
    /// The body, as JSON; nil: none.
    var body: [UInt8]?
    /// The media type that is requested; a problem is accepted in any case.
    var accept = "application/json"
    /// See `HTTPRequest`.
    var timeout: Duration = .seconds(60)
    /// See `HTTPRequest`.
    var silence: Duration? = BackendClient.answerSilence
}

/// A server to which calls may be sent: it is reached over https, is this machine itself, or the user has accepted
/// plain http for it. Every call needs a destination, so this is the only place that refuses other servers.
struct Destination: Sendable, Equatable {
    let address: ServerAddress
    /// Whether the connection is plain http to another machine, which the user has accepted.
    let insecureHTTP: Bool

    /// - Parameter insecureHTTP: Whether the user accepts plain http.
    /// - Throws: `.insecureServer`.
    init(_ address: ServerAddress, insecureHTTP: Bool) throws(BackendError) {
        // Anyone on the way could read the password, the tokens and the records.
        if address.isExposed, !insecureHTTP { throw .insecureServer(address) }
        self.address = address
        // Consent isn't kept for an address that doesn't need it.
        self.insecureHTTP = address.isExposed
    }

    /// Creates the destination of a session's calls.
    ///
    /// - Throws: `.insecureServer`.
    init(_ identity: SessionIdentity) throws(BackendError) {
        try self.init(identity.server, insecureHTTP: identity.insecureHTTP)
    }
}

/// The conversion of calls into requests and of answers into results or `BackendError`, without knowledge of sessions.
struct Wire: Sendable {
    let transport: any HTTPTransport
    let userAgent: String
    let now: @Sendable () -> Date
    let sleep: @Sendable (Duration) async throws -> Void

    /// Sends a call once.
    ///
    /// - Throws: `.transport` without an answer, `.problem` for each status but 2xx.
    func send(_ call: Call, to server: Destination, token: String? = nil) async throws(BackendError) -> BackendAnswer {
        let response: HTTPResponse
        let request = request(call, server, token)
        let notice = notice(of: server.address)
        defer { notice?.cancel() }
        do { response = try await transport.send(request) } catch { throw Self.failure(error, at: server.address) }
        guard (200..<300).contains(response.head.status) else { throw refusal(response) }
        return BackendAnswer(head: response.head, body: response.body)
    }

    /// Sends a call once, and returns when the head of its answer has arrived; the body is streamed.
    ///
    /// - Throws: `.transport` without an answer, `.problem` for each status but 2xx.
    func stream(_ call: Call, to server: Destination, token: String?) async throws(BackendError) -> HTTPStream {
        let stream: HTTPStream
        let request = request(call, server, token)
        let notice = notice(of: server.address)
        defer { notice?.cancel() }
        do { stream = try await transport.stream(request) } catch { throw Self.failure(error, at: server.address) }
        guard !(200..<300).contains(stream.head.status) else { return stream }
        throw refusal(HTTPResponse(head: stream.head, body: try await Self.beginning(of: stream)))
    }

    private static func failure(_ error: TransportError, at server: ServerAddress) -> BackendError {
        var error = error
        error.address = server.description
        return .transport(error)
    }

    /// Reports which server is waited for, unless the task is cancelled before the delay ends; nil: notices aren't
    /// received.
    private func notice(of server: ServerAddress) -> Task<Void, Never>? {
        guard let receive = WaitNotice.receive else { return nil }
        return Task {
            // The sleep is cancelled when the server has answered.
            guard (try? await sleep(WaitNotice.delay)) != nil else { return }
            receive("Waiting for \(server) to answer …")
        }
    }

    /// Returns the beginning of a refusal's body: at least 64 KiB if it has them, which is enough for a problem.
    private static func beginning(of stream: HTTPStream) async throws(BackendError) -> [UInt8] {
        var body: [UInt8] = []
        do {
            for try await piece in stream.body {
                body += piece
                // Bounded, so that a server can't fill the memory.
                if body.count >= 64 << 10 { break }
            }
        } catch {
            throw BackendError(stream: error)
        }
        return body
    }

    private func request(_ call: Call, _ server: Destination, _ token: String?) -> HTTPRequest {
        var headers: [(name: String, value: String)] = [
            ("Accept", "\(call.accept), \(Problem.mediaType)"), ("User-Agent", userAgent),
        ]
        if let token { headers.append(("Authorization", "Bearer \(token)")) }
        if call.body != nil { headers.append(("Content-Type", "application/json")) }
        let query = call.query.map { "\($0.name)=\(PercentEncoding.encoded($0.value))" }.joined(separator: "&")
        return HTTPRequest(
            method: call.endpoint.method,
            url: server.address.url(call.endpoint.path) + (query.isEmpty ? "" : "?" + query),
            socket: server.address.socket, headers: headers + call.headers, body: call.body, timeout: call.timeout,
            silence: call.silence)
    }

    private func refusal(_ response: HTTPResponse) -> BackendError {
        // A body that isn't a problem, such as a proxy's page, still has a status.
        var problem = Problem(json: (try? JSONValue(parsing: response.body)) ?? .null, status: response.head.status)
        if problem.detail == nil, let location = response.head.header("Location") {
            problem.detail = "it redirects to \(location)"
        }
        return .problem(problem, retryAfter: response.head.retryAfter(now: now()))
    }
}

extension BackendError {
    /// Creates the error that ended a stream.
    init(stream error: any Error) {
        switch error {
        case let error as TransportError: self = .transport(error)
        case is CancellationError: self = .transport(TransportError(.cancelled))
        default: self = .malformedAnswer("a broken stream: \(error)")
        }
    }
}

/// The notices to the user about what a command waits for, once the wait takes longer than `delay`.
///
/// Only waits of the task that runs in `reported(to:_:)`, and of its child tasks, are reported; background work is not.
public enum WaitNotice {
    /// The time after which a wait is reported.
    public static let delay = Duration.seconds(2)

    /// Receives each notice, on any thread; nil: notices are discarded.
    public static var receive: (@Sendable (String) -> Void)? { receiver?.receive }

    /// A structure, because a task-local value that is a closure itself crashes in release builds of Swift 6.3: the
    /// metadata of its type is null in `swift_task_localValuePush`.
    private struct Receiver: Sendable {
        let receive: @Sendable (String) -> Void
    }

    @TaskLocal private static var receiver: Receiver?

    /// Runs `body`, and reports its waits to `receive`.
    public static func reported<Result>(
        to receive: @escaping @Sendable (String) -> Void, isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await $receiver.withValue(Receiver(receive: receive), operation: body, isolation: isolation)
    }
}

extension Wire {
    /// Sends a call whose answer is a session.
    func grant(_ call: Call, from server: Destination) async throws(BackendError) -> Credentials {
        let answer = try await send(call, to: server)
        return Credentials(
            grant: try answer.decoded(SessionGrant.self), from: server, date: answer.date, now: now())
    }

    /// Exchanges a refresh token for a session with both tokens new.
    func refresh(_ token: String, at server: Destination) async throws(BackendError) -> Credentials {
        try await grant(
            Call(endpoint: OpenRoute.refresh, body: json(RefreshRequest(refreshToken: token))), from: server)
    }
}

/// Returns the JSON text of a small request.
func json(_ value: some Encodable) throws(BackendError) -> [UInt8] {
    do { return try JSONBody.encode(value) } catch {
        throw .malformedAnswer("can't write the request: \(error)")
    }
}
