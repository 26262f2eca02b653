import Records
import SQLiteServerStore
import SyncAPI
import Testing
import TestSupport

@testable import ServerCore

@Suite struct PurgePlanTests {
    private func tombstone(_ space: String, _ id: String, _ version: Int64) -> StoredTombstone {
        StoredTombstone(space: space, key: RecordKey(collection: "tasks", id: id), version: version)
    }

    @Test func eachSpacesFloorBecomesItsHighestVersion() {
        let old = [tombstone("t", "a", 5), tombstone("s", "b", 9), tombstone("s", "c", 7)]
        #expect(
            PurgePlan(old).spaces == [
                .init(space: "s", tombstones: [old[1], old[2]], floor: 9),
                .init(space: "t", tombstones: [old[0]], floor: 5),
            ])
        #expect(PurgePlan([]).spaces.isEmpty)
    }
}

/// Old tombstones are purged, and no device misses a deletion.
@Suite struct PurgeTests {
    let server: InProcessServer
    var anna: WireDevice

    init() async throws {
        server = try InProcessServer(store: SQLiteServerStore(scheduling: .inline))
        anna = WireDevice(server)
        try await anna.register()
    }

    /// Creates and deletes this many records, and returns the cursor in between.
    private func deleteRecords(_ count: Int, prefix: String = "r") async throws -> String? {
        func mutations(_ action: (Int) -> JSONObject) -> [JSONValue] {
            (1...count).map { number in
                var mutation = action(number)
                mutation["collection"] = "tasks"
                mutation["id"] = .string("\(prefix)\(number)")
                mutation["at"] = "000000000001-0000-laptop"
                return .object(mutation)
            }
        }
        let made = try await anna.push(
            mutations { _ in ["base": 0, "set": ["n": 1]] }, since: try await anna.pull()["cursor"].string, key: prefix)
        let versions = made["results"].array?.compactMap { $0.object?["version"] } ?? []
        let cursor = try await anna.pull()["cursor"].string
        _ = try await anna.push(
            mutations { ["base": versions[$0 - 1], "delete": true] }, since: cursor, key: prefix + "-")
        return cursor
    }

    private func purge() async throws -> Int {
        try await server.server.purgeTombstones(before: server.clock.now - RetentionRules().tombstones)
    }

    @Test mutating func anOldTombstoneIsPurgedAndACursorBeforeItHasExpired() async throws {
        let before = try await deleteRecords(3)
        let after = try await anna.pull()
        server.clock.advance(by: .seconds(90 * 86_400))
        #expect(try await purge() == 0)
        server.clock.advance(by: .milliseconds(1))
        try await anna.logIn()
        #expect(try await purge() == 3)
        #expect(try await anna.pull(since: before)["code"] == "cursor-expired")
        let upToDate = try await anna.pull(since: after["cursor"].string)
        #expect(upToDate.status == 200)
        #expect(upToDate["digest"] == after["digest"])
        #expect(try await anna.pull()["records"] == [])
    }

    @Test func aRunningFirstSyncContinuesIfItBeganAfterThePurgedTombstones() async throws {
        let before = try await deleteRecords(2)
        _ = try await anna.push(
            [
                ["collection": "tasks", "id": "x", "base": 0, "at": "000000000001-0000-d", "set": ["n": 1]],
                ["collection": "tasks", "id": "y", "base": 0, "at": "000000000001-0000-d", "set": ["n": 1]],
            ],
            since: before, key: "xy")
        let page = try await anna.pull(limit: 1)
        #expect(page["more"] == true)
        #expect(try await server.server.purgeTombstones(before: server.clock.now + 1) == 2)
        let next = try await anna.pull(since: page["cursor"].string)
        #expect(next.status == 200)
        #expect(next["records"].array?.count == 1)
    }

    @Test func aLargePurgeIsDoneInSeveralTransactions() async throws {
        let count = RemovalLimit().rows * 2 + 1
        _ = try await deleteRecords(count)
        #expect(try await server.server.purgeTombstones(before: server.clock.now + 1) == count)
    }

    @Test func anEditOfAPurgedTombstoneIsAConflictWithNothing() async throws {
        _ = try await deleteRecords(1)
        let cursor = try await anna.pull()["cursor"].string
        _ = try await server.server.purgeTombstones(before: server.clock.now + 1)
        let edit: JSONValue = [
            "collection": "tasks", "id": "r1", "base": 2, "at": "000000000001-0000-d", "set": ["n": 2],
        ]
        let answer = try await anna.push([edit], since: cursor, key: "edit")
        #expect(answer["results"] == [["current": .null, "status": "conflict"]])
    }

