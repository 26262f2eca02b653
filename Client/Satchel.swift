import ArgumentParser
import ControllerKit
import Foundation
import Manual
import SatchelApp
import SatchelScreens
import Terminal

/// The process: a prompt, one command, a script from a pipe, or another front end, with the same controllers.
@main
struct Satchel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "satchel", abstract: "Tasks and notes in the terminal, on every machine.",
        usage: "satchel [--home DIR] [--view \(ViewOption.allValueStrings.joined(separator: "|"))] [COMMAND …]",
        discussion: """
            Without a command, satchel reads commands from the terminal or from a pipe. `satchel help` shows examples and \
            all commands, `satchel help COMMAND` describes one.
            """,
        version: Program.satchel.version)

    @Option(help: "Directory of the cache and the session (default: $SATCHEL_HOME, else satchel in $XDG_DATA_HOME).")
    var home: String?

    @Option(
        help: "Interface: \(ClientApp.views.map { "\($0.type.name), \($0.type.purpose)" }.joined(separator: "; ")).")
    var view = ViewOption.usual

    @Option(help: "File with certificates to trust instead of the system's, in PEM (default: $SATCHEL_CA_FILE).")
    var caFile: String?

    @Flag(help: "With --view mcp: let assistants change records, too.")
    var write = false

    @Flag(help: "Print the man page, satchel(1).")
    var man = false

    @Flag(help: ArgumentHelp("Send unsent edits, then exit.", visibility: .hidden))
    var backgroundSync = false

    @ArgumentParser.Argument(parsing: .captureForPassthrough, help: "A command and its arguments.")
    var words: [String] = []

    func validate() throws {
        // The passed-through words include the parser's own flags.
        switch words.first {
        case "--help", "-h": throw CleanExit.helpRequest(self)
        case "--version": throw CleanExit.message(Program.satchel.version)
        default: break
        }
        if home?.isEmpty == true { throw ValidationError("--home is empty; name a directory.") }
        if !view.view.type.ownsCommand, !words.isEmpty {
            throw ValidationError("--view \(view.view.type.name) reads its commands from the standard input.")
        }
        if write, !view.view.type.isForAssistants {
            throw ValidationError("--view \(view.view.type.name) may always write; --write is for --view mcp.")
        }
    }

    /// Runs the process. A wrong option ends it with the same status as a wrong command.
    static func main() async {
        // A closed output is an error of the write; the signal must not end the process. It is handled and not ignored,
        // since a pager or an editor would inherit an ignored signal (execve(2)).
        signal(SIGPIPE) { _ in }
        // Before the command line is parsed, which an incomplete line of a shell isn't.
        if let answer = ShellAnswer(CommandLine.arguments.dropFirst()) { return await complete(answer) }
        do {
            // Swift replaces invalid UTF-8 in arguments, so the bytes are checked.
            try RawArguments.ofProcess.check()
            try await parse().run()
        } catch let failure as any PersonFacing {
            printError(failure.message)
            Foundation.exit(CommandStatus(failure.category).rawValue)
        } catch {
            guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
            printError(fullMessage(for: error))
            Foundation.exit(CommandStatus.usage.rawValue)
        }
    }

    private static func printError(_ message: String) {
        // If the standard error is closed, the failure can't be reported; the status of the process says it.
        try? FileHandle.standardError.write(contentsOf: Data((message + "\n").utf8))
    }

    /// Prints the completions of the last word of a shell's line. Errors are ignored: a message would disturb the line.
    @MainActor
    private static func complete(_ answer: ShellAnswer) async {
        guard let lines = try? await answer.lines(of: help, environment: ProcessInfo.processInfo.environment) else {
            return
        }
        // A shell that has closed the pipe needs no answer.
        try? FileHandle.standardOutput.write(contentsOf: Data(lines.map { $0 + "\n" }.joined().utf8))
    }

    @MainActor
    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        var configuration = ClientConfiguration(home: home, certificates: caFile, environment: environment)
        configuration.mayWrite = write
        if man {
            let terminal = configuration.systemTerminal(environment: environment)
            return try await terminal.write(ClientApp.manual(of: Self.help).roff, to: .data)
        }
        let status =
            backgroundSync
            ? await configuration.runInBackground(environment: environment)
            : await configuration.run(words, in: view.view, environment: environment)
        if status != .ok { throw ExitCode(status.rawValue) }
    }

    /// The description of the command line.
    static var help: CommandHelp {
        get throws { try CommandHelp(dump: _dumpHelp()) }
    }
}

/// The value of `--view`: the name of a front end.
struct ViewOption: ExpressibleByArgument {
    let view: ClientApp.View

    /// The default.
    static let usual = ViewOption(view: ClientApp.views[0])

    private init(view: ClientApp.View) { self.view = view }

    init?(argument: String) {
        guard let view = ClientApp.views.first(where: { $0.type.name == argument }) else { return nil }
        self.view = view
    }

    static var allValueStrings: [String] { ClientApp.views.map { $0.type.name } }
    var defaultValueDescription: String { view.type.name }
}
