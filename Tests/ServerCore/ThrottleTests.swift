import Records
import SQLiteServerStore
import SyncAPI
import TestSupport
import Testing

@testable import ServerCore

/// The decisions of the throttle.
@Suite struct ThrottleDecisionTests {
    private let strict = ThrottleSubject.account("ada", address: "c0000201")

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
            (.invites(address: "c0000201"), 6), (.invites(address: nil), 101), (.oneTimeCodes, 101),
            (.registrations(address: nil), 1_001), (.refreshes(address: nil), 1_001),
        ] as [(ThrottleSubject, Int64)])
    func theFirstAttemptBeyondTheAllowanceIsDelayed(_ subject: ThrottleSubject, _ first: Int64) {
        var attempts: StoredAttempts?
        for _ in 1..<first { attempts = Throttle.adding(to: attempts, of: subject, now: 5) }
        #expect(Throttle.wait(subject, attempts, now: 5) <= 0)
        attempts = Throttle.adding(to: attempts, of: subject, now: 5)
        #expect(Throttle.wait(subject, attempts, now: 5) == 1_000)
        #expect(Throttle.wait(subject, attempts, now: 1_005) == 0)
    }

    @Test(
        arguments: [
            (.wholeAccount("ada"), 60_000), (.account("ada", address: nil), 60_000), (.invites(address: nil), 60_000),
            (.oneTimeCodes, 60_000), (.registrations(address: nil), 1_000), (.refreshes(address: nil), 1_000),
            (.account("ada", address: address), 900_000), (.registrations(address: address), 900_000),
            (.invites(address: address), 900_000), (.refreshes(address: address), 900_000),
            (.device("dev", account: "ada"), 900_000), (.session("s"), 900_000), (.address(address), 900_000),
        ] as [(ThrottleSubject, Int64)])
    func attemptsOfOtherClientsDelayForAMinuteAtMost(_ subject: ThrottleSubject, _ delay: Int64) {
        let attempts = StoredAttempts(count: 5_000, last: 0, blockedUntil: 0)
        #expect(Throttle.wait(subject, Throttle.adding(to: attempts, of: subject, now: 0), now: 0) == delay)
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

    private static let address = "c0000201"

    /// What an attacker can add without limit is less important than what costs an account, a password hash or a
    /// proof.
    @Test(
        arguments: [
            // Names without an account: as many as anyone invents.
            (.account("x", address: address), 1, false, .anyone), (.account("x", address: nil), 9, false, .anyone),
            (.wholeAccount("x"), 1, false, .anyone), (.wholeAccount("x"), 101, false, .anyone),
            // Addresses: as many as a network has.
            (.address(address), 20, true, .anyone), (.address(address), 21, true, .delayedAddress),
            (.registrations(address: address), 20, true, .anyone),
            (.registrations(address: address), 21, true, .delayedAddress),
            (.refreshes(address: address), 20, true, .anyone),
            (.refreshes(address: address), 21, true, .delayedAddress),
            (.invites(address: address), 5, true, .anyone), (.invites(address: address), 6, true, .delayedAddress),
            // Accounts: limited by the throttle of the account as a whole.
            (.account("ada", address: address), 1, true, .account), (.device("dev", account: "ada"), 1, true, .account),
            (.session("s"), 1, true, .account), (.invites(address: nil), 1, true, .account),
            (.oneTimeCodes, 1, true, .account), (.registrations(address: nil), 1_001, true, .account),
            (.refreshes(address: nil), 1_001, true, .account),
            (.wholeAccount("ada"), 1, true, .wholeAccount), (.wholeAccount("ada"), 100, true, .wholeAccount),
            (.wholeAccount("ada"), 101, true, .delayedWholeAccount),
        ] as [(ThrottleSubject, Int64, Bool, StoredAttempts.Importance)])
    func theImportanceIsTheEffortOfAddingOthers(
        _ subject: ThrottleSubject, _ count: Int64, _ exists: Bool, _ importance: StoredAttempts.Importance
    ) {
        let former = StoredAttempts(count: count - 1, last: 0, blockedUntil: 0)
        let attempts = Throttle.adding(to: former, of: subject, exists: exists, now: 0)
        #expect(attempts.count == count)
        #expect(attempts.importance == importance)
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
        #expect(
            ThrottleSubjects.logIn("ada", from: known, device: nil, isFamiliar: true)
                == ThrottleSubjects(all: [pair, .address("c0000201")], cleared: pair))
    }

    @Test func aClientWithoutAKnownAddressIsCountedWithAllOthersOfItsKind() {
        let known = ClientAddress(known: IPAddress("192.0.2.1"), claimed: nil)
        let claimed = ClientAddress(known: nil, claimed: IPAddress("192.0.2.1"))
        let none = ClientAddress(known: nil, claimed: nil)
        func subjects(_ client: ClientAddress) -> [ThrottleSubject] {
            ThrottleSubject.counting(client) { .registrations(address: $0) }
        }
        #expect(subjects(known) == [.registrations(address: Self.address)])
        #expect(subjects(claimed) == [.registrations(address: Self.address), .registrations(address: nil)])
        #expect(subjects(none) == [.registrations(address: nil)])
        #expect(ThrottleSubject.codes(of: known) == [.address(Self.address)])
        #expect(ThrottleSubject.codes(of: claimed) == [.address(Self.address), .oneTimeCodes])
        #expect(ThrottleSubject.codes(of: none) == [.oneTimeCodes])
    }

    @Test func anAddressThatAnUnknownProxyClaimsSeparatesPairsButIsNotLimitedItself() throws {
        let claimed = ClientAddress(known: nil, claimed: IPAddress("192.0.2.1"))
        let pair = ThrottleSubject.account("ada", address: "c0000201")
        #expect(
            ThrottleSubjects.logIn("ada", from: claimed, device: nil)
                == ThrottleSubjects(all: [pair, .wholeAccount("ada")], cleared: pair))
    }
}

