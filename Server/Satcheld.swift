import ArgumentParser
import ServerCore

/// The process: `satcheld serve`, `backup`, `restore`.
@main
struct Satcheld: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "satcheld", abstract: "Keeps tasks and notes in sync between devices.",
        version: SyncServer.version, subcommands: [Serve.self, Backup.self, Restore.self], defaultSubcommand: Serve.self
    )
}
