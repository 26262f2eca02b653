import Records
import SQLiteServerStore
import SyncAPI
import Testing
import TestSupport

@testable import ServerCore

// Repeated requests, and keys.
extension ChangesTests {
    @Test func aRepeatedRequestHasTheStoredResultsAndDoesNothing() async throws {
        let since = try await phone.pull()["cursor"].string
        let first = try await phone.push([set("a"), set("b/")], since: since, key: "k")
        _ = try await anna.push([set("c")], key: "other")
        let again = try await phone.push([set("a"), set("b/")], since: since, key: "k")
        #expect(again["results"] == first["results"])
        #expect(ids(again) == ["c"])
        #expect(ids(try await anna.pull()) == ["a", "c"])
    }

    @Test func aRepetitionAnswersAConflictWithThePresentRecord() async throws {
        _ = try await anna.push([set("a")], key: "k1")
        let since = try await phone.pull()["cursor"].string
        _ = try await phone.push([set("a", ["n": 2])], since: since, key: "k")
        _ = try await anna.push([set("a", base: 1, ["n": 3])], since: since, key: "k2")
        let again = try await phone.push([set("a", ["n": 2])], since: since, key: "k")
        #expect(statuses(again) == ["conflict"])
        #expect(again["results"].array?.first?.object?["current"]?.object?["fields"] == ["n": 3])
    }

    @Test func conflictsContainThePresentRecordsUpToAboutAPageAndTheRestComesWithTheChanges() async throws {
        let large = JSONObject([("text", .string(String(repeating: "x", count: 900_000)))])
        let since = try await phone.pull()["cursor"].string
        _ = try await anna.push((1...6).map { set("r\($0)", large) }, key: "k")
        let batch = (1...6).map { set("r\($0)") } + [set("unknown", base: 7)]
        let answer = try await phone.push(batch, since: since, key: "k")
        let current = answer["results"].array?.map { $0.object?["current"]?.object?["id"]?.string } ?? []
        #expect(current == ["r1", "r2", "r3", "r4", "r5", nil, nil])
        #expect(answer["results"].array?[5].object?.sortedNames == ["status"])
        #expect(answer["results"].array?[6].object?["current"] == JSONValue.null)
        let next = try await phone.pull(since: answer["cursor"].string)
        #expect(ids(answer) + ids(next) == (1...6).map { "r\($0)" })
    }

    @Test func anOutcomeHoldsNoCopiesOfRecords() async throws {
        let large = JSONObject([("text", .string(String(repeating: "x", count: 900_000)))])
        let since = try await phone.pull()["cursor"].string
        _ = try await anna.push([set("a", large)], key: "k")
        _ = try await phone.push([set("a")], since: since, key: "k")
        let account = try #require(try await server.store.read { try $0.account(username: "anna") }).id
        let key = OutcomeKey(account: account, device: "phone", key: WireDevice.key("k"))
        let outcome = try await server.store.read { try $0.outcome(of: key) }
        #expect(outcome?.results == [.conflict])
    }

    @Test func aKnownKeyOfAnOldEpochStillHasItsResults() async throws {
        _ = try await anna.push([set("a")], key: "k0")
        let since = try await phone.pull()["cursor"].string
        let first = try await phone.push([set("b")], since: since, key: "k")
        // As after a restore: the space is behind the cursor.
        let space = anna.space
        try await server.store.write { tx in try tx.update(SpaceRow(id: space)) }
        let again = try await phone.push([set("b")], since: since, key: "k")
        #expect(again.status == 200)
        #expect(again["results"] == first["results"])
        #expect(again["resync"] == "epoch-changed")
        #expect(try await phone.push([set("c")], since: since, key: "new").status == 410)
    }

    @Test func anotherRequestWithTheSameKeyIsRefused() async throws {
        _ = try await anna.push([set("a")], key: "k")
        let answer = try await anna.push([set("b")], key: "k")
        #expect(answer.status == 422)
        #expect(answer["code"] == "idempotency-key-reused")
    }

    @Test func keysBelongToTheirDevice() async throws {
        _ = try await anna.push([set("a")], key: "k")
        #expect(statuses(try await phone.push([set("b")], key: "k")) == ["applied"])
    }

    @Test func aRevokedDeviceThatSignsInAgainHasItsOutcomes() async throws {
        let first = try await phone.push([set("a")], key: "k")
        #expect(try await anna.call("DELETE", "/v1/devices/phone").status == 204)
        var phone = phone
        try await phone.logIn()
        #expect(try await phone.push([set("a")], key: "k")["results"] == first["results"])
    }

    @Test func withoutAKeyNothingIsDone() async throws {
        let path = AuthenticatedRoute.pushChanges(space: anna.space).path
        let answer = try await anna.call("POST", path, body: ["mutations": [set("a")]])
        #expect(answer.status == 400)
        #expect(answer["code"] == "idempotency-key-missing")
    }

    @Test(arguments: ["k", "", "0000000g-0000-4000-8000-000000000000", "00000000000040008000000000000000"])
    func anInvalidKeyIsRefused(_ key: String) async throws {
        let answer = try await anna.call(
            "POST", AuthenticatedRoute.pushChanges(space: anna.space).path, body: ["mutations": [set("a")]],
            headers: [Header.idempotencyKey: key])
        #expect(answer.status == 400)
        #expect(ids(try await anna.pull()).isEmpty)
    }

    @Test func outcomesSurviveARestart() async throws {
        try await withTemporaryDirectory { directory in
            let store = try SQLiteServerStore(directory: directory)
            var device = WireDevice(try InProcessServer(store: store))
            try await device.register()
            let first = try await device.push([set("a")], key: "k")
            try store.close()
            let restarted = WireDevice(try InProcessServer(store: SQLiteServerStore(directory: directory)))
            var again = restarted
            try await again.logIn()
            #expect(try await again.push([set("a")], key: "k")["results"] == first["results"])
        }
    }
}

@Suite struct InFlightKeysTests {
    private let keys = InFlightKeys()
    private let key = OutcomeKey(account: "a", device: "d", key: "k")

    @Test func aKeyWhoseRequestIsRunningIsRefusedAndFreeAfterwards() async throws {
        try await keys.exclusively(key) {
            await #expect(throws: Problem.keyInUse) { try await keys.exclusively(key) {} }
            try await keys.exclusively(OutcomeKey(account: "a", device: "other", key: "k")) {}
        }
        try await keys.exclusively(key) {}
    }

    @Test func aRequestThatFailsFreesItsKey() async throws {
        await #expect(throws: Problem.notFound) { try await keys.exclusively(key) { throw Problem.notFound } }
        try await keys.exclusively(key) {}
    }
}
