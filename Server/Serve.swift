import ArgumentParser
import Foundation
import Logging
import SQLiteServerStore
import ServerCore

/// `satcheld serve`: the composition root.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs the server until SIGTERM or SIGINT.",
        discussion: """
            On SIGTERM or SIGINT, the server accepts no more connections, finishes the requests under way, and exits \
            within 10 seconds. It ignores SIGHUP; restart it to change a setting.

            A flag takes precedence over its environment variable (\(ServeSettings.variables.map(\.name).joined(separator: ", "))), \
            the variable over the configuration file (a JSON object with the members \
            \(ServeSettings.variables.map(\.member).joined(separator: ", "))), and the file over the default.
            """)

    /// How long to wait for the database at the end.
    private static let closing = Duration.seconds(2)
    /// How many seconds after SIGTERM or SIGINT the process ends even if requests are still running. Less than the 10 s that
    /// are promised, and more than the 6 s that requests have to finish (`ConnectionRules`) and `closing` together.
    private static let lastDeadline: TimeInterval = 9.5

    @OptionGroup var flags: ServeFlags

    func run() async throws {
        try await explained { try await serve(ServeSettings(flags)) }
    }

    private func serve(_ settings: ServeSettings) async throws {
        // The data are readable by this user only, whatever the directory's mode was before.
        umask(0o077)
        // SIGHUP (a closed terminal or a `reload`) does not stop the server: the settings are read only at start.
        signal(SIGHUP, SIG_IGN)
        LoggingSystem.bootstrap { _ in LogfmtHandler(level: settings.logLevel) }
        let logger = Logger(label: "satcheld")
        Allocator.returnFreedMemory()
        let (before, descriptors) = (DescriptorLimit.current, DescriptorLimit.raise())
        let store = try await SQLiteServerStore.open(directory: settings.data)
        if settings.isExposed {
            logger.warning(
                "plain http is accepted: others can read passwords and records on the network",
                metadata: ["host": "\(settings.host)"])
        }
        let server = SyncServer(configuration: settings.server, store: store, logger: logger)
        do {
            try await server.run(host: settings.host, port: settings.port) { port in
                LastDeadline.start(seconds: Self.lastDeadline, logger: logger)
                // A script reads this line to learn the port, so it must not wait in a buffer.
                print("satcheld: listening on http://\(settings.address):\(port)")
                fflush(nil)
                logger.info(
                    "started",
                    metadata: [
                        "data": "\(settings.data.path)", "port": "\(port)", "version": "\(SyncServer.version)",
                        "connections": "\(server.connectionTotal)", "descriptors": "\(descriptors)",
                        "descriptorsBefore": "\(before)",
                    ])
                if let wanted = settings.server.connections.total, wanted > server.connectionTotal {
                    logger.warning(
                        "the limit of open files allows fewer connections than maxConnections",
                        metadata: ["maxConnections": "\(wanted)", "connections": "\(server.connectionTotal)"])
                }
            }
        } catch {
            throw ListeningError(error, host: settings.host, port: settings.port) ?? error
        }
        if try await store.shutDown(within: Self.closing) {
            logger.info("stopped")
        } else {
            logger.warning("stopped before the database was closed; the next start recovers it, nothing is lost")
        }
    }
}

/// The flags of `serve`; each may also come from elsewhere, see `ServeSettings`.
struct ServeFlags: ParsableArguments {
    @Option(help: "Address to listen on (default: 127.0.0.1).")
    var host: String?

    @Option(help: "Port to listen on; 0 chooses a free one (default: 8280).")
    var port: Int?

    @Flag(
        name: .customLong("insecure-http"),
        help: "Listen on an address that other machines can reach, without encryption.")
    var insecureHTTP = false

    @OptionGroup var data: DataFlags

    @Option(help: "Log level: trace, debug, info, notice, warning, error or critical (default: info).")
    var logLevel: String?

    @Option(help: "Who may create an account: open, invite or closed (default: open).")
    var registration: String?

    @Option(name: .customLong("invite"), help: "Invitation code for `register`; may be repeated.")
    var invites: [String] = []

    @Option(
        name: .customLong("trusted-proxy"),
        help: "Address of a trusted reverse proxy (its X-Forwarded-For is used); may be repeated.")
    var trustedProxies: [String] = []

    @Option(
        help: """
            Maximum number of open connections; event streams may be half of them (default: what the limit of open \
            files allows, at most \(ConnectionLimits.mostByDefault)).
            """)
    var maxConnections: Int?

    @Option(
        help: """
            Maximum number of connections of one address (of IPv6, one /64), event streams not counted; loopback and \
            trusted proxies are exempt (default: 64).
            """)
    var maxConnectionsPerAddress: Int?

    @Option(help: "Number of days for which deletions are remembered (default: 90).")
    var tombstoneRetention: Int?

    @Option(help: "Number of earlier states kept of each record; 0 for none (default: 20).")
    var revisions: Int?
}
