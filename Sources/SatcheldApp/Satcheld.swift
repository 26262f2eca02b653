public import ArgumentParser
internal import Foundation
internal import Logging
internal import Manual
internal import PrivateFiles
internal import SQLiteServerStore
internal import ServerCore
internal import ServiceLifecycle
internal import UnixSignals

/// The command line of the server: `satcheld serve`, `invite`, `backup`, `restore`, `migrate-store`, and the owner's commands
/// (`Administration`).
public struct Satcheld: AsyncParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: name, abstract: "Keeps tasks and notes in sync between devices.",
        discussion: """
            Shell completion: satcheld --generate-completion-script bash (or zsh, fish).
            """,
        version: Release.version,
        subcommands: [
            Serve.self, Invite.self, Backup.self, Restore.self, MigrateStore.self, User.self, Device.self, Stats.self,
            Check.self, Config.self,
        ], defaultSubcommand: Serve.self
    )

    /// The name of the program, also the prefix of its metrics.
    static let name = "satcheld"

    /// The exit code for a wrong command line, the same as satchel's.
    fileprivate static let usageStatus: Int32 = 2

    /// Runs the command of this process. A wrong command line ends the process with status 2.
    public static func main() async {
        do {
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            // ArgumentParser would exit with 64 (EX_USAGE).
            guard exitCode(for: error) == .validationFailure else { exit(after: error) }
            StandardError.write(fullMessage(for: error) + "\n")
            Foundation.exit(usageStatus)
        }
    }

    /// Ends the process after a request for help, the version or the man page, or after the error of a command.
    private static func exit(after error: any Error) -> Never {
        guard exitCode(for: error).isSuccess else { exit(withError: error) }
        // Not by the parser, which ignores that the output can't be written.
        do { try PrivateFile.write((fullMessage(for: error) + "\n").utf8, to: STDOUT_FILENO, "/dev/stdout") } catch {
            StandardError.write("satcheld: the output can't be written: \(error.reason)\n")
            Foundation.exit(1)
        }
        Foundation.exit(0)
    }

    @Flag(help: "Print the man page, satcheld(8).")
    var man = false

    public init() {}

    public func validate() throws {
        guard man else { return }
        // ArgumentParser's only description of a command line for tools, see `CommandHelp`.
        throw CleanExit.message(ManPage.page(of: try CommandHelp(dump: Self._dumpHelp())).roff)
    }
}

/// The command `satcheld serve`.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs the server until SIGTERM or SIGINT.",
        discussion: """
            On SIGTERM or SIGINT, the server accepts no more connections, finishes the requests under way, and exits \
            within 10 seconds. On SIGHUP, it reads the certificate and the key for TLS again; restart it to change a setting.

            A flag takes precedence over its environment variable (\(Setting.allCases.map(\.variable).joined(separator: ", "))), \
            the variable over the configuration file (a JSON object with the members \
            \(Setting.allCases.map(\.rawValue).joined(separator: ", "))), and the file over the default.
            """)

    @OptionGroup var flags: ServeFlags

    func run() async throws {
        try await explained { try await serve(ServeSettings(flags)) }
    }

    private func serve(_ settings: ServeSettings) async throws {
        // The data is readable by this user only, whatever the directory's mode was before.
        umask(0o077)
        // SIGHUP (a closed terminal or a `reload`) does not stop the server: the settings are read only at start. With
        // TLS, `CertificateReload` replaces this.
        signal(SIGHUP, SIG_IGN)
        LoggingSystem.bootstrap { _ in settings.logFormat.handler(level: settings.logLevel) }
        let logger = Logger(label: "satcheld")
        // Before the event loops start: `M_ARENA_MAX` doesn't remove heaps that exist already.
        Allocator.returnFreedMemory()
        let before = DescriptorLimit.current
        // Before the server is created, which derives its number of connections from the limit.
        _ = DescriptorLimit.raise()
        let certificate = try settings.certificate(logger)
        let app = ServerApp(
            settings, certificate: certificate, logger: logger, notes: ["descriptorsBefore": "\(before)"],
            terminal: Self.terminal
        ) { url in
            LastDeadline.start(logger: logger)
            // A script reads this line to learn the port, so it must not wait in a buffer.
            print("satcheld: listening on \(url)")
            fflush(nil)
        }
        let group = ServiceGroup(
            configuration: .init(
                services: [app] + reload(of: certificate, logger), gracefulShutdownSignals: [.sigterm, .sigint],
                logger: logger))
        try await group.run()
    }

    private func reload(of certificate: ServerCertificate?, _ logger: Logger) -> [any Service] {
        certificate.map { [CertificateReload(certificate: $0, logger: logger)] } ?? []
    }

    /// Shows a text to a person; nil if the standard error, to which the server logs, is no terminal.
    private static var terminal: (@Sendable (_ text: String) -> Void)? {
        guard isatty(STDERR_FILENO) == 1 else { return nil }
        return { text in StandardError.write(text + "\n") }
    }
}

