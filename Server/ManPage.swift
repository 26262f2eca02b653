import Manual
import ServerCore

/// satcheld(8), made of what `--help` shows and of the settings.
enum ManPage {
    /// The day that the server's version is of: ISO 8601.
    private static let day = "2026-11-21"

    /// The page.
    ///
    /// - Parameter process: what the process takes.
    static func page(of process: CommandHelp) -> Manual {
        let commands = process.commands.map { $0.commandName }.joined(separator: "|")
        return Manual(
            name: process.commandName, part: 8, summary: "keeps tasks and notes in sync between devices",
            version: SyncServer.version, day: day,
            sections: [
                Manual.Section("Synopsis", [.text("`\(process.commandName)` [\(commands)] [OPTION …]")]),
                Manual.Section("Description", [.text(description)]),
                Manual.Section("Options", [.terms(process.options.map(\.term))]),
                Manual.Section("Commands", process.commands.flatMap(blocks)),
                Manual.Section("Examples", [.terms(examples)]),
                Manual.Section(
                    "Exit status",
                    [
                        .terms([
                            .init("0", "It was stopped, or is done."),
                            .init("1", "Something went wrong; the message says what."),
                            .init("2", "The command isn't understood."),
                        ])
                    ]),
                Manual.Section(
                    "Environment",
                    [
                        .text("A flag goes before its variable."),
                        .terms(ServeSettings.variables.map { .init($0.name, $0.meaning) }),
                    ]),
                Manual.Section("Files", [.terms(files)]),
                Manual.Section("See also", [.text("satchel(1), systemd.service(5)")]),
            ])
    }

    private static let description = """
        The server of Satchel: one process with SQLite inside. It speaks HTTP and should stay on loopback behind a proxy that \
        does TLS. Without a command it serves.
        """

    private static let examples = [
        Manual.Term("satcheld serve --port 8280 --data /var/lib/satcheld", "Run the server."),
        Manual.Term("satcheld serve --config /etc/satcheld.json", "With its settings in a file."),
        Manual.Term(
            "satcheld backup /backups/satchel-monday --data /var/lib/satcheld",
            "Write all data into a file, while it runs."),
        Manual.Term(
            "satcheld restore /backups/satchel-monday --data /var/lib/satcheld", "Put them back; stop the server first."
        ),
        Manual.Term(
            "satcheld --generate-completion-script bash",
            "Print what makes a shell complete its commands; also zsh, fish."),
    ]

    private static let files = [
        Manual.Term("~/.local/state/satcheld", "The data, by default."),
        Manual.Term("satchel.sqlite", "In it: everything that is stored."),
        Manual.Term("satchel.reserve", "In that directory: space reserved for deletions when the disk is full."),
    ]

    private static func blocks(of command: CommandHelp) -> [Manual.Block] {
        let usage = (["`\(command.commandName)`"] + command.options.map(\.usage) + command.positions.map(\.usage))
            .joined(separator: " ")
        return [.heading(command.commandName), .text(usage)]
            + [command.abstract, command.discussion].compactMap { $0.map(Manual.Block.text) }
            + [.terms((command.positions + command.options).map(\.term))]
    }
}
