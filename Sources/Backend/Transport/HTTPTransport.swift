/// Carries requests to a server: libcurl in production, a script in tests.
///
/// Cancelling the calling task ends the exchange with `TransportError.Kind.cancelled`. Redirects are not followed. An
/// answer of any status is an answer, not an error.
public protocol HTTPTransport: Sendable {
    /// Sends a request and waits for the whole answer.
    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse
    /// Sends a request and returns when the head of the answer is there.
    func stream(_ request: HTTPRequest) async throws(TransportError) -> HTTPStream
}
