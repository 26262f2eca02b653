import Records
import SQLiteServerStore
import SyncAPI
import Testing
import TestSupport

@testable import ServerCore

@Suite struct QuotaTests {
    private let store: InProcessServer
    private var device: WireDevice

    /// A server that allows 4 records and 4,000 bytes.
    init() async throws {
        var configuration = ServerConfiguration.forTests
        configuration.quota = QuotaRules(records: 4, bytes: 4_000, devices: 10, streams: 1)
        store = try InProcessServer(configuration: configuration)
        device = WireDevice(store)
        try await device.register()
    }

    private var administration: AdministrationService {
        AdministrationService(store: store.store)
    }

    private func path(_ id: String) -> String {
        AuthenticatedRoute.readRecord(space: device.space, collection: "tasks", id: id).path
    }

    private func put(_ id: String, _ text: String = "x") async throws -> WireDevice.Answer {
        try await device.call(
            "PUT", path(id), body: ["fields": ["t": .string(text)]], headers: ["If-None-Match": "*"])
    }

    private func delete(_ id: String) async throws -> Int {
        try await device.call("DELETE", path(id), headers: ["If-Match": "*"]).status
    }

    private func usage() async throws -> StoredUsage { try await administration.account("anna").usage }

    private static func set(_ id: String, base: Int64 = 0, _ text: String = "x") -> JSONValue {
        [
            "collection": "tasks", "id": .string(id), "base": .integer(base), "at": "000000000001-0000-d",
            "set": ["t": .string(text)],
        ]
    }

    private static func deletion(_ id: String, base: Int64) -> JSONValue {
        [
            "collection": "tasks", "id": .string(id), "base": .integer(base), "at": "000000000001-0000-d",
            "delete": true,
        ]
    }

