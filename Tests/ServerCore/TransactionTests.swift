import NIOConcurrencyHelpers
import Records
import SQLiteServerStore
import ServerCore
import SyncAPI
import Testing
import TestSupport

/// The number of transactions of a request. Each has one to authenticate it, which also reads the role of the caller.
@Suite struct TransactionTests {
    let store: TransactionCounter
    var device: WireDevice

    init() async throws {
        let store = TransactionCounter(try SQLiteServerStore())
        // A clock that doesn't advance: the last use of a session is stored once a minute.
        let environment = ServerEnvironment(
            now: { 1_795_000_000_000 }, randomBytes: ServerEnvironment.live.randomBytes)
        let server = SyncServer(configuration: .forTests, store: store, environment: environment)
        self.store = store
        device = WireDevice { request in await server.answer(request) }
        try await device.register()
        // The first request with a token is stored.
        _ = try await device.pull()
    }

    @Test func aPushPlansAndAppliesItsChanges() async throws {
        let since = try await device.pull()["cursor"].string
        let counts = try await store.counting { _ = try await device.push([["bad": 1]], since: since, key: "bad") }
        #expect(counts == Transactions(reads: 1, writes: 0))
        let push = try await store.counting {
            let answer = try await device.push([mutation(base: 0)], since: since, key: "k")
            #expect(answer["results"].array?.first?.object?["status"] == "applied")
            #expect(answer["records"].array?.isEmpty == true)
        }
        #expect(push == Transactions(reads: 2, writes: 1))
    }

    @Test func aConflictIsAnsweredInTheTransactionThatFindsIt() async throws {
        let since = try await device.pull()["cursor"].string
        _ = try await device.push([mutation(base: 0)], since: since, key: "k")
        let counts = try await store.counting {
            let answer = try await device.push([mutation(base: 0)], since: since, key: "l")
            #expect(answer["results"].array?.first?.object?["current"]?.object?["version"] == 1)
        }
        #expect(counts == Transactions(reads: 2, writes: 1))
    }

    @Test func aRepeatedPushWritesNothing() async throws {
        let first = try await device.push([mutation(base: 0)], key: "k")
        let counts = try await store.counting {
            let again = try await device.push([mutation(base: 0)], key: "k")
            #expect(again["results"] == first["results"])
        }
        #expect(counts == Transactions(reads: 2, writes: 0))
    }

    @Test func aPlainWritePlansAndAppliesItsChange() async throws {
        let route = AuthenticatedRoute.replaceRecord(space: device.space, collection: "tasks", id: "a")
        let counts = try await store.counting {
            let answer = try await device.call(
                "PUT", route.path, body: ["fields": ["title": "Milk"]], headers: ["If-None-Match": "*"])
            #expect(answer.status == 201)
        }
        #expect(counts == Transactions(reads: 2, writes: 1))
    }

    @Test func aReadIsOneTransaction() async throws {
        let counts = try await store.counting { _ = try await device.pull() }
        #expect(counts == Transactions(reads: 2, writes: 0))
    }

    private func mutation(base: Int64) -> JSONValue {
        [
            "collection": "tasks", "id": "a", "base": .integer(base), "at": "000000000001-0000-laptop",
            "set": ["title": "Milk"],
        ]
    }
}

/// Transactions of a store.
struct Transactions: Equatable {
    var reads = 0
    var writes = 0
}

/// Transactions the transactions of a store.
final class TransactionCounter: ServerStore {
    private let store: SQLiteServerStore
    private let counts = NIOLockedValueBox(Transactions())

    init(_ store: SQLiteServerStore) { self.store = store }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReading) throws -> Result
    ) async throws -> Result {
        counts.withLockedValue { $0.reads += 1 }
        return try await store.read(body)
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreWriting) throws -> Result
    ) async throws -> Result {
        counts.withLockedValue { $0.writes += 1 }
        return try await store.write(body)
    }

    /// The transactions while `body` runs.
    func counting(_ body: () async throws -> Void) async throws -> Transactions {
        counts.withLockedValue { $0 = Transactions() }
        try await body()
        return counts.withLockedValue(\.self)
    }
}
