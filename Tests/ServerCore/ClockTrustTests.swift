import Records
import SQLiteServerStore
import SyncAPI
import Testing
import TestSupport

@testable import ServerCore

@Suite struct ClockTrustTests {
    private let day: Int64 = 86_400_000
    private let last: Int64 = 1_795_000_000_000

    /// The decisions at times relative to the last maintenance, each after this running time.
    private func decisions(
        _ offsets: [Int64], last: [Int64] = [], ran: Int64 = 3_600_000
    ) -> [ClockTrust.Decision] {
        var trust = ClockTrust(doubt: nil)
        return offsets.enumerated().map { index, offset in
            trust.decide(
                at: self.last + offset, last: index < last.count ? last[index] : self.last,
                ran: index == 0 ? 0 : ran)
        }
    }

    private let new = ClockTrust.Decision.doubted(isNew: true)
    private let old = ClockTrust.Decision.doubted(isNew: false)

    @Test func aClockShortlyAfterTheLastMaintenanceIsTrusted() {
        for offset in [-ClockTrust.skew, 0, day, ClockTrust.longestPause] {
            #expect(decisions([offset]) == [.trusted], "\(offset)")
        }
    }

    @Test func aClockFarAheadOrBehindIsDoubted() {
        for offset in [-400 * day, -ClockTrust.skew - 1, ClockTrust.longestPause + 1, 4_000 * day] {
            #expect(decisions([offset, offset]) == [new, old], "\(offset)")
        }
    }

    @Test func aServerThatHasStoredNothingTrustsItsClock() {
        var trust = ClockTrust(doubt: nil)
        let decision = trust.decide(at: last, last: nil, ran: 0)
        #expect(decision == .trusted)
    }

    @Test func aDoubtedClockIsTrustedAfterADay() {
        let hours = (0...24).map { 400 * day + Int64($0) * 3_600_000 }
        let all = decisions(hours)
        #expect(all.first == new)
        #expect(all[1..<24].allSatisfy { $0 == old })
        #expect(all.last == .trusted)
    }

    @Test func aClockThatChangesBeginsTheDayAgain() {
        let offsets = [400 * day, 800 * day, 801 * day]
        #expect(decisions(offsets, ran: ClockTrust.probation) == [new, old, .trusted])
    }

    @Test func theMaintenanceOfAnotherServerBeginsTheDayAgain() {
        let offsets = [400 * day, 401 * day, 402 * day]
        #expect(
            decisions(offsets, last: [last, last + 1, last + 1], ran: ClockTrust.probation) == [new, old, .trusted])
    }

    @Test func theDayCountsOverSeveralStarts() {
        var doubt: ClockDoubt?
        var all: [ClockTrust.Decision] = []
        for start in 0..<3 {
            for hour in 0..<10 {
                // As the store keeps it.
                var trust = ClockTrust(doubt: doubt.flatMap { ClockDoubt(text: $0.text) })
                let now = last + 400 * day + Int64(start) * day + Int64(hour) * 3_600_000
                all.append(trust.decide(at: now, last: last, ran: hour == 0 ? 0 : 3_600_000))
                doubt = trust.doubt
            }
        }
        #expect(all.first == new)
        // Nine hours of each start are counted.
        #expect(all.dropFirst().firstIndex(of: .trusted) == 26)
        #expect(all[1..<26].allSatisfy { $0 == old })
    }

    @Test func severalServersOverOneStoreCountTheTimeOnce() {
        var trust = ClockTrust(doubt: nil)
        let all = (0...80).map { step in
            trust.decide(at: last + 400 * day + Int64(step) * 1_200_000, last: last, ran: step < 3 ? 0 : 3_600_000)
        }
        // Each of the three runs once an hour. What the first run of each follows isn't counted.
        #expect(all.firstIndex(of: .trusted) == 74)
    }

    @Test func aStoredDoubtOfAnotherFormIsNone() {
        for text in ["", "1 2", "1 2 3 4", "a b c", "1 2 -1"] {
            #expect(ClockDoubt(text: text) == nil, "\(text)")
        }
    }

    @Test func aCorrectedClockIsTrustedAtOnce() {
        #expect(decisions([400 * day, day]) == [new, .trusted])
    }

    @Test func anyStoredTimeIsAccepted() {
        #expect(decisions([0, 0], last: [.min, .max]) == [new, old])
    }
}

/// A server whose clock is wrong removes nothing for good.
@Suite struct WrongClockTests {
    private let server: InProcessServer
    private var anna: WireDevice
    private let log = Lines()
    private static let away: Duration = .seconds(800 * 86_400)