    @Test func aLimitOfOneIsNamedInTheSingular() {
        let all = [
            Problem.tooManyRecords(limit: 1), .tooManyBytes(limit: 1), .tooManyDevices(limit: 1),
            .tooManyStreams(limit: 1), .tooManyRecords(limit: 2),
        ]
        let details = all.map { problem in String((problem.detail ?? "").prefix { $0 != ";" }) }
        #expect(
            details == [
                "the account may have 1 record", "the account may use 1 byte",
                "the account may have 1 device or app password", "the account may have 1 event stream at once",
                "the account may have 2 records",
            ])
    }

    // MARK: Records

    @Test func aRecordBeyondTheLimitIsRefusedAndDeletingMakesRoom() async throws {
        for id in ["a", "b", "c", "d"] { #expect(try await put(id).status == 201) }
        let refused = try await put("e")
        #expect(refused.status == 403)
        #expect(refused["code"] == "quota-exceeded")
        #expect(refused["quota"] == "records")
        #expect(refused["limit"] == 4)
        #expect(try await device.call("GET", path("e")).status == 404)
        #expect(try await delete("a") == 204)
        #expect(try await put("e").status == 201)
    }

    @Test func anEditAddsNoRecord() async throws {
        for id in ["a", "b", "c", "d"] { try #require(try await put(id).status == 201) }
        _ = try await administration.changeQuota(of: "anna") { $0.records = 2 }
        let edit = try await device.call(
            "PUT", path("a"), body: ["fields": ["t": "y"]], headers: ["If-Match": "*"])
        #expect(edit.status == 200)
        #expect(try await put("e").status == 403)
    }

    @Test func aPushBeyondTheLimitStoresNothing() async throws {
        let answer = try await device.push(["a", "b", "c", "d", "e"].map { Self.set($0) }, key: "k")
        #expect(answer.status == 403)
        #expect(answer["code"] == "quota-exceeded")
        #expect(try await usage().records == 0)
        #expect(try await usage().bytes == 0)
        // The key is free for a smaller request.
        #expect(try await device.push(["a", "b", "c", "d"].map { Self.set($0) }, key: "k").status == 200)
    }

    // MARK: Bytes

    @Test func bytesBeyondTheLimitAreRefusedByBothWaysOfWriting() async throws {
        let text = String(repeating: "x", count: 4_000)
        let answers = [try await put("a", text), try await device.push([Self.set("a", text)], key: "k")]
        for answer in answers {
            #expect(answer.status == 403)
            #expect(answer["quota"] == "bytes")
            #expect(answer["limit"] == 4_000)
        }
        #expect(try await usage().bytes == 0)
    }

    @Test func theBytesAreReadAgainOnlyIfTheChangeMayHaveExceededTheirLimit() async throws {
        try #require(try await put("a", String(repeating: "x", count: 2_000)).status == 201)
        let mutation = Mutation(
            key: RecordKey(collection: "tasks", id: "b"), base: 0, at: HLC(milliseconds: 5, device: "d"),
            action: .set(["t": .string(String(repeating: "x", count: 1_000))]))
        let plan = try PushPlan(
            [mutation], on: .init(version: { _ in nil }, record: { _ in nil }),
            decider: MutationDecider(now: 10, fieldsBytes: 10_000))
        /// The row of the space is another one than the stored one, which shows whether that is read.
        func isAccepted(bytes: Int64, limit: Int64) async throws -> Bool {
            try await store.store.read { [space = device.space] tx in
                let account = try #require(try tx.account(username: "anna"))
                let caller = Caller(account: account.id, session: "s", device: "d", scope: nil)
                let row = SpaceRow(id: space, bytes: bytes)
                let rules = QuotaRules(records: 4, bytes: limit, devices: 10, streams: 1)
                let check = try #require(try QuotaCheck(of: caller, changing: row, defaults: rules, tx))
                do {
                    try check.check(plan, NumberedPlan(plan, on: row, now: 10, by: "d"), tx)
                    return true
                } catch is Problem {
                    return false
                }
            }
        }
        #expect(try await isAccepted(bytes: 0, limit: 1_500))
        #expect(try await !isAccepted(bytes: 1_000, limit: 1_500))
        #expect(try await isAccepted(bytes: 1_500, limit: 2_500))
    }

    @Test func revisionsCount() async throws {
        var statuses: [Int] = []
        for number in 0..<10 {
            let text = String(repeating: "x", count: 900) + "\(number)"
            let condition = number == 0 ? ["If-None-Match": "*"] : ["If-Match": "*"]
            statuses.append(
                try await device.call(
                    "PUT", path("a"), body: ["fields": ["t": .string(text)]], headers: condition
                ).status)
        }
        #expect(statuses.prefix(4) == [201, 200, 200, 200])
        #expect(Set(statuses.dropFirst(4)) == [403])
    }

    @Test func deletingFreesSpaceWhenLittleIsLeft() async throws {
        let text = String(repeating: "x", count: 1_800)
        for id in ["a", "b"] { try #require(try await put(id, text).status == 201) }
        #expect(try await put("c", text).status == 403)
        #expect(try await delete("a") == 204)
        #expect(try await usage().bytes < 2_200)
        #expect(try await put("c", text).status == 201)
    }

    @Test func deletingKeepsARevisionWhileThereIsRoom() async throws {
        try #require(try await put("a", "kept").status == 201)
        #expect(try await delete("a") == 204)
        let revisions = try await device.call("GET", path("a") + "/revisions")["revisions"].array
        #expect(revisions?.count == 2)
    }

    @Test func deletingWorksAboveEveryLimit() async throws {
        for id in ["a", "b", "c", "d"] { try #require(try await put(id).status == 201) }
        _ = try await administration.changeQuota(of: "anna") { quota in
            (quota.records, quota.bytes) = (0, 0)
        }
        #expect(try await delete("a") == 204)
        let since = try await device.pull()["cursor"].string
        func push(_ mutation: JSONValue, _ key: String) async throws -> Int {
            try await device.push([mutation], since: since, key: key).status
        }
        #expect(try await push(Self.deletion("b", base: 2), "k") == 200)
        #expect(try await push(Self.deletion("c", base: 1), "l") == 200, "a conflict")
        #expect(try await push(Self.set("c", base: 3, "y"), "m") == 403)
        #expect(try await push(Self.deletion("none", base: 0), "n") == 403, "adds a tombstone")
        #expect(try await usage().records == 2)
    }

    @Test(arguments: [(0, false), (899, false), (900, true), (1_000, true), (2_000, true)] as [(Int64, Bool)])
    func littleIsLeftFromNineTenths(_ bytes: Int64, _ isTight: Bool) {
        #expect(QuotaRules.isNear(bytes, 1_000) == isTight)
        #expect(!QuotaRules.isNear(bytes, QuotaRules.unlimited))
    }

    // MARK: Limits of one account

    @Test func anAccountsOwnLimitReplacesTheServers() async throws {
        _ = try await administration.changeQuota(of: "anna") { quota in
            (quota.records, quota.bytes) = (5, QuotaRules.unlimited)
        }
        for id in ["a", "b", "c", "d", "e"] {
            #expect(try await put(id, String(repeating: "x", count: 2_000)).status == 201)
        }
        #expect(try await put("f").status == 403)
        _ = try await administration.changeQuota(of: "anna") { $0.records = nil }
        #expect(try await delete("e") == 204)
        #expect(try await put("f").status == 403)
    }

    @Test func theAccountReportsItsUsageAndItsLimits() async throws {
        try #require(try await put("a").status == 201)
        _ = try await administration.changeQuota(of: "anna") { $0.bytes = QuotaRules.unlimited }
        let answer = try await device.call("GET", "/v1/account")
        #expect(answer["usage"].object?["records"] == 1)
        #expect(answer["usage"].object?["devices"] == 1)
        #expect(answer["usage"].object?["streams"] == 0)
        #expect(answer["quota"] == ["records": 4, "devices": 10, "streams": 1])
    }

    @Test func streamsAreLimitedPerAccount() async throws {
        let caller = try await store.server.sessions.authenticate(
            device.accessToken, from: RequestOrigin(ServerRequest(method: "GET", target: "/"), behind: [])
        ).caller
        let events = store.server.events
        let first = try await events.open(caller, from: "192.0.2.1", lastEventID: nil)
        await #expect(throws: Problem.tooManyStreams(limit: 1)) {
            try await events.open(caller, from: "192.0.2.1", lastEventID: nil)
        }
        _ = try await administration.changeQuota(of: "anna") { $0.streams = 2 }
        let second = try await events.open(caller, from: "192.0.2.1", lastEventID: nil)
        #expect(try await device.call("GET", "/v1/account")["usage"].object?["streams"] == 2)
        for stream in [first, second] { stream.end() }
    }

    @Test func limitsAreMergedOneByOne() {
        let rules = QuotaRules(records: 1, bytes: 2, devices: 3, streams: 4)
        #expect(rules.with(AccountQuota()) == rules)
        #expect(
            rules.with(AccountQuota(bytes: 5, streams: 6)) == QuotaRules(records: 1, bytes: 5, devices: 3, streams: 6))
    }
}
