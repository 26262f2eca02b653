import Records
import SQLiteServerStore
import ServerCore
import Testing
import TestSupport

/// What devices receive after a restore (SyncAPI.docc/Protocol.md, "After a restored backup").
@Suite struct RestoredTests {
    private func set(_ id: String) -> JSONValue {
        ["collection": "tasks", "id": .string(id), "base": 0, "at": "000000000001-0000-d", "set": ["n": 1]]
    }

    /// The server that results from restoring a snapshot of another one.
    private func restored(_ snapshot: SQLiteServerStore, epoch: String) async throws -> InProcessServer {
        let store = try SQLiteServerStore(copying: snapshot, scheduling: .inline)
        let server = try InProcessServer(store: store)
        try await store.write { [now = server.clock.now] tx in try tx.markRestored(epoch: epoch, now: now) }
        return server
    }

    /// A device of another server in its state when that server was replaced by this one.
    private func moved(_ device: WireDevice, to server: InProcessServer) -> WireDevice {
        var moved = WireDevice(id: device.id, server)
        moved.accessToken = device.accessToken
        moved.space = device.space
        return moved
    }

    @Test func aCursorOfAnEarlierEpochIsAnsweredWithTheSharedVersion() async throws {
        let original = try InProcessServer()
        var anna = WireDevice(original)
        try await anna.register()
        _ = try await anna.push([set("a"), set("b")], key: "1")
        let snapshot = try SQLiteServerStore(copying: original.store)
        _ = try await anna.push([set("c")], key: "2")
        let cursor = try await anna.pull()["cursor"].string

        let second = try await restored(snapshot, epoch: "second")
        anna = moved(anna, to: second)
        let pulled = try await anna.pull(since: cursor)
        #expect(pulled.status == 410)
        #expect(pulled["code"] == "epoch-changed")
        #expect(pulled["shared"] == 2)
        let pushed = try await anna.push([set("d")], since: cursor, key: "3")
        #expect(pushed.status == 410)
        #expect(pushed["shared"] == 2)
        let page = try await anna.pull()
        #expect(page["records"].array?.count == 2)
        #expect(try await anna.pull(since: page["cursor"].string).status == 200)
    }

    @Test func afterTwoRestoresTheLowerVersionCountsAndAnUnknownEpochSharesNothing() async throws {
        let original = try InProcessServer()
        var anna = WireDevice(original)
        try await anna.register()
        _ = try await anna.push([set("a"), set("b")], key: "1")
        let first = try await anna.pull()["cursor"].string
        let snapshot = try SQLiteServerStore(copying: original.store)
        let second = try await restored(snapshot, epoch: "second")
        anna = moved(anna, to: second)
        let between = try await anna.pull()["cursor"].string

        let third = try await restored(second.store, epoch: "third")
        anna = moved(anna, to: third)
        #expect(try await anna.pull(since: first)["shared"] == 2)
        let least = try await second.store.read { [space = anna.space] tx in try tx.space(space)?.version ?? 0 }
        #expect(try await anna.pull(since: between)["shared"] == .integer(least))

        // The same old backup once more: it knows nothing of what came after the first restore.
        let again = try await restored(snapshot, epoch: "fourth")
        anna = moved(anna, to: again)
        #expect(try await anna.pull(since: between)["shared"] == 0)
        #expect(try await anna.pull(since: first)["shared"] == 2)
    }

    @Test func anOutcomeSurvivesARestoreAndIsNotAppliedTwice() async throws {
        let original = try InProcessServer()
        var anna = WireDevice(original)
        try await anna.register()
        let cursor = try await anna.pull()["cursor"].string
        let done = try await anna.push([set("a")], since: cursor, key: "1")
        anna = moved(anna, to: try await restored(original.store, epoch: "second"))
        let again = try await anna.push([set("a")], since: cursor, key: "1")
        #expect(again.status == 200)
        #expect(again["results"] == done["results"])
        #expect(again["resync"] == "epoch-changed")
        #expect(try await anna.pull()["records"].array?.count == 1)
    }

    @Test func aCopyPutBackWithoutRestoreIsDetectedByADeviceThatIsAhead() async throws {
        let original = try InProcessServer()
        var anna = WireDevice(original)
        try await anna.register()
        _ = try await anna.push([set("a")], key: "1")
        let snapshot = try SQLiteServerStore(copying: original.store)
        _ = try await anna.push([set("b")], key: "2")
        let cursor = try await anna.pull()["cursor"].string
        anna = moved(anna, to: try InProcessServer(store: snapshot))
        let pulled = try await anna.pull(since: cursor)
        #expect(pulled["code"] == "epoch-changed")
        #expect(pulled["shared"] == 0)
    }

    @Test func aRestoreKeepsTheTombstoneFloor() async throws {
        let original = try InProcessServer()
        var anna = WireDevice(original)
        try await anna.register()
        let (space, store) = (anna.space, original.store)
        try await store.write { tx in
            guard var state = try tx.lockSpace(space) else { return }
            state.version = 9
            state.tombstoneFloor = 5
            try tx.update(state)
        }
        let after = try await restored(store, epoch: "second")
        anna = moved(anna, to: after)
        let cursor = try await anna.pull()["cursor"].string
        #expect(try await after.store.read { try $0.space(space)?.tombstoneFloor } == 5)
        #expect(try await anna.pull(since: cursor).status == 200)
    }
}
