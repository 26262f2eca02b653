import Manual
import ServerCore

/// The man page satcheld(8), made from the content of `--help` and the settings.
enum ManPage {
    /// Returns the page.
    ///
    /// - Parameter process: The description of the command line.
    static func page(of process: CommandHelp) -> Manual {
        Manual(
            name: process.commandName, part: 8, summary: "keeps tasks and notes in sync between devices",
            version: Release.version, day: Release.day,
            sections: [
                Manual.Section("Synopsis", [.text("`\(process.commandName)` [COMMAND] [OPTION …]")]),
                Manual.Section("Description", [.text(description)]),
                Manual.Section("Options", [.terms(process.options.map(\.term))]),
                Manual.Section("Commands", process.commands.flatMap { blocks(of: $0) }),
                Manual.Section("Examples", [.terms(examples)]),
                Manual.Section(
                    "Exit status",
                    [
                        .terms([
                            .init("0", "Stopped or finished without an error."),
                            .init("1", "Failed; the message says why."),
                            .init("2", "The command line is wrong."),
                        ])
                    ]),
                Manual.Section(
                    "Environment",
                    [
                        .text("A flag takes precedence over its variable."),
                        .terms(
                            Setting.allCases.map {
                                .init($0.variable, $0.help + ($0.isList ? " Separate several values by commas." : ""))
                            }),
                    ]),
                Manual.Section("Files", [.terms(files)]),
                Manual.Section("See also", [.text("satchel(1), systemd.service(5)")]),
            ])
    }

    private static let description = """
        The server of Satchel: one process with SQLite inside. It speaks HTTPS with a certificate (`--tls-certificate`), or \
        HTTP on loopback or on a Unix socket, behind a reverse proxy that does TLS. Without a command it runs `serve`.
        """

    private static let examples = [
        Manual.Term("satcheld serve --port 8280 --data /var/lib/satcheld", "Run the server."),
        Manual.Term("satcheld serve --config /etc/satcheld.json", "Run it with settings from a file."),
        Manual.Term(
            "satcheld serve --host 0.0.0.0 --tls-certificate fullchain.pem --tls-key privkey.pem",
            "Run it with TLS; SIGHUP reads a new certificate."),
        Manual.Term("satcheld serve --socket /run/satcheld/socket", "Run it on a Unix socket."),
        Manual.Term(
            "satcheld backup /backups/satchel-monday --data /var/lib/satcheld",
            "Write all data to a file while the server runs."),
        Manual.Term(
            "satcheld restore /backups/satchel-monday --data /var/lib/satcheld",
            "Restore the data; stop the server first."
        ),
        Manual.Term(
            "satcheld migrate-store --from sqlite:/var/lib/satcheld --to postgres://satchel@localhost/satchel",
            "Move all data to PostgreSQL; stop the server first."),
        Manual.Term("satcheld user list --data /var/lib/satcheld", "List all accounts with what they use."),
        Manual.Term(
            "satcheld user reset-password ada --data /var/lib/satcheld",
            "Print a one-time code for someone who has forgotten the password."),
        Manual.Term("satcheld user quota ada --bytes 5G", "Let an account store up to 5 GiB."),
        Manual.Term(
            "satcheld invite add --uses 3 --expires 2w --data /var/lib/satcheld",
            "Make an invitation for three accounts."),
        Manual.Term(
            "satcheld --generate-completion-script bash",
            "Print a completion script; also for zsh and fish."),
    ]

    private static let files = [
        Manual.Term("~/.local/state/satcheld", "The default data directory."),
        Manual.Term("satchel.sqlite", "The database in the data directory."),
        Manual.Term(
            "satchel.sqlite.before-upgrade-9",
            "A copy of the database from before an upgrade that changed its tables; here of schema 9."),
        Manual.Term(
            "satchel.reserve", "Space in the data directory that is reserved for deletions when the disk is full."),
    ]

    /// Returns the description of a command and of its subcommands.
    private static func blocks(of command: CommandHelp, after parent: String = "") -> [Manual.Block] {
        let name = parent + command.commandName
        if !command.commands.isEmpty {
            return [.heading(name)] + [command.abstract, command.discussion].compactMap { $0.map(Manual.Block.text) }
                + command.commands.flatMap { blocks(of: $0, after: name + " ") }
        }
        let usage = (["`\(name)`"] + command.options.map(\.usage) + command.positions.map(\.usage))
            .joined(separator: " ")
        return [.heading(name), .text(usage)]
            + [command.abstract, command.discussion].compactMap { $0.map(Manual.Block.text) }
            + [.terms((command.positions + command.options).map(\.term))]
    }
}
