internal import Crypto
public import Logging
internal import NIOConcurrencyHelpers
internal import NIOCore
internal import Records
internal import SyncAPI

/// The whole server without its socket: turns a request into an answer. `main`, the tests and the simulation share it.
///
/// Safe to call from any number of tasks at once.
public struct SyncServer: Sendable {
    let configuration: ServerConfiguration
    let environment: ServerEnvironment
    /// The store with the server's data.
    public let store: any ServerStore
    let extensions: [any ServerExtension]
    let accounts: AccountService
    let sessions: SessionService
    let changes: ChangesService
    let records: RecordsService
    let events: EventService
    let maintenance: MaintenanceService
    let budget: RequestBudget
    let logger: Logger
    private let unknownProxyReported = NIOLockedValueBox(false)
    /// Number of connections that may be open at once.
    public let connectionTotal: Int

    /// Creates a server over a store.
    ///
    /// Stops the program if the table of an extension is faulty (see `RouteTable`), or if no request reaches an endpoint
    /// of an extension, since it has the method and path of one of Satchel's own or of an earlier extension.
    ///
    /// - Parameters:
    ///   - extensions: Further endpoints, with methods and paths of their own.
    ///   - logger: The destination of log messages; by default lines on stderr, from `info` up.
    public init(
        configuration: ServerConfiguration = ServerConfiguration(), store: any ServerStore,
        extensions: [any ServerExtension] = [], environment: ServerEnvironment = .live,
        logger: Logger = Logger(label: "server") { _ in LogfmtHandler(level: .info) }
    ) {
        let hidden = Self.hiddenEndpoints(of: extensions)
        precondition(hidden.isEmpty, "no request reaches these endpoints: \(hidden.joined(separator: "; "))")
        self.extensions = extensions
        self.configuration = configuration
        self.environment = environment
        self.store = store
        self.logger = logger
        budget = RequestBudget(configuration.requests)
        connectionTotal = configuration.connections.total(
            descriptors: DescriptorLimit.current, cores: System.coreCount)
        // Streams stay open for long; the other half of the connections is for requests that end.
        let hub = EventHub(
            streamsPerAccount: configuration.streamsPerAccount, streams: max(1, connectionTotal / 2),
            executor: environment.executor)
        sessions = SessionService(
            store: store, environment: environment, rules: configuration.sessions, events: hub, logger: logger)
        accounts = AccountService(
            store: store, environment: environment, configuration: configuration, sessions: sessions)
        let turns = ReadTurns()
        changes = ChangesService(
            store: store, environment: environment, configuration: configuration, events: hub, turns: turns)
        records = RecordsService(
            store: store, environment: environment, configuration: configuration, events: hub, turns: turns)
        events = EventService(store: store, environment: environment, sessions: sessions, hub: hub, logger: logger)
        maintenance = MaintenanceService(
            store: store, environment: environment, configuration: configuration, logger: logger)
    }

    /// Returns a description of each endpoint that no request reaches, since the server matches another one first.
    static func hiddenEndpoints(of extensions: [any ServerExtension]) -> [String] {
        var hidden: [String] = []
        // In the order in which a request is matched.
        var earlier: [any Endpoint.Type] = []
        var all: [any Endpoint.Type] = [OpenRoute.self, AuthenticatedRoute.self]
        for other in extensions { all += other.openEndpoints + other.authenticatedEndpoints }
        for routes in all {
            hidden += routes.hiddenEndpoints(behind: earlier)
            earlier.append(routes)
        }
        return hidden
    }

    /// Answers a request. Every error becomes a problem document.
    public func answer(_ request: ServerRequest) async -> ServerAnswer {
        let started = ContinuousClock.now
        let requestID = Self.requestID(request.header(Header.requestID)) ?? environment.uuid()
        var request = request
        request.id = requestID
        warnOfUnknownProxy(request)
        let hold = RequestHold(budget, displace: request.onDisplaced)
        request.hold = hold
        var answer: ServerAnswer
        do {
            answer = try await handle(request).compressed(for: request)
            // A stream holds nothing of the budget: it produces its pieces on demand, and its account's streams are
            // limited.
            if answer.stream == nil {
                try hold.hold(answer.body.count)
                // Kept with the answer, so that its bytes count until they are sent.
                answer.hold = hold
            }
        } catch {
            answer = failure(error, of: request, requestID)
        }
        answer.addCommonHeaders()
        answer.headers.append((Header.requestID, requestID))
        log(request, answer, requestID, ContinuousClock.now - started)
        return answer
    }

