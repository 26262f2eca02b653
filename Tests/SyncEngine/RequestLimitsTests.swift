import Backend
import LocalStore
import Records
import SyncAPI
import TestSupport
import Testing

@testable import SyncEngine

@Suite("What a server announces bounds the requests to it", .timeLimit(.minutes(5)))
struct RequestLimitsTests {
    private let bench: Bench

    init() throws { bench = try Bench() }

    private static func offer(
        mutations: Int = Limits.mutations, bodyBytes: Int = Limits.bodyBytes, pageRecords: Int = Limits.pageMaximum
    ) -> ServerOffer {
        var offer = ServerOffer()
        offer.limits = Capabilities.Limits(
            bodyBytes: bodyBytes, fieldsBytes: Limits.fieldsBytes, mutations: mutations, pageRecords: pageRecords)
        return offer
    }

    private func remember(_ offer: ServerOffer) throws { try bench.store.writeNow { try offer.store(in: $0) } }

    private func edit(_ count: Int, _ fields: JSONObject = ["n": 1]) throws {
        for number in 0..<count { try bench.edit(fields, of: RecordKey(collection: "tasks", id: "r\(number)")) }
    }

    private func expectPushes(_ versions: [[Int64]]) {
        for some in versions {
            bench.transport.expect(Bench.push, answer: .changes(results: some.map { applied($0, clock: taken) }))
        }
    }

    @Test(
        "The lower limit of both sides counts; one that allows nothing doesn't",
        arguments: [(10, 10), (Limits.mutations + 1, Limits.mutations), (0, Limits.mutations), (-1, Limits.mutations)])
    func lower(announced: Int, used: Int) {
        #expect(RequestLimits(Self.offer(mutations: announced)).mutations == used)
        #expect(RequestLimits(ServerOffer()) == RequestLimits(nil))
    }

    @Test("A server that accepts fewer mutations receives smaller batches, and refuses none")
    func mutations() async throws {
        try remember(Self.offer(mutations: 2))
        try edit(5)
        expectPushes([[1, 2], [3, 4], [5]])
        #expect(try await bench.sync().pushed == 5)
        #expect(try (0..<3).map { try bench.mutations(of: $0).count } == [2, 2, 1])
    }

    @Test("A batch has at most half of the bytes that the server accepts, and at least one record")
    func bytes() async throws {
        try remember(Self.offer(bodyBytes: 2_000))
        try edit(2, ["body": .string(String(repeating: "x", count: 800))])
        expectPushes([[1], [2]])
        #expect(try await bench.sync().pushed == 2)
        #expect(try (0..<2).map { try bench.mutations(of: $0).count } == [1, 1])
    }

    @Test("Pages have at most as many records as the server puts on one")
    func pages() async throws {
        try remember(Self.offer(pageRecords: 100))
        bench.transport.expect(Bench.pull, answer: .changes(holding: []))
        _ = try await bench.sync()
        #expect(bench.transport.requests.map(\.target) == ["/v1/spaces/space/changes?since=c0&limit=100"])
    }

    @Test("A server whose limits were lowered is asked once, and the limits are remembered")
    func lowered() async throws {
        try edit(4)
        bench.transport.expect(Bench.push, answer: .refusal(413, .tooLarge))
        bench.transport.expect(
            OpenRoute.capabilities,
            answer: .json(
                """
                {"protocols": [1, 7], "capabilities": ["records", "telepathy"],
                 "limits": {"bodyBytes": 4000, "fieldsBytes": 1000, "mutations": 1, "pageRecords": 10}}
                """))
        expectPushes([[1], [2], [3], [4]])
        #expect(try await bench.sync().pushed == 4)
        #expect(bench.transport.requests[1].path == OpenRoute.capabilities.path)
        #expect(try [0, 2, 3, 4, 5].map { try bench.mutations(of: $0).count } == [4, 1, 1, 1, 1])
        let remembered = try bench.store.readNow { try ServerOffer.stored(in: $0) }
        #expect(remembered?.limits?.mutations == 1 && remembered?.protocols == [1, 7])
        #expect(remembered?.capabilities == ["records", "telepathy"])
    }

    @Test("The server is asked again after a day, and a sync sends no further request otherwise")
    func daily() async throws {
        let clock = ManualClock()
        let bench = try Bench(.seen(LocalStore(inMemoryWithWall: { clock.milliseconds })))
        let service = Self.service(bench)
        // The transport answers an unexpected question with an offer without a name.
        let rounds: [(hours: Int, answer: String?, name: String)] = [
            (0, "first", "first"), (23, nil, "first"), (1, "second", "second"),
        ]
        for (hours, answer, name) in rounds {
            clock.advance(by: .seconds(hours * 3_600))
            bench.transport.expect(Bench.pull, answer: .changes())
            if let answer { bench.transport.expect(OpenRoute.capabilities, answer: .json(#"{"name": "\#(answer)"}"#)) }
            _ = try await service.sync(waiting: false)
            bench.transport.verify()
            #expect(try bench.store.readNow { try ServerOffer.stored(in: $0) }?.name == name)
        }
    }

    @Test("A question without an answer doesn't fail the sync, and is asked again at the next one")
    func noAnswer() async throws {
        let service = Self.service(bench)
        for _ in 0..<2 {
            bench.transport.expect(Bench.pull, answer: .changes())
            bench.transport.expect(OpenRoute.capabilities, failing: .timedOut)
            _ = try await service.sync(waiting: false)
            bench.transport.verify()
        }
        #expect(try bench.store.readNow { try ServerOffer.stored(in: $0) } == nil)
    }

    @Test("A server that no longer has this client's protocol is named, and nothing is lost")
    func incompatible() async throws {
        try bench.edit(["title": "Milk"])
        bench.transport.expect(Bench.push, answer: .problem(404, .notFound))
        bench.transport.expect(OpenRoute.capabilities, answer: .json(#"{"protocols": [2]}"#))
        let server = try ServerAddress("https://example.org")
        await #expect(throws: BackendError.incompatible(server, isNewer: true)) { try await bench.engine.sync() }
        bench.transport.verify()
        #expect(try bench.cached()?.pending != nil)
        #expect(SyncSchedule.Outcome(BackendError.incompatible(server, isNewer: true)) == .refused)
        // After an update of the client or the server, the same batch is sent again.
        expectPushes([[1]])
        #expect(try await bench.sync().pushed == 1)
        #expect(bench.transport.requests[2].body == bench.transport.requests[0].body)
    }

    private static func service(_ bench: Bench) -> SyncService {
        SyncService(
            bench.engine, store: bench.store, now: { Timestamp(seconds: 0) },
            failure: { SyncStatus.Failure(.unreachable, "\($0)") })
    }
}
