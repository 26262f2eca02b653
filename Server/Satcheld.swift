import ArgumentParser
import Manual
import ServerCore

/// The process: `satcheld serve`, `backup`, `restore`.
@main
struct Satcheld: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "satcheld", abstract: "Keeps tasks and notes in sync between devices.",
        discussion: """
            For Tab in a shell: satcheld --generate-completion-script bash (or zsh, fish).
            """,
        version: SyncServer.version, subcommands: [Serve.self, Backup.self, Restore.self], defaultSubcommand: Serve.self
    )

    @Flag(help: "Print the man page, satcheld(8).")
    var man = false

    func validate() throws {
        guard man else { return }
        throw CleanExit.message(ManPage.page(of: try CommandHelp(dump: Self._dumpHelp())).roff)
    }
}
