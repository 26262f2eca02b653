public import ControllerKit
public import Controllers
internal import Foundation
internal import Backend
internal import JSONLinesView
internal import LineView
internal import LocalStore
internal import MCPView
internal import SyncEngine
public import Terminal
internal import WebPageView

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

    // MARK: Front ends

    /// A front end with its factory. Another one is added to `views`.
    public struct View: Sendable {
        /// The front end.
        public let type: any Frontend.Type
        fileprivate let make: @MainActor @Sendable (Parts) throws -> any Frontend

        fileprivate init(
            _ type: any Frontend.Type, _ make: @escaping @MainActor @Sendable (Parts) throws -> any Frontend
        ) {
            (self.type, self.make) = (type, make)
        }
    }

    /// All front ends, the default first.
    public nonisolated static let views: [View] = [
        View(LineSession.self) { parts in
            try LineSession(
                parts.catalog, of: parts.client.program, terminal: parts.terminal,
                book: parts.client.help(parts.catalog, parts.services),
                others: try parts.others(), sharingWith: parts.root, memory: .file(of: parts.home),
                status: parts.client.status,
                completions: parts.completions,
                news: parts.news)
        },
        View(JSONLinesSession.self) { parts in
            JSONLinesSession(
                parts.catalog, version: parts.client.program.version, input: parts.input, news: parts.news,
                write: { [terminal = parts.terminal] in try await terminal.write($0 + "\n", to: .data) })
        },
        View(MCPSession.self) { parts in
            guard let input = parts.input else { throw Failure(.failed, "There is no standard input.") }
            return try MCPSession(
                parts.screensOfAnother("mcp"), of: parts.client.program, granting: parts.client.tools,
                mayWrite: parts.mayWrite,
                input: input, acting: { try await CommandActor.named($0, $1) },
                subjects: parts.services.notebook.callSubjects,
                write: { [terminal = parts.terminal] in try await terminal.write($0 + "\n", to: .data) })
        },
        View(WebFrontend.self) { parts in
            let terminal = parts.terminal
            let page = try WebPage(
                parts.catalog, design: parts.client.design, sharingWith: parts.root,
                ownScreens: parts.screensOfAnother("web"),
                memory: .file(of: parts.home)
            ) { error in
                // If the output is closed, the failure cannot be reported.
                Task { try? await terminal.writeMessage(Failure(error).message) }
            }
            return WebFrontend(
                page, of: parts.client.program, folder: parts.home.directory.appending(path: "page"),
                openBrowser: { try BrowserLaunch.open($0) }, write: { try await terminal.write($0, to: .data) })
        },
    ]

    /// The dependencies of front ends.
    fileprivate struct Parts {
        let client: ClientProgram
        let services: Services
        let catalog: Catalog
        /// The coordinator with which the front ends of the process share their presentations; it opens none itself.
        let root: Coordinator
        let terminal: any LineTerminal
        let input: AsyncThrowingStream<[UInt8], any Error>?
        let home: Home
        /// Whether a front end that is read-only by default may change records.
        let mayWrite: Bool

        var completions: CompletionSource { RecordCompletions(services.notebook).source }
        var news: @Sendable () -> AsyncStream<String> { { [services] in services.sync.news() } }

        /// Returns the front ends that are used from the prompt.
        @MainActor
        func others() throws -> [any Frontend] {
            try ClientApp.views.filter { view in
                view.type != LineSession.self
                    && (view.type.canBeAttached || !view.type.commands(of: client.program).isEmpty)
            }.map { try $0.make(self) }
        }

        /// Returns the same screens for another terminal of this process, whose lists have their own numbers.
        @MainActor
        func screensOfAnother(_ terminal: String) throws -> Catalog {
            try client.screens(services.onTerminal(terminal))
        }
    }

    // MARK: Running

    /// Runs a front end, syncs automatically meanwhile in a session, and leaves unsent edits to a background process.
    ///
    /// - Parameters:
    ///   - view: The front end to run, unless the command belongs to another one, such as `web`.
    ///   - words: The command of the process; empty: none.
    /// - Returns: The status with which the process exits.
    public func run(_ view: View, _ words: [String]) async throws -> CommandStatus {
        let view =
            Self.views.first {
                $0.type.name != LineSession.name && $0.starts(with: words, of: configuration.client.program)
            } ?? view
        let automation = Automation(configuration.client, environment: environment)
        // News is shown once: to the user, not to an assistant.
        if !view.type.isForAssistants { try await showNews() }
        let hooks = HomeHooks(configuration, on: terminal)
        services = automation.automating(
            hooks.added(to: services), isSession: view.type.isSession(words, isInteractive: terminal.isInteractive))
        // Before the command: it reads the newest unsent edit.
        let launch =
            automation.isAllowed
            ? try await BackgroundLaunch(
                services, home: configuration.home, certificates: configuration.certificates) : nil
        let services = services
        let frontend = try view.make(try parts())
        // Hooks are outermost: changes that the sync receives at the end still run them.
        let result: Result<CommandStatus, any Error>
        do {
            let status = try await hooks.during {
                try await services.automatic.during {
                    // Set for the command only: background syncs must not print what they wait for.
                    try await WaitNotice.reported(to: Self.notices(on: terminal)) { try await frontend.run(words) }
                }
            }
            result = .success(status)
        } catch {
            result = .failure(error)
        }
        // After the sync has ended: what it has sent needs no background process. Also after an error: edits that were
        // made before it are sent.
        await launch?.launchIfDue()
        return try result.get()
    }

    /// Shows, once, what has happened since the last process.
    private func showNews() async throws {
        // Errors are ignored: `doctor` must be able to run with a cache that can't be read.
        if let notice = try? await services.store.removeNotice() { try await terminal.writeMessage(notice) }
        if let news = try? await services.sync.newsToShow() { try await terminal.writeMessage(news) }
    }

    /// Runs the background process, which sends unsent edits.
    public func runInBackground() async throws {
        let hooks = HomeHooks(configuration, on: terminal)
        let services = hooks.added(to: services)
        try await hooks.during { try await BackgroundSync.run(in: configuration.home, services) }
    }

    private func parts() throws -> Parts {
        let catalog = try configuration.client.screens(services)
        let terminal = terminal
        let root = Coordinator(catalog) { error in
            // If the output is closed, the failure cannot be reported.
            Task { try? await terminal.writeMessage(Failure(error).message) }
        }
        return Parts(
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

extension ClientApp.View {
    /// Whether the words begin with a command of the front end.
    fileprivate func starts(with words: [String], of program: Program) -> Bool {
        type.commands(of: program).contains { $0.name == words.first }
    }
}