/// The flags of `serve`. Each setting may also come from another source, see `ServeSettings`.
struct ServeFlags: ParsableArguments {
    @Option(help: ArgumentHelp(Setting.host))
    var host: String?

    @Option(help: ArgumentHelp(Setting.port))
    var port: Int?

    @Option(help: ArgumentHelp(Setting.socket), completion: .file())
    var socket: String?

    @Option(help: ArgumentHelp(Setting.socketMode))
    var socketMode: String?

    @Option(help: ArgumentHelp(Setting.tlsCertificate), completion: .file())
    var tlsCertificate: String?

    @Option(help: ArgumentHelp(Setting.tlsKey), completion: .file())
    var tlsKey: String?

    @Flag(name: .customLong(Setting.insecureHTTP.flag), help: ArgumentHelp(Setting.insecureHTTP))
    var insecureHTTP = false

    @OptionGroup var data: DataFlags

    @Option(help: ArgumentHelp(Setting.storeConnections))
    var storeConnections: Int?

    @Option(help: ArgumentHelp(Setting.logLevel))
    var logLevel: String?

    @Option(help: ArgumentHelp(Setting.logFormat))
    var logFormat: String?

    @Option(help: ArgumentHelp(Setting.metricsAddress))
    var metricsAddress: String?

    @Option(help: ArgumentHelp(Setting.registration))
    var registration: String?

    @Option(help: ArgumentHelp(Setting.passwordMemory))
    var passwordMemory: Int?

    @Option(name: .customLong(Setting.trustedProxies.flag), help: ArgumentHelp(Setting.trustedProxies))
    var trustedProxies: [String] = []

    @Option(help: ArgumentHelp(Setting.maxConnections))
    var maxConnections: Int?

    @Option(help: ArgumentHelp(Setting.maxConnectionsPerAddress))
    var maxConnectionsPerAddress: Int?

    @Option(help: ArgumentHelp(Setting.tombstoneRetention))
    var tombstoneRetention: Int?

    @Option(help: ArgumentHelp(Setting.revisions))
    var revisions: Int?

    @Option(help: ArgumentHelp(Setting.quotaRecords))
    var quotaRecords: String?

    @Option(help: ArgumentHelp(Setting.quotaBytes))
    var quotaBytes: String?

    @Option(help: ArgumentHelp(Setting.quotaDevices))
    var quotaDevices: String?

    @Option(help: ArgumentHelp(Setting.quotaStreams))
    var quotaStreams: String?
}

extension ArgumentHelp {
    /// Creates the help of a setting's flag.
    fileprivate init(_ setting: Setting) {
        self.init(stringLiteral: setting.help + (setting.isList ? " Repeat the flag for several values." : ""))
    }
}

/// The command `satcheld backup`.
struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes all data to a file. The server may be running.",
        discussion: """
            The file contains a consistent state of all data. It is checked after it is written, and only its owner can \
            read it (mode 0600). It contains everything that the server stores, so protect it like the server.

            The exit code is 0 if the backup was written, 1 if it failed, and 2 if the command line is wrong.
            """)

    @Argument(help: "The file to write.")
    var file: String

    @Flag(help: "Replace the file if it exists.")
    var force = false

    @OptionGroup var data: DataFlags

    func run() async throws {
        try await explained {
            try await checkHasFiles(data, instead: \.backup)
            let file = URL(filePath: file)
            let report = try SQLiteServerStore.backup(
                directory: try await ServeSettings.data(data), files: .satcheld, to: file, replacing: force)
            print("satcheld: wrote \(file.path): \(report)")
        }
    }
}

