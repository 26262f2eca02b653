internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
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
    return Application(
        responder: MetricsResponder(server: server, registry: registry),
        configuration: ApplicationConfiguration(
            address: .hostname(host, port: port),
            // A few readers suffice; their descriptors are part of the server's reserve (`ConnectionLimits.reserve`).
            availableConnectionsDelegate: MaximumAvailableConnections(MetricsResponder.connections)),
        onServerRunning: { channel in await onServerRunning(channel.localAddress?.port ?? port) }, logger: logger)
}

/// Answers `GET /metrics`.
private struct MetricsResponder: HTTPResponder {
    typealias Context = BasicRequestContext

    /// Number of connections that may be open at once.
    static let connections = 8

    let server: SyncServer
    let registry: PrometheusRegistry

    @Sendable
    func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
        guard request.uri.path == "/metrics" else { return Self.text("the metrics are at /metrics\n", .notFound) }
        guard request.method == .get else {
            return Self.text("use GET\n", .methodNotAllowed, [.allow: HTTPRequest.Method.get.rawValue])
        }
        await server.measure()
        return Self.text(registry.text + ProcessMetric.text, .ok, [.contentType: PrometheusRegistry.mediaType])
    }

    private static func text(
        _ text: String, _ status: HTTPResponse.Status, _ headers: HTTPFields = [:]
    ) -> Response {
        var headers = headers
        if headers[.contentType] == nil { headers[.contentType] = "text/plain; charset=utf-8" }
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
