internal import HummingbirdCore
internal import HummingbirdHTTP2
internal import Logging
internal import NIOCore
internal import NIOSSL
internal import NIOTLS

/// A channel with TLS, and HTTP/2 or HTTP/1.1 as the client chooses (ALPN, RFC 7301), with this server's limits.
///
/// NIO's HTTP/2 limits what has no stream: 100 streams at once, 200 reset streams in 30 s, 200 control frames in 30 s,
/// 16 KiB of headers, 5 CONTINUATION frames; a connection that exceeds one is closed. These are the defaults of
/// swift-nio-http2: Hummingbird's `HTTP2Channel` passes no configuration of its own, and has no parameter for one.
/// `LibraryLimitsTests` fails if a new version has others. The limit of pings is Hummingbird's, and fixed as well.
struct SecureChannel: ServerChildChannel {
    private let certificate: ServerCertificate
    private let connections: Connections
    private let http1: GuardedChannel
    private let http2: HTTP2Channel

    /// A connection, whose protocol is known after the handshake.
    struct Value: ServerChildChannelValue {
        fileprivate let negotiated: EventLoopFuture<Negotiated>
        let channel: any Channel
    }

    fileprivate enum Negotiated: Sendable {
        case http1(HTTP1Channel.Value)
        case http2(HTTP2Channel.Value)
    }

    private struct UnknownProtocol: Error {}

    /// - Parameter plain: The channel for HTTP/1.1.
    init(
        certificate: ServerCertificate, connections: Connections, plain: GuardedChannel,
        responder: @escaping HTTPChannelHandler.Responder
    ) {
        self.certificate = certificate
        self.connections = connections
        http1 = plain
        http2 = HTTP2Channel(
            responder: responder,
            configuration: .init(streamConfiguration: .init(additionalChannelHandlers: [StreamGuard(connections)])))
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let negotiation = NIOTypedApplicationProtocolNegotiationHandler<Negotiated> { result, channel in
                negotiated(result, channel, logger)
            }
            try ConnectionGuard.open(on: channel, connections)
            // For each connection the present certificate, which may have been replaced since the last one.
            let tls = NIOSSLServerHandler(context: certificate.context)
            try channel.pipeline.syncOperations.addHandlers(tls, negotiation)
            return Value(negotiated: negotiation.protocolNegotiationResult, channel: channel)
        }
    }

    private func negotiated(
        _ result: ALPNResult, _ channel: any Channel, _ logger: Logger
    ) -> EventLoopFuture<Negotiated> {
        switch result {
        case .negotiated(ServerCertificate.http2):
            channel.eventLoop.makeCompletedFuture { try ConnectionGuard.of(channel).multiplex() }
                .flatMap { http2.setup(channel: channel, logger: logger) }
                .map(Negotiated.http2)
        case .negotiated(ServerCertificate.http1), .fallback:
            http1.setUpHTTP(on: channel, logger: logger).map(Negotiated.http1)
        case .negotiated:
            channel.close().flatMapThrowing { () throws -> Negotiated in throw UnknownProtocol() }
        }
    }

    func handle(value: Value, logger: Logger) async {
        await withTaskExecutorPreference(EventLoopExecutor(value.channel.eventLoop)) {
            // A handshake that fails closes the connection, and is no error of the server.
            switch try? await value.negotiated.get() {
            case .http1(let value): await http1.handle(value: value, logger: logger)
            case .http2(let value): await http2.handle(value: value, logger: logger)
            case nil: break
            }
        }
    }
}
