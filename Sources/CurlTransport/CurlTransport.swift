public import Backend

/// HTTP over libcurl's multi interface, on one thread of its own.
///
/// Requests run concurrently and reuse connections; over TLS they share one with HTTP/2 if the server offers it. All
/// content codings that this libcurl supports are accepted. Proxies are read from the environment (`https_proxy`,
/// `no_proxy`, …) as by libcurl, except for the loopback address. The thread starts with the first request. It ends
/// with `shutDown`, or when the last reference to the transport and its streams is released.
public final class CurlTransport: HTTPTransport {
    private let options: Options
    private let loop: CurlLoop

    /// The settings of a transport.
    public struct Options: Sendable {
        /// The time limit for establishing a connection, including TLS.
        public var connectTimeout: Duration = .seconds(10)
        /// A PEM file of the certificate authorities that are trusted in place of the system's.
        public var certificateAuthorities: String?
        /// The size limit of an answer received as a whole, in decompressed bytes; a larger one fails with `.tooLarge`.
        /// Streams have no limit.
        public var largestAnswer: Int
        /// The number of bytes of a stream that may wait to be read before its transfer is paused.
        public var streamBuffer = 256 << 10
        /// The limit of concurrent connections to one server; further requests wait. Each stream has its own
        /// connection.
        public var connectionsPerHost = 8

        public init() { largestAnswer = BackendClient.largestAnswer }
    }

    /// Creates a transport. Nothing is opened before the first request.
    public init(options: Options = Options()) {
        self.options = options
        loop = CurlLoop(connectionsPerHost: options.connectionsPerHost)
    }

    deinit { loop.close() }

    public func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let answer = WholeAnswer(limit: options.largestAnswer)
        let transfer = Transfer(request: request, options: options, isStream: false, receiver: answer)
        return try await answer.response {
            loop.begin(transfer)
        } cancel: { [loop] in
            loop.cancel(transfer.id)
        }
    }

    /// - Note: A stream uses HTTP/1.1 on its own connection: while it is paused for a slow reader, no data arrive on
    ///   the connection, which must not delay requests that would share it.
    public func stream(_ request: HTTPRequest) async throws(TransportError) -> HTTPStream {
        let answer = StreamedAnswer(limit: options.streamBuffer)
        let transfer = Transfer(request: request, options: options, isStream: true, receiver: answer)
        let head = try await answer.head {
            loop.begin(transfer)
        } cancel: { [loop] in
            loop.cancel(transfer.id)
        }
        let reader = StreamReader(answer: answer, transport: self, id: transfer.id)
        return HTTPStream(head: head, body: AsyncThrowingStream { try await reader.next() })
    }

    /// Ends all requests and streams with `.cancelled`, and returns when the thread has ended. Later requests fail,
    /// too.
    public func shutDown() async { await loop.closed() }

    func resume(_ id: Transfer.ID) { loop.resume(id) }
    func cancel(_ id: Transfer.ID) { loop.cancel(id) }
}
