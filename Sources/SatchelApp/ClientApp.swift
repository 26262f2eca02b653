public import ControllerKit
public import Controllers
internal import Backend
internal import Foundation
internal import LineView
internal import LocalStore
internal import Notebook
internal import Records
internal import SyncEngine
public import Terminal

/// A client, composed of services, screens and front ends. `ClientConfiguration.run` creates it with live services,
/// tests with services of their own.
///
///     let configuration = ClientConfiguration(environment: environment)
///     let app = ClientApp(try await configuration.liveServices(), configuration, terminal: terminal)
///     let status = try await app.run(view, words)
@MainActor
public final class ClientApp {
    private var services: Services
    private let configuration: ClientConfiguration
    private let terminal: any LineTerminal
    private let input: AsyncThrowingStream<[UInt8], any Error>?
    private let environment: [String: String]
    /// Whether this process created the home.
    var isNewHome = false

    /// Creates a client that isn't running yet.
    ///
    /// - Parameters:
    ///   - input: The bytes of the standard input, for front ends that don't read lines.
    public init(
        _ services: Services, _ configuration: ClientConfiguration, terminal: any LineTerminal,
        input: AsyncThrowingStream<[UInt8], any Error>? = nil, environment: [String: String] = [:]
    ) {
        (self.services, self.configuration, self.terminal) = (services, configuration, terminal)
        (self.input, self.environment) = (input, environment)
    }

    // MARK: Running

    /// Runs a front end, syncs automatically meanwhile in a session, and leaves unsent edits to a background process.
    ///
    /// - Parameters:
    ///   - view: The front end to run, unless the command belongs to another one, such as `web`.
    ///   - words: The command of the process; empty: none.
    /// - Returns: The status with which the process exits.
    public func run(_ view: ClientView, _ words: [String]) async throws -> CommandStatus {
        let words = try configure(for: words)
        let view =
            configuration.client.views.first {
                $0.type.name != LineSession.name && $0.starts(with: words, of: configuration.client.program)
            } ?? view
        let automation = Automation(configuration.client, environment: environment)
        // News is shown once: to the user, not to an assistant.
        if !view.type.isForAssistants { await showNews() }
        let hooks = HomeHooks(configuration, on: terminal, words: words)
        services = automation.automating(
            hooks.added(to: services), isSession: view.type.isSession(words, isInteractive: terminal.isInteractive))
        // Before the command: it reads the newest unsent edit.
        let launch =
            automation.isAllowed
            ? try await BackgroundLaunch(
                services, home: configuration.home, certificates: configuration.certificates,
                settings: configuration.settingsOption) : nil
        let services = services
        let parts = try parts()
        if let warning = SystemTimeZone.current.warning { try? await terminal.writeMessage(warning) }
        if isNewHome, reads(words, parts.catalog) {
            // A typing error in the name of a home would otherwise look like lost records.
            try? await terminal.writeMessage("The home \(configuration.home.directory.path) is new and empty.")
        }
        let frontend = try view.make(parts)
        // Hooks are outermost: changes that the sync receives at the end still run them.
        let result: Result<CommandStatus, any Error>
        do {
            let status = try await hooks.during {
                try await services.automatic.during(in: services.notebook) {
                    // Set for the command only: background syncs must not print what they wait for.
                    try await WaitNotice.reported(to: Self.notices(on: terminal)) { try await frontend.run(words) }
                }
            }
            result = .success(status)
        } catch {
            result = .failure(error)
        }
        await services.backend.session.saveUnsaved()
        // After the sync has ended: what it has sent needs no background process. Also after an error: edits that were
        // made before it are sent.
        await launch?.launchIfDue()
        return try result.get()
    }

    /// Applies the settings, and returns the words of the command without aliases.
    ///
    /// - Throws: `Failure` of category `usage` if there are errors in the settings. `config` shows them instead.
    private func configure(for words: [String]) throws -> [String] {
        var settings = configuration.settings
        let client = configuration.client
        let aliases = CommandAliases(settings.values.aliases)
        if !settings.values.aliases.isEmpty {
            let book = client.help(try client.screens(services), services.configured(by: settings))
            for refused in book.refusedAliases {
                settings.refuse(refused.reason, at: settings.origin(ofAlias: refused.name))
            }
        }
        settings.check(for: services.types, services.notebook.dates)
        services = services.configured(by: settings)
        let isShown = words.first.map { name in ConfigScreen.verbs.contains { $0.signature.name == name } } ?? false
        if !isShown { try settings.check(for: client.program) }
        return aliases.expanded(words)
    }

    /// Returns whether a command changes nothing.
    private func reads(_ words: [String], _ catalog: Catalog) -> Bool {
        catalog.commands.contains { command in
            guard let first = words.first, command.verb.traits.contains(.readOnly) else { return false }
            return command.verb.name == first || command.verb.otherNames.contains(first)
        }
    }

    /// Shows, once, what has happened since the last process.
    private func showNews() async {
        // Errors are ignored: a closed standard error must not stop the command, and `doctor` must be able to run with a cache that can't be read.
        if let notice = try? await services.store.removeNotice() { try? await terminal.writeMessage(notice) }
        if let news = try? await services.sync.newsToShow() { try? await terminal.writeMessage(news) }
    }

    /// Removes the home if nothing is stored in it, after the only command of the process that created it has failed.
    func removeUnusedHome() async {
        // An error is ignored: an empty home does no harm.
        try? await services.store.removeUnusedHome()
    }

    /// Runs the background process, which sends unsent edits.
    public func runInBackground() async throws {
        let hooks = HomeHooks(configuration, on: terminal)
        let services = hooks.added(to: services)
        do { try await hooks.during { try await BackgroundSync.run(in: configuration.home, services) } } catch {
            await services.backend.session.saveUnsaved()
            throw error
        }
        await services.backend.session.saveUnsaved()
    }

    private func parts() throws -> ClientParts {
        let catalog = try configuration.client.screens(services)
        let terminal = terminal
        let root = Coordinator(catalog) { error in
            // If the output is closed, the failure cannot be reported.
            Task { try? await terminal.writeMessage(Failure(error).message) }
        }
        return ClientParts(
            client: configuration.client, services: services, catalog: catalog, root: root, terminal: terminal,
            input: input,
            home: configuration.home, mayWrite: configuration.mayWrite)
    }

    /// Returns a function that shows what a command waits for. This isn't part of its output.
    private static func notices(on terminal: any LineTerminal) -> @Sendable (String) -> Void {
        { notice in
            // If the terminal is closed, writing the command's own answer reports it.
            Task { try? await terminal.writeMessage(notice) }
        }
    }
}

extension ClientView {
    /// Whether the words begin with a command of the front end.
    fileprivate func starts(with words: [String], of program: Program) -> Bool {
        guard let first = words.first else { return false }
        return type.commands(of: program).contains { $0.name == first || $0.otherNames.contains(first) }
    }
}
