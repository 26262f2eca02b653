internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOPosix
package import ServiceLifecycle

/// Returns a server for `GET /metrics`, on an address of its own: clients of the server itself must not read the metrics.
///
/// - Parameters:
///   - server: The server whose metrics are in the registry.
///   - onServerRunning: Called with the port once it listens.
package func buildMetricsServer(
    _ server: SyncServer, _ registry: PrometheusRegistry, host: String, port: Int,
    onServerRunning: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
) -> some Service {
    var logger = server.logger
    // Below this level, the framework's messages add nothing to the server's own.
    logger.logLevel = max(logger.logLevel, .warning)
    let connections = Connections.forMetrics(logger: server.logger)
    return Application(
        responder: MetricsResponder(server: server, registry: registry),
        server: HTTPServerBuilder { responder in GuardedChannel(connections: connections, responder: responder) },
        configuration: ApplicationConfiguration(
            address: .hostname(host, port: port), availableConnectionsDelegate: connections.gate),
        onServerRunning: { channel in await onServerRunning(channel.localAddress?.port ?? port) }, logger: logger)
}

/// Checks that a server can listen on an address: listens there and stops at once.
///
/// - Parameter port: 0: any that is free.
/// - Throws: The system's error if it can't.
package func checkListening(host: String, port: Int) async throws {
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        // As the servers listen: connections of a process that has ended don't occupy the address.
        .serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
        .bind(host: host, port: port).get()
    try await channel.close()
}

extension Connections {
    /// Returns the connections to the address of the metrics. They have the deadlines of those to the server's own
    /// address (`ConnectionRules`). For the eighth, the one that was unused for the longest time is closed, so that
    /// silent connections can't keep Prometheus out.
    static func forMetrics(logger: Logger) -> Connections {
        var logger = logger
        logger[metadataKey: "path"] = "/metrics"
        // A few readers suffice, and all may have the same address. Their descriptors are part of the server's reserve
        // (`ConnectionLimits.reserve`).
        return Connections(total: 8, perAddress: 8, trustedProxies: [], logger: logger)
    }
}

/// Answers `GET /metrics`.
private struct MetricsResponder: HTTPResponder {
    typealias Context = BasicRequestContext

    let server: SyncServer
    let registry: PrometheusRegistry

    @Sendable
    func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
        guard request.uri.path == "/metrics" else { return Self.text("the metrics are at /metrics\n", .notFound) }
        guard request.method == .get else {
            return Self.text("use GET\n", .methodNotAllowed, [.allow: HTTPRequest.Method.get.rawValue])
        }
        // Not on the event loop of `GuardedChannel`, which must serve other connections meanwhile.
        let metrics: String = await onStackOfItsOwn(executor: globalConcurrentExecutor) { [server, registry] in
            await server.measure()
            return registry.text + ProcessMetric.text
        }
        return Self.text(metrics, .ok, [.contentType: PrometheusRegistry.mediaType])
    }

    private static func text(
        _ text: String, _ status: HTTPResponse.Status, _ headers: HTTPFields = [:]
    ) -> Response {
        var headers = headers
        if headers[.contentType] == nil { headers[.contentType] = "text/plain; charset=utf-8" }
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
