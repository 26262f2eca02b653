import ArgumentParser
import ControllerKit
import Controllers
import Foundation
import LineView
import LocalStore

/// The process: a REPL, one command, a script from a pipe, or a JSON-lines peer, all over the same controllers.
@main
struct Satchel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "satchel", abstract: "Tasks and notes in the terminal, on every machine.",
        usage: "satchel [--home DIR] [--view \(Medium.allValueStrings.joined(separator: "|"))] [COMMAND …]",
        discussion: """
            Without a command it reads commands from the terminal, or from a pipe. `satchel help` lists the commands, \
            `satchel help COMMAND` explains one.
            """,
        version: Version.number)

    @Option(help: "The directory of the cache and the session; else SATCHEL_HOME, else in XDG_DATA_HOME.")
    var home: String?

    @Option(help: "How to talk: \(Medium.all.map { "\($0.name), \($0.purpose)" }.joined(separator: "; ")).")
    var view = Medium.line

    @Option(help: "Certificates to trust in place of the system's, in PEM; else SATCHEL_CA_FILE.")
    var caFile: String?

    @ArgumentParser.Argument(parsing: .captureForPassthrough, help: "A command and its words.")
    var words: [String] = []

    func validate() throws {
        // What is passed through takes the parser's own flags along.
        switch words.first {
        case "--help", "-h": throw CleanExit.helpRequest(self)
        case "--version": throw CleanExit.message(Version.number)
        default: break
        }
        if !view.takesCommand, !words.isEmpty {
            throw ValidationError("--view \(view.name) takes its commands from the input.")
        }
    }

    /// As usual, save that a wrong flag ends with the status of a wrong command.
    static func main() async {
        // A reader that goes away is an error of the write and no end by a signal. It is handled by doing nothing, not
        // ignored: what is ignored stays ignored in a pager or an editor (execve(2)).
        signal(SIGPIPE) { _ in }
        do {
            try await parse().run()
        } catch {
            guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
            FileHandle.standardError.write(Data((fullMessage(for: error) + "\n").utf8))
            Foundation.exit(CommandStatus.usage.rawValue)
        }
    }

    @MainActor
    func run() async throws {
        let terminal = SystemTerminal(
            environment: ProcessInfo.processInfo.environment, history: configuration.home.history)
        let status = await status(on: terminal)
        if status != .ok { throw ExitCode(status.rawValue) }
    }

    @MainActor
    private func status(on terminal: SystemTerminal) async -> CommandStatus {
        do {
            let services = try await buildClient(configuration)
            let conversation = Conversation(
                catalog: try Catalog.standard(services),
                offers: { await services.offers(for: $0, beginning: $1) }, terminal: terminal, words: words)
            return try await view.converse(conversation)
        } catch {
            let failure = Failure(error)
            try? await terminal.write(failure.message + "\n", to: .messages)
            return CommandStatus(failure.category)
        }
    }

    private var configuration: ClientConfiguration {
        let environment = ProcessInfo.processInfo.environment
        return ClientConfiguration(
            home: .resolve(option: home, environment: environment),
            certificates: caFile ?? environment["SATCHEL_CA_FILE"], terminal: TerminalName.current,
            deviceName: ProcessInfo.processInfo.hostName)
    }
}