/// The command `satcheld restore`.
struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Replaces the data with a backup. Neither the server nor a command of the owner may be running.",
        discussion: """
            The previous database is kept in the same directory under another name. Devices detect the restore at their \
            next sync, and send the server what the backup lacks.

            Passwords, signed-in devices, app passwords, invitations and disabled accounts stay those of the previous \
            database, so that a device that was signed out since the backup stays signed out. What the restore brings \
            back nevertheless is printed.

            If you copied a data directory back by hand, restore its own satchel.sqlite to mark it as restored.

            With PostgreSQL, run satcheld restore --mark after pg_restore, and after a base backup or a snapshot of its disk \
            was started without recovery, before servers start. The former database is gone, so nothing can be compared: all \
            devices are signed out and all app passwords revoked, since the backup brings back those that were signed out or \
            revoked since; --backup-access keeps them. Passwords, invitations and disabled accounts are as in the backup.

            The exit code is 0 if the backup was restored. It is 1 if the restore failed (then nothing was changed), \
            and 2 if the command line is wrong.
            """)

    @Argument(help: "A file written by satcheld backup.")
    var file: String?

    @Flag(
        help: """
            Mark a PostgreSQL database as restored, after pg_restore, or after a copy of its files was started without \
            recovery: devices detect the restore at their next sync, and sign in again. A recovery to a point in time and a \
            promoted standby are marked automatically, and sign no device out.
            """)
    var mark = false

    @Flag(
        help: """
            Take passwords, devices, app passwords, invitations and limits from the backup, too: devices that were \
            signed out since can sync again, and former passwords are valid again.
            """)
    var backupAccess = false

    @OptionGroup var data: DataFlags

    func validate() throws {
        guard file == nil || !mark else {
            throw ValidationError(
                "a backup and --mark exclude each other: name the backup alone to restore a data directory, or use "
                    + "--mark alone for a PostgreSQL database into which pg_restore has loaded a backup")
        }
        guard file != nil || mark else {
            throw ValidationError("name the backup to restore, or --mark for a PostgreSQL database")
        }
    }

    func run() async throws {
        try await explained {
            guard let path = file else { return try await markRestored() }
            try await checkHasFiles(data, instead: \.restore)
            // The files of the data directory are readable by this user only, as those of `serve`.
            umask(0o077)
            let (file, directory) = (URL(filePath: path), try await ServeSettings.data(data))
            let report = try SQLiteServerStore.restore(
                file, to: directory, files: .satcheld, access: backupAccess ? .backup : .previous,
                now: Int64(Date().timeIntervalSince1970 * 1_000), owner: Operator.name)
            print("satcheld: restored \(file.path) to \(directory.path): \(report.restored)")
            if let aside = report.putAside { print("satcheld: the previous database is \(aside.path)") }
            for line in report.access.lines { print("satcheld: \(line)") }
        }
    }
}

/// Refuses a command on the files of the data directory if another store is in use.
///
/// - Parameter instead: Returns the tool of that store to use instead.
private func checkHasFiles(_ data: DataFlags, instead: (StoreKind.DatabaseTools) -> String) async throws {
    let store = try await ServeSettings.store(data)
    guard let tools = try store.kind().tools else { return }
    throw SettingsError("the store is \(store.shown), which this command can't read: use \(instead(tools))")
}

/// The flags for the place of the data, for every command.
struct DataFlags: ParsableArguments {
    @Option(name: .customLong(Setting.data.flag), help: ArgumentHelp(Setting.data))
    var directory: String?

    @Option(help: ArgumentHelp(Setting.store))
    var store: String?

    @Option(name: .customLong("config"), help: "A configuration file.")
    var configurationFile: String?
}

extension StoreFiles {
    /// The names of Satchel's files in the data directory.
    static let satcheld = StoreFiles(
        database: "satchel.sqlite", lock: "satcheld.lock", reserve: "satchel.reserve",
        others: [FirstInvitation.fileName])
}

/// Runs a command. An error is printed, and the process ends with exit code 1, or 2 for a wrong command line.
func explained(_ command: () async throws -> Void) async throws {
    do {
        try await command()
    } catch {
        StandardError.write("satcheld: \(error)\n")
        // ArgumentParser prints any other error a second time.
        throw error is CommandLineError ? ExitCode(Satcheld.usageStatus) : ExitCode.failure
    }
}
