import ArgumentParser
import Backend
import ControllerKit
import Controllers
import Foundation
import LineView
import LocalStore
import Manual
import SatchelScreens
import SyncEngine
import Terminal

/// The process: a REPL, one command, a script from a pipe, or a JSON-lines peer, all over the same controllers.
@main
struct Satchel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "satchel", abstract: "Tasks and notes in the terminal, on every machine.",
        usage: "satchel [--home DIR] [--view \(Medium.allValueStrings.joined(separator: "|"))] [COMMAND …]",
        discussion: """
            Without a command it reads commands from the terminal, or from a pipe. `satchel help` shows examples and all \
            commands, `satchel help COMMAND` explains one.
            """,
        version: Version.number)

    @Option(help: "The directory of the cache and the session; else SATCHEL_HOME, else in XDG_DATA_HOME.")
    var home: String?

    @Option(help: "How to talk: \(Medium.all.map { "\($0.name), \($0.purpose)" }.joined(separator: "; ")).")
    var view = Medium.line

    @Option(help: "Certificates to trust in place of the system's, in PEM; else SATCHEL_CA_FILE.")
    var caFile: String?

    @Flag(help: "Print the man page, satchel(1).")
    var man = false

    @Flag(help: ArgumentHelp("Send what is unsent, and end.", visibility: .hidden))
    var backgroundSync = false

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
        // What a shell's line has in it so far is no command line yet.
        if let line = Completing(CommandLine.arguments.dropFirst()) { return await line.answer() }
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
            program: "satchel", environment: ProcessInfo.processInfo.environment, history: configuration.home.history,
            drafts: configuration.home.drafts)
        let status = await status(on: terminal)
        if status != .ok { throw ExitCode(status.rawValue) }
    }

    @MainActor
    private func status(on terminal: SystemTerminal) async -> CommandStatus {
        do {
            if man {
                let page = try HelpBook.standard(.explained()).manual(
                    of: Self.help, version: Version.number, day: Version.day)
                try await terminal.write(page.roff, to: .data)
                return .ok
            }
            if isForHelpAlone { return try await help(on: terminal) }
            if backgroundSync {
                var services = try await buildClient(configuration)
                let hooks = HomeHooks(&services, home: configuration.home, on: terminal)
                let ready = services
                try await hooks.during { try await BackgroundSync.run(in: configuration.home, ready) }
                return .ok
            }
            return try await converse(on: terminal)
        } catch {
            let failure = Failure(error)
            try? await terminal.writeMessage(failure.message)
            return CommandStatus(failure.category)
        }
    }

    /// What the process takes.
    static var help: CommandHelp {
        get throws { try CommandHelp(dump: _dumpHelp()) }
    }

    /// Whether nothing is asked for that needs a home.
    private var isForHelpAlone: Bool {
        view.takesCommand && LineSession.needsNoRecords(words)
    }

    @MainActor
    private func help(on terminal: SystemTerminal) async throws -> CommandStatus {
        let catalog = try Catalog.explained()
        return await LineSession(catalog, terminal: terminal, book: HelpBook.standard(catalog)).say(words)
    }

    /// Talks, syncs by itself meanwhile where there is a session, and leaves what is unsent to a process in the background.
    @MainActor
    private func converse(on terminal: SystemTerminal) async throws -> CommandStatus {
        let (configuration, words) = (configuration, words)
        let view = Medium.all.first { $0.command != nil && $0.command?.name == words.first } ?? view
        let automation = Automation(environment: ProcessInfo.processInfo.environment)
        var services = try await buildClient(configuration)
        // A cache that can't tell must still be open to `doctor`.
        if let notice = try? await services.store.takeNotice() {
            try await terminal.writeMessage(notice)
        }
        if let news = try? await services.tellNews() { try await terminal.writeMessage(news) }
        let hooks = HomeHooks(&services, home: configuration.home, on: terminal)
        automation.automate(&services, isSession: view.isSession(words, terminal.isInteractive))
        let launch =
            automation.isAllowed
            ? try await BackgroundLaunch(
                services, home: configuration.home, certificates: configuration.certificates) : nil
        let offering = services
        let conversation = Conversation(
            catalog: try .satchel(services), completions: { await offering.completions(of: $0, beginning: $1) },
            terminal: terminal, words: words, home: configuration.home, news: { offering.news() },
            shared: SharedPresentations(),
            screensOfAnother: { terminal in
                var others = offering
                others.terminal = terminal
                return try .satchel(others)
            })
        let status = try await hooks.during {
            try await offering.automatic.during {
                // Set for the command only: background syncs must not print what they wait for.
                try await WaitNotice.$receive.withValue(Self.notices(on: terminal)) {
                    try await view.converse(conversation)
                }
            }
        }
        await launch?.launchIfDue()
        return status
    }

    /// Shows what a command waits for, which is no part of its output.
    private static func notices(on terminal: SystemTerminal) -> @Sendable (String) -> Void {
        { notice in
            // If the terminal is closed, writing the command's own answer reports it.
            Task { try? await terminal.writeMessage(notice) }
        }
    }

    private var configuration: ClientConfiguration {
        let environment = ProcessInfo.processInfo.environment
        return ClientConfiguration(
            home: .resolve(option: home, environment: environment),
            certificates: caFile ?? environment["SATCHEL_CA_FILE"], terminal: TerminalName.current,
            deviceName: ProcessInfo.processInfo.hostName,
            acceptsInsecureHTTP: environment["SATCHEL_INSECURE_HTTP"] == "1")
    }
}
