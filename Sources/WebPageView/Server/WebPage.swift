public import ControllerKit
public import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import PrivateFiles
internal import ServiceLifecycle
internal import UnixSignals

/// A web page on this machine that shows the screens of a catalogue. It listens only on the loopback address, and is
/// opened with one-time links.
///
///     let page = try WebPage(catalog, design: PageDesign(program)) { print($0) }
///     try await page.start(port: nil)
///     print(page.link())
@MainActor
public final class WebPage {
    /// The default port.
    public nonisolated static let usualPort = 8290

    /// Runs a body, and returns the name of the last command of it that can be undone, for the verb with the trait
    /// `VerbTraits.undoes`; nil: nothing was changed.
    public typealias Recording = @MainActor (@MainActor () async throws -> Void) async throws -> String?

    private let site: Site
    private var running: Running?

    private struct Running {
        let port: Int
        let group: ServiceGroup
        let task: Task<Void, any Error>
    }

    /// Creates a page that isn't served yet.
    ///
    /// - Parameters:
    ///   - catalog: The screens that the sessions of the process share.
    ///   - design: The program's name and templates.
    ///   - other: A session of the process with which the page shares its presentations; nil: none. Then a reload
    ///     reads every screen again. Otherwise, an open screen that an address without a query shows is not read again,
    ///     since the other session may show it, too.
    ///   - ownScreens: The screens for the readings of one browser, so that its list doesn't change the numbers at the
    ///     prompt; nil: separate instances of those of `catalog`.
    ///   - memory: Stores the address of the last page, where the next one begins; nil: it is not stored.
    ///   - timeZone: The time zone in which times are shown.
    ///   - recording: Finds out which command a form has performed, so that its notice offers to undo this one; nil: it
    ///     offers to undo the last one, whichever that is.
    ///   - report: Receives errors of background work, see `Presentation`.
    /// - Throws: The parser's error for an invalid template.
    public init(
        _ catalog: Catalog, design: PageDesign, sharingWith other: Coordinator? = nil,
        ownScreens: Catalog? = nil, memory: PageMemory? = nil, timeZone: TimeZone = .current,
        recording: Recording? = nil, report: @escaping @MainActor (any Error) -> Void
    ) throws {
        let root = other ?? Coordinator(catalog, report: report)
        site = try Site(
            catalog, design: design, common: { Coordinator(catalog, sharingWith: root, report: report) },
            own: { Coordinator(ownScreens ?? catalog, report: report) }, isAlone: other == nil, memory: memory,
            timeZone: timeZone, recording: recording)
    }

    /// Whether the page is served.
    public var isServing: Bool { running != nil }

    /// Serves the page until `stop`.
    ///
    /// - Parameters:
    ///   - port: nil: the default port, or a free one if that is in use; 0: a free one.
    ///   - signals: Whether SIGINT and SIGTERM stop it.
    /// - Throws: `Failure` if it can't listen on the port.
    public func start(port: Int?, endsBySignals signals: Bool = false) async throws {
        guard running == nil else { return }
        do { try await listen(port ?? Self.usualPort, signals) } catch {
            // Only for the default port: a port that the user has chosen must not be replaced without notice.
            guard port == nil, (error as? IOError)?.errnoCode == Self.addressInUse else {
                throw Self.failure(error, port ?? Self.usualPort)
            }
            do { try await listen(0, signals) } catch { throw Self.failure(error, 0) }
        }
    }

    /// Returns a one-time link, valid for ten minutes.
    ///
    /// - Parameter whenSpent: Called once, when the link is no longer valid: it was opened, the page was stopped, or it
    ///   is found to have expired.
    /// - Throws: `Failure` if the page isn't served.
    public func link(whenSpent: @escaping @MainActor () -> Void = {}) throws(Failure) -> String {
        guard let running else { throw Failure(.failed, "The page isn't served. `web` starts it.") }
        return "http://127.0.0.1:\(running.port)" + site.makeLink(whenSpent: whenSpent)
    }

