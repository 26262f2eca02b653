import ArgumentParser
import Foundation
import Hummingbird
import Logging
import SQLiteServerStore
import ServerCore

/// `satcheld serve`: the composition root.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs the server until SIGTERM or SIGINT.",
        discussion: """
            A flag goes before its environment variable (SATCHELD_HOST, SATCHELD_PORT, SATCHELD_DATA, \
            SATCHELD_LOG_LEVEL, SATCHELD_REGISTRATION, SATCHELD_INVITES, SATCHELD_TRUSTED_PROXIES), that before the \
            configuration file (a JSON object with the members host, port, data, logLevel, registration, invites, \
            trustedProxies), that before the default.
            """)

    @OptionGroup var flags: ServeFlags

    func run() async throws {
        do {
            try await serve(ServeSettings(flags))
        } catch {
            try Self.fail("\(error)")
        }
    }

    private func serve(_ settings: ServeSettings) async throws {
        // The data are for nobody else's eyes, whatever the directory's mode was before.
        umask(0o077)
        LoggingSystem.bootstrap { _ in LogfmtHandler(level: settings.logLevel) }
        let logger = Logger(label: "satcheld")
        let store = try await SQLiteServerStore.open(directory: settings.data)
        let server = SyncServer(configuration: settings.server, store: store, logger: logger)
        let application = buildServer(server, host: settings.host, port: settings.port) { port in
            // A script reads this line to learn the port, so it must not wait in a buffer.
            print("satcheld: listening on http://\(settings.address):\(port)")
            fflush(nil)
            logger.info(
                "started",
                metadata: [
                    "data": "\(settings.data.path)", "port": "\(port)", "version": "\(SyncServer.version)",
                ])
        }
        do {
            try await application.runService()
        } catch {
            throw ListeningError(error, host: settings.host, port: settings.port) ?? error
        }
        try await store.shutDown()
        logger.info("stopped")
    }

    /// Tells the person why the server doesn't run.
    private static func fail(_ message: String) throws -> Never {
        FileHandle.standardError.write(Data("satcheld: \(message)\n".utf8))
        throw ExitCode.failure
    }
}

/// The flags of `serve`; each may also come from elsewhere, see `ServeSettings`.
struct ServeFlags: ParsableArguments {
    @Option(help: "The address to listen on (default: 127.0.0.1).")
    var host: String?

    @Option(help: "The port to listen on; 0 for any that is free (default: 8280).")
    var port: Int?

    @Option(help: "The directory for the data (default: satcheld in $XDG_STATE_HOME or ~/.local/state).")
    var data: String?

    @Option(help: "trace, debug, info, notice, warning, error or critical (default: info).")
    var logLevel: String?

    @Option(help: "Who may make an account: open, invite or closed (default: open).")
    var registration: String?

    @Option(name: .customLong("invite"), help: "A code that lets somebody register; may be given several times.")
    var invites: [String] = []

    @Option(
        name: .customLong("trusted-proxy"),
        help: "The address of a proxy that is believed who asks it; may be given several times.")
    var trustedProxies: [String] = []

    @Option(name: .customLong("config"), help: "A configuration file.")
    var configurationFile: String?
}
