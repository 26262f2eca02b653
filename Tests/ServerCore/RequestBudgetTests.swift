import NIOConcurrencyHelpers
import Records
import SQLiteServerStore
import SyncAPI
import Testing
import TestSupport

@testable import ServerCore

/// What running requests may hold together.
@Suite struct RequestBudgetTests {
    private static func caller(_ session: String, of account: String = "anna") -> Caller {
        Caller(account: account, session: session, device: "d")
    }

    private static func hold(
        _ budget: RequestBudget, _ bytes: Int = 0, session: String = "s", of account: String = "anna",
        at address: String? = nil, onDisplaced: @escaping @Sendable () -> Void = {}
    ) throws -> RequestHold {
        let hold = RequestHold(budget, displace: onDisplaced)
        try hold.admit(caller(session, of: account), address: address.flatMap(IPAddress.init))
        try hold.hold(bytes)
        return hold
    }

    @Test func smallBodiesAndAnswersAreNotCountedHoweverMuchOthersHold() throws {
        let budget = RequestBudget(RequestBounds(bytes: 1 << 20))
        let other = try Self.hold(budget, 1 << 20)
        let stranger = RequestHold(budget)
        try stranger.hold(RequestBounds.uncounted)
        #expect(throws: Problem.overloaded) { try stranger.hold(RequestBounds.uncounted + 1) }
        withExtendedLifetime(other) { #expect(budget.bytes == 1 << 20) }
    }

    @Test func theOnlyRequestOfAnAccountMayHoldMoreThanTheShareOfAnAccount() throws {
        let rules = RequestBounds()
        #expect(Limits.largestPushAnswer > rules.bytesPerAccount && Limits.largestPushAnswer < rules.bytes)
        let budget = RequestBudget(rules)
        let only = try Self.hold(budget, Limits.largestPushAnswer)
        #expect(throws: Problem.overloaded) { try Self.hold(budget, 1 << 20) }
        withExtendedLifetime(only) { #expect(budget.bytes == Limits.largestPushAnswer) }
    }

    @Test func aSessionHasALimitedNumberOfRunningRequestsAndAnotherOneItsOwn() throws {
        let budget = RequestBudget(RequestBounds(perSession: 2))
        var held = [try Self.hold(budget), try Self.hold(budget)]
        #expect(throws: Problem.tooManyRequests(limit: 2)) { try Self.hold(budget) }
        held.append(try Self.hold(budget, session: "other"))
        held.removeFirst()
        held.append(try Self.hold(budget))
        #expect(budget.requests(session: "s") == 2)
        held = []
        #expect(budget.requests(session: "s") == 0)
    }

    @Test func aRequestThatIsAuthenticatedTwiceIsOneRequest() throws {
        let budget = RequestBudget(RequestBounds())
        let hold = try Self.hold(budget)
        try hold.admit(Self.caller("s"))
        #expect(budget.requests(session: "s") == 1)
    }

    private static let mebibyte = 1 << 20

    @Test func allRequestsTogetherHoldALimitedNumberOfBytes() throws {
        let budget = RequestBudget(RequestBounds(bytes: 10 * Self.mebibyte, bytesPerAccount: 6 * Self.mebibyte))
        let first = try Self.hold(budget, 5 * Self.mebibyte)
        #expect(throws: Problem.overloaded) { try Self.hold(budget, 6 * Self.mebibyte, session: "t", of: "ben") }
        let second = try Self.hold(budget, 5 * Self.mebibyte, session: "t", of: "ben")
        #expect(budget.bytes == 10 * Self.mebibyte)
        try first.hold(Self.mebibyte)
        try second.hold(6 * Self.mebibyte)
        #expect(budget.bytes == 7 * Self.mebibyte)
    }

    // MARK: Displacing

    @Test func aFullBudgetDisplacesTheLargestRequestOfTheClientThatHoldsTheMost() throws {
        let budget = RequestBudget(RequestBounds(bytes: 10 * Self.mebibyte))
        let displaced = Lines()
        let held = try [("small", 2, "ben"), ("large", 3, "anna"), ("larger", 5, "anna")].map { name, size, account in
            try Self.hold(budget, size * Self.mebibyte, of: account) { displaced.add(name) }
        }
        let carla = try Self.hold(budget, 5 * Self.mebibyte, of: "carla")
        #expect(displaced.all == ["larger"])
        #expect(held.map(\.isDisplaced) == [false, false, true])
        #expect(throws: Problem.overloaded) { try held[2].hold(Self.mebibyte) }
        withExtendedLifetime(carla) { #expect(budget.bytes == 10 * Self.mebibyte) }
    }

    @Test func noRequestIsDisplacedForAClientThatWouldHoldAsMuch() throws {
        let budget = RequestBudget(RequestBounds(bytes: 10 * Self.mebibyte))
        let first = try Self.hold(budget, 5 * Self.mebibyte, of: "anna")
        let second = try Self.hold(budget, 4 * Self.mebibyte, of: "ben")
        #expect(throws: Problem.overloaded) { try Self.hold(budget, 5 * Self.mebibyte, of: "carla") }
        #expect(throws: Problem.overloaded) { try second.hold(6 * Self.mebibyte) }
        #expect(!first.isDisplaced && !second.isDisplaced)
    }

    /// However many clients hold as much as they can, another one has an equal share.
    @Test(arguments: [1, 2, 3, 7, 30])
    func anotherClientCanHoldAnEqualShareHoweverManyThereAre(_ others: Int) throws {
        let rules = RequestBounds()
        let budget = RequestBudget(rules)
        var held: [RequestHold] = []
        for round in 0..<100 {
            for number in 0..<others {
                if let hold = try? Self.hold(
                    budget, 4 * Self.mebibyte - round, session: "\(round)", of: "account \(number)")
                {
                    held.append(hold)
                }
            }
        }
        let part = rules.bytes / (others + 1)
        let further = try Self.hold(budget, part, of: "further")
        #expect(!further.isDisplaced)
        withExtendedLifetime(held) { #expect(budget.bytes <= rules.bytes) }
        #expect(part >= Limits.bodyBytes || others > 7)
    }

    @Test func theAccountsOfOneAddressHaveOneShare() throws {
        let rules = RequestBounds()
        let budget = RequestBudget(rules)
        var held: [RequestHold] = []
        for number in 0..<32 {
            held.append(
                try Self.hold(budget, 2 * Self.mebibyte, session: "\(number)", of: "account \(number)", at: "192.0.2.1")
            )
        }
        #expect(throws: Problem.overloaded) { try Self.hold(budget, Self.mebibyte, of: "last", at: "192.0.2.1") }
        let other = try Self.hold(budget, rules.bytesPerAccount, of: "other", at: "192.0.2.2")
        #expect(!other.isDisplaced)
        #expect(held.count(where: \.isDisplaced) == 8)
    }

    // MARK: Sizes

    /// The budget is checked for `Limits.largestPage` before a page is built.
    @Test func thePageIsAtMostAsLargeAsItsLimitSays() {
        func record(_ bytes: Int) -> RawRecord {
            let name = String(repeating: "n", count: 64)
            return RawRecord(
                key: RecordKey(collection: name, id: name), version: .max, deleted: false,
                modifiedAt: "2026-11-22T00:00:00.000Z", modifiedBy: name, fields: "{}",
                clock: String(repeating: "c", count: bytes - 2))
        }
        var list = RecordList()
        while list.bytes.count < Limits.pageBytes - 3 * Self.mebibyte { list.append(record(Self.mebibyte)) }
        let overhead = list.bytes.count / list.count - Self.mebibyte
        list.append(record(Limits.pageBytes - list.bytes.count - overhead - 2))
        #expect(list.hasRoom(limit: .max))
        list.append(record(Limits.recordBytes))
        #expect(!list.hasRoom(limit: .max))
        #expect(list.bytes.count > Limits.pageBytes + Limits.recordBytes)
        #expect(list.bytes.count <= Limits.largestPage)
    }

    @Test func anAccountHoldsItsShareWhateverItsSessions() throws {
        let budget = RequestBudget(RequestBounds(bytes: 10 * Self.mebibyte, bytesPerAccount: 6 * Self.mebibyte))
        let first = try Self.hold(budget, 5 * Self.mebibyte)
        #expect(throws: Problem.overloaded) { try Self.hold(budget, 2 * Self.mebibyte, session: "t") }
        let second = try Self.hold(budget, Self.mebibyte, session: "t")
        #expect(throws: Problem.overloaded) { try first.hold(6 * Self.mebibyte) }
        withExtendedLifetime(second) { #expect(budget.bytes == 6 * Self.mebibyte) }
    }

    // MARK: On the server

    /// A server with `count` records with this many bytes of fields each, and a device that is signed in.
    private static func server(records count: Int, bytes: Int) async throws -> (InProcessServer, WireDevice) {
        let server = try InProcessServer()
        var device = WireDevice(server)
        try await device.register()
        for number in 0..<count {
            let fields: JSONObject = ["text": .string(String(repeating: "x", count: bytes))]
            let answer = try await device.push(
                [
                    [
                        "collection": "tasks", "id": .string("r\(number)"), "base": 0,
                        "at": "000000000001-0000-laptop", "set": .object(fields),
                    ]
                ], key: "k\(number)")
            try #require(answer.status == 200)
        }
        return (server, device)
    }

    /// A push whose body is declared as large and arrives in the given parts, each when `gate` lets it pass.
    private static func slowPush(
        _ device: WireDevice, _ parts: [[UInt8]], announced: Int?, _ gates: [Gate],
        _ arrived: NIOLockedValueBox<Int>, key: String = "slow"
    ) -> ServerRequest {
        var headers = [
            (name: "Host", value: "localhost"), ("Authorization", "Bearer \(device.accessToken ?? "")"),
            ("Content-Type", "application/json"), (Header.idempotencyKey, WireDevice.key(key)),
        ]
        if let announced { headers.append(("Content-Length", "\(announced)")) }
        return ServerRequest(
            method: "POST", target: AuthenticatedRoute.pushChanges(space: device.space).path, headers: headers,
            address: ""
        ) { receive in
            for (part, gate) in zip(parts, gates) {
                arrived.withLockedValue { $0 += 1 }
                try await gate.pass()
                try receive(part)
            }
            arrived.withLockedValue { $0 += 1 }
            try await gates.last?.pass()
        }
    }

    @Test(arguments: [8 << 20, nil])
    func aBodyIsCountedAsItArrivesAndNotAsItIsDeclared(_ announced: Int?) async throws {
        let (server, device) = try await Self.server(records: 0, bytes: 0)
        let arrived = NIOLockedValueBox(0)
        let gates = [Gate(), Gate(), Gate()]
        let part = Array(repeating: UInt8(ascii: " "), count: Self.mebibyte)
        let push = Self.slowPush(device, [part, part], announced: announced, gates, arrived)
        async let answer = server.server.answer(push)
        var held: [Int] = []
        for (index, gate) in gates.enumerated() {
            try await eventually("part \(index) is awaited") { arrived.withLockedValue { $0 == index + 1 } }
            held.append(server.server.budget.bytes)
            gate.open()
        }
        #expect(await answer.status == 400, "two mebibytes of blanks")
        #expect(held == [0, Self.mebibyte, 2 * Self.mebibyte])
        #expect(server.server.budget.bytes == 0)
    }

    private static func pull(_ device: WireDevice) -> ServerRequest {
        ServerRequest(
            method: "GET", target: AuthenticatedRoute.pullChanges(space: device.space).path,
            headers: [("Host", "localhost"), ("Authorization", "Bearer \(device.accessToken ?? "")")])
    }

    @Test func theNinthRequestOfASessionIsAskedToRetry() async throws {
        let (server, device) = try await Self.server(records: 0, bytes: 0)
        let gate = Gate()
        let started = NIOLockedValueBox(0)
        let push = ServerRequest(
            method: "POST", target: AuthenticatedRoute.pushChanges(space: device.space).path,
            headers: [
                ("Host", "localhost"), ("Authorization", "Bearer \(device.accessToken ?? "")"),
                ("Content-Type", "application/json"), ("Content-Length", "20"),
                (Header.idempotencyKey, WireDevice.key("k")),
            ], address: ""
        ) { receive in
            started.withLockedValue { $0 += 1 }
            try await gate.pass()
            try receive(Array(#"{"mutations": []}"#.utf8))
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { _ = await server.server.answer(push) } }
            do { try await eventually("8 are running") { started.withLockedValue { $0 == 8 } } } catch {
                Issue.record(error)
            }
            let ninth = await server.server.answer(Self.pull(device))
            #expect(ninth.status == 503)
            #expect(ninth.header("Retry-After") == "1")
            gate.open()
        }
        #expect(await server.server.answer(Self.pull(device)).status == 200)
    }

    /// Readers that don't read: their answers are held, as the socket's side would hold them.
    @Test func theAnswersOfAHundredStalledReadersAreBoundedTogether() async throws {
        let (server, device) = try await Self.server(records: 5, bytes: 1_000_000)
        var others = [device]
        for number in 0..<9 {
            var other = WireDevice(id: "d", server)
            try await other.register("reader-\(number)")
            try await Self.share(device.space, with: "reader-\(number)", server)
            other.space = device.space
            others.append(other)
        }
        var stalled: [ServerAnswer] = []
        var refused = 0
        for number in 0..<100 {
            let answer = await server.server.answer(Self.pull(others[number % others.count]))
            if answer.status == 503 { refused += 1 }
            stalled.append(answer)
        }
        let held = stalled.reduce(0) { $0 + $1.body.count }
        #expect(held <= RequestBounds().bytes + 100 * 1_024)
        #expect(refused > 0)
        #expect(server.server.budget.bytes <= RequestBounds().bytes)
        stalled = []
        #expect(server.server.budget.bytes == 0)
        #expect(await server.server.answer(Self.pull(device)).status == 200)
    }

    private static func share(_ space: String, with username: String, _ server: InProcessServer) async throws {
        try await server.store.write { tx in
            let account = try #require(try tx.account(username: username))
            try tx.setRole(.reader, of: account.id, in: space)
        }
    }

    @Test func aBodyOfTooManyValuesIsRefused() async throws {
        let (_, device) = try await Self.server(records: 0, bytes: 0)
        func push(_ count: Int) async throws -> WireDevice.Answer {
            let list = "[" + String(repeating: "0,", count: count) + "0]"
            let body =
                #"{"mutations":[{"collection":"tasks","id":"a","base":0,"at":"000000000001-0000-d","set":{"l":\#(list)}}]}"#
            return try await device.call(
                "POST", AuthenticatedRoute.pushChanges(space: device.space).path, bytes: Array(body.utf8),
                headers: [Header.idempotencyKey: WireDevice.key("k\(count)")])
        }
        // The body, its mutations, the mutation with its five members, the list.
        #expect(try await push(Limits.bodyValues - 12).status == 200)
        let refused = try await push(Limits.bodyValues)
        #expect(refused.status == 413)
        #expect(refused["code"] == "too-large")
    }
}