    init() async throws {
        server = try InProcessServer(log: { [log] in log.add($0) })
        anna = WireDevice(server)
        try await anna.register()
        _ = try await InviteService(store: server.store, environment: server.server.environment).add()
        for (base, action) in [(0, "made"), (1, "deleted")] {
            var mutation: JSONObject = [
                "collection": "tasks", "id": "r", "base": .integer(Int64(base)), "at": "000000000001-0000-laptop",
            ]
            if action == "made" { mutation["set"] = ["n": 1] } else { mutation["delete"] = true }
            let cursor = try await anna.pull()["cursor"].string
            try #require(await anna.push([.object(mutation)], since: cursor, key: action).status == 200)
        }
    }

    /// The number of rows of tables that maintenance removes by age.
    private func rows() async throws -> [Int] {
        try await server.store.read { tx in
            try ["sessions", "invites", "records"].map { name in
                guard let table = StoreTable.all.first(where: { $0.name == name }) else { return -1 }
                return try tx.rows(of: table, after: nil, limit: 10).count
            }
        }
    }

    /// Runs maintenance, which then comes again this number of times.
    private func maintain(hours: Int = 0) async throws { try await Self.maintain(server, hours: hours) }

    private static func maintain(_ server: InProcessServer, hours: Int = 0) async throws {
        let task = Task { await server.server.maintain() }
        try await eventually("it and both watches wait") { server.clock.sleeping == 3 }
        for _ in 0..<hours {
            server.clock.advance(by: MaintenanceService.interval)
            try await eventually("it came again") { server.clock.sleeping == 3 }
        }
        task.cancel()
        await task.value
    }

    private var warnings: Int { log.all.count { $0.contains("the clock is far from") } }

    @Test mutating func aClockFarInTheFutureRemovesNothing() async throws {
        server.clock.advance(by: Self.away)
        try await maintain(hours: 23)
        #expect(try await rows() == [1, 1, 1])
        #expect(warnings == 1)
        server.clock.advance(by: .zero - Self.away)
        #expect(try await anna.refresh().status == 200, "the clock is right again")
        try await maintain()
        #expect(try await rows() == [1, 1, 1])
        #expect(warnings == 1, "the wrong time was not stored")
    }

    @Test mutating func aDeviceThatSignsInByTheWrongClockDoesNotMakeItTrusted() async throws {
        server.clock.advance(by: Self.away)
        try await maintain()
        var other = WireDevice(id: "dev-2", server)
        try #require(await other.logIn().status == 201)
        try await maintain()
        #expect(try await rows() == [2, 1, 1])
    }

    @Test func aLogInBeyondTheLimitOfDevicesKeepsSessionsThatSeemToHaveExpired() async throws {
        var configuration = ServerConfiguration.forTests
        configuration.quota.devices = 1
        let server = try InProcessServer(configuration: configuration)
        var (first, second) = (WireDevice(id: "first", server), WireDevice(id: "second", server))
        try await first.register()
        try await Self.maintain(server)
        server.clock.advance(by: Self.away)
        try #require(await second.logIn().status == 201)
        server.clock.advance(by: .zero - Self.away)
        #expect(try await first.refresh().status == 200, "the clock is right again")
    }

    @Test mutating func aRefreshKeepsTokensThatSeemToHaveExpired() async throws {
        // Not so far that the session itself seems to have expired.
        server.clock.advance(by: .seconds(40 * 86_400))
        try #require(await anna.refresh().status == 200)
        let count = try await server.store.read { tx in
            let account = try #require(try tx.account(username: "anna"))
            let session = try #require(try tx.sessions(account: account.id).first)
            return try tx.tokenCount(session: session.id)
        }
        #expect(count == 4)
    }

    @Test func anInvitationBeforeTheFirstStartShowsThatTheClockIsWrong() async throws {
        let server = try InProcessServer(log: { [log] in log.add($0) })
        _ = try await InviteService(store: server.store, environment: server.server.environment).add()
        server.clock.advance(by: Self.away)
        try await Self.maintain(server)
        #expect(try await server.store.read { tx in try tx.invites().count } == 1)
        #expect(warnings == 1)
    }

    @Test func aServerThatWasOffForLongRemovesADayLater() async throws {
        server.clock.advance(by: Self.away)
        try await maintain(hours: 24)
        #expect(try await rows() == [0, 0, 0])
    }

    @Test func aClockThatIsRightAgainAfterADayIsTrustedADayLater() async throws {
        server.clock.advance(by: Self.away)
        try await server.store.write { [now = server.clock.now] tx in try tx.setLastMaintenance(now) }
        server.clock.advance(by: .zero - Self.away)
        try await maintain(hours: 24)
        let now = server.clock.now
        #expect(try await server.store.read { tx in try tx.lastMaintenance() } == now)
        #expect(warnings == 1)
    }

    @Test mutating func whatHasEndedIsRemovedWhateverTheClock() async throws {
        try #require(await anna.call("DELETE", AuthenticatedRoute.logOut.path).status == 204)
        server.clock.advance(by: Self.away)
        try await maintain()
        #expect(try await rows() == [0, 1, 1])
    }
}
