import CoreMetrics
import Foundation
import Logging
import Records
import SQLiteServerStore
import SyncAPI
import Testing
import TestSupport

@testable import ServerCore

/// The metrics that requests change.
@Suite struct MetricsTests {
    private let registry = PrometheusRegistry(prefix: "test")
    private let server: SyncServer
    private var device: WireDevice

    init() async throws {
        let server = SyncServer(
            configuration: .forTests, store: try SQLiteServerStore(metrics: registry), metrics: registry,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        self.server = server
        device = WireDevice { await server.answer($0) }
        try await device.register()
    }

    /// The value of a metric with its labels, as text.
    private func value(_ metric: String) -> String? {
        registry.text.split(separator: "\n").first { $0.hasPrefix("\(metric) ") }
            .map { String($0.dropFirst(metric.utf8.count + 1)) }
    }

    @Test func requestsAreCountedByThePatternOfTheirPath() async throws {
        for id in ["one", "two", "three"] {
            _ = try await device.call("GET", "/v1/spaces/\(device.space)/records/tasks/\(id)?x=secret")
        }
        let route = #"method="GET",route="/v1/spaces/{space}/records/{collection}/{id}""#
        #expect(value("test_requests_total{\(route),status=\"404\"}") == "3")
        #expect(value("test_request_duration_seconds_count{\(route)}") == "3")
        #expect(value(#"test_requests_total{method="POST",route="/v1/accounts",status="201"}"#) == "1")
    }

    @Test(arguments: [("GET", "/unknown"), ("BREW", "/v1/account"), ("DELETE", "/healthz")])
    func aRequestWithoutAnEndpointAddsNoLabelsOfItsOwn(_ method: String, _ path: String) async throws {
        _ = await server.answer(
            ServerRequest(method: method, target: path, headers: [("Host", "server.test")], address: "192.0.2.1"))
        let status = path == "/unknown" ? 404 : 405
        #expect(value(#"test_requests_total{method="",route="unknown",status="\#(status)"}"#) == "1")
        #expect(!registry.text.contains("BREW"))
    }

    @Test func securityEventsAreCountedAndExportedFromTheStart() async throws {
        for name in AuditEvent.Name.allCases where name != .registered {
            #expect(value("test_security_events_total{event=\"\(name.rawValue)\"}") == "0")
        }
        var other = device
        try await other.logIn(password: "battery staple")
        #expect(value(#"test_security_events_total{event="registered"}"#) == "1")
        #expect(value(#"test_security_events_total{event="login-refused"}"#) == "1")
    }

    @Test func theSizesOfTheStoreAreRead() async throws {
        let mutation: JSONValue = [
            "collection": "tasks", "id": "a", "base": 0, "at": "000000000001-0000-d", "set": ["title": "x"],
        ]
        try #require(await device.push([mutation], key: "first").status == 200)
        await server.measure()
        #expect(value("test_store_up") == "1")
        #expect(value("test_store_accounts") == "1")
        #expect(value("test_store_records") == "1")
        let used = try #require(value("test_store_used_bytes").flatMap { Int($0) })
        #expect(used > 0)
        #expect(value("test_store_largest_space_bytes") == "\(used)")
        #expect(value("test_event_streams") == "0")
    }

    @Test func accountsCloseToTheirQuotaAndRefusalsAreCounted() async throws {
        let mutation: JSONValue = [
            "collection": "tasks", "id": "a", "base": 0, "at": "000000000001-0000-d", "set": ["title": "x"],
        ]
        try #require(await device.push([mutation], key: "first").status == 200)
        await server.measure()
        for quota in ["records", "bytes", "devices"] {
            #expect(value("test_quota_accounts{quota=\"\(quota)\"}") == "0")
            #expect(value("test_quota_refusals_total{quota=\"\(quota)\"}") == "0")
        }
        #expect(value("test_quota_exceeded_accounts") == "0")
        let service = AdministrationService(store: server.store)
        _ = try await service.changeQuota(of: "anna") { ($0.records, $0.bytes) = (1, 1) }
        #expect(try await device.push([mutation], key: "second").status == 200, "nothing but a conflict")
        let other: JSONValue = [
            "collection": "tasks", "id": "b", "base": 0, "at": "000000000001-0000-d", "set": ["title": "x"],
        ]
        try #require(await device.push([other], key: "third").status == 403)
        await server.measure()
        #expect(value(#"test_quota_accounts{quota="records"}"#) == "1")
        #expect(value(#"test_quota_accounts{quota="bytes"}"#) == "1")
        #expect(value(#"test_quota_accounts{quota="devices"}"#) == "0")
        #expect(value("test_quota_exceeded_accounts") == "1")
        #expect(value(#"test_quota_refusals_total{quota="records"}"#) == "1")
    }

    @Test func aRefusedStreamIsCounted() async throws {
        #expect(value(#"test_quota_refusals_total{quota="streams"}"#) == "0")
        _ = try await AdministrationService(store: server.store).changeQuota(of: "anna") { $0.streams = 0 }
        #expect(try await device.call("GET", AuthenticatedRoute.events.path)["code"] == "quota-exceeded")
        #expect(value(#"test_quota_refusals_total{quota="streams"}"#) == "1")
        await server.measure()
        #expect(value(#"test_quota_accounts{quota="streams"}"#) == nil, "streams aren't stored")
    }

    @Test func transactionsAndCommitsAreMeasured() async throws {
        let writes = try #require(value("test_store_write_duration_seconds_count").flatMap { Int($0) })
        let commits = try #require(value("test_store_commit_duration_seconds_count").flatMap { Int($0) })
        #expect(writes > 0)
        #expect((1...writes).contains(commits))
        #expect(value("test_store_commit_transactions_sum") == "\(writes)")
        #expect(value("test_store_commit_transactions_count") == "\(commits)")
    }

    @Test func aStoreThatDoesNotAnswerIsDown() async throws {
        let server = SyncServer(
            configuration: .forTests, store: BrokenStore(), metrics: registry,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        await server.measure()
        #expect(value("test_store_up") == "0")
    }

    /// A store that fails in every transaction.
    private struct BrokenStore: ServerStore {
        func read<Result: Sendable>(
            _ body: @escaping @Sendable (any StoreReading) throws -> Result
        ) async throws -> Result { throw StoreFailure.busy(reason: "test") }

        func write<Result: Sendable>(
            _ body: @escaping @Sendable (any StoreWriting) throws -> Result
        ) async throws -> Result { throw StoreFailure.busy(reason: "test") }

        func statistics() async throws -> StoreStatistics { throw StoreFailure.busy(reason: "test") }
    }

    @Test func thePageOperatingHasTheGeneratedTableOfMetrics() throws {
        let page = try String(
            contentsOf: URL(filePath: #filePath)
                .appending(path: "../../../Sources/ServerCore/ServerCore.docc/Operating.md").standardizedFileURL,
            encoding: .utf8)
        let table = ServerMetric.table(prefix: "satcheld")
        #expect(page.contains(table), "put this table into the page:\n\(table)")
    }
}

/// Prometheus' text format.
@Suite struct PrometheusRegistryTests {
    private let registry = PrometheusRegistry(prefix: "test")

    @Test func aCounterIsWrittenWithItsTypeAndLabels() {
        let counter = registry.makeCounter(label: "jobs_total", dimensions: [("kind", "a"), ("place", "b")])
        counter.increment(by: 2)
        counter.increment(by: 3)
        #expect(
            registry.text == """
                # HELP test_jobs_total jobs_total.
                # TYPE test_jobs_total counter
                test_jobs_total{kind="a",place="b"} 5

                """)
    }

    @Test func aGaugeRisesAndFalls() {
        let gauge = registry.makeMeter(label: "open", dimensions: [])
        gauge.increment(by: 3)
        gauge.decrement(by: 1)
        #expect(registry.text.hasSuffix("\ntest_open 2\n"))
        gauge.set(0.5)
        #expect(registry.text.hasSuffix("\ntest_open 0.5\n"))
    }

    @Test func aHistogramHasCumulativeBuckets() {
        let sizes = registry.makeRecorder(
            label: ServerMetric.commitTransactions.rawValue, dimensions: [], aggregate: true)
        for size: Int64 in [1, 2, 3, 300] { sizes.record(size) }
        let lines = registry.text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(
            lines.map { String($0.dropFirst("test_store_commit_transactions".utf8.count)) } == [
                #"_bucket{le="1"} 1"#, #"_bucket{le="2"} 2"#, #"_bucket{le="4"} 3"#, #"_bucket{le="8"} 3"#,
                #"_bucket{le="16"} 3"#, #"_bucket{le="32"} 3"#, #"_bucket{le="64"} 3"#, #"_bucket{le="128"} 3"#,
                #"_bucket{le="256"} 3"#, #"_bucket{le="+Inf"} 4"#, "_sum 306", "_count 4",
            ])
    }

    @Test func aTimerIsAHistogramOfSeconds() {
        registry.makeTimer(label: "took_seconds", dimensions: [("a", "b")]).recordNanoseconds(2_000_000)
        #expect(registry.text.contains(#"test_took_seconds_bucket{a="b",le="0.001"} 0"#))
        #expect(registry.text.contains(#"test_took_seconds_bucket{a="b",le="0.0025"} 1"#))
        #expect(registry.text.contains(#"test_took_seconds_sum{a="b"} 0.002"#))
    }

    @Test func aValueOfALabelIsEscapedAndANameReplaced() {
        registry.makeCounter(label: "a.b-c", dimensions: [("x.y", "q\"u\\o\nte")]).increment(by: 1)
        #expect(registry.text.hasSuffix(#"test_a_b_c{x_y="q\"u\\o\nte"} 1"# + "\n"))
    }

    @Test func theSameNameAndLabelsAreOneMetric() {
        registry.makeCounter(label: "n", dimensions: [("a", "b")]).increment(by: 1)
        registry.makeCounter(label: "n", dimensions: [("a", "b")]).increment(by: 1)
        #expect(registry.text.hasSuffix("test_n{a=\"b\"} 2\n"))
    }

    @Test func aNameBelongsToMetricsOfOneKind() {
        registry.makeCounter(label: "n", dimensions: []).increment(by: 1)
        registry.makeMeter(label: "n", dimensions: [("a", "b")]).set(Int64(7))
        #expect(registry.text.hasSuffix("# TYPE test_n counter\ntest_n 1\n"))
    }
}
