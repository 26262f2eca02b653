public import Hummingbird
internal import Logging
internal import NIOCore
internal import ServiceLifecycle

/// The server with its socket, ready to run: one composition for `main` and the tests.
///
/// - Parameters:
///   - host: the address to listen on.
///   - port: 0 for any that is free.
///   - onServerRunning: told the port once the server listens.
public func buildServer(
    _ server: SyncServer, host: String, port: Int,
    onServerRunning: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
) -> some ApplicationProtocol {
    var logger = server.logger
    // The framework's own lines add nothing to ours below this level.
    logger.logLevel = max(logger.logLevel, .warning)
    return Application(
        responder: ServerResponder(server), server: .http1(configuration: .init(idleTimeout: idleTimeout)),
        configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
        services: [Maintenance(server: server)],
        onServerRunning: { channel in await onServerRunning(channel.localAddress?.port ?? port) }, logger: logger)
}

extension SyncServer {
    /// Listens, answers and clears away until the process is told to end (SIGTERM, SIGINT). The store stays open.
    ///
    /// - Parameters:
    ///   - host: the address to listen on.
    ///   - port: 0 for any that is free.
    ///   - onServerRunning: told the port once the server listens.
    /// - Throws: what keeps it from listening.
    public func run(
        host: String, port: Int, onServerRunning: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) async throws {
        try await buildServer(self, host: host, port: port, onServerRunning: onServerRunning).runService()
    }
}

/// How long a connection may stay silent, so that those that were forgotten don't pile up.
private let idleTimeout = TimeAmount.seconds(90)

/// Clears away beside the server, until that stops.
private struct Maintenance: Service {
    let server: SyncServer

    func run() async { await cancelWhenGracefulShutdown { await server.maintain() } }
}
