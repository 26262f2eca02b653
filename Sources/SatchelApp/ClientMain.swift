internal import ArgumentParser
internal import CMalloc
internal import ControllerKit
internal import Foundation
internal import Manual
internal import PrivateFiles
internal import Terminal

/// The entry point of a client program. It parses the options of the process and runs a front end: a prompt, one
/// command, a script from a pipe, or another front end.
///
///     @main
///     struct Shelf: ClientMain {
///         static let client = ClientProgram(Program(name: "Shelf", command: "shelf", version: "1.0"))
///     }
public protocol ClientMain {
    /// The program.
    static var client: ClientProgram { get }
}

extension ClientMain {
    /// Runs the process, which exits with the status of its command.
    @MainActor
    public static func main() async { await ClientCommand<Self>.run() }
}

/// The command line of a client program.
struct ClientCommand<Main: ClientMain>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        let program = Main.client.program.command
        let views = ViewOption.allValueStrings.joined(separator: "|")
        return CommandConfiguration(
            commandName: program, abstract: Main.client.summary,
            usage: "\(program) [--home DIR] [--config FILE] [--view \(views)] [COMMAND …]",
            discussion: """
                Without a command, \(program) reads commands from the terminal or from a pipe. `\(program) help` shows \
                examples and all commands, `\(program) help COMMAND` describes one.
                """,
            version: Main.client.program.version)
    }

    @Option(help: ArgumentHelp(stringLiteral: helpOfHome))
    var home: String?

    @Option(help: ArgumentHelp(stringLiteral: helpOfSettings))
    var config: String?

    @Option(
        help: ArgumentHelp(
            stringLiteral: "Interface: "
                + Main.client.views.map { "\($0.type.name), \($0.type.purpose)" }.joined(separator: "; ") + "."))
    var view = ViewOption.usual

    @Option(help: ArgumentHelp(stringLiteral: helpOfCertificates))
    var caFile: String?

    @Flag(help: helpOfWrite)
    var write = false

    @Flag(help: "Don't run hooks; see `help hooks`.")
    var noHooks = false

    @Flag(help: ArgumentHelp(stringLiteral: "Print the man page, \(Main.client.program.command)(1)."))
    var man = false

    @Flag(help: ArgumentHelp("Sync in the background, then exit.", visibility: .hidden))
    var backgroundSync = false

    @ArgumentParser.Argument(parsing: .captureForPassthrough, help: "A command and its arguments.")
    var words: [String] = []

    /// The options that select a front end for assistants: `--view mcp`; empty: there is none.
    private static var viewsForAssistants: String {
        Main.client.views.filter { $0.type.isForAssistants }.map { "--view \($0.type.name)" }.joined(separator: " or ")
    }

    private static var helpOfWrite: ArgumentHelp {
        let views = viewsForAssistants
        return ArgumentHelp(
            "With \(views): let assistants change records, too.", visibility: views.isEmpty ? .hidden : .default)
    }

    private static var helpOfHome: String {
        let program = Main.client.program
        return "Directory of the cache and the session "
            + "(default: $\(program.variable("HOME")), else \(program.command) in $XDG_DATA_HOME)."
    }

    private static var helpOfSettings: String {
        let program = Main.client.program
        return "File with your settings, in TOML "
            + "(default: $\(program.variable("CONFIG")), else \(program.command)/config.toml in $XDG_CONFIG_HOME)."
    }

    private static var helpOfCertificates: String {
        "File with certificates to trust instead of the system's, in PEM "
            + "(default: $\(Main.client.program.variable("CA_FILE")))."
    }

    func validate() throws {
        // The passed-through words include the parser's own flags.
        switch words.first {
        case "--help", "-h": throw CleanExit.helpRequest(self)
        case "--version": throw CleanExit.message(Main.client.program.version)
        default: break
        }
        if home?.isEmpty == true { throw ValidationError("--home is empty; name a directory.") }
        if config?.isEmpty == true { throw ValidationError("--config is empty; name a file.") }
        if !view.view.type.ownsCommand, !words.isEmpty {
            throw ValidationError("--view \(view.view.type.name) reads its commands from the standard input.")
        }
        if write, !view.view.type.isForAssistants {
            let views = Self.viewsForAssistants
            throw ValidationError(
                "--view \(view.view.type.name) may always write"
                    + (views.isEmpty ? "." : "; --write is for \(views)."))
        }
    }

    /// Runs the process. A wrong option ends it with the same status as a wrong command.
    @MainActor
    static func run() async {
        // A closed output is an error of the write; the signal must not end the process. It is handled and not ignored,
        // since a pager or an editor would inherit an ignored signal (execve(2)).
        signal(SIGPIPE) { _ in }
        share_one_arena()
        occupyStandardFiles()
        let arguments = Array(CommandLine.arguments.dropFirst())
        // Completion comes first: the incomplete line of a shell can't be parsed as a command line.
        if let answer = ShellAnswer(arguments[...]) { return await complete(answer) }
        do {
            // Swift replaces invalid UTF-8 in arguments, so the bytes are checked.
            try RawArguments.ofProcess.check()
            // The most frequent arguments don't wait for the parser.
            if arguments == ["--version"] {
                try printAnswer(Main.client.program.version)
            } else if let words = commandWithoutOptions(arguments) {
                let status = await ClientOptions(words: words).run(Main.client)
                if status != .ok { Foundation.exit(status.rawValue) }
            } else {
                try await parse().run()
            }
        } catch let failure as any PersonFacing {
            printError(failure.message)
            Foundation.exit(CommandStatus(failure.category).rawValue)
        } catch {
            guard exitCode(for: error) == .validationFailure else { exit(after: error) }
            printError(fullMessage(for: error))
            Foundation.exit(CommandStatus.usage.rawValue)
        }
    }

    /// Ends the process after a request for help or the version, or with the status of a command.
    private static func exit(after error: any Error) -> Never {
        guard exitCode(for: error).isSuccess else { exit(withError: error) }
        // Not by the parser, which ignores that the output can't be written.
        do { try printAnswer(fullMessage(for: error)) } catch {
            printError(error.message)
            Foundation.exit(CommandStatus(error.category).rawValue)
        }
        Foundation.exit(CommandStatus.ok.rawValue)
    }

    private static func printAnswer(_ text: String) throws(Failure) {
        do { try PrivateFile.write((text + "\n").utf8, to: STDOUT_FILENO, "/dev/stdout") } catch {
            throw Failure(.failed, "The output can't be written: \(error.reason).")
        }
    }

    /// Returns the command if the process has no options; nil: the parser must read the arguments. The parser would
    /// return the same words, but takes as long as the rest of a short command.
    private static func commandWithoutOptions(_ arguments: [String]) -> [String]? {
        let isCommand = arguments.first?.hasPrefix("-") == false && Main.client.views[0].type.ownsCommand
        return isCommand ? arguments : nil
    }

    /// Opens `/dev/null` in place of closed standard files, whose numbers the next opened files would get: a message
    /// would be written into a file of the home. Reading the input and writing the answers fail as with closed files,
    /// and messages are dropped.
    private static func occupyStandardFiles() {
        // `open` returns the lowest free number, which is the tested one.
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            _ = open("/dev/null", descriptor == STDOUT_FILENO ? O_RDONLY : O_WRONLY)
        }
    }

    private static func printError(_ message: String) {
        let columns = SystemTerminal.messageColumns(environment: ProcessInfo.processInfo.environment)
        // If the standard error is closed, the failure can't be reported; the exit status still shows it.
        try? FileHandle.standardError.write(contentsOf: Data((message.message(columns: columns) + "\n").utf8))
    }

    /// Prints the completions of the last word of a shell's line. Errors are ignored: a message would disturb the line.
    @MainActor
    private static func complete(_ answer: ShellAnswer) async {
        let environment = ProcessInfo.processInfo.environment
        guard let lines = try? await answer.lines(of: help, Main.client, environment: environment) else { return }
        // A shell that has closed the pipe needs no answer.
        try? FileHandle.standardOutput.write(contentsOf: Data(lines.map { $0 + "\n" }.joined().utf8))
    }

    @MainActor
    func run() async throws {
        if man {
            let environment = ProcessInfo.processInfo.environment
            let terminal = options.configuration(of: Main.client, environment).systemTerminal(environment: environment)
            return try await terminal.write(ClientApp.manual(of: Self.help, Main.client).roff, to: .data)
        }
        let status = await options.run(Main.client)
        if status != .ok { throw ExitCode(status.rawValue) }
    }

    private var options: ClientOptions {
        ClientOptions(
            home: home, config: config, view: view.view, certificates: caFile, mayWrite: write, runsHooks: !noHooks,
            isInBackground: backgroundSync, words: words)
    }

    /// The description of the command line.
    static var help: CommandHelp {
        get throws { try CommandHelp(dump: _dumpHelp()) }
    }

    /// The value of `--view`: the name of a front end.
    struct ViewOption: ExpressibleByArgument {
        let view: ClientView

        /// The default.
        static var usual: ViewOption { ViewOption(view: Main.client.views[0]) }

        private init(view: ClientView) { self.view = view }

        init?(argument: String) {
            guard let view = Main.client.views.first(where: { $0.type.name == argument }) else { return nil }
            self.view = view
        }

        static var allValueStrings: [String] { Main.client.views.map { $0.type.name } }
        var defaultValueDescription: String { view.type.name }
    }
}

/// The options of a client process.
private struct ClientOptions {
    var home: String?
    var config: String?
    /// The front end; nil: the program's default.
    var view: ClientView?
    var certificates: String?
    var mayWrite = false
    var runsHooks = true
    /// Whether the process syncs in the background and exits.
    var isInBackground = false
    /// The command of the process; empty: none.
    var words: [String]

    /// Returns the configuration without the user's settings.
    func configuration(of client: ClientProgram, _ environment: [String: String]) -> ClientConfiguration {
        var configuration = ClientConfiguration(
            client, home: home, certificates: certificates, environment: environment)
        configuration.mayWrite = mayWrite
        configuration.runsHooks = runsHooks
        return configuration
    }

    /// Runs the process.
    ///
    /// - Returns: The status with which it exits.
    @MainActor
    func run(_ client: ClientProgram) async -> CommandStatus {
        let environment = ProcessInfo.processInfo.environment
        var configuration = configuration(of: client, environment)
        configuration.readSettings(config, environment: environment)
        if isInBackground { return await configuration.runInBackground(environment: environment) }
        return await configuration.run(words, in: view ?? client.views[0], environment: environment)
    }
}
