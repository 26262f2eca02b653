internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
public import ServiceLifecycle
internal import UnixSignals

/// Returns the server with its socket, ready to run: one composition for `main` and the tests.
///
/// - Parameters:
///   - address: The address to listen on.
///   - certificate: The certificate for TLS, with HTTP/2 and HTTP/1.1; nil: plain HTTP/1.1.
///   - onServerRunning: Called with the port once the server listens; 0 if the address has none.
/// - Throws: An error whose description names the limit of open files that is needed, if the limit is too low.
public func buildServer(
    _ server: SyncServer, at address: ListeningAddress, certificate: ServerCertificate? = nil,
    onServerRunning: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
) throws -> some Service {
    guard server.connectionTotal >= ConnectionLimits.least else { throw TooFewDescriptors() }
    var server = server
    server.isSecure = certificate != nil
    var logger = server.logger
    // Below this level, the framework's messages add nothing to the server's own.
    logger.logLevel = max(logger.logLevel, .warning)
    let connections = Connections(
        total: server.connectionTotal, perAddress: server.configuration.connections.perAddress,
        trustedProxies: server.configuration.trustedProxies, isSecure: server.isSecure, logger: server.logger,
        changed: { [metrics = server.metrics] change in metrics?.connections(change) })
    let socketFile = address.socketFile
    let application = Application(
        responder: ServerResponder(server, connections: connections),
        server: HTTPServerBuilder { responder in
            let plain = GuardedChannel(connections: connections, responder: responder)
            guard let certificate else { return plain }
            return SecureChannel(
                certificate: certificate, connections: connections, plain: plain, responder: responder)
        },
        configuration: ApplicationConfiguration(
            address: address.bindAddress, availableConnectionsDelegate: connections.gate),
        services: [Maintenance(server: server)],
        onServerRunning: { channel in
            socketFile?.listening()
            await onServerRunning(channel.localAddress?.port ?? 0)
        }, logger: logger)
    return BoundedShutdown(
        application: application, socketFile: socketFile, connections: connections,
        refuseWaiting: server.accounts.hasher.refuseWaiting)
}

/// Returns the server with its socket on a port, with plain HTTP.
///
/// - Parameters:
///   - host: The address to listen on.
///   - port: The port to listen on; 0 for any that is free.
///   - onServerRunning: Called with the port once the server listens.
/// - Throws: An error whose description names the limit of open files that is needed, if the limit is too low.
public func buildServer(
    _ server: SyncServer, host: String, port: Int,
    onServerRunning: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
) throws -> some Service {
    try buildServer(server, at: .port(port, host: host), onServerRunning: onServerRunning)
}

extension ListeningAddress {
    fileprivate var bindAddress: BindAddress {
        switch self {
        case .port(let port, let host): .hostname(host, port: port)
        case .unixSocket(let path, _): .unixDomainSocket(path: path)
        }
    }

    fileprivate var socketFile: UnixSocketFile? {
        switch self {
        case .port: nil
        case .unixSocket(let path, let mode): UnixSocketFile(path: path, mode: mode)
        }
    }
}

extension SyncServer {
    /// Listens, answers and removes old data until the process receives SIGTERM or SIGINT. The store stays open.
    ///
    /// - Parameters:
    ///   - host: The address to listen on.
    ///   - port: The port to listen on; 0 for any that is free.
    ///   - onServerRunning: Called with the port once the server listens.
    /// - Throws: The error that prevents listening; as `buildServer` if the limit of open files is too low.
    public func run(
        host: String, port: Int, onServerRunning: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) async throws {
        let service = try buildServer(self, host: host, port: port, onServerRunning: onServerRunning)
        let group = ServiceGroup(
            configuration: .init(services: [service], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await group.run()
    }
}

/// The error for a limit of open descriptors that is too low for the server's files and a minimum of connections.
struct TooFewDescriptors: Error, CustomStringConvertible {
    /// The message with the number that is needed.
    var description: String {
        let least = ConnectionLimits.least + ConnectionLimits.reserve(cores: System.coreCount)
        return "the limit of open files is too low (\(DescriptorLimit.current)); allow at least \(least) "
            + "(ulimit -n, or LimitNOFILE= in systemd's unit)"
    }
}

/// Ends connections that are still busy some seconds after a graceful shutdown began. Otherwise a client that sends its
/// request slowly, or does not read its answer, could delay the shutdown without limit.
private struct BoundedShutdown<Base: ApplicationProtocol>: Service, CustomStringConvertible {
    /// The name of the service in the log, without the configuration.
    var description: String { "SyncServer" }

    let application: Base
    /// The file that the socket is bound to; nil for a port.
    let socketFile: UnixSocketFile?
    let connections: Connections
    /// Refuses the waiting password hashes, which could take longer than the rest of the shutdown.
    let refuseWaiting: @Sendable () -> Void

    func run() async throws {
        try socketFile?.prepare()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await application.run()
                return true
            }
            group.addTask {
                // Either wait ends early when the application has ended, which cancels this task.
                try? await gracefulShutdown()
                refuseWaiting()
                try? await Task.sleep(for: ConnectionRules.shutdown)
                if !Task.isCancelled {
                    connections.closeAll()
                    // Requests under way may have queued hashes since.
                    refuseWaiting()
                }
                return false
            }
            while let isApplication = try await group.next() {
                if isApplication { group.cancelAll() }
            }
        }
    }
}

/// Runs maintenance while the server runs.
private struct Maintenance: Service {
    let server: SyncServer

    // Without the cancellation, the shutdown would wait until the hour between two runs is over.
    func run() async { await cancelWhenGracefulShutdown { await server.maintain() } }
}
