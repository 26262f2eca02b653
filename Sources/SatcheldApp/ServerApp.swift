internal import Dispatch
internal import Foundation
public import Logging
internal import Manual
internal import NIOCore
internal import PrivateFiles
public import ServerCore
public import ServiceLifecycle
internal import SyncAPI

/// The composed server: its store, its limits and its socket. The command `serve` and the tests start it in the same
/// way, in a group of services that ends it.
///
///     let app = ServerApp(settings, logger: logger) { url in print(url) }
///     let group = ServiceGroup(services: [app], logger: logger)
///     try await group.run()
public struct ServerApp: Service, CustomStringConvertible {
    /// The name of the service in the log, without the settings: the address of the store may contain a password.
    public var description: String { "ServerApp" }

    /// Time to wait for the database at the end.
    static let closing = Duration.seconds(2)

    private let settings: ServeSettings
    private let certificate: ServerCertificate?
    private let logger: Logger
    private let notes: Logger.Metadata
    private let listening: @Sendable (_ url: String) -> Void
    private let terminal: (@Sendable (_ text: String) -> Void)?

    /// Creates a server that is not running yet.
    ///
    /// - Parameters:
    ///   - certificate: The certificate that the settings name, if it may be reloaded; nil: it is read once.
    ///   - notes: Further metadata of the message that the server has started.
    ///   - terminal: Shows a text to the person who started the server: the first invitation, which is a secret. Nil: the
    ///     invitation is written to the file `first-invitation` of the data directory instead.
    ///   - listening: Called once the server listens, with its address, for example `http://127.0.0.1:8280`.
    public init(
        _ settings: ServeSettings, certificate: ServerCertificate? = nil, logger: Logger, notes: Logger.Metadata = [:],
        terminal: (@Sendable (_ text: String) -> Void)? = nil,
        listening: @escaping @Sendable (_ url: String) -> Void
    ) {
        self.settings = settings
        self.certificate = certificate
        (self.logger, self.notes) = (logger, notes)
        (self.listening, self.terminal) = (listening, terminal)
    }

    /// Opens the data and serves until a graceful shutdown.
    ///
    /// - Throws: The error of the data or the address.
    public func run() async throws {
        // Before the data: a server without its certificate doesn't start.
        let certificate = try certificate ?? settings.certificate(logger)
        let registry = settings.metrics.map { _ in PrometheusRegistry(prefix: Satcheld.name) }
        let store = try await settings.store.open(metrics: registry)
        if let copy = store.copyBeforeUpgrade {
            logger.notice("kept a copy of the database from before its upgrade", metadata: ["file": "\(copy.path)"])
        }
        if store.hasChangedTables {
            let downgrade = try settings.store.kind().tools?.downgrade ?? "restore a backup from before the upgrade"
            logger.notice(
                "changed the tables of the database for this version; to go back to the former one, \(downgrade)")
        }
        if let mode = store.unverifiedMode {
            logger.warning(
                """
                the connection to the database isn't verified: someone on the network in between can read and change \
                everything; sslmode=verify-full in the address of the store prevents that
                """, metadata: ["sslmode": "\(mode)"])
        }
        if settings.isExposed {
            logger.warning(
                "plain http is accepted: others can read passwords and records on the network",
                metadata: ["host": "\(settings.host)"])
        }
        if settings.server.registration == .open, !settings.server.trustedProxies.isEmpty {
            logger.notice(
                "everyone who reaches the proxy may create an account; --registration invite requires an invite code")
        }
        try await checkMetricsAddress()
        let first = FirstInvitation(store: store, directory: settings.data, terminal: terminal, logger: logger)
        let invitation = settings.server.registration == .invite ? try await first.make() : nil
        let server = SyncServer(configuration: settings.server, store: store, metrics: registry, logger: logger)
        try await serve(server, certificate, metrics: registry, first) { port in
            started(server, port)
            if let invitation { first.show(invitation) }
        }
        // Limited, since a long read may occupy the database, and the process must end within 10 s.
        if try await store.shutDown(within: Self.closing) {
            logger.info("stopped")
        } else {
            logger.warning("stopped before the database was closed; the next start recovers it, nothing is lost")
        }
    }

