import FoundationEssentials
import Records
import SyncAPI

/// One call, as a value: what is asked, before it is known of whom and by whom.
struct Call: Sendable {
    var route: Route
    var query: [(name: String, value: String)] = []
    var headers: [(name: String, value: String)] = []
    /// JSON.
    var body: [UInt8]?
    var timeout: Duration = .seconds(60)
}

/// Turns calls into requests and answers into results or `BackendError`; knows nothing of sessions.
struct Wire: Sendable {
    let transport: any HTTPTransport
    let userAgent: String
    let now: @Sendable () -> Date

    /// Sends a call once.
    ///
    /// - Throws: `.transport` without an answer, `.problem` for each status but 2xx.
    func send(_ call: Call, to server: ServerAddress, token: String? = nil) async throws(BackendError) -> ServerAnswer {
        let response: HTTPResponse
        do {
            response = try await transport.send(request(call, server, token))
        } catch {
            throw .transport(error)
        }
        guard (200..<300).contains(response.head.status) else { throw refusal(response) }
        return ServerAnswer(head: response.head, body: response.body)
    }

    private func request(_ call: Call, _ server: ServerAddress, _ token: String?) -> HTTPRequest {
        var headers: [(name: String, value: String)] = [
            ("Accept", "application/json, \(Problem.mediaType)"), ("User-Agent", userAgent),
        ]
        if let token { headers.append(("Authorization", "Bearer \(token)")) }
        if call.body != nil { headers.append(("Content-Type", "application/json")) }
        let query = call.query.map { "\($0.name)=\(Route.segment($0.value))" }.joined(separator: "&")
        return HTTPRequest(
            method: call.route.method, url: server.url(call.route.path) + (query.isEmpty ? "" : "?" + query),
            headers: headers + call.headers, body: call.body, timeout: call.timeout)
    }

    private func refusal(_ response: HTTPResponse) -> BackendError {
        var problem = Problem(json: (try? JSONValue(parsing: response.body)) ?? .null, status: response.head.status)
        if problem.detail == nil, let location = response.head.header("Location") {
            problem.detail = "it sends on to \(location)"
        }
        return .problem(problem, retryAfter: response.head.retryAfter(now: now()))
    }
}
