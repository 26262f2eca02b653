public import Backend
internal import Foundation
internal import Locking
internal import Records
public import SyncAPI
public import Testing

/// A transport without a network: it answers according to a test's script, and records the requests.
///
/// Each expectation is met by the first request with its method and path, in the order in which expectations were
/// added. A request without an expectation is an issue of the running test, with its method and path, and fails with
/// `.protocolViolation`. `verify()` reports the expectations that were not met.
///
/// The question of what the server can do (`GET /v1/`) is answered without being recorded, unless a test expects it: the
/// server announces the present version of the protocol.
public final class MockTransport: HTTPTransport {
    /// Acts as the server for a request.
    public typealias Handler = @Sendable (HTTPRequest) async throws(TransportError) -> HTTPResponse

    private let server: Handler?
    private let script = Locked(Script())

    private struct Script {
        var expectations: [MockExpectation] = []
        var requests: [HTTPRequest] = []
    }

    /// - Parameter server: Answers requests without an expectation; nil: they are issues.
    public init(server: Handler? = nil) { self.server = server }

    /// All requests in order, including those that failed.
    public var requests: [HTTPRequest] { script.withLock(\.requests) }

    /// Adds an expectation to the script.
    public func expect(_ expectation: MockExpectation) {
        script.withLock { $0.expectations.append(expectation) }
    }

    /// Waits for a total number of requests.
    public func receive(_ count: Int) async throws {
        try await eventually("\(count) requests") { self.requests.count >= count }
    }

    /// Reports each expectation that no request has met, as the last line of a test.
    public func verify(sourceLocation: SourceLocation = #_sourceLocation) {
        for expectation in script.withLock(\.expectations) {
            Issue.record("never asked: \(expectation)", sourceLocation: expectation.sourceLocation)
        }
    }

    public func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        if isUnexpectedQuestion(request) { return HTTPResponse(head: HTTPHead(status: 200), body: Self.announcement) }
        guard let expectation = try match(request) else { return try await serve(request) }
        try await expectation.gate?.pass()
        switch expectation.outcome {
        case .answer(let handler): return try await handler(request)
        case .lost(let kind, let handler):
            // The server acts, as when a connection breaks between its commit and the answer.
            _ = try await handler(request)
            throw TransportError(kind, detail: "the mock has lost the answer")
        case .failure(let kind): throw TransportError(kind, detail: "the mock never sent it")
        case .stream: throw unexpected(request, "it was to be streamed")
        }
    }

    public func stream(_ request: HTTPRequest) async throws(TransportError) -> HTTPStream {
        guard let expectation = try match(request) else { return HTTPStream(whole: try await serve(request)) }
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
    /// Records a request and removes its expectation from the script; nil: there is none.
    private func match(_ request: HTTPRequest) throws(TransportError) -> MockExpectation? {
        let found = script.withLock { script in
            script.requests.append(request)
            let index = script.expectations.firstIndex { $0.matches(request) }
            return index.map { script.expectations.remove(at: $0) }
        }
        // After the script: the request was made, and has met its expectation.
        if Task.isCancelled { throw TransportError(.cancelled) }
        return found
    }

    private func isUnexpectedQuestion(_ request: HTTPRequest) -> Bool {
        server == nil && request.method == OpenRoute.capabilities.method
            && request.path.hasSuffix(OpenRoute.capabilities.path)
            && !script.withLock { $0.expectations.contains { $0.matches(request) } }
    }

    private static let announcement = Array(#"{"protocols": \#(Capabilities.protocols)}"#.utf8)

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
    /// Creates a stream with a whole answer as one piece.
    fileprivate init(whole response: HTTPResponse) {
        let body = MockBody()
        if !response.body.isEmpty { body.send(response.body) }
        body.finish()
        self.init(head: response.head, body: body.stream)
    }
}

extension HTTPRequest {
    /// The path with the query, as in the request line.
    public var target: String {
        guard let scheme = url.firstRange(of: "://") else { return url }
        let rest = url[scheme.upperBound...]
        return rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? "/"
    }

    /// The path without the query, percent-encoded.
    public var path: String { String(target.prefix { $0 != "?" }) }

    /// The access token of the request.
    public var bearerToken: String? {
        header("Authorization").flatMap { $0.hasPrefix("Bearer ") ? String($0.dropFirst(7)) : nil }
    }

    /// The body as text; "" if there is none.
    public var bodyText: String { String(decoding: body ?? [], as: UTF8.self) }
}

extension HTTPResponse {
    /// Returns an answer with JSON text.
    public static func json(
        _ text: String, status: Int = 200, headers: [(name: String, value: String)] = []
    ) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: [("Content-Type", "application/json; charset=utf-8")] + headers,
            body: Array(text.utf8))
    }

    /// Returns an answer with a value as JSON.
    public static func json(_ value: some Encodable, status: Int = 200) throws -> HTTPResponse {
        json(String(decoding: try JSONEncoder().encode(value), as: UTF8.self), status: status)
    }

    /// The answer 204.
    public static let noContent = HTTPResponse(status: 204)

    /// Returns a refusal.
    public static func problem(
        _ status: Int, _ code: Problem.Code, headers: [(name: String, value: String)] = []
    ) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: [("Content-Type", Problem.mediaType)] + headers,
            body: Array(Problem(status: status, code: code, title: code.rawValue).json.text.utf8))
    }
}

