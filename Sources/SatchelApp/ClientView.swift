public import ControllerKit
public import Controllers
internal import Foundation
internal import JSONLinesView
public import LineView
public import LocalStore
public import MCPView
internal import Notebook
public import Terminal
internal import WebPageView

/// A front end of a client program with its factory.
///
///     var shelf = ClientProgram(Program(name: "Shelf", command: "shelf", version: "1.0"))
///     shelf.views.append(ClientView(MarkdownSession.self) { MarkdownSession($0.catalog, on: $0.terminal) })
public struct ClientView: Sendable {
    /// The front end.
    public let type: any Frontend.Type
    let make: @MainActor @Sendable (ClientParts) throws -> any Frontend

    /// Creates an entry of ``ClientProgram/views``.
    ///
    /// - Parameter make: Creates the front end of a process. Its error ends the process.
    public init<F: Frontend>(_ type: F.Type, _ make: @escaping @MainActor @Sendable (ClientParts) throws -> F) {
        (self.type, self.make) = (type, make)
    }
}

extension ClientView {
    /// The prompt, JSON lines, the Model Context Protocol and the page.
    public static let standard = [line, jsonLines, mcp, page]

    /// The prompt, single commands and scripts.
    public static let line = ClientView(LineSession.self) { parts in
        try LineSession(
            parts.catalog, of: parts.client.program, terminal: parts.terminal,
            book: parts.help, others: try parts.frontends(besides: LineSession.self), sharingWith: parts.root,
            memory: .file(of: parts.home), status: parts.client.status, completions: parts.completions,
            news: parts.news)
    }

    /// JSON lines, for programs.
    public static let jsonLines = ClientView(JSONLinesSession.self) { parts in
        JSONLinesSession(
            parts.catalog, version: parts.client.program.version, input: parts.input, news: parts.news,
            write: { [terminal = parts.terminal] in try await terminal.write($0 + "\n", to: .data) })
    }

    /// The Model Context Protocol, for assistants.
    public static let mcp = ClientView(MCPSession.self) { parts in
        guard let input = parts.input else { throw Failure(.failed, "There is no standard input.") }
        return try MCPSession(
            parts.screens(onTerminal: "mcp"), of: parts.client.program, granting: parts.client.tools,
            mayWrite: parts.mayWrite,
            input: input, acting: { try await CommandActor.named($0, $1) },
            subjects: parts.callSubjects,
            write: { [terminal = parts.terminal] in try await terminal.write($0 + "\n", to: .data) })
    }

    /// The page for a browser.
    public static let page = ClientView(WebFrontend.self) { parts in
        let terminal = parts.terminal
        let report = { @MainActor (error: any Error) in
            // If the output is closed, the failure cannot be reported.
            Task { try? await terminal.writeMessage(Failure(error).message) }
        }
        let makePage = { @MainActor (isAlone: Bool) throws -> WebPage in
            // The lists of a page of its own process change no numbers of the terminal in which it was started.
            let own = try parts.screens(onTerminal: "web")
            return try WebPage(
                isAlone ? own : parts.catalog, design: parts.client.design, sharingWith: isAlone ? nil : parts.root,
                ownScreens: own, memory: .file(of: parts.home),
                timeZone: parts.services.notebook.calendar.timeZone,
                recording: { try await CommandReceipt.entry(madeBy: $0) }
            ) { _ = report($0) }
        }
        return WebFrontend(
            makePage, of: parts.client.program, folder: parts.home.pageFiles,
            openBrowser: { try BrowserLaunch.open($0) }, write: { try await terminal.write($0, to: .data) })
    }
}

/// What the factory of a front end receives.
@MainActor
public struct ClientParts {
    /// The program.
    public let client: ClientProgram
    /// The services of the process.
    public let services: Services
    /// The screens with their renderers.
    public let catalog: Catalog
    /// The coordinator with which the front ends of the process share their presentations; it opens none itself.
    public let root: Coordinator
    /// The terminal.
    public let terminal: any LineTerminal
    /// The bytes of the standard input, for front ends that don't read lines.
    public let input: AsyncThrowingStream<[UInt8], any Error>?
    /// The directory of the client's files.
    public let home: Home
    /// Whether a front end that is read-only by default may change records.
    public let mayWrite: Bool

    /// The texts of `help`: the commands of the screens and front ends, the examples and the topics.
    public var help: HelpBook { client.help(catalog, services) }

    /// The completions of records, tags and field values.
    public var completions: CompletionSource { RecordCompletions(services.notebook).source }

    /// Returns the subjects of an assistant's call, which an `MCPSession` shows when it asks the user: the records with
    /// the call's ids; for `undo`, the command that it undoes.
    public var callSubjects: CallSubjects { services.notebook.callSubjects }

    /// Returns the messages about what syncs receive.
    public var news: @Sendable () -> AsyncStream<String> { { [services] in services.sync.news() } }

    /// Returns the screens for another terminal, on which lists have their own numbers.
    public func screens(onTerminal terminal: String) throws -> Catalog {
        try client.screens(services.onTerminal(terminal))
    }

    /// Creates the front ends that a prompt offers: those whose views can be attached and those with commands.
    ///
    /// - Parameter prompt: The front end that offers them. It is left out, since it would create itself without end.
    public func frontends(besides prompt: any Frontend.Type) throws -> [any Frontend] {
        try client.views.filter { view in
            view.type != prompt
                && (view.type.canBeAttached || !view.type.commands(of: client.program).isEmpty)
        }.map { try $0.make(self) }
    }
}
