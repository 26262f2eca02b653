import Records
import SQLiteServerStore
import SyncAPI
import Testing
import TestSupport

@testable import ServerCore

/// `GET` and `POST …/changes` (SyncAPI.docc/Protocol.md, "Changes") over the real store.
@Suite struct ChangesTests {
    let server: InProcessServer
    /// Two devices of one account.
    var anna: WireDevice
    var phone: WireDevice

    init() async throws {
        server = try InProcessServer()
        anna = WireDevice(id: "laptop", server)
        phone = WireDevice(id: "phone", server)
        try await anna.register()
        try await phone.logIn()
    }

    func set(_ id: String, base: Int64 = 0, _ fields: JSONObject = ["n": 1]) -> JSONValue {
        [
            "collection": "tasks", "id": .string(id), "base": .integer(base), "at": "000000000001-0000-laptop",
            "set": .object(fields),
        ]
    }

    func delete(_ id: String, base: Int64) -> JSONValue {
        ["collection": "tasks", "id": .string(id), "base": .integer(base), "delete": true]
    }

    func ids(_ answer: WireDevice.Answer) -> [String] {
        answer["records"].array?.compactMap { $0.object?["id"]?.string } ?? []
    }

    func statuses(_ answer: WireDevice.Answer) -> [String] {
        answer["results"].array?.compactMap { $0.object?["status"]?.string } ?? []
    }

    func digest(_ records: (id: String, version: Int64)...) -> JSONValue {
        var digest = SpaceDigest()
        for record in records { digest.add(collection: "tasks", id: record.id, version: record.version) }
        return .string(digest.description)
    }

    // MARK: Pulling

    @Test func aFirstSyncReceivesTheWholeSpaceWithoutTombstones() async throws {
        _ = try await anna.push([set("a"), set("b"), delete("x", base: 0)], key: "k")
        let page = try await phone.pull()
        #expect(ids(page) == ["a", "b"])
        #expect(page["more"] == false)
        #expect(page["digest"] == digest(("a", 1), ("b", 2)))
    }

    @Test func afterwardsEachChangedRecordIsSentOnceInItsLatestState() async throws {
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

    @Test func aPageOfSomeCollectionsHasOnlyTheirRecordsAndTheirDigest() async throws {
        let book: JSONValue = [
            "collection": "books", "id": "b", "base": 0, "at": "000000000001-0000-laptop", "set": ["n": 1],
        ]
        _ = try await anna.push([set("a"), book, set("c")], key: "k1")
        let first = try await phone.pull(limit: 1, collections: "tasks,notes")
        #expect(ids(first) == ["a"] && first["more"] == true)
        let second = try await phone.pull(since: first["cursor"].string, limit: 1, collections: "tasks,notes")
        #expect(ids(second) == ["c"] && second["more"] == false)
        #expect(second["digest"] == digest(("a", 1), ("c", 3)))
        let all = try await phone.pull(since: second["cursor"].string)
        #expect(ids(all) == [], "the cursor is that of the whole space")
        let books = try await phone.pull(collections: "books")
        #expect(ids(books) == ["b"])
        #expect(all["digest"] != books["digest"] && second["digest"] != books["digest"])

        let pushed = try await anna.push(
            [set("d")], since: first["cursor"].string, collections: "books", key: "k2")
        #expect(statuses(pushed) == ["applied"] && ids(pushed) == ["b"])
        #expect(pushed["digest"] == books["digest"])
        let deleted = try await anna.push([delete("a", base: 1)], since: pushed["cursor"].string, key: "k3")
        #expect(statuses(deleted) == ["applied"])
        let rest = try await phone.pull(since: second["cursor"].string, collections: "tasks")
        #expect(ids(rest) == ["d", "a"] && rest["digest"] == digest(("c", 3), ("d", 4)))
    }

    @Test(arguments: ["", "Tasks", "tasks,", "a,b;c", (1...65).map { "c\($0)" }.joined(separator: ",")])
    func invalidCollectionNamesAreRefused(names: String) async throws {
        let page = try await phone.pull(collections: names)
        #expect(page.status == 400 && page["detail"].string?.contains("1 to 64 collection names") == true)
        let pushed = try await phone.push([set("a")], collections: names, key: "k")
        #expect(pushed.status == 400)
        #expect(try await ids(phone.pull()) == [], "nothing is stored")
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

    @Test func tombstonesUpToTheFirstPageOfAFirstSyncAreOmittedAndLaterOnesAreSent() async throws {
        _ = try await anna.push([set("a"), set("b"), delete("x", base: 0), set("c")], key: "k1")
        let first = try await phone.pull(limit: 2)
        _ = try await anna.push([delete("a", base: 1), delete("c", base: 4)], since: first["cursor"].string, key: "k2")
        let second = try await phone.pull(since: first["cursor"].string)
        #expect(ids(second) == ["a", "c"])
    }

    @Test(arguments: ["0", "-1", "many", "1.5", "1e3", ""])
    func anInvalidLimitIsRefused(_ limit: String) async throws {
        let answer = try await phone.call(
            "GET", AuthenticatedRoute.pullChanges(space: phone.space).path + "?limit=\(limit)")
        #expect(answer.status == 400)
        #expect(answer["code"] == "invalid-request")
    }

    // MARK: Cursors

    @Test func aForgedCursorIsRefused() async throws {
        let answer = try await phone.pull(since: "made-up")
        #expect(answer.status == 400)
        #expect(answer["code"] == "invalid-cursor")
        #expect(try await phone.push([], since: "made-up", key: "k").status == 400)
    }

    @Test func aCursorOlderThanTheKeptTombstonesHasExpired() async throws {
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

    @Test func aCursorOfAnotherEpochAndOneFromTheFutureAreDistinguished() async throws {
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
}
