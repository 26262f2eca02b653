internal import Dispatch
internal import Foundation
public import Logging
internal import Manual
internal import NIOCore
internal import PrivateFiles
internal import SQLiteServerStore
internal import ServerCore
public import ServiceLifecycle
internal import SyncAPI

/// The composed server: its store, its limits and its socket. The command `serve` and the tests start it in the same
/// way, in a group of services that ends it.
///
///     let app = ServerApp(settings, logger: logger) { url in print(url) }
///     let group = ServiceGroup(services: [app], logger: logger)
///     try await group.run()
public struct ServerApp: Service {
    /// Time to wait for the database at the end.
    static let closing = Duration.seconds(2)

    private let settings: ServeSettings
    private let logger: Logger
    private let notes: Logger.Metadata
    private let listening: @Sendable (_ url: String) -> Void
    private let invited: @Sendable (_ advice: String) -> Void

    /// Creates a server that is not running yet.
    ///
    /// - Parameters:
    ///   - notes: Further metadata of the message that the server has started.
    ///   - listening: Called once the server listens, with its address, for example `http://127.0.0.1:8280`.
    ///   - invited: Called after `listening` with the first invitation for a person, its code included, if registration is
    ///     by invitation and there is neither an account nor an invitation.
    public init(
        _ settings: ServeSettings, logger: Logger, notes: Logger.Metadata = [:],
        listening: @escaping @Sendable (_ url: String) -> Void,
        invited: @escaping @Sendable (_ advice: String) -> Void = { _ in }
    ) {
        (self.settings, self.logger, self.notes) = (settings, logger, notes)
        (self.listening, self.invited) = (listening, invited)
    }

    /// Opens the data and serves until a graceful shutdown.
    ///
    /// - Throws: The error of the data or the address.
    public func run() async throws {
        let store = try await SQLiteServerStore.open(directory: settings.data, files: .satcheld)
        if settings.isExposed {
            logger.warning(
                "plain http is accepted: others can read passwords and records on the network",
                metadata: ["host": "\(settings.host)"])
        }
        if settings.server.registration == .open, !settings.server.trustedProxies.isEmpty {
            logger.notice(
                "everyone who reaches the proxy may create an account; --registration invite requires an invite code")
        }
        let invitation =
            settings.server.registration == .invite ? try await InviteService(store: store).addFirst() : nil
        let server = SyncServer(configuration: settings.server, store: store, logger: logger)
        do {
            let service = try buildServer(server, host: settings.host, port: settings.port) { port in
                started(server, port)
                if let invitation { invited(invitation.advice) }
            }
            try await service.run()
        } catch {
            throw ListeningError(error, host: settings.host, port: settings.port) ?? error
        }
        // Limited, since a long read may occupy the database, and the process must end within 10 s.
        if try await store.shutDown(within: Self.closing) {
            logger.info("stopped")
        } else {
            logger.warning("stopped before the database was closed; the next start recovers it, nothing is lost")
        }
    }

    private func started(_ server: SyncServer, _ port: Int) {
        listening("http://\(settings.address):\(port)")
        let facts: Logger.Metadata = [
            "data": "\(settings.data.path)", "port": "\(port)", "version": "\(Release.version)",
            "connections": "\(server.connectionTotal)", "descriptors": "\(DescriptorLimit.current)",
        ]
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

    /// Creates the message of an error; nil if it isn't an error of listening.
    init?(_ error: any Error, host: String, port: Int) {
        switch error {
        case let error as SocketAddressError.UnknownHost:
            description = "the host \(host) can't be resolved (\(error.errorDescription)); name an address with --host"
        case let error as IOError:
            description =
                switch error.errnoCode {
                case EADDRINUSE: "port \(port) on \(host) is in use; choose another one with --port"
                case EADDRNOTAVAIL: "\(host) is not an address of this machine; choose another one with --host"
                case EACCES: "port \(port) needs root; choose one from 1024 upwards with --port"
                default: "can't listen on port \(port) of \(host): \(SystemError.text(error.errnoCode))"
                }
        default: return nil
        }
    }
}
