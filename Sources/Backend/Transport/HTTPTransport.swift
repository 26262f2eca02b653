package import Foundation
internal import SyncAPI

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
        /// The library that sends requests can't be used.
        case unavailable
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
        case .tls, .cancelled, .tooLarge, .unavailable: false
        }
    }
}

/// An HTTP request, as far as this product needs one.
public struct HTTPRequest: Sendable, Equatable {
    /// The method, in upper case.
    public var method: String
    /// The absolute http or https address.
    public var url: String
    /// The path of the Unix socket to which the request is sent; nil: to the address's host and port.
    public var socket: String?
    /// The headers, in the order in which they are sent.
    public var headers: [(name: String, value: String)]
    /// The body; nil: none is sent.
    public var body: [UInt8]?
    /// The longest time of the whole exchange; for a stream, the longest silence.
    public var timeout: Duration
    /// The longest time without a byte in either direction before the exchange times out, including the wait for a
    /// connection; nil: `timeout` applies.
    public var silence: Duration?

    public init(
        method: String, url: String, socket: String? = nil, headers: [(name: String, value: String)] = [],
        body: [UInt8]? = nil, timeout: Duration = .seconds(60), silence: Duration? = nil
    ) {
        self.method = method
        self.url = url
        self.socket = socket
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.silence = silence
    }

    /// Returns the value of the first header of this name, which is case-insensitive.
    public func header(_ name: String) -> String? { headers.value(of: name) }

    /// Whether the request is sent to this machine itself, so that no proxy may be used.
    public var isToLoopback: Bool {
        // A request with an invalid address is never sent.
        (try? ServerAddress(String(url.prefix { $0 != "?" }))).map { IPAddress.isLoopback(host: $0.host) } ?? false
    }

    public static func == (left: HTTPRequest, right: HTTPRequest) -> Bool {
        left.method == right.method && left.url == right.url && left.socket == right.socket && left.body == right.body
            && left.timeout == right.timeout && left.silence == right.silence
            && left.headers.elementsEqual(right.headers, by: ==)
    }
}

/// The status and headers of an answer.
public struct HTTPHead: Sendable {
    /// The final status, never a 1xx.
    public var status: Int
    /// The headers, in the order in which they were received.
    public var headers: [(name: String, value: String)]

    public init(status: Int, headers: [(name: String, value: String)] = []) {
        self.status = status
        self.headers = headers
    }

    /// Returns the value of the first header of this name, which is case-insensitive.
    public func header(_ name: String) -> String? { headers.value(of: name) }
}

/// A whole answer, decompressed.
public struct HTTPResponse: Sendable {
    /// Status and headers.
    public var head: HTTPHead
    /// The body; empty if the answer has none.
    public var body: [UInt8]

    /// Creates an answer.
    public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.init(head: HTTPHead(status: status, headers: headers), body: body)
    }

    public init(head: HTTPHead, body: [UInt8]) {
        self.head = head
        self.body = body
    }
}

/// An answer whose body arrives piece by piece; the sender is slowed down while the body isn't read.
public struct HTTPStream: Sendable {
    /// Status and headers.
    public var head: HTTPHead
    /// Ends with the body; throws `TransportError`. Dropping it, or cancelling the reading task, ends the exchange.
    public var body: AsyncThrowingStream<[UInt8], any Error>

    public init(head: HTTPHead, body: AsyncThrowingStream<[UInt8], any Error>) {
        self.head = head
        self.body = body
    }
}

extension [(name: String, value: String)] {
    /// Returns the first value under `name`; names of headers are case-insensitive (RFC 9110, 5.1).
    fileprivate func value(of name: String) -> String? {
        first { Header.isSame($0.name, name) }?.value
    }
}

extension HTTPHead {
    /// The server's clock when it answered (`Date`, RFC 9110, 6.6.1), for comparison with the local clock.
    var date: Date? { header("Date").flatMap(Self.date(fromHTTP:)) }

    /// Returns how long the server asks to wait (`Retry-After`, RFC 9110, 10.2.3): seconds, or a date, which is
    /// relative to the answer's own `Date`, or else to `now`. Never negative, and at most `longestRetryAfter`.
    package func retryAfter(now: Date) -> Duration? {
        guard let text = header(Header.retryAfter) else { return nil }
        if let seconds = Int64(text), seconds >= 0 { return min(.seconds(seconds), Self.longestRetryAfter) }
        return Self.date(fromHTTP: text).map { moment in
            min(.seconds(max(0, moment.timeIntervalSince(date ?? now))), Self.longestRetryAfter)
        }
    }

    /// The longest wait to which a server can make a client: with a longer one, times computed from it would overflow.
    package static let longestRetryAfter = Duration.seconds(86_400)

    /// Parses an IMF-fixdate, `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7). The two obsolete forms, which must
    /// not be sent, are not parsed.
    static func date(fromHTTP text: String) -> Date? {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[0].hasSuffix(","), parts[5] == "GMT",
            let month = months.firstIndex(of: String(parts[2]))
        else { return nil }
        let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
        return try? Date("\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z", strategy: .iso8601)
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