    /// Returns when the page has stopped: after a signal, or when the socket failed.
    public func wait() async throws {
        guard let running else { return }
        defer { ended(running) }
        try await running.task.value
    }

    /// Refuses further requests, ends all sessions, and returns when the socket is closed.
    public func stop() async {
        guard let running else { return }
        site.end()
        await running.group.triggerGracefulShutdown()
        // An error of the server doesn't matter after its end.
        try? await running.task.value
        ended(running)
    }

    private func ended(_ run: Running) {
        // `stop` and `wait` both get here; only the first one ends the sessions. The page may be served again by then,
        // even on the same port.
        guard running?.group === run.group else { return }
        site.end()
        running = nil
    }

    private func listen(_ port: Int, _ signals: Bool) async throws {
        let (listening, ports) = AsyncStream.makeStream(of: Int.self)
        // Log lines would disturb the prompt in the same terminal.
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
        // Waits for the first port. If the stream ends without one, the server has failed, and its task has the error.
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
    /// The error code if another program listens on the port.
    static var addressInUse: Int32 { EADDRINUSE }

    /// Returns the message for an error of listening on a port.
    static func failure(_ error: any Error, _ port: Int) -> Failure {
        switch (error as? IOError)?.errnoCode {
        case nil: Failure(error)
        case EADDRINUSE: failure(inUse: port)
        case EACCES: Failure(.failed, "Port \(port) needs root. Choose one from 1024 upwards with --port.")
        case let code?: Failure(.failed, "The page can't listen on port \(port): \(SystemError.text(code)).")
        }
    }

    /// Returns the message for a port that is in use.
    static func failure(inUse port: Int) -> Failure {
        Failure(.failed, "Port \(port) is in use. Choose another one with --port, or use --port 0 for a free one.")
    }
}

/// Passes the requests of Hummingbird to the page.
struct WebResponder: HTTPResponder {
    typealias Context = BasicRequestContext
    let site: Site

    @Sendable
    func respond(to request: Request, context: Context) async throws -> Response {
        let answer = await site.answer(PageRequest(request))
        return Response(answer, to: request)
    }
}

extension PageRequest {
    fileprivate init(_ request: Request) {
        let body = request.body
        // HTTPTypes stores `Host` as the authority of the request.
        var headers = Dictionary(request.headers.map { ($0.name.canonicalName, $0.value) }) { $1 }
        headers["host"] = request.head.authority
        let target = (request.head.path ?? "/").split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        self.init(
            method: request.method.rawValue, path: target.first.map(String.init) ?? "/",
            query: Parameters(encoded: target.count > 1 ? String(target[1]) : "") ?? Parameters(), headers: headers,
            cookie: { [cookies = request.cookies] in cookies[$0]?.value }
        ) { limit in
            var bytes: [UInt8] = []
            for try await part in body {
                // Counted while reading, since a chunked body has no declared length.
                guard bytes.count + part.readableBytes <= limit else { return nil }
                bytes.append(contentsOf: part.readableBytesView)
            }
            return bytes
        }
    }
}

extension Response {
    fileprivate init(_ answer: PageAnswer, to request: Request) {
        var headers = HTTPFields()
        for (name, value) in PageAnswer.usualHeaders + answer.headers {
            if let name = HTTPField.Name(name) { headers.append(HTTPField(name: name, value: value)) }
        }
        self.init(status: .init(code: answer.status), headers: headers, body: Self.body(answer, request))
    }

    /// Writes a stream until it ends, the page stops or the browser disconnects. Otherwise, a disconnection would be
    /// noticed only at the next write.
    private static func body(_ answer: PageAnswer, _ request: Request) -> ResponseBody {
        guard let stream = answer.stream else { return ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)) }
        return ResponseBody { writer in
            try await request.body.consumeWithCancellationOnInboundClose { _ in
                for await piece in stream.cancelOnGracefulShutdown() {
                    try await writer.write(ByteBuffer(string: piece))
                }
                try await writer.finish(nil)
            }
        }
    }
}
