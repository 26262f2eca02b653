import NIOConcurrencyHelpers
import Records
import SQLiteServerStore
import SyncAPI
import Testing
import TestSupport

@testable import ServerCore

/// The cost of requests of every shape, in steps (`StepCounter`), not in seconds.
@Suite struct RequestCostTests {
    /// A shape of requests, of any size.
    struct Shape: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Mutations without a base that create what the request changes, for this many parts.
        let stored: @Sendable (Int) -> [JSONValue]
        /// The request with this many parts.
        let request: @Sendable (Int) -> Request
        /// The status of each of its mutations.
        let status: JSONValue

        init(
            _ description: String, stored: @escaping @Sendable (Int) -> [JSONValue] = { _ in [] },
            status: JSONValue = "applied", request: @escaping @Sendable (Int) -> Request
        ) {
            (testDescription, self.stored, self.status, self.request) = (description, stored, status, request)
        }
    }

    enum Request: Sendable {
        case push([JSONValue])
        /// PUT or PATCH of the record `x`.
        case write(String, JSONValue)
        case logOut
        case changePassword
    }

    static let at = "000000000001-0000-laptop"

    static func set(_ id: String, base: Int64 = 0, _ fields: JSONObject, clock: JSONObject? = nil) -> JSONValue {
        var mutation: JSONObject = [
            "collection": "tasks", "id": .string(id), "base": .integer(base), "at": .string(at), "set": .object(fields),
        ]
        mutation["clock"] = clock.map(JSONValue.object)
        return .object(mutation)
    }

    static func delete(_ id: String, base: Int64, clock: JSONObject) -> JSONValue {
        [
            "collection": "tasks", "id": .string(id), "base": .integer(base), "at": .string(at), "delete": true,
            "clock": .object(clock),
        ]
    }

    static func fields(_ count: Int, _ value: JSONValue) -> JSONObject {
        JSONObject((0..<count).map { ("field\($0)", value) })
    }

    static func clock(_ count: Int) -> JSONObject { fields(count, .string(at)) }

    static func deep(_ count: Int) -> JSONObject {
        var value = JSONValue.object(fields(count, 1))
        for _ in 0..<50 { value = ["a": value, "b": 1] }
        return ["deep": value]
    }

    /// Combining marks of two classes in turn: Unicode's normal form sorts all of a run.
    static func marks(_ count: Int) -> String {
        "a" + String(repeating: "\u{301}\u{316}", count: count)
    }

    static let shapes: [Shape] = [
        Shape("many fields are made", request: { .push([set("x", fields($0, 1))]) }),
        Shape(
            "many fields are removed", stored: { [set("x", fields($0, 1))] },
            request: { .push([set("x", base: 1, fields($0, .null))]) }),
        Shape(
            "many fields are removed by PATCH", stored: { [set("x", fields($0, 1))] },
            request: { .write("PATCH", ["fields": .object(fields($0, .null))]) }),
        Shape(
            "many nested fields are removed by PATCH", stored: { [set("x", ["in": .object(fields($0, 1))])] },
            request: { .write("PATCH", ["fields": ["in": .object(fields($0, .null))]]) }),
        Shape(
            "many fields are removed by PUT", stored: { [set("x", fields($0, 1))] },
            request: { _ in .write("PUT", ["fields": ["one": 1]]) }),
        Shape(
            "many mutations add records", request: { count in .push((0..<count / 10).map { set("r\($0)", ["n": 1]) }) }
        ),
        Shape(
            "many mutations change records", stored: { count in (0..<count / 10).map { set("r\($0)", ["n": 1]) } },
            request: { count in .push((0..<count / 10).map { set("r\($0)", base: Int64($0 + 1), ["n": 2]) }) }),
        Shape(
            "a small edit of a large record",
            stored: { [set("x", ["text": .string(String(repeating: "x", count: 100 * $0)), "n": 1])] },
            request: { _ in .push([set("x", base: 1, ["n": 2])]) }),
        Shape(
            "small edits of many large records",
            stored: { count in
                (0..<count / 50).map { set("r\($0)", ["text": .string(String(repeating: "x", count: 9_000))]) }
            },
            request: { count in .push((0..<count / 50).map { set("r\($0)", base: Int64($0 + 1), ["n": 2]) }) }),
        Shape("many clocks", request: { .push([set("x", fields($0, 1), clock: clock($0))]) }),
        Shape(
            "many clocks of an edit", stored: { [set("x", fields($0, 1), clock: clock($0))] },
            request: { .push([set("x", base: 1, ["field1": 2], clock: clock($0))]) }),
        Shape(
            "a deletion with many clocks", stored: { [set("x", fields($0, 1), clock: clock($0))] },
            request: { .push([delete("x", base: 1, clock: clock($0))]) }),
        Shape(
            "many deletions with clocks",
            stored: { count in (0..<count / 10).map { set("r\($0)", fields(10, 1), clock: clock(10)) } },
            request: { count in
                .push((0..<count / 10).map { delete("r\($0)", base: Int64($0 + 1), clock: clock(10)) })
            }),
        Shape(
            "many conflicts", stored: { count in (0..<count / 10).map { set("r\($0)", fields(10, 1)) } },
            status: "conflict",
            request: { count in .push((0..<count / 10).map { set("r\($0)", base: 100_000, ["n": 2]) }) }),
        Shape("deep values", request: { .push([set("x", deep($0))]) }),
        Shape(
            "deep values changed by PATCH", stored: { [set("x", deep($0))] },
            request: { .write("PATCH", ["fields": .object(deep($0 / 2))]) }),
        Shape(
            "a name of many combining marks",
            request: { .push([set("x", [marks($0): 1], clock: [marks($0): .string(at)])]) }),
    ]

    /// A server that does everything in the caller's task, so that its steps are counted; and a device of it.
    private static func device(_ body: @Sendable (WireDevice, CountingStore) async throws -> Void) async throws {
        let store = try CountingStore(SQLiteServerStore(scheduling: .inline))
        let server = SyncServer(
            configuration: .forTests, store: store,
            environment: ServerEnvironment(now: { 1_795_000_000_000 }, randomBytes: ServerEnvironment.live.randomBytes))
        var device = WireDevice(id: "laptop") { request in await server.answer(request) }
        try await device.register()
        try await body(device, store)
    }

    /// The cost of a request.
    private struct Cost {
        /// Steps of `StepCounter`.
        var all = 0
        /// Those in its write transactions.
        var writer = 0
        /// Steps of SQLite's virtual machine in its write transactions.
        var sqlite = 0
    }

    /// The cost of a request with this many parts.
    private static func cost(of shape: Shape, _ count: Int) async throws -> Cost {
        let cost = NIOLockedValueBox(Cost())
        try await device { device, store in
            var since: String?
            let stored = shape.stored(count)
            for start in stride(from: 0, to: stored.count, by: 1_000) {
                let batch = Array(stored[start..<min(start + 1_000, stored.count)])
                try #require(try await device.push(batch, key: "made \(start)").status == 200)
            }
            if !stored.isEmpty { since = try await device.pull(limit: 1)["cursor"].string }
            let (method, target, body, headers) = Self.call(shape.request(count), device.space, since: since)
            let bytes = body.map { Array($0.text.utf8) }
            let (before, sqliteBefore) = (store.steps, store.sqliteSteps)
            let all = try await StepCounter.counting {
                let answer = try await device.call(method, target, bytes: bytes, headers: headers)
                #expect(answer.status < 300, "\(answer)")
                let results = answer["results"].array ?? []
                #expect(results.allSatisfy { $0.object?["status"] == shape.status })
            }
            cost.withLockedValue {
                $0 = Cost(all: all, writer: store.steps - before, sqlite: store.sqliteSteps - sqliteBefore)
            }
        }
        return cost.withLockedValue { $0 }
    }

    private static func call(
        _ request: Request, _ space: String, since: String?
    ) -> (String, String, JSONValue?, [String: String]) {
        switch request {
        case .push(let mutations):
            var body: JSONObject = ["mutations": .array(mutations)]
            body["since"] = since.map(JSONValue.string)
            return (
                "POST", AuthenticatedRoute.pushChanges(space: space).path, .object(body),
                [Header.idempotencyKey: WireDevice.key("counted")]
            )
        case .write(let method, let body):
            let type = method == "PATCH" ? "application/merge-patch+json" : "application/json"
            return (
                method, AuthenticatedRoute.readRecord(space: space, collection: "tasks", id: "x").path, body,
                ["If-Match": "*", "Content-Type": type]
            )
        case .logOut: return ("DELETE", AuthenticatedRoute.logOut.path, nil, [:])
        case .changePassword:
            return (
                "PUT", AuthenticatedRoute.changePassword.path,
                ["currentPassword": "correct horse", "newPassword": "battery staple"], [:]
            )
        }
    }

    @Test(arguments: shapes)
    func theCostIsLinear(_ shape: Shape) async throws {
        let counts = [1_000, 2_000, 4_000]
        var costs: [Cost] = []
        for count in counts { costs.append(try await Self.cost(of: shape, count)) }
        // Sorting names makes it n log n; twice as many cost at most 2.2 times as much, four times if it is quadratic.
        #expect(costs[0].all > 0)
        // A request that changes nothing doesn't write.
        for steps in [costs.map(\.all), costs.map(\.sqlite)] {
            #expect(Double(steps[1]) <= 2.4 * Double(steps[0]), "\(steps)")
            #expect(Double(steps[2]) <= 2.4 * Double(steps[1]), "\(steps)")
        }
    }

    @Test(arguments: shapes)
    func nothingIsParsedMergedOrSortedInTheWriter(_ shape: Shape) async throws {
        #expect(try await Self.cost(of: shape, 1_000).writer == 0)
    }

    @Test(arguments: [Request.logOut, .changePassword])
    func endingSessionsCostsTheSameHoweverMuchIsStored(_ request: Request) async throws {
        let shape = Shape(
            "many records are stored", stored: { count in (0..<count / 10).map { Self.set("r\($0)", ["n": 1]) } },
            request: { _ in request })
        let (few, many) = (try await Self.cost(of: shape, 1_000), try await Self.cost(of: shape, 4_000))
        #expect(few.sqlite > 0)
        #expect(Double(many.sqlite) <= 1.1 * Double(few.sqlite), "\(few.sqlite), \(many.sqlite)")
        #expect(many.all <= few.all)
        #expect(many.writer == 0)
    }

    /// Stores tombstones, without any request.
    private static func store(_ count: Int64, tombstonesIn space: String, of store: CountingStore) async throws {
        try await store.write { tx in
            var state = try #require(try tx.lockSpace(space))
            let records = (1...count).map { number in
                RawRecord(
                    key: RecordKey(collection: "tasks", id: "gone\(number)"), version: state.version + number,
                    deleted: true, modifiedAt: "2026-11-22T00:00:00.000Z", modifiedBy: "laptop", fields: "{}",
                    clock: "{}")
            }
            state.version += count
            try tx.put(records, in: space)
            try tx.update(state)
        }
    }

    /// The steps of SQLite in the writer that a push costs whose cursor is that of a first page, after so many tombstones.
    private static func pushWithinFirstSync(_ count: Int64) async throws -> Int {
        let cost = NIOLockedValueBox(0)
        try await device { device, store in
            try await Self.store(count, tombstonesIn: device.space, of: store)
            _ = try await device.push([Self.set("x", ["n": 1]), Self.set("y", ["n": 1])], key: "made")
            let page = try await device.pull(limit: 1)
            #expect(page["more"] == true)
            let before = store.sqliteSteps
            let answer = try await device.push([Self.set("z", ["n": 1])], since: page["cursor"].string, key: "counted")
            #expect(answer["records"].array?.count == 1)
            cost.withLockedValue { $0 = store.sqliteSteps - before }
        }
        return cost.withLockedValue { $0 }
    }

    @Test func aPushWithinAFirstSyncCostsTheWriterTheSameHoweverManyTombstonesThereAre() async throws {
        let (few, many) = (try await Self.pushWithinFirstSync(1_000), try await Self.pushWithinFirstSync(4_000))
        #expect(few > 0)
        #expect(Double(many) <= 1.1 * Double(few), "\(few), \(many)")
    }

    /// The steps of SQLite in the writer that a refresh costs whose session has so many expired tokens.
    private static func refresh(_ count: Int) async throws -> Int {
        let cost = NIOLockedValueBox(0)
        try await Self.device { device, store in
            var device = device
            let session = try await store.read { tx in
                try tx.account(username: "anna").flatMap { try tx.sessions(account: $0.id).first?.id }
            }
            let id = try #require(session)
            try await store.write { tx in
                for number in 0..<count {
                    let hash = withUnsafeBytes(of: number) { Array($0) + [UInt8](repeating: 0, count: 24) }
                    try tx.insert(
                        StoredToken(hash: hash, session: id, kind: .access, generation: -1, pair: 0, expiresAt: 1))
                }
            }
            let before = store.sqliteSteps
            try #require(try await device.refresh().status == 200)
            cost.withLockedValue { $0 = store.sqliteSteps - before }
        }
        return cost.withLockedValue { $0 }
    }

    @Test func aRefreshCostsTheSameHoweverManyTokensHaveExpired() async throws {
        let (few, many) = (try await Self.refresh(1_000), try await Self.refresh(4_000))
        #expect(few > 0)
        #expect(Double(many) <= 1.1 * Double(few), "\(few), \(many)")
    }

    // MARK: Stale plans

    @Test func aStalePlanIsMadeAgain() async throws {
        try await Self.device { device, store in
            _ = try await device.push([Self.set("x", ["n": 1])], key: "k1")
            let since = try await device.pull()["cursor"].string
            // Between the plan and its transaction another device changes the record.
            store.beforeNextWrite = { [store] in
                try await store.write { tx in
                    let space = device.space
                    let key = RecordKey(collection: "tasks", id: "x")
                    var record = try #require(try tx.records([key], in: space)[key])
                    var state = try #require(try tx.lockSpace(space))
                    (record.version, state.version) = (2, 2)
                    try tx.put([record], in: space)
                    try tx.update(state)
                }
            }
            let answer = try await device.push([Self.set("x", base: 1, ["n": 2])], since: since, key: "k2")
            #expect(answer["results"].array?.first?.object?["status"] == "conflict")
        }
    }

    @Test func aWriterWhosePlansAreAlwaysStaleIsAskedToRetry() async throws {
        await #expect(throws: Problem.storageBusy) {
            try await planningAgain { throw StalePlan() }
        }
    }
}

