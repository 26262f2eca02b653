public import ControllerKit
public import Controllers
internal import Foundation
internal import Backend
internal import JSONLinesView
internal import LineView
internal import LocalStore
internal import MCPView
internal import SatchelScreens
internal import SyncEngine
public import Terminal
internal import WebPageView

/// Satchel's client: services, screens and front ends, composed. `main` and tests start it alike.
///
///     let configuration = ClientConfiguration(home: nil, certificates: nil, environment: environment)
///     let app = ClientApp(try await configuration.liveServices(), configuration, terminal: terminal)
///     let status = try await app.run(view, words)
@MainActor
public final class ClientApp {
    private var services: Services
    private let configuration: ClientConfiguration
    private let terminal: any LineTerminal
    private let input: AsyncThrowingStream<[UInt8], any Error>?
    private let environment: [String: String]

    /// A client that hasn't begun.
    ///
    /// - Parameters:
    ///   - input: The bytes of the standard input, for front ends that read no lines.
    public init(
        _ services: Services, _ configuration: ClientConfiguration, terminal: any LineTerminal,
        input: AsyncThrowingStream<[UInt8], any Error>? = nil, environment: [String: String] = [:]
    ) {
        (self.services, self.configuration, self.terminal) = (services, configuration, terminal)
        (self.input, self.environment) = (input, environment)
    }

    // MARK: Front ends

    /// A front end, and how it is made. Another one is a line in `views`.
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

    /// All front ends, the usual one first.
    public nonisolated static let views: [View] = [
        View(LineSession.self) { parts in
            try LineSession(
                parts.catalog, of: .satchel, terminal: parts.terminal, book: .satchel(parts.catalog),
                others: try parts.others(), sharingWith: parts.root, memory: .file(of: parts.home), status: .sync,
                completions: parts.completions,
                news: parts.news)
        },
        View(JSONLinesSession.self) { parts in
            JSONLinesSession(
                parts.catalog, version: Program.satchel.version, input: parts.input, news: parts.news,
                write: { [terminal = parts.terminal] in try await terminal.write($0 + "\n", to: .data) })
        },
        View(MCPSession.self) { parts in
            guard let input = parts.input else { throw Failure(.failed, "There is no standard input.") }
            return try MCPSession(
                parts.screensOfAnother("mcp"), of: .satchel, granting: ToolGrant.satchel, mayWrite: parts.mayWrite,
                input: input, acting: { try await CommandActor.named($0, $1) },
                subjects: parts.services.notebook.callSubjects,
                write: { [terminal = parts.terminal] in try await terminal.write($0 + "\n", to: .data) })
        },
        View(WebFrontend.self) { parts in
            let terminal = parts.terminal
            let page = try WebPage(
                parts.catalog, design: .satchel, sharingWith: parts.root, ownScreens: parts.screensOfAnother("web"),
                memory: .file(of: parts.home)
            ) { error in
                // If the output is closed, the failure cannot be reported.
                Task { try? await terminal.writeMessage(Failure(error).message) }
            }
            return WebFrontend(
                page, of: .satchel, folder: parts.home.directory.appending(path: "page"),
                openBrowser: { try BrowserLaunch.open($0) }, write: { try await terminal.write($0, to: .data) })
        },
    ]

    /// What front ends are made from.
    fileprivate struct Parts {
        let services: Services
        let catalog: Catalog
        /// Opens nothing itself: the front ends of the process share their presentations with it.
        let root: Coordinator
        let terminal: any LineTerminal
        let input: AsyncThrowingStream<[UInt8], any Error>?
        let home: Home
        /// Whether a front end that is read-only by itself may change records.
        let mayWrite: Bool

        var completions: CompletionSource { RecordCompletions(services.notebook).source }
        var news: @Sendable () -> AsyncStream<String> { { [services] in services.sync.news() } }

        /// The front ends that are used from the prompt.
        @MainActor
        func others() throws -> [any Frontend] {
            try ClientApp.views.filter { view in
                view.type != LineSession.self
                    && (view.type.canBeAttached || !view.type.commands(of: .satchel).isEmpty)
            }.map { try $0.make(self) }
        }

        /// The same screens for another terminal of this process: its lists have numbers of their own.
        @MainActor
        func screensOfAnother(_ terminal: String) throws -> Catalog {
            try .satchel(services.onTerminal(terminal))
        }
    }

    // MARK: Running

    /// Serves a person or a program, syncs automatically meanwhile if there is a session, and leaves unsent edits to a
    /// process in the background.
    ///
    /// - Parameters:
    ///   - view: The front end to begin with, unless the command is one of another front end: `web`.
    ///   - words: The command that the process was started with; empty: none.
    public func run(_ view: View, _ words: [String]) async throws -> CommandStatus {
        let view = Self.views.first { $0.type.name != LineSession.name && $0.starts(with: words) } ?? view
        let automation = Automation(environment: environment)
        if !view.type.isForAssistants { try await showNews() }
        let hooks = HomeHooks(home: configuration.home, on: terminal)
        services = automation.automating(
            hooks.added(to: services), isSession: view.type.isSession(words, isInteractive: terminal.isInteractive))
        let launch =
            automation.isAllowed
            ? try await BackgroundLaunch(
                services, home: configuration.home, certificates: configuration.certificates) : nil
        let services = services
        let frontend = try view.make(try parts())
        let status = try await hooks.during {
            try await services.automatic.during {
                // Set for the command only: background syncs must not print what they wait for.
                try await WaitNotice.reported(to: Self.notices(on: terminal)) { try await frontend.run(words) }
            }
        }
        await launch?.launchIfDue()
        return status
    }

    /// Shows the person once what has happened since the last process.
    private func showNews() async throws {
        // A cache that can't be read must still be open to `doctor`.
        if let notice = try? await services.store.removeNotice() { try await terminal.writeMessage(notice) }
        if let news = try? await services.sync.newsToShow() { try await terminal.writeMessage(news) }
    }

    /// The whole life of the process in the background: it sends what is unsent.
    public func runInBackground() async throws {
        let hooks = HomeHooks(home: configuration.home, on: terminal)
        let services = hooks.added(to: services)
        try await hooks.during { try await BackgroundSync.run(in: configuration.home, services) }
    }

    private func parts() throws -> Parts {
        let catalog = try Catalog.satchel(services)
        let terminal = terminal
        let root = Coordinator(catalog) { error in
            Task { try? await terminal.writeMessage(Failure(error).message) }
        }
        return Parts(
            services: services, catalog: catalog, root: root, terminal: terminal, input: input,
            home: configuration.home, mayWrite: configuration.mayWrite)
    }

    /// Shows what a command waits for, which is no part of its output.
    private static func notices(on terminal: any LineTerminal) -> @Sendable (String) -> Void {
        { notice in
            // If the terminal is closed, writing the command's own answer reports it.
            Task { try? await terminal.writeMessage(notice) }
        }
    }
}

extension ClientApp.View {
    /// Whether a command of the front end begins with it.
    fileprivate func starts(with words: [String]) -> Bool {
        type.commands(of: .satchel).contains { $0.name == words.first }
    }
}
