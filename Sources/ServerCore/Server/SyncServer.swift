public import CoreMetrics
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
    let audit: AuditLog
    /// Nil: nothing is recorded.
    let metrics: ServerMetrics?
    let logger: Logger
    private let proxyWarnings = NIOLockedValueBox<[String]>([])
    /// Number of connections that may be open at once.
    public let connectionTotal: Int
    let document: ServedDocument
    /// Whether clients use TLS; set by `buildServer`.
    var isSecure = false

    /// Creates a server over a store.
    ///
    /// Stops the program if the table of an extension is faulty (see `RouteTable`), or if no request reaches an endpoint
    /// of an extension, since it has the method and path of one of Satchel's own or of an earlier extension.
    ///
    /// - Parameters:
    ///   - extensions: Further endpoints, with methods and paths of their own.
    ///   - metrics: The backend of metrics, for example a `PrometheusRegistry`; nil: nothing is recorded.
    ///   - logger: The destination of log messages; by default lines on stderr, from `info` up.
    public init(
        configuration: ServerConfiguration = ServerConfiguration(), store: any ServerStore,
        extensions: [any ServerExtension] = [], environment: ServerEnvironment = .live,
        metrics: (any MetricsFactory)? = nil,
        logger: Logger = Logger(label: "server") { _ in LogfmtHandler(level: .info) }
    ) {
        let hidden = Self.hiddenEndpoints(of: extensions)
        precondition(hidden.isEmpty, "no request reaches these endpoints: \(hidden.joined(separator: "; "))")
        self.extensions = extensions
        document = ServedDocument { [limits = configuration.limits] in
            OpenAPI.document(
                limits: limits, open: extensions.flatMap(\.openEndpoints),
                authenticated: extensions.flatMap(\.authenticatedEndpoints))
        }
        self.configuration = configuration
        self.environment = environment
        self.store = store
        self.logger = logger
        budget = RequestBudget(configuration.requests)
        let recorder = metrics.map { ServerMetrics($0, endpoints: Self.endpoints(of: extensions)) }
        self.metrics = recorder
        audit = AuditLog(logger) { recorder?.happened($0) }
        connectionTotal = configuration.connections.total(
            descriptors: DescriptorLimit.current, cores: System.coreCount)
        // Streams stay open for long; the other half of the connections is for requests that end.
        let hub = EventHub(
            streams: max(1, connectionTotal / 2), executor: environment.executor, announce: { store.announce($0) })
        sessions = SessionService(
            store: store, environment: environment, rules: configuration.sessions, quota: configuration.quota,
            events: hub, audit: audit)
        accounts = AccountService(
            store: store, environment: environment, configuration: configuration, sessions: sessions)
        let turns = ReadTurns()
        changes = ChangesService(
            store: store, environment: environment, configuration: configuration, events: hub, turns: turns)
        records = RecordsService(
            store: store, environment: environment, configuration: configuration, events: hub, turns: turns)
        events = EventService(
            store: store, environment: environment, sessions: sessions, hub: hub, quota: configuration.quota,
            logger: logger)
        maintenance = MaintenanceService(
            store: store, environment: environment, configuration: configuration, logger: logger)
    }

    /// Returns a description of each endpoint that no request reaches, since the server matches another one first.
    static func hiddenEndpoints(of extensions: [any ServerExtension]) -> [String] {
        var hidden: [String] = []
        var earlier: [any Endpoint.Type] = []
        for routes in endpoints(of: extensions) {
            hidden += routes.hiddenEndpoints(behind: earlier)
            earlier.append(routes)
        }
        return hidden
    }

    /// Returns the enums of all endpoints, in the order in which a request is matched.
    private static func endpoints(of extensions: [any ServerExtension]) -> [any Endpoint.Type] {
        var all: [any Endpoint.Type] = [OpenRoute.self, AuthenticatedRoute.self]
        for other in extensions { all += other.openEndpoints + other.authenticatedEndpoints }
        return all
    }

    /// Answers a request. Every error becomes a problem document.
    public func answer(_ request: ServerRequest) async -> ServerAnswer {
        let started = ContinuousClock.now
        // Not the client's own: it could have the id of another request.
        let requestID = environment.uuid()
        var request = request
        request.id = requestID
        let method = request.method
        if method == "HEAD" { (request.method, request.isHead) = (EndpointMethod.get.rawValue, true) }
        warnOfUnknownProxy(request)
        let endpoint = endpoint(of: request)
        let hold = RequestHold(budget, displace: request.onDisplaced)
        request.hold = hold
        var answer: ServerAnswer
        do {
            answer = try await handle(request, at: endpoint).compressed(for: request)
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
        answer.addCommonHeaders(isSecure: isSecure)
        answer.headers.append((Header.requestID, requestID))
        if request.isHead { answer.omitBody() }
        let duration = ContinuousClock.now - started
        metrics?.answered(route(of: endpoint, request), status: answer.status, duration: duration)
        request.method = method
        log(request, answer, duration)
        return answer
    }

    /// The endpoint of a request, as far as it is one of Satchel's own.
    private enum MatchedEndpoint {
        case open(OpenRoute)
        case authenticated(AuthenticatedRoute)
        /// An endpoint of an extension, or none.
        case other
    }

    private func endpoint(of request: ServerRequest) -> MatchedEndpoint {
        let path = request.path
        if let route = OpenRoute.table.route(method: request.method, path: path) { return .open(route) }
        if let route = AuthenticatedRoute.table.route(method: request.method, path: path) {
            return .authenticated(route)
        }
        return .other
    }

    /// Returns the name of an endpoint for the metrics; nil if there is no endpoint.
    private func route(of endpoint: MatchedEndpoint, _ request: ServerRequest) -> RequestRoute? {
        let pattern =
            switch endpoint {
            case .open(let route): route.pattern
            case .authenticated(let route): route.pattern
            case .other:
                Self.endpoints(of: extensions).lazy
                    .compactMap { $0.pattern(method: request.method, path: request.path) }.first
            }
        return pattern.map { RequestRoute(method: request.method, pattern: $0) }
    }

    private func handle(_ request: ServerRequest, at endpoint: MatchedEndpoint) async throws -> ServerAnswer {
        // Before any route: a server must refuse every such request with 400 (RFC 9112 section 3.2).
        guard request.hasHost else { throw Problem.hostMissing }
        switch endpoint {
        case .open(let route): return try await handle(route, request)
        case .authenticated(let route):
            return try await handle(route, request, from: caller(of: request, for: route.access))
        case .other:
            for other in extensions {
                if let answer = try await other.answer(request, on: self) { return answer }
            }
        }
        throw methods(path: request.path).isEmpty ? Problem.notFound : .methodNotAllowed(request.method)
    }

    /// Returns the methods of a path, of all routes and extensions.
    private func methods(path: String) -> [String] {
        let methods =
            OpenRoute.table.methods(path: path) + AuthenticatedRoute.table.methods(path: path)
            + extensions.flatMap { $0.methods(path: path) }
        return methods.flatMap { $0 == EndpointMethod.get.rawValue ? [$0, "HEAD"] : [$0] }
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
        case StoreFailure.unavailable(let reason):
            problem = .storageUnavailable
            logger.error(
                "the store is unavailable", metadata: ["request": "\(requestID)", "error": "\(reason)"])
        default:
            // The details are only logged: an answer must not disclose internals of the server.
            problem = .internalError
            logger.error(
                "a request failed", metadata: ["request": "\(requestID)", "error": "\(String(reflecting: error))"])
        }
        if let resource = problem.exceeded { metrics?.refused(by: resource) }
        problem.requestID = requestID
        var answer = ServerAnswer.problem(problem)
        if problem.status == 405 {
            // Required with 405 (RFC 9110 section 15.5.6).
            answer.headers.append(("Allow", methods(path: request.path).joined(separator: ", ")))
        }
        return answer
    }

    /// Logs once that a proxy is not trusted, so that its clients can't be distinguished for certain.
    private func warnOfUnknownProxy(_ request: ServerRequest) {
        guard request.isForwardedByUnknownProxy(configuration.trustedProxies) else { return }
        let isOfMachine = IPAddress(request.address)?.isLoopback == true
        let warning = isOfMachine ? Self.unknownProxyWarning : Self.unknownPrivateProxyWarning
        let isFirst = proxyWarnings.withLockedValue { warnings in
            if warnings.contains(warning) { return false }
            warnings.append(warning)
            return true
        }
        guard isFirst else { return }
        logger.warning("\(warning)", metadata: ["proxy": "\(request.address)"])
    }

    /// The warnings of proxies that aren't trusted and have forwarded a request.
    var unknownProxyWarnings: [String] { proxyWarnings.withLockedValue { $0 } }

    /// The warning of a proxy in a private network: its address counts as that of one client.
    private static let unknownPrivateProxyWarning = """
        a proxy at a private address forwards requests but is not trusted: all its clients count as one for the limits \
        of connections, failed log-ins, registrations, codes and tokens, so one client can delay the others, and the \
        log has the proxy's address; start the server with --trusted-proxy and the proxy's address
        """

    /// The warning of a proxy on this machine, in the log and in the answer of `/readyz`.
    private static let unknownProxyWarning = """
        a proxy on this machine forwards requests but is not trusted: failed log-ins, registrations, codes and tokens are \
        throttled by its X-Forwarded-For, which clients can forge, and also for all its clients together, so one client can \
        delay the others; start the server with --trusted-proxy and the proxy's address
        """

    /// Logs one line for each request, without its query, headers and body, since those may contain secrets.
    private func log(_ request: ServerRequest, _ answer: ServerAnswer, _ duration: Duration) {
        let level: Logger.Level = answer.status >= 500 ? .warning : .info
        logger.log(
            level: level, "answered",
            metadata: Self.fields(
                of: request, answer, duration, origin: origin(of: request), account: request.hold.account))
    }

    private static func fields(
        of request: ServerRequest, _ answer: ServerAnswer, _ duration: Duration, origin: RequestOrigin, account: String?
    ) -> Logger.Metadata {
        var fields: Logger.Metadata = [
            "request": "\(origin.requestID)", "address": "\(origin.address)", "method": "\(request.method)",
            "path": "\(request.path.prefixOfBytes(loggedPath))", "status": "\(answer.status)",
            "bytes": "\(answer.body.count)",
            "ms":
                "\(duration.components.seconds * 1_000 + duration.components.attoseconds / 1_000_000_000_000_000)",
        ]
        fields["account"] = account.map { "\($0)" }
        return fields
    }

    /// The number of bytes of a path that are logged.
    private static let loggedPath = 300
}

