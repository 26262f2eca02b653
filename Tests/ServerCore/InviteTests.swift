import Records
import SQLiteServerStore
import SyncAPI
import TestSupport
import Testing

@testable import ServerCore

@Suite struct InviteTests {
    let server: InProcessServer
    let invites: InviteService

    init() throws {
        var configuration = ServerConfiguration.forTests
        configuration.registration = .invite
        server = try InProcessServer(configuration: configuration)
        invites = InviteService(
            store: server.store,
            environment: ServerEnvironment(
                now: { [clock = server.clock] in clock.now }, randomBytes: ServerEnvironment.live.randomBytes))
    }

    private func register(
        _ username: String, _ invite: String?, at address: String = "192.0.2.1"
    ) async throws -> WireDevice.Answer {
        let device = WireDevice { [server] request in
            var request = request
            request.address = address
            return await server.server.answer(request)
        }
        var body: JSONObject = [
            "username": .string(username), "password": "correct horse", "device": ["name": "n"],
        ]
        body["invite"] = invite.map(JSONValue.string)
        return try await device.call("POST", "/v1/accounts", body: .object(body))
    }

    @Test func anInvitationAllowsItsNumberOfRegistrations() async throws {
        let made = try await invites.add(uses: 2)
        #expect(try await register("ada", made.code).status == 201)
        #expect(try await register("ben", made.code).status == 201)
        let third = try await register("cem", made.code)
        #expect(third.status == 403)
        #expect(third["code"] == "registration-closed")
        #expect(try await invites.list().map(\.used) == [2])
    }

    @Test func aRegistrationThatFailsUsesNoInvitation() async throws {
        let made = try await invites.add(uses: 2)
        #expect(try await register("ada", made.code).status == 201)
        #expect(try await register("ada", made.code).status == 409)
        #expect(try await invites.list().map(\.used) == [1])
    }

    @Test func ofRegistrationsAtOnceAsManySucceedAsTheInvitationAllows() async throws {
        let made = try await invites.add()
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<4 {
                group.addTask { try await register("user-\(number)", made.code).status }
            }
            var statuses: [Int] = []
            for try await status in group { statuses.append(status) }
            return statuses.sorted()
        }
        #expect(statuses == [201, 403, 403, 403])
    }

    @Test func anInvitationExpires() async throws {
        let made = try await invites.add(lifetime: 3_600_000)
        server.clock.advance(by: .seconds(3_600))
        #expect(try await register("ada", made.code).status == 403)
    }

    @Test func aWithdrawnInvitationAllowsNothing() async throws {
        let made = try await invites.add()
        #expect(try await invites.withdraw(id: made.invite.id))
        #expect(try await register("ada", made.code).status == 403)
        #expect(try await invites.withdraw(id: made.invite.id) == false)
        #expect(try await invites.list().isEmpty)
    }

    @Test func aCodeMayBeTypedInCapitalsAndWithoutDashes() async throws {
        let made = try await invites.add()
        #expect(try await register("ada", made.code.uppercased().replacing("-", with: " ")).status == 201)
    }

    @Test(arguments: [("O0iIlL", "001111"), ("ab-cd ef", "ABCDEF")])
    func lettersThatLookLikeDigitsAreRead(_ typed: String, _ same: String) {
        #expect(ReadableCode.hash(typed) == ReadableCode.hash(same))
        #expect(ReadableCode.hash(typed) != ReadableCode.hash(same + "x"))
    }

    @Test func onlyTheHashOfACodeIsStored() async throws {
        let made = try await invites.add(note: "for Ada")
        let stored = try #require(try await invites.list().first)
        #expect(stored.codeHash == ReadableCode.hash(made.code))
        #expect(made.code.wholeMatch(of: /[0-9a-z]{5}(-[0-9a-z]{5}){5}/) != nil)
        #expect(!"\(stored)".contains(made.code))
    }

    @Test func aCodeOfAnEarlierVersionWithFewerGroupsIsAccepted() async throws {
        let code = "h4kq7-wz2nd-8rmtx-c6jvp"
        let now = server.clock.now
        try await server.store.write { tx in
            try tx.insert(
                StoredInvite(
                    id: "4f1c09ab", codeHash: ReadableCode.hash(code), note: "", uses: 1, createdAt: now,
                    expiresAt: now + 60_000))
        }
        #expect(try await register("ada", code.uppercased()).status == 201)
    }

    @Test func wrongCodesAreThrottledByAddress() async throws {
        let made = try await invites.add()
        for _ in 0..<6 { #expect(try await register("ada", "wrong").status == 403) }
        #expect(try await register("ada", made.code).status == 429)
        #expect(try await register("ada", made.code, at: "198.51.100.9").status == 201)
    }

    @Test func aMissingCodeIsNotCounted() async throws {
        let made = try await invites.add()
        for _ in 0..<30 { #expect(try await register("ada", nil).status == 403) }
        #expect(try await register("ada", made.code).status == 201)
    }

    @Test func theFirstInvitationIsMadeOnlyIfNobodyCouldRegisterOtherwise() async throws {
        let first = try #require(try await invites.addFirst())
        #expect(try await invites.addFirst() == nil)
        server.clock.advance(by: .seconds(8 * 86_400))
        let second = try #require(try await invites.addFirst(), "the first one has expired")
        #expect(try await register("ada", first.code).status == 403)
        #expect(try await register("ada", second.code).status == 201)
        #expect(try await invites.addFirst() == nil)
    }
}
