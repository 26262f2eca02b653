import Records
import SQLiteServerStore
import SyncAPI
import Testing
import TestSupport

@testable import ServerCore

/// `GET` and `POST …/changes` as PROTOCOL.md says, over the real store.
@Suite struct ChangesTests {
    let server: InProcessServer
    /// Two devices of one account, side by side.
    var anna: WireDevice
    var phone: WireDevice

    init() async throws {
        server = try InProcessServer()
        anna = WireDevice(id: "laptop", server)
        phone = WireDevice(id: "phone", server)
        try await anna.register()
        try await phone.logIn()
    }

    private func set(_ id: String, base: Int64 = 0, _ fields: JSONObject = ["n": 1]) -> JSONValue {
        [
            "collection": "tasks", "id": .string(id), "base": .integer(base), "at": "000000000001-0000-laptop",
            "set": .object(fields),
        ]
    }

    private func delete(_ id: String, base: Int64) -> JSONValue {
        ["collection": "tasks", "id": .string(id), "base": .integer(base), "delete": true]
    }

    private func ids(_ answer: WireDevice.Answer) -> [String] {
        answer["records"].array?.compactMap { $0.object?["id"]?.string } ?? []
    }

    private func statuses(_ answer: WireDevice.Answer) -> [String] {
        answer["results"].array?.compactMap { $0.object?["status"]?.string } ?? []
    }

    private func digest(_ records: (id: String, version: Int64)...) -> JSONValue {
        var digest = SpaceDigest()
        for record in records { digest.add(collection: "tasks", id: record.id, version: record.version) }
        return .string(digest.description)
    }

    // MARK: Pulling

    @Test func aFirstSyncBringsTheWholeSpaceWithoutTombstones() async throws {
        _ = try await anna.push([set("a"), set("b"), delete("x", base: 0)], key: "k")
        let page = try await phone.pull()
        #expect(ids(page) == ["a", "b"])
        #expect(page["more"] == false)
        #expect(page["digest"] == digest(("a", 1), ("b", 2)))
    }

    @Test func afterwardsEachChangedRecordComesOnceInItsLatestState() async throws {
        let first = try await phone.pull()
        _ = try await anna.push([set("a"), set("b")], key: "k1")
        _ = try await anna.push(
            [set("a", base: 1, ["n": 2]), delete("b", base: 2)], since: first["cursor"].string, key: "k2")
        let page = try await phone.pull(since: first["cursor"].string)
        #expect(ids(page) == ["a", "b"])
        #expect(page["records"].array?.first?.object?["fields"] == ["n": 2])
        #expect(page["records"].array?.last?.object?["deleted"] == true)
        let nothing = try await phone.pull(since: page["cursor"].string)
        #expect(ids(nothing).isEmpty)
        #expect(nothing["cursor"] == page["cursor"])
        #expect(nothing["digest"] == digest(("a", 3)))
    }

    @Test func pagesEndAtTheLimitAndOnlyTheLastHasTheDigest() async throws {
        _ = try await anna.push((1...5).map { set("r\($0)") }, key: "k")
        let first = try await phone.pull(limit: 2)
        #expect(ids(first) == ["r1", "r2"])
        #expect(first["more"] == true)
        #expect(first["digest"].isNull)
        let second = try await phone.pull(since: first["cursor"].string, limit: 3)
        #expect(ids(second) == ["r3", "r4", "r5"])
        #expect(second["more"] == false)
        #expect(!second["digest"].isNull)
    }

    @Test func pagesEndAtAboutFourMebibytes() async throws {
        let large = JSONObject([("text", .string(String(repeating: "x", count: 900_000)))])
        _ = try await anna.push((1...6).map { set("r\($0)", large) }, key: "k")
        let page = try await phone.pull()
        #expect(ids(page) == ["r1", "r2", "r3", "r4", "r5"])
        #expect(page["more"] == true)
    }

    @Test func tombstonesUpToTheFirstPageOfAFirstSyncAreLeftOutAndLaterOnesCome() async throws {
        _ = try await anna.push([set("a"), set("b"), delete("x", base: 0), set("c")], key: "k1")
        let first = try await phone.pull(limit: 2)
        _ = try await anna.push([delete("a", base: 1), delete("c", base: 4)], since: first["cursor"].string, key: "k2")
        let second = try await phone.pull(since: first["cursor"].string)
        #expect(ids(second) == ["a", "c"])
    }

    @Test(arguments: ["0", "-1", "x", "1.5"])
    func aLimitThatIsNoneIsRefused(_ limit: String) async throws {
        let answer = try await phone.call("GET", Route.pullChanges(space: phone.space).path + "?limit=\(limit)")
        #expect(answer.status == 400)
    }

    // MARK: Cursors

    @Test func aMadeUpCursorIsRefused() async throws {
        let answer = try await phone.pull(since: "made-up")
        #expect(answer.status == 400)
        #expect(answer["code"] == "invalid-cursor")
        #expect(try await phone.push([], since: "made-up", key: "k").status == 400)
    }