/// An expected request of a `MockTransport` with its result.
public struct MockExpectation: Sendable, CustomStringConvertible {
    let method: String
    /// A path; with a query if that must match, too.
    let target: String
    /// Whether the path may follow a prefix of the server.
    let allowsPrefix: Bool
    let outcome: Outcome
    let gate: Gate?
    let sourceLocation: SourceLocation

    enum Outcome: Sendable {
        case answer(MockTransport.Handler)
        case lost(TransportError.Kind, MockTransport.Handler)
        case failure(TransportError.Kind)
        case stream(HTTPHead, MockBody)
    }

    public var description: String { "\(method) \(target)" }

    func matches(_ request: HTTPRequest) -> Bool {
        let asked = target.contains("?") ? request.target : request.path
        return request.method == method && (allowsPrefix ? asked.hasSuffix(target) : asked == target)
    }

    init(_ method: String, _ target: String, _ outcome: Outcome, _ gate: Gate?, _ location: SourceLocation) {
        (self.method, self.target, self.outcome, self.gate) = (method, target, outcome, gate)
        (allowsPrefix, sourceLocation) = (false, location)
    }

    init(_ route: some Endpoint, _ outcome: Outcome, _ gate: Gate?, _ location: SourceLocation) {
        (method, target, self.outcome, self.gate) = (route.method, route.path, outcome, gate)
        (allowsPrefix, sourceLocation) = (true, location)
    }
}

extension MockTransport {
    /// Expects a request and answers it.
    ///
    /// - Parameters:
    ///   - path: The path with the server's prefix, if it has one. If it contains a query, that must match, too.
    ///   - gate: Delays the request, before the server acts, until it is opened.
    ///   - answer: Acts as the server.
    public func expect(
        _ method: String, _ path: String, behind gate: Gate? = nil, sourceLocation: SourceLocation = #_sourceLocation,
        answer: @escaping Handler
    ) {
        expect(MockExpectation(method, path, .answer(answer), gate, sourceLocation))
    }

    /// Expects a request of a route with any path prefix, and answers it.
    public func expect(
        _ route: some Endpoint, behind gate: Gate? = nil, sourceLocation: SourceLocation = #_sourceLocation,
        answer: @escaping Handler
    ) {
        expect(MockExpectation(route, .answer(answer), gate, sourceLocation))
    }

    /// Expects a request of a route and answers it with a fixed answer.
    public func expect(
        _ route: some Endpoint, behind gate: Gate? = nil, sourceLocation: SourceLocation = #_sourceLocation,
        answer: HTTPResponse
    ) {
        expect(route, behind: gate, sourceLocation: sourceLocation) { _ throws(TransportError) in answer }
    }

    /// Expects a request of a route that fails before the server acts.
    public func expect(
        _ route: some Endpoint, behind gate: Gate? = nil, sourceLocation: SourceLocation = #_sourceLocation,
        failing kind: TransportError.Kind
    ) {
        expect(MockExpectation(route, .failure(kind), gate, sourceLocation))
    }

    /// Expects a request of a route on which the server acts, but whose answer is lost.
    public func expect(
        _ route: some Endpoint, behind gate: Gate? = nil, sourceLocation: SourceLocation = #_sourceLocation,
        losingAnswer kind: TransportError.Kind, server: @escaping Handler
    ) {
        expect(MockExpectation(route, .lost(kind, server), gate, sourceLocation))
    }

    /// Expects a request whose answer is streamed; the test sends the pieces of its body.
    public func expectStream(
        _ method: String, _ path: String, head: HTTPHead = HTTPHead(status: 200), body: MockBody,
        behind gate: Gate? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        expect(MockExpectation(method, path, .stream(head, body), gate, sourceLocation))
    }
}

/// The body of a streamed answer, which the test controls.
public struct MockBody: Sendable {
    let stream: AsyncThrowingStream<[UInt8], any Error>
    private let pieces: AsyncThrowingStream<[UInt8], any Error>.Continuation

    public init() { (stream, pieces) = AsyncThrowingStream.makeStream() }

    /// Sends the next piece.
    public func send(_ bytes: some Sequence<UInt8>) { pieces.yield(Array(bytes)) }

    /// Ends the body.
    public func finish() { pieces.finish() }

    /// Fails the body.
    public func fail(_ kind: TransportError.Kind) { pieces.finish(throwing: TransportError(kind)) }
}