extension String {
    /// Returns the first bytes of the text, followed by an ellipsis if there are more.
    fileprivate func prefixOfBytes(_ count: Int) -> String {
        utf8.count <= count ? self : String(decoding: utf8.prefix(count), as: UTF8.self) + "…"
    }
}

extension SyncServer {
    /// Removes what is older than the configuration's retention, at once and then every hour, and ends the streams of
    /// sessions that other processes have ended, until the task is cancelled. `buildServer` runs it together with the server.
    func maintain() async {
        async let watch: Void = watchCommits()
        async let relay: Void = AuditRelay(store: store, environment: environment, audit: audit).run()
        await storeQuota()
        await warnOfExceededQuotas()
        await maintenance.run()
        await watch
        await relay
    }

    /// Notifies event streams of what other processes have committed, until the task is cancelled.
    package func watchCommits() async {
        await CommitWatch(store: store, environment: environment, events: events.hub).run()
    }

    /// Stores the limits of accounts without their own, so that commands of the owner know those that come from flags.
    func storeQuota() async {
        let quota = configuration.quota
        do {
            let stored = try await store.read { tx in try tx.defaultQuota() }
            if stored != quota { try await store.write(using: .reserve) { tx in try tx.setDefaultQuota(quota) } }
        } catch is CancellationError {
            // The server shuts down.
        } catch {
            logger.warning(
                "the server's default limits could not be stored; user list, user quota and stats may show those of an earlier start",
                metadata: ["error": "\(String(reflecting: error))"])
        }
    }

