import Records
import SQLiteServerStore
import SyncAPI
import TestSupport
import Testing

@testable import ServerCore

/// The decisions of the throttle.
@Suite struct ThrottleDecisionTests {
    private let strict = ThrottleSubject.account("ada", address: nil)

    @Test(
        arguments: [
            (0, Int64(0)), (1, 1_000), (2, 2_000), (3, 4_000), (10, 512_000), (11, 900_000), (99, 900_000),
            (Int64.max, 900_000),
        ] as [(Int64, Int64)])
    func eachFailureDoublesTheWait(_ failures: Int64, _ delay: Int64) {
        #expect(Throttle.delay(after: failures, longest: Throttle.longestDelay) == delay)
    }

    @Test(
        arguments: [
            (ThrottleSubject.account("ada", address: "c0000201"), Int64(1)), (.account("ada", address: nil), 1),
            (.device("dev", account: "ada"), 1), (.session("s"), 1), (.wholeAccount("ada"), 101),
            (.address("c0000201"), 21),
            (.registrations(address: "c0000201"), 21), (.refreshes(address: "c0000201"), 21),
            (.invites(address: "c0000201"), 6), (.invites(address: nil), 101),
        ] as [(ThrottleSubject, Int64)])
    func theFirstAttemptBeyondTheAllowanceIsDelayed(_ subject: ThrottleSubject, _ first: Int64) {
        var attempts: StoredAttempts?
        for _ in 1..<first { attempts = Throttle.adding(to: attempts, of: subject, now: 5) }
        #expect(Throttle.wait(subject, attempts, now: 5) <= 0)
        attempts = Throttle.adding(to: attempts, of: subject, now: 5)
        #expect(Throttle.wait(subject, attempts, now: 5) == 1_000)
        #expect(Throttle.wait(subject, attempts, now: 1_005) == 0)
    }

    @Test func guessesFromElsewhereDelayAnAccountForAMinuteAtMost() {
        let attempts = StoredAttempts(count: 1_000, last: 0, blockedUntil: 0)
        let subject = ThrottleSubject.wholeAccount("ada")
        #expect(Throttle.wait(subject, Throttle.adding(to: attempts, of: subject, now: 0), now: 0) == 60_000)
    }

    @Test func anHourWithoutAttemptsForgetsThem() {
        let attempts = StoredAttempts(count: 9, last: 0, blockedUntil: 256_000)
        #expect(Throttle.adding(to: attempts, of: strict, now: Throttle.memory - 1).count == 10)
        #expect(Throttle.adding(to: attempts, of: strict, now: Throttle.memory).count == 1)
    }

    @Test func aClockThatIsSetBackBlocksForTheLongestDelayAtMost() {
        let attempts = StoredAttempts(count: 1, last: 1_000_000_000, blockedUntil: 1_000_001_000)
        #expect(Throttle.wait(strict, attempts, now: 0) == Throttle.longestDelay)
    }

    @Test func aProvenDeviceIsCountedApart() throws {
        let known = ClientAddress(known: IPAddress("192.0.2.1"), claimed: nil)
        let device = ThrottleSubject.device("dev", account: "ada")
        #expect(
            ThrottleSubjects.logIn("ada", from: known, device: "dev")
                == ThrottleSubjects(all: [device], cleared: device))
        let pair = ThrottleSubject.account("ada", address: "c0000201")
        #expect(
            ThrottleSubjects.logIn("ada", from: known, device: nil)
                == ThrottleSubjects(all: [pair, .wholeAccount("ada"), .address("c0000201")], cleared: pair))
    }

    @Test func anAddressThatAnUnknownProxyClaimsSeparatesPairsButIsNotLimitedItself() throws {
        let claimed = ClientAddress(known: nil, claimed: IPAddress("192.0.2.1"))
        let pair = ThrottleSubject.account("ada", address: "c0000201")
        #expect(
            ThrottleSubjects.logIn("ada", from: claimed, device: nil)
                == ThrottleSubjects(all: [pair, .wholeAccount("ada")], cleared: pair))
    }
}

/// The throttle with its store.
@Suite struct ThrottleTests {
    let server: InProcessServer
    var owner: WireDevice
    private let addresses = (1...200).map { "203.0.113.\($0)" }

    init() async throws {
        server = try InProcessServer()
        owner = WireDevice(server)
        try await owner.register()
    }

    /// A device at an address.
    private func device(_ id: String = "other", at address: String, of server: InProcessServer? = nil) -> WireDevice {
        let server = server ?? self.server
        return WireDevice(id: id) { request in
            var request = request
            request.address = address
            return await server.server.answer(request)
        }
    }

    /// Guesses the password without a pause.
    private func guess(_ times: Int = 1, at address: String, of server: InProcessServer? = nil) async throws -> [Int] {
        var statuses: [Int] = []
        var stranger = device("stranger", at: address, of: server)
        for _ in 0..<times { statuses.append(try await stranger.logIn(password: "battery staple").status) }
        return statuses
    }

    @Test func guessesSurviveARestartAndHoldForEveryProcessOfTheStore() async throws {
        #expect(try await guess(at: "192.0.2.7") == [401])
        let second = try InProcessServer(store: server.store, clock: server.clock)
        #expect(try await guess(at: "192.0.2.7", of: second) == [429])
        var other = device(at: "192.0.2.7", of: second)
        #expect(try await other.logIn().status == 429)
        server.clock.advance(by: .seconds(1))
        #expect(try await other.logIn().status == 201)
    }

