public import ArgumentParser
internal import Foundation
internal import Manual
internal import ServerCore

/// The command line of the server: `satcheld serve`, `backup`, `restore`.
public struct Satcheld: AsyncParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "satcheld", abstract: "Keeps tasks and notes in sync between devices.",
        discussion: """
            Shell completion: satcheld --generate-completion-script bash (or zsh, fish).
            """,
        version: Release.version, subcommands: [Serve.self, Backup.self, Restore.self], defaultSubcommand: Serve.self
    )

    /// The exit code for a wrong command line, the same as satchel's.
    private static let usageStatus: Int32 = 2

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
            guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
            FileHandle.standardError.write(Data((fullMessage(for: error) + "\n").utf8))
            Foundation.exit(usageStatus)
        }
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
