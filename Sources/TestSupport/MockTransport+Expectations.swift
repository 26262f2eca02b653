public import Backend
public import SyncAPI
public import Testing

/// One line of a `MockTransport`'s script: a request that must come, and what becomes of it.
public struct MockExpectation: Sendable, CustomStringConvertible {
    let method: String
    /// A path, with a query where that matters.
    let target: String
    /// Whether the server may have a path prefix before it.
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
    ///   - path: with a path prefix of the server, where it has one; with a query, that query alone is meant.
    ///   - gate: holds the request back, before the server acts, until it is opened.
    ///   - answer: acts as the server.
    public func expect(
        _ method: String, _ path: String, behind gate: Gate? = nil, sourceLocation: SourceLocation = #_sourceLocation,
        answer: @escaping Handler
    ) {
        expect(MockExpectation(method, path, .answer(answer), gate, sourceLocation))
    }

    /// Expects a request of a route, under any path prefix, and answers it.
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

    /// Expects a request of a route that fails before the server has acted.
    public func expect(
        _ route: some Endpoint, behind gate: Gate? = nil, sourceLocation: SourceLocation = #_sourceLocation,
        failing kind: TransportError.Kind
    ) {
        expect(MockExpectation(route, .failure(kind), gate, sourceLocation))
    }

    /// Expects a request of a route on which the server acts, and loses the answer.
    public func expect(
        _ route: some Endpoint, behind gate: Gate? = nil, sourceLocation: SourceLocation = #_sourceLocation,
        losingAnswer kind: TransportError.Kind, server: @escaping Handler
    ) {
        expect(MockExpectation(route, .lost(kind, server), gate, sourceLocation))
    }

    /// Expects a request whose answer is streamed; the test sends its body piece by piece.
    public func expectStream(
        _ method: String, _ path: String, head: HTTPHead = HTTPHead(status: 200), body: MockBody,
        behind gate: Gate? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        expect(MockExpectation(method, path, .stream(head, body), gate, sourceLocation))
    }
}

/// The body of a streamed answer, in a test's hand.
public struct MockBody: Sendable {
    let stream: AsyncThrowingStream<[UInt8], any Error>
    private let pieces: AsyncThrowingStream<[UInt8], any Error>.Continuation

    public init() { (stream, pieces) = AsyncThrowingStream.makeStream() }

    /// Sends the next piece.
    public func send(_ bytes: some Sequence<UInt8>) { pieces.yield(Array(bytes)) }

    /// Ends the body.
    public func finish() { pieces.finish() }

    /// Breaks it off.
    public func fail(_ kind: TransportError.Kind) { pieces.finish(throwing: TransportError(kind)) }
}
