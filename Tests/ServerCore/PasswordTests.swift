import Dispatch
import Records
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

    @Test func withoutAPasswordNoneIsRight() async throws {
        let password = try #require(Password("correct horse"))
        #expect(try await hasher().verify(password, against: StoredAccount.noPassword, for: anyone) == .wrong)
    }

    /// Costs as (memory, passes, lanes). The rest and the first cost together fill as many blocks as the second one.
    @Test(
        arguments: [
            // Equal or lower than before: nothing.
            ((32_768, 2, 1), (32_768, 2, 1), nil), ((65_536, 2, 1), (32_768, 2, 1), nil),
            // More memory, more passes, or both.
            ((32_768, 2, 1), (65_536, 2, 1), (32_768, 2, 1)), ((19_456, 2, 1), (32_768, 2, 1), (13_312, 2, 1)),
            ((32_768, 1, 1), (32_768, 2, 1), (16_384, 2, 1)), ((8, 1, 1), (32_768, 2, 1), (32_764, 2, 1)),
            // Less memory in more passes: the product counts.
            ((16_384, 4, 1), (32_768, 2, 1), nil),
            // No less than the algorithm accepts.
            ((8, 1, 1), (9, 1, 1), (8, 1, 1)), ((32, 1, 4), (33, 1, 4), (32, 1, 4)),
        ] as [((UInt32, UInt32, UInt32), (UInt32, UInt32, UInt32), (UInt32, UInt32, UInt32)?)])
    func aWrongPasswordCostsTheSameWhateverTheCostOfTheHash(
        _ former: (UInt32, UInt32, UInt32), _ present: (UInt32, UInt32, UInt32), _ rest: (UInt32, UInt32, UInt32)?
    ) {
        func cost(_ parts: (UInt32, UInt32, UInt32)) -> PasswordCost {
            PasswordCost(memory: parts.0, iterations: parts.1, parallelism: parts.2)
        }
        #expect(cost(present).rest(after: cost(former)) == rest.map(cost))
    }

    @Test func theRestOfEveryCostIsOneThatCanBeHashed() async throws {
        let password = try #require(Password("correct horse"))
        let hash = try await hasher().hash(password, for: anyone)
        let dearer = hasher(PasswordCost(memory: 20, iterations: 3, parallelism: 1))
        #expect(try await dearer.verify(Password("battery staple"), against: hash, for: anyone) == .wrong)
    }

    @Test func theDefaultCostIsMoreThanTheLeastThatOWASPRecommends() {
        let cost = ServerConfiguration().passwordCost
        #expect(cost == PasswordCost(memory: 32 * 1_024, iterations: 2, parallelism: 1))
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

@Suite struct PasswordRulesTests {
    private func refusal(
        _ text: String, username: String = "ada", host: String? = nil
    ) throws -> PasswordRules.Refusal? {
        PasswordRules.refusal(
            of: try #require(Password(text)), username: username,
            names: ["satchel", "satcheld"] + PasswordRules.names(ofHost: host))
    }

    @Test(arguments: [
        "12345678", "password", "PassWord1", "iloveyou", "qwertyuiop", "        ", "ZZZZZZZZZ", "ееееееее",
    ])
    func aCommonPasswordIsRefusedInAnyCase(_ text: String) throws {
        #expect(try refusal(text) == .common)
    }

    @Test(arguments: [
        ("annabella", "annabella"), ("AnnaBella", "annabella"), ("adaadaada", "ada"), ("ada12345", "ada"),
        ("2024-Ada!!", "ada"), ("ada1815!!", "ada1815"), ("19841984", "1984"),
    ])
    func theAccountsNameIsRefusedAlsoWithDigitsAroundItAndRepeated(_ text: String, _ username: String) throws {
        #expect(try refusal(text, username: username) == .username)
    }

    @Test(
        arguments: [
            ("satcheld", nil), ("Satchel1", nil), ("satchelsatchel", nil), ("!!satcheld2026", nil),
            ("notes.example.org", "notes.example.org"), ("Example-2026", "notes.example.org"),
            ("localhost", "localhost"), ("notesnotes", "notes.example.org"),
        ] as [(String, String?)])
    func theNamesOfTheProgramAndOfTheServerAreRefusedInTheSameForms(_ text: String, _ host: String?) throws {
        #expect(try refusal(text, host: host) == .service)
    }

    @Test(
        arguments: [
            ("notes.example.org", "notes.example.org"), ("Notes.Example.org:8443", "notes.example.org"),
            ("localhost:8080", "localhost"), ("127.0.0.1:8080", nil), ("[::1]:8080", nil), ("", nil),
        ] as [(String, String?)])
    func theHostsNameIsThatOfTheRequestWithoutItsPort(_ header: String, _ name: String?) {
        #expect(ServerRequest(method: "GET", target: "/", headers: [("Host", header)]).hostName == name)
    }

    @Test func aRegistrationWithTheServersNameIsRefused() async throws {
        let server = try InProcessServer()
        let body: JSONValue = ["username": "ada", "password": "example-1", "device": ["name": "n"]]
        let answer = try await WireDevice(server).call(
            "POST", "/v1/accounts", body: body, headers: ["Host": "notes.example.org"])
        #expect(answer.status == 422)
        #expect(answer["errors"].array?.first?.object?["pointer"] == "/password")
    }

    @Test func aNewPasswordIsCountedInCharactersOfItsNormalFormAndAnExistingOneInBytes() {
        // Four characters of two bytes each.
        #expect(Password("äöüß") != nil)
        #expect(Password(new: "äöüß") == nil)
        #expect(Password(new: "äöüßäöüß") != nil)
        // Fourteen scalars, seven of them after normalisation.
        #expect(Password(new: "e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}") == nil)
        #expect(Password(new: String(repeating: "x", count: 1_025)) == nil)
    }

    /// No rules of composition: length alone counts.
    @Test(arguments: ["correct horse", "battery staple", "82736451", "ada and bob", "qzvkwpxm", "ÄÖÜäöüßé"])
    func anyOtherPasswordIsAccepted(_ text: String) throws {
        #expect(try refusal(text) == nil)
    }

    @Test func theListHasSomeThousandPasswords() {
        #expect(PasswordRules.commonCount > 4_000)
    }

    @Test func aRegistrationWithACommonPasswordIsRefusedWithThePlace() async throws {
        var device = WireDevice(try InProcessServer())
        let answer = try await device.register(password: "12345678")
        #expect(answer.status == 422)
        #expect(answer["errors"].array?.first?.object?["pointer"] == "/password")
        #expect(try await device.register().status == 201)
    }

    @Test func aNewPasswordThatIsTheNameIsRefusedWithoutTestingThePresentOne() async throws {
        var device = WireDevice(try InProcessServer())
        try await device.register("annabella")
        let change: JSONValue = ["currentPassword": "wrong", "newPassword": "annabella"]
        let answer = try await device.call("PUT", "/v1/account/password", body: change)
        #expect(answer.status == 422)
        #expect(answer["errors"].array?.first?.object?["pointer"] == "/newPassword")
    }
}