    /// Warns once of accounts that already use more than they may, since the limits are new or were lowered.
    func warnOfExceededQuotas() async {
        // A store that fails is reported by requests.
        guard let use = try? await quotaUse(), use.exceeding > 0 else { return }
        logger.warning(
            "some accounts use more than their quota and can only delete; the command user list shows them",
            metadata: ["count": "\(use.exceeding)"])
    }

    private func quotaUse() async throws -> QuotaUse {
        try await store.read { [configuration, now = environment.now()] tx in
            try tx.quotaUse(configuration.quota, sessions: configuration.sessions, now: now)
        }
    }

    /// Sets the metrics of sizes, which are read only when the metrics are.
    func measure() async {
        guard let metrics else { return }
        var (storage, quota): (StoreStatistics?, QuotaUse?)
        do {
            storage = try await store.statistics()
            quota = try await quotaUse()
        } catch {
            logger.error("the storage doesn't answer", metadata: ["error": "\(String(reflecting: error))"])
        }
        metrics.set(streams: events.hub.count, heldBytes: budget.bytes, storage: storage, quota: quota)
    }

    /// Removes the tombstones that were made before a moment, once.
    ///
    /// - Parameter moment: The moment in milliseconds since 1970.
    /// - Returns: The number of removed tombstones.
    /// - Throws: The store's error; the tombstones of earlier transactions are removed nevertheless.
    package func purgeTombstones(before moment: Int64) async throws -> Int {
        try await maintenance.purgeTombstones(before: moment)
    }
}