    /// Serves on both addresses until a graceful shutdown, or until one of them fails.
    private func serve(
        _ server: SyncServer, _ certificate: ServerCertificate?, metrics registry: PrometheusRegistry?,
        _ invitation: FirstInvitation,
        started: @escaping @Sendable (_ port: Int) -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                await invitation.watch()
                return false
            }
            group.addTask {
                do {
                    try await buildServer(server, at: settings.listening, certificate: certificate) { started($0) }
                        .run()
                } catch {
                    throw ListeningError(error, at: settings.listening) ?? error
                }
                return true
            }
            if let registry, let address = settings.metrics {
                group.addTask {
                    try await serve(registry, of: server, on: address)
                    return false
                }
            }
            // A reader of the metrics must not delay the end of the server.
            while let isServer = try await group.next() {
                if isServer { group.cancelAll() }
            }
        }
    }

    /// Checks that the server of the metrics can listen. It begins together with the server itself, which would have
    /// announced its own address before the failure.
    private func checkMetricsAddress() async throws {
        guard let address = settings.metrics else { return }
        do { try await checkListening(host: address.host, port: address.port) } catch {
            throw failure(error, of: address)
        }
    }

    private func failure(_ error: any Error, of address: MetricsAddress) -> any Error {
        ListeningError(
            error, at: .port(address.port, host: address.host), hostOption: .metricsAddress,
            portOption: .metricsAddress) ?? error
    }

    private func serve(_ registry: PrometheusRegistry, of server: SyncServer, on address: MetricsAddress) async throws {
        if address.isExposed {
            logger.warning(
                "other machines can read the metrics, without a password", metadata: ["address": "\(address.text)"])
        }
        do {
            try await buildMetricsServer(server, registry, host: address.host, port: address.port) { [logger] port in
                logger.info("serving metrics", metadata: ["host": "\(address.host)", "port": "\(port)"])
            }.run()
        } catch {
            // Cancelled when the server has ended.
            if Task.isCancelled { return }
            throw failure(error, of: address)
        }
    }

    private func started(_ server: SyncServer, _ port: Int) {
        listening(settings.url(port: port))
        var facts: Logger.Metadata = [
            settings.store.isSQLite ? "data" : "store":
                "\(settings.store.isSQLite ? settings.data.path : settings.store.shown)",
            "port": "\(port)", "version": "\(Release.version)",
            "connections": "\(server.connectionTotal)", "descriptors": "\(DescriptorLimit.current)",
        ]
        if case .unixSocket(let path, _) = settings.listening { facts["socket"] = "\(path)" }
        logger.info("started", metadata: facts.merging(notes) { $1 })
        if let wanted = settings.server.connections.total, wanted > server.connectionTotal {
            logger.warning(
                "the limit of open files allows fewer connections than maxConnections",
                metadata: ["maxConnections": "\(wanted)", "connections": "\(server.connectionTotal)"])
        }
    }
}

/// Ends the process some time after SIGTERM or SIGINT, even if requests are still running.
///
/// It uses neither a task nor the cooperative pool: long requests can occupy all threads of the pool, and the graceful
/// shutdown waits for them.
enum LastDeadline {
    /// Time from SIGTERM or SIGINT to the end of the process, even if requests are still running. It is less than the
    /// promised 10 s, and more than the 6 s that requests have to finish (`ConnectionRules`) and `ServerApp.closing`
    /// together.
    static let delay = DispatchTimeInterval.milliseconds(9_500)

    /// Waits for the signals from now on. Call it once, after the handlers of the graceful shutdown are installed.
    /// Earlier, only this would receive a signal. The process exits with status 0.
    static func start(logger: Logger) {
        let queue = DispatchQueue(label: "satcheld.deadline")
        for number in [SIGTERM, SIGINT] {
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                // The handler keeps the source alive: a source that is released is cancelled.
                withExtendedLifetime(source) {
                    queue.asyncAfter(deadline: .now() + delay) {
                        logger.error(
                            """
                            stopped while requests were still running; the next start recovers the database, nothing that \
                            was committed is lost
                            """)
                        // `exit` would run handlers concurrently with the threads of those requests.
                        _exit(0)
                    }
                }
            }
            source.activate()
        }
    }
}

/// The error for a server that can't listen, with a message for the person who starts it.
struct ListeningError: Error, CustomStringConvertible {
    let description: String

    /// Creates the message of an error; nil if it isn't an error of listening, or has its own message.
    ///
    /// - Parameters:
    ///   - hostOption: The setting that names the host.
    ///   - portOption: The setting that names the port.
    init?(
        _ error: any Error, at address: ListeningAddress, hostOption: Setting = .host, portOption: Setting = .port
    ) {
        let (hostFlag, portFlag) = ("--\(hostOption.flag)", "--\(portOption.flag)")
        switch (error, address) {
        case (let error as SocketAddressError.UnknownHost, .port(_, let host)):
            description =
                "the host \(host) can't be resolved (\(error.errorDescription)); name an address with \(hostFlag)"
        case (let error as IOError, .port(let port, let host)):
            description =
                switch error.errnoCode {
                case EADDRINUSE: "port \(port) on \(host) is in use; choose another one with \(portFlag)"
                case EADDRNOTAVAIL: "\(host) is not an address of this machine; choose another one with \(hostFlag)"
                case EACCES: "port \(port) needs root; choose one from 1024 upwards with \(portFlag)"
                default: "can't listen on port \(port) of \(host): \(SystemError.text(error.errnoCode))"
                }
        case (let error as IOError, .unixSocket(let path, _)):
            description = "\(UnixSocketError.unusable(path: path, reason: SystemError.text(error.errnoCode)))"
        default: return nil
        }
    }
}