/// The throttle under a flood of attempts from very many addresses, at names that exist or were invented.
@Suite struct ThrottleFloodTests {
    private let store: SQLiteServerStore
    private static let now: Int64 = 1_000_000_000
    /// What was counted before the flood.
    private let pair = ThrottleSubject.account("ada", address: "c0000201")
    private let whole = ThrottleSubject.wholeAccount("ada")

    init() async throws {
        store = try SQLiteServerStore(epoch: "e")
        try await store.write { [pair, whole] tx in
            let ada = StoredAccount(
                id: "ada", username: "ada", passwordHash: "", personalSpace: "space", createdAt: 0)
            #expect(try tx.create(ada))
            for number in 0..<3 { try Throttle.count([pair, whole], now: Self.now + Int64(number) * 10_000, tx) }
        }
    }

    /// Counts this number of attempts.
    private func flood(_ count: Int, _ subjects: @escaping @Sendable (Int) -> [ThrottleSubject]) async throws {
        let batch = 1_000
        for start in stride(from: 0, to: count, by: batch) {
            try await store.write { tx in
                for number in start..<min(count, start + batch) {
                    try Throttle.count(subjects(number), now: Self.now + 30_000, tx)
                }
            }
        }
    }

    private func attempts(of subject: ThrottleSubject) async throws -> StoredAttempts? {
        try await store.read { tx in try tx.attempts(of: subject.name) }
    }

    private func expectKept() async throws {
        #expect(try await attempts(of: pair)?.count == 3)
        #expect(try await attempts(of: whole)?.count == 3)
    }

    @Test func inventedNamesAndAddressesPushNoCountOfAnAccountOut() async throws {
        // Three counts each.
        let attempts = 34_000
        try await flood(attempts) { number in
            [
                .account("invented-\(number)", address: "a\(number)"), .wholeAccount("invented-\(number)"),
                .address("a\(number)"),
            ]
        }
        try await expectKept()
        let isKept = try await store.read { tx in
            try (0..<attempts).count { try tx.attempts(of: ThrottleSubject.address("a\($0)").name) != nil }
        }
        #expect(isKept > 0 && isKept <= Throttle.kept + Throttle.surplus)
    }