    @Test func aCursorOlderThanTheTombstonesKeptHasExpired() async throws {
        let old = try await phone.pull()["cursor"].string
        _ = try await anna.push([set("a"), set("b")], key: "k1")
        let reading = try await phone.pull(limit: 1)["cursor"].string
        try await setFloor(2)
        let answer = try await phone.pull(since: old)
        #expect(answer.status == 410)
        #expect(answer["code"] == "cursor-expired")
        #expect(try await phone.pull(since: reading).status == 200)
        _ = try await anna.push([set("c")], key: "k2")
        try await setFloor(3)
        #expect(try await phone.pull(since: reading).status == 410)
    }

    @Test func mutationsAreAppliedWhateverTheAgeOfSince() async throws {
        let old = try await phone.pull()["cursor"].string
        _ = try await anna.push([set("a")], key: "k1")
        try await setFloor(1)
        let answer = try await phone.push([set("b")], since: old, key: "k2")
        #expect(answer.status == 200)
        #expect(statuses(answer) == ["applied"])
        #expect(answer["resync"] == "cursor-expired")
        #expect(answer["records"].isNull)
    }

    @Test func aCursorOfAnotherEpochOrFromTheFutureIsToldApart() async throws {
        let epoch = try await server.store.read { try $0.epoch() }
        for cursor in [Cursor(epoch: "another", position: 0), Cursor(epoch: epoch, position: 99)] {
            let pulled = try await phone.pull(since: cursor.text)
            #expect(pulled.status == 410)
            #expect(pulled["code"] == "epoch-changed")
            #expect(pulled["shared"] == 0)
            let pushed = try await phone.push([set("a")], since: cursor.text, key: "k\(cursor.position)")
            #expect(pushed.status == 410)
        }
        #expect(ids(try await phone.pull()).isEmpty)
    }

    private func setFloor(_ version: Int64) async throws {
        let space = anna.space
        try await server.store.write { tx in
            var state = try #require(try tx.lockSpace(space))
            state.tombstoneFloor = version
            try tx.update(state)
        }
    }

    // MARK: Pushing

    @Test func resultsComeInTheOrderOfTheMutations() async throws {
        _ = try await anna.push([set("a")], key: "k1")
        let since = try await phone.pull()["cursor"].string
        let answer = try await phone.push(
            [set("new"), set("a"), set("a/b"), set("gone", base: 9)], since: since, key: "k2")
        #expect(statuses(answer) == ["applied", "conflict", "rejected", "conflict"])
        let results = answer["results"].array ?? []
        #expect(results[1].object?["current"]?.object?["id"] == "a")
        #expect(results[3].object?["current"] == JSONValue.null)
        #expect(results[2].object?["problem"]?.object?["status"] == 422)
    }

    @Test func theAnswerBringsWhatOthersChangedWithoutWhatTheRequestWrote() async throws {
        let since = try await phone.pull()["cursor"].string
        _ = try await anna.push([set("a")], key: "k1")
        let answer = try await phone.push([set("b")], since: since, key: "k2")
        #expect(ids(answer) == ["a"])
        #expect(answer["digest"] == digest(("a", 1), ("b", 2)))
        #expect(ids(try await phone.pull(since: answer["cursor"].string)).isEmpty)
    }

    @Test func withoutSinceTheAnswerHasTheResultsAlone() async throws {
        let answer = try await anna.push([set("a")], key: "k")
        #expect(answer.json.object?.sortedNames == ["results"])
    }

    @Test func aBaseWithoutSinceIsRefused() async throws {
        let answer = try await anna.push([set("a", base: 1)], key: "k")
        #expect(answer.status == 422)
        #expect(answer["errors"].array?.first?.object?["pointer"] == "/since")
    }

    @Test func aTombstoneIsRevivedOnTopOfItsVersion() async throws {
        _ = try await anna.push([delete("a", base: 0)], key: "k1")
        let since = try await phone.pull()["cursor"].string
        let refused = try await phone.push([set("a")], since: since, key: "k2")
        #expect(refused["results"].array?.first?.object?["current"]?.object?["deleted"] == true)
        let revived = try await phone.push([set("a", base: 1)], since: since, key: "k3")
        #expect(statuses(revived) == ["applied"])
        #expect(ids(try await anna.pull()) == ["a"])
    }

    @Test func theServerTellsTheClocksThatItTook() async throws {
        server.clock.advance(by: .seconds(1))
        let future = HLC(milliseconds: UInt64(server.clock.now) + 61_000, device: "laptop")
        var mutation = set("a").object ?? [:]
        mutation["at"] = .string(future.description)
        let answer = try await anna.push([.object(mutation)], key: "k")
        let clock = answer["results"].array?.first?.object?["clock"]?.object?["*"]?.string.flatMap { HLC($0) }
        #expect(clock?.milliseconds == UInt64(server.clock.now))
    }

    // MARK: Idempotency

