public import ControllerKit
internal import Foundation
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import ServiceLifecycle
internal import UnixSignals

/// A web page on this machine over the screens of a catalogue: it listens on the loopback address alone, and lets in who
/// comes by a one-time link.
///
///     let page = try WebPage(catalog, design: PageDesign(program)) { print($0) }
///     try await page.start(port: nil)
///     print(page.link())
@MainActor
public final class WebPage {
    /// The default port.
    public nonisolated static let usualPort = 8290

    private let site: Site
    private var running: Running?

    private struct Running {
        let port: Int
        let group: ServiceGroup
        let task: Task<Void, any Error>
    }

    /// A page that doesn't listen yet.
    ///
    /// - Parameters:
    ///   - catalog: The screens as the other sessions of the process have them.
    ///   - design: The program's name and templates.
    ///   - other: A session of the process with which the page shares its presentations; nil: there is none.
    ///   - ownScreens: The same screens for requests of one browser: another window of the list doesn't change the
    ///     numbers at the prompt. nil: those of `catalog`, each created again.
    ///   - memory: Where the address that was shown last is kept, to begin there the next time; nil: nowhere.
    ///   - report: Receives errors of background work, see `Presentation`.
    /// - Throws: What is wrong with a template.
    public init(
        _ catalog: Catalog, design: PageDesign, sharingWith other: Coordinator? = nil,
        ownScreens: Catalog? = nil, memory: PageMemory? = nil,
        report: @escaping @MainActor (any Error) -> Void
    ) throws {
        let root = other ?? Coordinator(catalog, report: report)
        site = try Site(
            catalog, design: design, common: { Coordinator(catalog, sharingWith: root, report: report) },
            own: { Coordinator(ownScreens ?? catalog, report: report) }, memory: memory)
    }

    /// Whether it listens.
    public var isServing: Bool { running != nil }

    /// Listens, until `stop`.
    ///
    /// - Parameters:
    ///   - port: nil: the usual one, or if that is taken any that is free; 0: any that is free.
    ///   - signals: Whether SIGINT and SIGTERM stop it.
    /// - Throws: `Failure`, if it can't listen there.
    public func start(port: Int?, endsBySignals signals: Bool = false) async throws {
        guard running == nil else { return }
        do { try await listen(port ?? Self.usualPort, signals) } catch {
            guard port == nil, (error as? IOError)?.errnoCode == Self.addressInUse else {
                throw Self.failure(error, port ?? Self.usualPort)
            }
            try await listen(0, signals)
        }
    }

    /// A one-time sign-in address, valid for ten minutes.
    ///
    /// - Parameter whenSpent: Called once, when the address is no longer valid: it was opened, the page has ended, or
    ///   it is found to have expired.
    /// - Throws: `Failure`, when it doesn't listen.
    public func link(whenSpent: @escaping @MainActor () -> Void = {}) throws(Failure) -> String {
        guard let running else { throw Failure(.failed, "The page isn't served. `web` starts it.") }
        return "http://127.0.0.1:\(running.port)" + site.makeLink(whenSpent: whenSpent)
    }

    /// Returns when it has stopped: after a signal, or when the socket failed.
    public func wait() async throws {
        guard let running else { return }
        defer { ended(running.port) }
        try await running.task.value
    }

    /// Refuses further requests, ends all sessions, and returns when the socket is closed.
    public func stop() async {
        guard let running else { return }
        site.end()
        await running.group.triggerGracefulShutdown()
        // Its error doesn't matter after the end.
        try? await running.task.value
        ended(running.port)
    }

    private func ended(_ port: Int) {
        guard running?.port == port else { return }
        site.end()
        running = nil
    }

    private func listen(_ port: Int, _ signals: Bool) async throws {
        let (listening, ports) = AsyncStream.makeStream(of: Int.self)
        // A session's terminal is no place for a framework's log.
        let logger = Logger(label: "web-page") { _ in SwiftLogNoOpLogHandler() }
        let application = Application(
            responder: WebResponder(site: site), server: .http1(configuration: .init(idleTimeout: .seconds(90))),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port), serverName: nil),
            onServerRunning: { channel in ports.yield(channel.localAddress?.port ?? port) }, logger: logger)
        let group = ServiceGroup(
            configuration: .init(
                services: [application], gracefulShutdownSignals: signals ? [.sigint, .sigterm] : [], logger: logger))
        let task = Task {
            defer { ports.finish() }
            try await group.run()
        }
        for await port in listening {
            site.listens(at: port)
            running = Running(port: port, group: group, task: task)
            return
        }
        try await task.value
        throw Failure(.failed, "The page was stopped before it had started.")
    }
}

extension WebPage {
    /// The error of a port on which another program listens.
    static var addressInUse: Int32 { EADDRINUSE }

    /// Why the page can't listen, in words for the person who starts it.
    static func failure(_ error: any Error, _ port: Int) -> Failure {
        switch (error as? IOError)?.errnoCode {
        case nil: Failure(error)
        case EADDRINUSE: failure(inUse: port)
        case EACCES: Failure(.failed, "Port \(port) needs root. Choose one from 1024 upwards with --port.")
        case let code?: Failure(.failed, "The page can't listen on port \(port): \(String(cString: strerror(code))).")
        }
    }

    /// Another program listens on the port.
    static func failure(inUse port: Int) -> Failure {
        Failure(.failed, "Port \(port) is in use. Choose another one with --port, or use --port 0 for a free one.")
    }
}
