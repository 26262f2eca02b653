/// A request, as far as this product needs one.
public struct HTTPRequest: Sendable, Equatable {
    /// In upper case.
    public var method: String
    /// An absolute http or https address.
    public var url: String
    public var headers: [(name: String, value: String)]
    public var body: [UInt8]?
    /// How long the whole exchange may take; for a stream, how long it may stay silent.
    public var timeout: Duration

    public init(
        method: String, url: String, headers: [(name: String, value: String)] = [], body: [UInt8]? = nil,
        timeout: Duration = .seconds(60)
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
    }

    public static func == (left: HTTPRequest, right: HTTPRequest) -> Bool {
        left.method == right.method && left.url == right.url && left.body == right.body
            && left.timeout == right.timeout && left.headers.elementsEqual(right.headers, by: ==)
    }
}

/// The status and headers of an answer.
public struct HTTPHead: Sendable {
    public var status: Int
    public var headers: [(name: String, value: String)]

    public init(status: Int, headers: [(name: String, value: String)] = []) {
        self.status = status
        self.headers = headers
    }

    /// The value of the first header of this name, in any case of letters.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// A whole answer, decompressed.
public struct HTTPResponse: Sendable {
    public var head: HTTPHead
    public var body: [UInt8]

    public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        head = HTTPHead(status: status, headers: headers)
        self.body = body
    }
}

/// An answer whose body arrives piece by piece; the sender is held back while nobody reads.
public struct HTTPStream: Sendable {
    public var head: HTTPHead
    /// Ends with the body; throws `TransportError`. Dropping it, or cancelling the reading task, ends the exchange.
    public var body: AsyncThrowingStream<[UInt8], any Error>

    public init(head: HTTPHead, body: AsyncThrowingStream<[UInt8], any Error>) {
        self.head = head
        self.body = body
    }
}

/// Carries requests to a server: libcurl in production, a script in tests.
///
/// Cancelling the calling task ends the exchange with `TransportError.cancelled`. Redirects are not followed.
public protocol HTTPTransport: Sendable {
    /// Sends a request and waits for the whole answer.
    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse
    /// Sends a request and returns when the head of the answer is there.
    func stream(_ request: HTTPRequest) async throws(TransportError) -> HTTPStream
}

/// Why there was no answer. Whether the server acted is unknown, save where `reachedServer` is false.
public struct TransportError: Error, Sendable, Equatable {
    public var kind: Kind
    /// What the library said, for the diagnostic.
    public var detail: String

    /// The causes that a caller can tell apart.
    public enum Kind: String, Sendable, CaseIterable {
        case cannotResolve, refused, timedOut, tls, cancelled, protocolViolation
    }

    public init(_ kind: Kind, detail: String = "") {
        self.kind = kind
        self.detail = detail
    }

    /// False where the request certainly never came to a server.
    public var reachedServer: Bool {
        switch kind {
        case .cannotResolve, .refused, .tls: false
        case .timedOut, .cancelled, .protocolViolation: true
        }
    }

    /// Whether the same request may succeed later without anybody changing anything.
    public var isTransient: Bool {
        switch kind {
        case .cannotResolve, .refused, .timedOut, .protocolViolation: true
        case .tls, .cancelled: false
        }
    }
}