    @Test func theSameRequestAgainHasTheStoredResultsAndDoesNothing() async throws {
        let since = try await phone.pull()["cursor"].string
        let first = try await phone.push([set("a"), set("b/")], since: since, key: "k")
        _ = try await anna.push([set("c")], key: "other")
        let again = try await phone.push([set("a"), set("b/")], since: since, key: "k")
        #expect(again["results"] == first["results"])
        #expect(ids(again) == ["c"])
        #expect(ids(try await anna.pull()) == ["a", "c"])
    }

    @Test func aRepetitionTellsOfAConflictWhatTheServerHasNow() async throws {
        _ = try await anna.push([set("a")], key: "k1")
        let since = try await phone.pull()["cursor"].string
        _ = try await phone.push([set("a", ["n": 2])], since: since, key: "k")
        _ = try await anna.push([set("a", base: 1, ["n": 3])], since: since, key: "k2")
        let again = try await phone.push([set("a", ["n": 2])], since: since, key: "k")
        #expect(statuses(again) == ["conflict"])
        #expect(again["results"].array?.first?.object?["current"]?.object?["fields"] == ["n": 3])
    }

    @Test func conflictsTellWhatTheServerHasUpToAboutAPageAndTheRestComesWithTheChanges() async throws {
        let large = JSONObject([("text", .string(String(repeating: "x", count: 900_000)))])
        let since = try await phone.pull()["cursor"].string
        _ = try await anna.push((1...6).map { set("r\($0)", large) }, key: "k")
        let batch = (1...6).map { set("r\($0)") } + [set("unknown", base: 7)]
        let answer = try await phone.push(batch, since: since, key: "k")
        let told = answer["results"].array?.map { $0.object?["current"]?.object?["id"]?.string } ?? []
        #expect(told == ["r1", "r2", "r3", "r4", "r5", nil, nil])
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
        #expect(outcome?.results == [#"{"status":"conflict"}"#])
    }

    @Test func aKnownKeyOfAnOldEpochStillHasItsResults() async throws {
        _ = try await anna.push([set("a")], key: "k0")
        let since = try await phone.pull()["cursor"].string
        let first = try await phone.push([set("b")], since: since, key: "k")
        // As after a restore: the space is behind what the cursor has seen.
        let space = anna.space
        try await server.store.write { tx in try tx.update(SpaceState(id: space)) }
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

    @Test func aRevokedDeviceThatSignsInAgainFindsItsOutcomes() async throws {
        let first = try await phone.push([set("a")], key: "k")
        #expect(try await anna.call("DELETE", "/v1/devices/phone").status == 204)
        var phone = phone
        try await phone.logIn()
        #expect(try await phone.push([set("a")], key: "k")["results"] == first["results"])
    }

    @Test func withoutAKeyNothingIsDone() async throws {
        let path = Route.pushChanges(space: anna.space).path
        let answer = try await anna.call("POST", path, body: ["mutations": [set("a")]])
        #expect(answer.status == 400)
        #expect(answer["code"] == "idempotency-key-missing")
    }

    @Test(arguments: ["k", "", "0000000g-0000-4000-8000-000000000000", "00000000000040008000000000000000"])
    func aKeyThatIsNoUUIDIsRefused(_ key: String) async throws {
        let answer = try await anna.call(
            "POST", Route.pushChanges(space: anna.space).path, body: ["mutations": [set("a")]],
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

    @Test func writersInParallelGiveNoGapToAReaderThatFollowsTheCursor() async throws {
        let (writers, pushes) = (16, 10)
        let reader = phone
        let writer = anna
        let seen = try await withThrowingTaskGroup(of: Void.self, returning: Set<String>.self) { group in
            for number in 0..<writers {
                group.addTask {
                    for push in 0..<pushes {
                        let answer = try await writer.push([set("w\(number)-\(push)")], key: "k\(number)-\(push)")
                        try #require(answer.status == 200)
                    }
                }
            }
            var seen: Set<String> = []
            var cursor: String?
            while seen.count < writers * pushes {
                let page = try await reader.pull(since: cursor, limit: 7)
                try #require(page.status == 200)
                for id in ids(page) { #expect(seen.insert(id).inserted) }
                cursor = page["cursor"].string
            }
            try await group.waitForAll()
            return seen
        }
        #expect(seen.count == writers * pushes)
    }

    // MARK: Nobody else's data

    @Test func anothersSpaceIsNotThere() async throws {
        var ben = WireDevice(id: "laptop", server)
        try await ben.register("ben")
        ben.space = anna.space
        #expect(try await ben.pull().status == 404)
        #expect(try await ben.push([set("a")], key: "k").status == 404)
        #expect(ids(try await anna.pull()).isEmpty)
    }

    @Test func aReaderMayLookButNotWrite() async throws {
        var ben = WireDevice(id: "laptop", server)
        try await ben.register("ben")
        let space = anna.space
        try await server.store.write { tx in
            let ben = try #require(try tx.account(username: "ben"))
            try tx.setRole(.reader, of: ben.id, in: space)
        }
        ben.space = space
        #expect(try await ben.pull().status == 200)
        #expect(try await ben.push([set("a")], key: "k").status == 403)
    }
}
