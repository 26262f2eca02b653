import ArgumentParser
import ServerCore

/// The process: `satcheld serve`.
@main
struct Satcheld: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "satcheld", abstract: "Keeps tasks and notes in sync between devices.",
        version: SyncServer.version, subcommands: [Serve.self], defaultSubcommand: Serve.self)
}
