import Dispatch
import SyncAPI
import TestSupport
import Testing

@testable import ServerCore

@Suite struct PasswordHasherTests {
    private let anyone = HashRequester.username("ada", claimed: nil)

    private func hasher(_ cost: PasswordCost = .least, threads: Int = 0) -> PasswordHasher {
        PasswordHasher(cost: cost, threads: threads, randomBytes: ServerEnvironment.live.randomBytes)
    }

    @Test func theRightPasswordIsRightAndAnotherIsWrong() async throws {
        let hasher = hasher(threads: 2)
        let password = try #require(Password("correct horse"))
        let hash = try await hasher.hash(password, for: anyone)
        #expect(hash.hasPrefix("$argon2id$v=19$m=8,t=1,p=1$"))
        #expect(try await hasher.verify(password, against: hash, for: anyone) == .right(needsRehash: false))
        #expect(try await hasher.verify(Password("battery staple"), against: hash, for: anyone) == .wrong)
        #expect(try await hasher.verify(nil, against: hash, for: anyone) == .wrong)
        #expect(try await hasher.verify(password, against: nil, for: anyone) == .wrong)
    }

    @Test func theSamePasswordHasAnotherHashEachTime() async throws {
        let password = try #require(Password("correct horse"))
        #expect(try await hasher().hash(password, for: anyone) != hasher().hash(password, for: anyone))
    }

    @Test func aHashOfLowerCostNeedsToBeRenewed() async throws {
        let password = try #require(Password("correct horse"))
        let hash = try await hasher().hash(password, for: anyone)
        let dearer = hasher(PasswordCost(memory: 16, iterations: 1, parallelism: 1))
        #expect(try await dearer.verify(password, against: hash, for: anyone) == .right(needsRehash: true))
    }

    @Test func theDefaultCostIsOWASPs() {
        let cost = ServerConfiguration().passwordCost
        #expect(cost == PasswordCost(memory: 19_456, iterations: 2, parallelism: 1))
    }
}

@Suite struct ThreadPoolTests {
    @Test func waitingWorkIsRefusedAtOnceAndRunningWorkIsFinished() async throws {
        let pool = ThreadPool<HashRequester>(threads: 1, perKey: 4, limit: 4)
        let (began, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let running = Task {
            try await pool.run(for: .session("a")) {
                began.signal()
                mayEnd.wait()
                return 1
            }
        }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                began.wait()
                continuation.resume()
            }
        }
        let waiting = Task { try await pool.run(for: .session("a")) { 2 } }
        try await eventually("it waits") { pool.waiting == 1 }
        pool.refuseWaiting()
        await #expect(throws: QueueRefusal.full) { try await waiting.value }
        mayEnd.signal()
        #expect(try await running.value == 1)
        #expect(try await pool.run(for: .session("a")) { 3 } == 3)
    }
}

@Suite struct PasswordThrottleTests {
    private let a = PasswordThrottle.Name.account("a")
    private let b = PasswordThrottle.Name.account("b")

    @Test(arguments: [(0, Int64(0)), (1, 1_000), (2, 2_000), (3, 4_000), (10, 512_000), (11, 900_000), (99, 900_000)])
    func eachFailureDoublesTheWait(_ failures: Int, _ delay: Int64) {
        #expect(PasswordThrottle.delay(afterFailures: failures) == delay)
    }

    @Test func afterAFailureTheWaitIsReported() async throws {
        let throttle = PasswordThrottle()
        try await throttle.failed([a], now: 10_000)
        let problem = await #expect(throws: Problem.self) { try await throttle.admit([b, a], now: 10_001) }
        #expect(problem == .rateLimited(seconds: 1))
        try await throttle.admit([b], now: 10_001)
        try await throttle.admit([a], now: 11_000)
    }

    @Test func ofConcurrentGuessesOnlyOneIsAnswered() async throws {
        let throttle = PasswordThrottle()
        try await throttle.admit([a], now: 0)
        try await throttle.admit([a], now: 0)
        try await throttle.failed([a], now: 0)
        await #expect(throws: Problem.self) { try await throttle.succeeded([a], clearing: a, now: 0) }
    }

    @Test func anAddressIsSlowedDownOnlyAfterTwentyFailures() async throws {
        let throttle = PasswordThrottle()
        let address = try PasswordThrottle.Name.address(#require(IPAddress("192.0.2.1")))
        for _ in 1...20 { try await throttle.failed([address], now: 0) }
        try await throttle.admit([address], now: 0)
        try await throttle.failed([address], now: 0)
        await #expect(throws: Problem.rateLimited(seconds: 1)) { try await throttle.admit([address], now: 0) }
        try await throttle.failed([address], now: 1_000)
        await #expect(throws: Problem.rateLimited(seconds: 2)) { try await throttle.admit([address], now: 1_000) }
    }

    @Test func successClearsTheAccountButNotTheAddress() async throws {
        let throttle = PasswordThrottle()
        let address = try PasswordThrottle.Name.address(#require(IPAddress("192.0.2.1")))
        for _ in 1...20 { try await throttle.failed([address], now: 0) }
        try await throttle.failed([b], now: 0)
        try await throttle.succeeded([b, address], clearing: b, now: 1_000)
        try await throttle.failed([b, address], now: 1_000)
        await #expect(throws: Problem.rateLimited(seconds: 1)) { try await throttle.admit([b], now: 1_000) }
        await #expect(throws: Problem.rateLimited(seconds: 1)) { try await throttle.admit([address], now: 1_000) }
    }

    @Test func anHourWithoutFailuresForgetsThem() async throws {
        let throttle = PasswordThrottle()
        for moment in [0, 1_000, 3_000] { try await throttle.failed([a], now: Int64(moment)) }
        try await throttle.failed([a], now: 3_603_000)
        await #expect(throws: Problem.rateLimited(seconds: 1)) { try await throttle.admit([a], now: 3_603_000) }
    }

    @Test func whatIsStoredIsBounded() async throws {
        let throttle = PasswordThrottle(bound: 3)
        for number in 0..<5 { try await throttle.failed([.account("n\(number)")], now: Int64(number)) }
        try await throttle.admit([.account("n0"), .account("n1")], now: 4)
        for name in ["n2", "n3", "n4"] {
            await #expect(throws: Problem.self) { try await throttle.admit([.account(name)], now: 4) }
        }
    }
}
