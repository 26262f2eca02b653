public import Backend

/// HTTP over libcurl's multi interface, on one thread of its own.
///
/// Requests run side by side and reuse connections; over TLS they share one by HTTP/2 where the server offers it. Answers
/// are asked for compressed, in every way that this libcurl knows. Proxies are taken from the environment
/// (`https_proxy`, `no_proxy`, …), as libcurl does, but never for this machine itself. The thread starts with the
/// first request. It ends with `shutDown`, or when the last reference to the transport and its streams is released.
public final class CurlTransport: HTTPTransport {
    private let options: Options
    private let loop: CurlLoop

    /// What may be set; the defaults are for use.
    public struct Options: Sendable {
        /// How long a connection may take to come about, TLS included.
        public var connectTimeout: Duration = .seconds(10)
        /// A PEM file of the certificate authorities to trust in place of the system's.
        public var certificateAuthorities: String?
        /// The size limit of an answer received as a whole, in decompressed bytes; a larger one fails with `.tooLarge`.
        /// Streams have no limit.
        public var largestAnswer: Int
        /// In bytes: when so much of a stream is waiting to be read, the sender is held back.
        public var streamBuffer = 256 << 10
        /// Connections to one server at a time; more requests wait for one. A stream holds one of its own.
        public var connectionsPerHost = 8

        public init() { largestAnswer = BackendClient.largestAnswer }
    }

    /// A transport with these options; nothing is opened before the first request.
    public init(options: Options = Options()) {
        self.options = options
        loop = CurlLoop(connectionsPerHost: options.connectionsPerHost)
    }

    deinit { loop.close() }

    public func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let answer = WholeAnswer(limit: options.largestAnswer)
        let order = Order(request: request, options: options, isStream: false, receiver: answer)
        return try await answer.response {
            loop.begin(order)
        } cancel: { [loop] in
            loop.cancel(order.id)
        }
    }

    /// - Note: A stream uses HTTP/1.1 on a connection of its own: while its reader is slow, no data arrive on the
    ///   connection, which must not delay the requests that would share it.
    public func stream(_ request: HTTPRequest) async throws(TransportError) -> HTTPStream {
        let answer = StreamedAnswer(limit: options.streamBuffer)
        let order = Order(request: request, options: options, isStream: true, receiver: answer)
        let head = try await answer.head {
            loop.begin(order)
        } cancel: { [loop] in
            loop.cancel(order.id)
        }
        let reader = StreamReader(answer: answer, transport: self, id: order.id)
        return HTTPStream(head: head, body: AsyncThrowingStream { try await reader.next() })
    }

    /// Ends all that is under way with `.cancelled`, and the thread; returns when it has ended. Later requests fail alike.
    public func shutDown() async { await loop.closed() }

    func resume(_ id: Order.ID) { loop.resume(id) }
    func cancel(_ id: Order.ID) { loop.cancel(id) }
}
