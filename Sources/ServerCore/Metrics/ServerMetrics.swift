package import CoreMetrics
internal import NIOConcurrencyHelpers
internal import SyncAPI

/// Records what a server does. Its values go to a backend of swift-metrics.
final class ServerMetrics: Sendable {
    private let factory: any MetricsFactory
    private let routes: [RequestRoute: Route]
    private let unknown: Route
    private let events: [AuditEvent.Name: Counter]
    private let connections: Meter
    private let streams: Meter
    private let heldBytes: Meter
    private let lostLogLines: Counter
    private let storeUp: Meter
    private let quotaRefusals: [QuotaResource: Counter]
    private let quotaAccounts: [QuotaResource: Meter]

    /// - Parameter endpoints: The enums of all endpoints.
    init(_ factory: any MetricsFactory, endpoints: [any Endpoint.Type]) {
        self.factory = factory
        let routes = endpoints.flatMap { $0.patterns.map { RequestRoute(method: $0.method, pattern: $0.path) } }
        self.routes = Dictionary(
            routes.map { ($0, Route($0, factory)) }, uniquingKeysWith: { first, _ in first })
        unknown = Route(RequestRoute(method: "", pattern: "unknown"), factory)
        // All of them from the start: the rate of a counter that appears with the value 1 is 0.
        events = Dictionary(
            uniqueKeysWithValues: AuditEvent.Name.allCases.map {
                ($0, Counter(.securityEvents, [("event", $0.rawValue)], factory))
            })
        connections = Meter(.connections, factory)
        streams = Meter(.eventStreams, factory)
        heldBytes = Meter(.heldBytes, factory)
        lostLogLines = Counter(.lostLogLines, [], factory)
        storeUp = Meter(.storeUp, factory)
        quotaRefusals = Dictionary(
            uniqueKeysWithValues: QuotaResource.allCases.map {
                ($0, Counter(.quotaRefusals, [("quota", $0.rawValue)], factory))
            })
        // Event streams aren't stored: no query counts the accounts that are close to their limit.
        quotaAccounts = Dictionary(
            uniqueKeysWithValues: QuotaResource.allCases.filter { $0 != .streams }.map {
                ($0, Meter(.quotaAccounts, [("quota", $0.rawValue)], factory))
            })
    }

    /// The values of one endpoint.
    private final class Route: Sendable {
        private let route: RequestRoute
        private let factory: any MetricsFactory
        private let duration: CoreMetrics.Timer
        /// By status; only those that the endpoint has answered.
        private let answers = NIOLockedValueBox<[Int: Counter]>([:])

        init(_ route: RequestRoute, _ factory: any MetricsFactory) {
            (self.route, self.factory) = (route, factory)
            duration = CoreMetrics.Timer(.requestDuration, route.labels, factory)
        }

        func answered(status: Int, duration: Duration) {
            self.duration.recordNanoseconds(duration.nanoseconds)
            let counter = answers.withLockedValue { answers in
                if let counter = answers[status] { return counter }
                let counter = Counter(.requests, route.labels + [("status", "\(status)")], factory)
                answers[status] = counter
                return counter
            }
            counter.increment()
        }
    }

    /// Records an answer.
    ///
    /// - Parameter route: The endpoint; nil if there is none, so that the metrics have no values of unknown clients.
    func answered(_ route: RequestRoute?, status: Int, duration: Duration) {
        (route.flatMap { routes[$0] } ?? unknown).answered(status: status, duration: duration)
    }

    /// Records a request that was refused since a limit of the account is reached.
    func refused(by resource: QuotaResource) { quotaRefusals[resource]?.increment() }

    func happened(_ event: AuditEvent) { events[event.name]?.increment() }

    /// Records that connections were opened, or closed if the change is negative.
    func connections(_ change: Int) { connections.increment(by: Double(change)) }

    /// Sets the values that are read when the metrics are.
    ///
    /// - Parameters:
    ///   - storage: The sizes of the store; nil if it doesn't answer.
    ///   - quota: The accounts close to their limits; nil if it doesn't answer.
    func set(streams: Int, heldBytes: Int, storage: StoreStatistics?, quota: QuotaUse?) {
        self.streams.set(streams)
        self.heldBytes.set(heldBytes)
        lostLogLines.increment(by: StandardError.drainLostTexts())
        storeUp.set(storage == nil ? 0 : 1)
        guard let storage else { return }
        let sizes: [(ServerMetric, Int64?)] = [
            (.databaseBytes, storage.databaseBytes), (.logBytes, storage.logBytes), (.accounts, storage.accounts),
            (.records, storage.records), (.usedBytes, storage.usedBytes), (.largestBytes, storage.largestBytes),
        ]
        for case (let metric, let size?) in sizes { Meter(metric, factory).set(size) }
        guard let quota else { return }
        for (resource, meter) in quotaAccounts { meter.set(quota.near[resource]) }
        Meter(.quotaExceeded, factory).set(quota.exceeding)
    }
}

/// The endpoint of a request, as logs and metrics name it: the pattern of its path, not the path.
struct RequestRoute: Hashable, Sendable {
    let method: String
    let pattern: String

    fileprivate var labels: [(String, String)] { [("method", method), ("route", pattern)] }
}

extension Duration {
    /// The duration in nanoseconds.
    package var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}

/// Records the durations of a store's transactions. Each store that `ServerStore` describes can use it.
package final class StoreMetrics: Sendable {
    private let reads, lookUps, writes, commits: CoreMetrics.Timer
    private let transactions: Recorder

    /// Creates metrics in a backend of swift-metrics.
    package init(_ factory: any MetricsFactory) {
        reads = CoreMetrics.Timer(.readDuration, [], factory)
        lookUps = CoreMetrics.Timer(.lookUpDuration, [], factory)
        writes = CoreMetrics.Timer(.writeDuration, [], factory)
        commits = CoreMetrics.Timer(.commitDuration, [], factory)
        transactions = Recorder(label: ServerMetric.commitTransactions.rawValue, aggregate: true, factory: factory)
    }

    /// A transaction of the server's logic.
    package enum Transaction: Sendable {
        case read, lookUp, write
    }

    /// Records a transaction that began at a moment and has ended now.
    package func ended(_ transaction: Transaction, since start: ContinuousClock.Instant) {
        let duration = (ContinuousClock.now - start).nanoseconds
        switch transaction {
        case .read: reads.recordNanoseconds(duration)
        case .lookUp: lookUps.recordNanoseconds(duration)
        case .write: writes.recordNanoseconds(duration)
        }
    }

    /// Records a group commit of some transactions.
    package func committed(_ count: Int, since start: ContinuousClock.Instant) {
        commits.recordNanoseconds((ContinuousClock.now - start).nanoseconds)
        transactions.record(count)
    }
}

extension Counter {
    fileprivate convenience init(
        _ metric: ServerMetric, _ labels: [(String, String)], _ factory: any MetricsFactory
    ) {
        self.init(label: metric.rawValue, dimensions: labels, factory: factory)
    }
}

extension Meter {
    fileprivate convenience init(_ metric: ServerMetric, _ factory: any MetricsFactory) {
        self.init(metric, [], factory)
    }

    fileprivate convenience init(
        _ metric: ServerMetric, _ labels: [(String, String)], _ factory: any MetricsFactory
    ) {
        self.init(label: metric.rawValue, dimensions: labels, factory: factory)
    }
}

extension CoreMetrics.Timer {
    fileprivate convenience init(
        _ metric: ServerMetric, _ labels: [(String, String)], _ factory: any MetricsFactory
    ) {
        self.init(label: metric.rawValue, dimensions: labels, factory: factory)
    }
}