    private func handle(_ request: ServerRequest) async throws -> ServerAnswer {
        // Before any route: a server must refuse every such request with 400 (RFC 9112 section 3.2).
        guard request.hasHost else { throw Problem.hostMissing }
        if let route = OpenRoute.table.route(method: request.method, path: request.path) {
            return try await handle(route, request)
        }
        if let route = AuthenticatedRoute.table.route(method: request.method, path: request.path) {
            return try await handle(route, request, from: caller(of: request, for: route.access))
        }
        for other in extensions {
            if let answer = try await other.answer(request, on: self) { return answer }
        }
        throw methods(path: request.path).isEmpty ? Problem.notFound : .methodNotAllowed(request.method)
    }

    /// Returns the methods of a path, of all routes and extensions.
    private func methods(path: String) -> [String] {
        OpenRoute.table.methods(path: path) + AuthenticatedRoute.table.methods(path: path)
            + extensions.flatMap { $0.methods(path: path) }
    }

    private func failure(_ error: any Error, of request: ServerRequest, _ requestID: String) -> ServerAnswer {
        var problem: Problem
        switch error {
        case let thrown as Problem: problem = thrown
        case QueueRefusal.keyIsBusy: problem = .rateLimited(seconds: 1)
        // The task was cancelled, for instance because the server stops: the client may send the request again.
        case QueueRefusal.full, is CancellationError: problem = .overloaded
        case StoreFailure.full(let reason):
            problem = .insufficientStorage
            logger.error("the disk is full", metadata: ["request": "\(requestID)", "error": "\(reason)"])
        case StoreFailure.busy(let reason):
            problem = .storageBusy
            logger.error(
                "another program locks the database", metadata: ["request": "\(requestID)", "error": "\(reason)"])
        default:
            // The details are only logged: an answer must not disclose internals of the server.
            problem = .internalError
            logger.error(
                "a request failed", metadata: ["request": "\(requestID)", "error": "\(String(reflecting: error))"])
        }
        problem.requestID = requestID
        var answer = ServerAnswer.problem(problem)
        if problem.status == 405 {
            // Required with 405 (RFC 9110 section 15.5.6).
            answer.headers.append(("Allow", methods(path: request.path).joined(separator: ", ")))
        }
        return answer
    }

    /// Logs once that a proxy on this machine is not trusted, so that its clients can't be distinguished.
    private func warnOfUnknownProxy(_ request: ServerRequest) {
        guard request.isForwardedByUnknownProxy(configuration.trustedProxies) else { return }
        let isFirst = unknownProxyReported.withLockedValue { isReported in
            defer { isReported = true }
            return !isReported
        }
        guard isFirst else { return }
        logger.warning(
            """
            a proxy on this machine forwards requests and is not trusted, so its clients can't be distinguished and one of them \
            can slow down the log-ins of all; start the server with --trusted-proxy and the proxy's address
            """, metadata: ["proxy": "\(request.address)"])
    }

    /// Logs one line for each request, without its query, headers and body, since those may contain secrets.
    private func log(_ request: ServerRequest, _ answer: ServerAnswer, _ requestID: String, _ duration: Duration) {
        let level: Logger.Level = answer.status >= 500 ? .warning : .info
        logger.log(
            level: level, "answered",
            metadata: [
                "request": "\(requestID)", "method": "\(request.method)", "path": "\(request.path)",
                "status": "\(answer.status)", "bytes": "\(answer.body.count)",
                "ms":
                    "\(duration.components.seconds * 1_000 + duration.components.attoseconds / 1_000_000_000_000_000)",
            ])
    }

    /// Returns a client's own id for its request, if it has the form of an identifier: line breaks could forge entries
    /// of the log.
    private static func requestID(_ text: String?) -> String? {
        text.flatMap { RecordKey.isIdentifier($0) ? $0 : nil }
    }
}

extension SyncServer {
    /// Removes what is older than the configuration's retention, at once and then every hour, until the task is
    /// cancelled. `buildServer` runs it together with the server.
    func maintain() async { await maintenance.run() }

    /// Removes the tombstones that were made before a moment, once.
    ///
    /// - Parameter moment: The moment in milliseconds since 1970.
    /// - Returns: The number of removed tombstones.
    /// - Throws: The store's error; the tombstones of earlier transactions are removed nevertheless.
    package func purgeTombstones(before moment: Int64) async throws -> Int {
        try await maintenance.purgeTombstones(before: moment)
    }
}
