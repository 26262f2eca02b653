public import Backend
public import Testing

/// A transport without a network: answers as a test has scripted, and records what was asked.
///
/// Expectations are met in the order in which they were made, each by the first request of its method and path. A
/// request that none expects is an issue of the running test, names method and path, and fails with
/// `.protocolViolation`; `verify()` makes an issue of each expectation that was left.
public final class MockTransport: HTTPTransport {
    /// What a server does with a request.
    public typealias Handler = @Sendable (HTTPRequest) async throws(TransportError) -> HTTPResponse

    private let server: Handler?
    private let script = Locked(Script())

    private struct Script {
        var expectations: [MockExpectation] = []
        var requests: [HTTPRequest] = []
    }

    /// - Parameter server: answers all that no expectation covers; nil: nothing else may be asked.
    public init(server: Handler? = nil) { self.server = server }

    /// All requests so far, in the order in which they came, those that failed included.
    public var requests: [HTTPRequest] { script.withLock(\.requests) }

    /// Adds to the script.
    public func expect(_ expectation: MockExpectation) {
        script.withLock { $0.expectations.append(expectation) }
    }

    /// Waits until so many requests have come in all.
    public func receive(_ count: Int) async throws {
        try await eventually("\(count) requests") { self.requests.count >= count }
    }

    /// Makes an issue of each expectation that no request has met; the last line of a test.
    public func verify(sourceLocation: SourceLocation = #_sourceLocation) {
        for expectation in script.withLock(\.expectations) {
            Issue.record("never asked: \(expectation)", sourceLocation: expectation.sourceLocation)
        }
    }

    public func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        guard let expectation = try take(request) else { return try await serve(request) }
        try await expectation.gate?.pass()
        switch expectation.outcome {
        case .answer(let handler): return try await handler(request)
        case .lost(let kind, let handler):
            _ = try await handler(request)
            throw TransportError(kind, detail: "the mock has lost the answer")
        case .failure(let kind): throw TransportError(kind, detail: "the mock never sent it")
        case .stream: throw unexpected(request, "it was to be streamed")
        }
    }

    public func stream(_ request: HTTPRequest) async throws(TransportError) -> HTTPStream {
        guard let expectation = try take(request) else { return HTTPStream(whole: try await serve(request)) }
        try await expectation.gate?.pass()
        switch expectation.outcome {
        case .answer(let handler): return HTTPStream(whole: try await handler(request))
        case .lost(let kind, let handler):
            _ = try await handler(request)
            throw TransportError(kind, detail: "the mock has lost the answer")
        case .failure(let kind): throw TransportError(kind, detail: "the mock never sent it")
        case .stream(let head, let body): return HTTPStream(head: head, body: body.stream)
        }
    }
}

extension MockTransport {
    /// Records a request and removes its expectation from the script; nil: the server answers.
    private func take(_ request: HTTPRequest) throws(TransportError) -> MockExpectation? {
        let found = script.withLock { script in
            script.requests.append(request)
            let index = script.expectations.firstIndex { $0.matches(request) }
            return index.map { script.expectations.remove(at: $0) }
        }
        if Task.isCancelled { throw TransportError(.cancelled) }
        return found
    }

    private func serve(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        guard let server else { throw unexpected(request, "nothing of the kind was expected") }
        return try await server(request)
    }

    private func unexpected(_ request: HTTPRequest, _ why: String) -> TransportError {
        let left = script.withLock(\.expectations).map(\.description).joined(separator: ", ")
        let what = "unexpected request \(request.method) \(request.target): \(why); still expected: [\(left)]"
        Issue.record("\(what)")
        return TransportError(.protocolViolation, detail: what)
    }
}

extension HTTPStream {
    /// A whole answer as a stream of one piece.
    fileprivate init(whole response: HTTPResponse) {
        let body = MockBody()
        if !response.body.isEmpty { body.send(response.body) }
        body.finish()
        self.init(head: response.head, body: body.stream)
    }
}