    @Test func addressesBeyondTheirAllowancePushNoCountOfAnAccountOut() async throws {
        try await store.write { tx in
            for number in 0..<(Throttle.kept + Throttle.surplus) {
                let blocked = StoredAttempts(
                    count: 30, last: Self.now, blockedUntil: Self.now + 900_000, importance: .delayedAddress)
                try tx.put(blocked, of: ThrottleSubject.refreshes(address: "a\(number)").name)
            }
            try Throttle.count([.refreshes(address: "other")], now: Self.now + 30_000, tx)
        }
        #expect(try await attempts(of: .refreshes(address: "other")) == nil, "the surplus was removed")
        try await expectKept()
    }

    @Test func guessesAtManyAccountsPushNoCountOfAnAccountAsAWholeOut() async throws {
        try await store.write { tx in
            for number in 0..<(Throttle.kept + Throttle.surplus + 10) {
                let blocked = StoredAttempts(
                    count: 9, last: Self.now, blockedUntil: Self.now + 900_000, importance: .account)
                try tx.put(blocked, of: ThrottleSubject.account("user-\(number)", address: "a").name)
            }
            try Throttle.count([.refreshes(address: "other")], now: Self.now + 30_000, tx)
        }
        #expect(try await attempts(of: pair) == nil, "the one whose delay is over goes first")
        #expect(try await attempts(of: whole)?.count == 3)
    }

    @Test func anAttemptCostsTheSameWithFewAndWithManyCounts() async throws {
        func cost(_ name: String) async throws -> Int {
            let before = try store.writerSteps()
            try await flood(1) { _ in [.account(name, address: name), .wholeAccount(name), .address(name)] }
            return try store.writerSteps() - before
        }
        let few = try await cost("first")
        try await flood(5_000) { number in [.refreshes(address: "a\(number)")] }
        let many = try await cost("second")
        #expect(few > 0)
        // An index of more rows is a level deeper, which takes no further step.
        #expect(many <= few + few / 10, "\(many) steps after \(few)")
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

    @Test func guessesFromManyAddressesDelayNoNewDeviceAtAnAddressOfASignedInOne() async throws {
        for address in addresses { _ = try await guess(at: address) }
        var tablet = device("tablet", at: "192.0.2.1")
        #expect(try await tablet.logIn().status == 429, "no device of the account was seen there yet")
        #expect(try await owner.call("GET", "/v1/account").status == 200)
        #expect(try await tablet.logIn().status == 201)
        // Guesses at the address itself are counted strictly.
        #expect(try await guess(2, at: "192.0.2.1") == [401, 429])
        var phone = device("phone", at: "198.51.100.9")
        #expect(try await phone.logIn().status == 429)
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

    /// Whether a device that can't log in without its proof, since its address is blocked, can with it.
    private func isProven(_ device: WireDevice) async throws -> Bool {
        _ = try await guess(at: "192.0.2.1")
        var copy = device
        return try await copy.logIn(proof: device.deviceProof).status == 201
    }

    @Test func changingThePasswordEndsTheProofsOfAllOtherDevices() async throws {
        var (phone, tablet) = (WireDevice(id: "phone", server), WireDevice(id: "tablet", server))
        for status in [try await phone.logIn().status, try await tablet.logIn().status] { #expect(status == 201) }
        // The proof of a device outlives its session.
        try #require(await tablet.call("DELETE", AuthenticatedRoute.logOut.path).status == 204)
        let change: JSONValue = ["currentPassword": "correct horse", "newPassword": "correct horse"]
        let changed = try await owner.call("PUT", AuthenticatedRoute.changePassword.path, body: change)
        #expect(changed.status == 204)
        #expect(try await !isProven(phone))
        #expect(try await !isProven(tablet))
        #expect(try await isProven(owner))
    }

    @Test func aStolenSessionEndsTheProofOfItsDevice() async throws {
        var phone = WireDevice(id: "phone", server)
        try await phone.logIn()
        var laptop = owner
        let first = laptop.refreshToken
        try #require(await laptop.refresh().status == 200)
        try #require(await laptop.pull().status == 200)
        #expect(try await laptop.refresh(first).status == 401)
        #expect(try await !isProven(owner))
        #expect(try await isProven(phone))
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
}