/// A store that counts the steps in its write transactions, and lets a test act before one.
private final class CountingStore: ServerStore {
    private let store: SQLiteServerStore
    private let state = NIOLockedValueBox(State())

    private struct State {
        var steps = 0
        var sqliteSteps = 0
        var beforeNextWrite: (@Sendable () async throws -> Void)?
    }

    init(_ store: SQLiteServerStore) { self.store = store }

    var steps: Int { state.withLockedValue(\.steps) }
    var sqliteSteps: Int { state.withLockedValue(\.sqliteSteps) }

    var beforeNextWrite: (@Sendable () async throws -> Void)? {
        get { state.withLockedValue(\.beforeNextWrite) }
        set { state.withLockedValue { $0.beforeNextWrite = newValue } }
    }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReading) throws -> Result
    ) async throws -> Result { try await store.read(body) }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreWriting) throws -> Result
    ) async throws -> Result {
        if let act = beforeNextWrite {
            beforeNextWrite = nil
            try await act()
        }
        let before = try store.writerSteps()
        let result = try await store.write { [state] tx in
            let (result, steps) = try StepCounter.countingNow { try body(tx) }
            state.withLockedValue { $0.steps += steps }
            return result
        }
        let after = try store.writerSteps()
        state.withLockedValue { $0.sqliteSteps += after - before }
        return result
    }
}