    @Test func guessesFromOneAddressDoNotDelayTheOwnerAtAnother() async throws {
        for _ in 0..<12 {
            _ = try await guess(at: "192.0.2.7")
            server.clock.advance(by: .seconds(900))
        }
        _ = try await guess(at: "192.0.2.7")
        var phone = device("phone", at: "198.51.100.9")
        #expect(try await phone.logIn().status == 201)
    }

    @Test func guessesFromManyAddressesDelayANewDeviceForAMinuteAtMostAndAProvenDeviceNotAtAll() async throws {
        var answered = 0
        for address in addresses { answered += try await guess(at: address).count { $0 == 401 } }
        #expect(answered == 101, "the allowance, and the one that exceeds it")
        var phone = device("phone", at: "198.51.100.9")
        let blocked = try await phone.logIn()
        #expect(blocked.status == 429)
        #expect(blocked.header("Retry-After") == "1")
        var laptop = owner
        #expect(try await laptop.logIn(proof: owner.deviceProof).status == 201)
        server.clock.advance(by: .seconds(60))
        #expect(try await phone.logIn().status == 201)
    }

    @Test func aProvenDeviceThatGuessesIsDelayedStrictly() async throws {
        var laptop = owner
        #expect(try await laptop.logIn(password: "battery staple", proof: owner.deviceProof).status == 401)
        #expect(try await laptop.logIn(proof: owner.deviceProof).status == 429)
        var other = device(at: "198.51.100.9")
        #expect(try await other.logIn().status == 201)
        server.clock.advance(by: .seconds(1))
        #expect(try await laptop.logIn(proof: owner.deviceProof).status == 201)
    }

    @Test func aProofOutlivesItsSession() async throws {
        #expect(try await owner.call("DELETE", AuthenticatedRoute.logOut.path).status == 204)
        _ = try await guess(at: "192.0.2.1")
        var laptop = owner
        #expect(try await laptop.logIn().status == 429)
        #expect(try await laptop.logIn(proof: owner.deviceProof).status == 201)
    }

    @Test func aReplacedOrRevokedOrForeignProofIsNone() async throws {
        var laptop = owner
        let first = owner.deviceProof
        try #require(await laptop.logIn(proof: first).status == 201)
        #expect(laptop.deviceProof != first)
        _ = try await guess(at: "192.0.2.1")
        var late = owner
        #expect(try await late.logIn(proof: first).status == 429)
        var phone = device("phone", at: "192.0.2.1")
        #expect(try await phone.logIn(proof: laptop.deviceProof).status == 429)
        let path = AuthenticatedRoute.revokeDevice(id: laptop.id).path
        #expect(try await laptop.call("DELETE", path).status == 204)
        #expect(try await late.logIn(proof: laptop.deviceProof).status == 429)
    }

    @Test func ofManyGuessesAtOnceFromOneAddressOneIsAnswered() async throws {
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask { try await guess(at: "192.0.2.7")[0] }
            }
            var statuses: [Int] = []
            for try await status in group { statuses.append(status) }
            return statuses
        }
        #expect(statuses.count { $0 == 401 } == 1)
        #expect(statuses.count { $0 == 429 } == 7)
    }

    @Test func anAddressCreatesTwentyAccountsAnHourAndThenSlowly() async throws {
        var other = device(at: "192.0.2.7")
        for number in 1...21 { #expect(try await other.register("user-\(number)").status == 201) }
        #expect(try await other.register("user-22").status == 429)
        server.clock.advance(by: .seconds(1))
        #expect(try await other.register("user-22").status == 201)
        #expect(try await other.register("user-23").header("Retry-After") == "2")
        var elsewhere = device(at: "192.0.2.8")
        #expect(try await elsewhere.register("elsewhere").status == 201)
    }

    @Test func unknownRefreshTokensAreThrottledAndKnownOnesAreNot() async throws {
        var other = device(at: "192.0.2.1")
        for number in 1...21 { #expect(try await other.refresh("unknown-\(number)").status == 401) }
        #expect(try await other.refresh("unknown").status == 429)
        var laptop = owner
        #expect(try await laptop.refresh().status == 200)
    }

    @Test func whatIsStoredIsBoundedAndTheLongestWaitsAreKept() async throws {
        let kept = try await server.store.write { tx in
            for number in 0..<5 {
                try tx.put(StoredAttempts(count: 1, last: 0, blockedUntil: Int64(number % 3)), of: "name \(number)")
            }
            // The registration of the owner is counted, too.
            try tx.trimAttempts(to: 3)
            return try (0..<5).filter { try tx.attempts(of: "name \($0)") != nil }
        }
        #expect(kept == [2, 4])
    }

    @Test func readinessAndTheLogWarnOnceOfAnUnknownProxy() async throws {
        let lines = Lines()
        let server = try InProcessServer(log: { lines.add($0) })
        let proxy = device(at: "127.0.0.1", of: server)
        #expect(try await proxy.call("GET", "/readyz")["warnings"] == .null)
        let forwarded = ["X-Forwarded-For": "198.51.100.9"]
        for _ in 0..<2 { _ = try await proxy.call("GET", "/v1/", headers: forwarded) }
        let answer = try await proxy.call("GET", "/readyz")
        #expect(answer.status == 200)
        #expect(answer["warnings"].array?.count == 1)
        #expect(answer["warnings"].array?.first?.string?.contains("--trusted-proxy") == true)
        #expect(lines.all.count { $0.contains("--trusted-proxy") } == 1)
    }
}
