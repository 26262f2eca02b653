/// The transport of requests to a server: libcurl in production, a script in tests.
///
/// Cancelling the calling task ends the exchange with `TransportError.Kind.cancelled`. Redirects are not followed. An
/// answer of any status is an answer, not an error.
public protocol HTTPTransport: Sendable {
    /// Sends a request and waits for the whole answer.
    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse
    /// Sends a request and returns when the head of the answer has arrived.
    func stream(_ request: HTTPRequest) async throws(TransportError) -> HTTPStream
}

/// An error of a request without an answer. Whether the server acted is unknown.
public struct TransportError: Error, Sendable, Equatable {
    /// The cause, for programs.
    public var kind: Kind
    /// The message of the library, for the diagnostic.
    public var detail: String
    /// The address of the server of the request; nil: unknown.
    public var address: String?

    /// The causes that a caller can distinguish. New cases may be added.
    public enum Kind: String, Sendable, CaseIterable {
        /// The name of the server (or of the proxy) has no address.
        case cannotResolve
        /// No connection: no program listens at the address, or there is no route to it.
        case refused
        /// The time limit passed.
        case timedOut
        /// No secure connection: a certificate that isn't trusted, or no TLS at the other end.
        case tls
        /// The calling task was cancelled, or the transport shut down.
        case cancelled
        /// The answer is not HTTP or is truncated, or the request is malformed.
        case protocolViolation
        /// The answer is larger than the transport receives as a whole.
        case tooLarge
    }

    /// Creates an error of a kind.
    public init(_ kind: Kind, detail: String = "") {
        self.kind = kind
        self.detail = detail
    }

    /// Whether the same request may succeed later without a change by the user.
    var isTransient: Bool {
        switch kind {
        case .cannotResolve, .refused, .timedOut, .protocolViolation: true
        case .tls, .cancelled, .tooLarge: false
        }
    }
}