    /// Advances the clock as if maintenance had run all the time, so that the server trusts it.
    private func pass(days: Int64) async throws {
        try await server.store.write { [now = server.clock.now] tx in
            try tx.setLastMaintenance(now + days * 86_400_000)
        }
        server.clock.advance(by: .seconds(days * 86_400))
    }

    @Test mutating func theServerPurgesAtTheStartAndEveryHour() async throws {
        _ = try await deleteRecords(1)
        try await pass(days: 91)
        let task = Task { [server] in await server.server.maintain() }
        try await eventually("it and both watches wait after the first time") { server.clock.sleeping == 3 }
        #expect(try await anna.logIn().status == 201)
        #expect(try await anna.pull()["records"] == [])
        let floor = try await server.store.read { [space = anna.space] tx in try tx.space(space)?.tombstoneFloor }
        #expect(floor == 2)

        _ = try await deleteRecords(1, prefix: "later")
        try await pass(days: 91)
        try await eventually("it came again") {
            try await server.store.read { [space = anna.space] tx in try tx.space(space)?.tombstoneFloor } == 4
        }
        task.cancel()
        await task.value
    }

    @Test mutating func aSessionThatHasEndedLongAgoIsDeleted() async throws {
        try await pass(days: 121)
        let task = Task { [server] in await server.server.maintain() }
        try await eventually("it and both watches wait after the first time") { server.clock.sleeping == 3 }
        task.cancel()
        await task.value
        #expect(try await anna.refresh()["code"] == "token-invalid")
        #expect(try await anna.logIn().status == 201)
    }

    /// The number of outcomes of the devices.
    private func outcomes(of devices: String...) async throws -> [Int] {
        try await server.store.read { tx in
            let account = try tx.account(username: "anna")?.id ?? ""
            return try devices.map { device in
                let key = OutcomeKey(account: account, device: device, key: WireDevice.key(device))
                return try tx.outcome(of: key) == nil ? 0 : 1
            }
        }
    }

    /// Signs a device in and lets it push.
    private func push(from id: String) async throws -> WireDevice {
        var device = WireDevice(id: id, server)
        try await device.logIn()
        let edit: JSONValue = [
            "collection": "tasks", "id": .string(id), "base": 0, "at": "000000000001-0000-d", "set": ["n": 1],
        ]
        try #require(await device.push([edit], key: id).status == 200)
        return device
    }

    @Test func theOutcomesOfARemovedOrLoggedOutDeviceAreDeletedAfterThirtyDays() async throws {
        for id in ["removed", "tablet"] { _ = try await push(from: id) }
        try #require(await anna.call("DELETE", AuthenticatedRoute.revokeDevice(id: "removed").path).status == 204)
        let phone = try await push(from: "phone")
        try #require(await phone.call("DELETE", AuthenticatedRoute.logOut.path).status == 204)
        let task = Task { [server] in await server.server.maintain() }
        try await eventually("it and both watches wait after the first time") { server.clock.sleeping == 3 }
        server.clock.advance(by: .milliseconds(MaintenanceService.deadSessionKept))
        try await eventually("it came again") { server.clock.sleeping == 3 }
        let kept = try await outcomes(of: "removed", "phone", "tablet")
        #expect(kept == [1, 1, 1], "a device may sign in again and repeat what it sent last")
        server.clock.advance(by: MaintenanceService.interval)
        try await eventually("and again") { server.clock.sleeping == 3 }
        #expect(try await outcomes(of: "removed", "phone", "tablet") == [0, 0, 1])
        task.cancel()
        await task.value
    }

    @Test func anInvitationIsListedForThirtyDaysAfterItsExpiry() async throws {
        let invites = InviteService(store: server.store, environment: server.server.environment)
        _ = try await invites.add(lifetime: 60_000)
        server.clock.advance(by: .seconds(60))
        let task = Task { [server] in await server.server.maintain() }
        try await eventually("it and both watches wait after the first time") { server.clock.sleeping == 3 }
        server.clock.advance(by: .seconds(30 * 86_400))
        try await eventually("it came again") { server.clock.sleeping == 3 }
        #expect(try await invites.list().count == 1)
        server.clock.advance(by: MaintenanceService.interval)
        try await eventually("and again") { server.clock.sleeping == 3 }
        #expect(try await invites.list().isEmpty)
        task.cancel()
        await task.value
    }
}
