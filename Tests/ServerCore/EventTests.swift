import Records
import SQLiteServerStore
import SyncAPI
import Testing
import TestSupport

@testable import ServerCore

@Suite struct EventSnapshotTests {
    private let old = EventSnapshot(epoch: "e", versions: ["s": 1, "t": 2])

    private func notified(_ new: EventSnapshot, since known: EventSnapshot?) -> [String] {
        new.events(since: known).map(\.space)
    }

    @Test func aReaderIsNotifiedOfEachSpaceThatDiffersFromItsState() {
        #expect(notified(old, since: nil) == ["s", "t"])
        #expect(notified(old, since: old) == [])
        #expect(notified(EventSnapshot(epoch: "e", versions: ["s": 1, "t": 3]), since: old) == ["t"])
        #expect(notified(EventSnapshot(epoch: "f", versions: ["s": 1, "t": 2]), since: old) == ["s", "t"])
        #expect(notified(EventSnapshot(epoch: "e", versions: ["t": 2]), since: old) == [])
    }

    @Test func onlyTheLastEventsIDRepresentsTheWholeSnapshot() {
        let ids = old.events(since: nil).map(\.id)
        #expect(ids.last == old.id)
        #expect(ids.first != old.id)
        #expect(old.id != EventSnapshot(epoch: "f", versions: old.versions).id)
    }
}

/// `GET /v1/events` without a socket (SyncAPI.docc/Protocol.md, "Live").
@Suite struct EventTests {
    let server: InProcessServer
    var anna: WireDevice
    var phone: WireDevice

    init() async throws {
        server = try InProcessServer(store: SQLiteServerStore(scheduling: .inline))
        anna = WireDevice(id: "laptop", server)
        phone = WireDevice(id: "phone", server)
        try await anna.register()
        try await phone.logIn()
    }

    private func answer(_ device: WireDevice, lastEventID: String? = nil) async -> ServerAnswer {
        var headers = [(name: "Host", value: "server.test"), ("Authorization", "Bearer \(device.accessToken ?? "")")]
        if let lastEventID { headers.append(("Last-Event-ID", lastEventID)) }
        return await server.server.answer(
            ServerRequest(method: "GET", target: AuthenticatedRoute.events.path, headers: headers))
    }

    private func open(_ device: WireDevice, lastEventID: String? = nil) async throws -> BodyStream {
        try #require(await answer(device, lastEventID: lastEventID).stream)
    }

    private func piece(_ stream: BodyStream) async -> String? {
        await stream.next().map { String(decoding: $0, as: UTF8.self) }
    }

    /// The data of the events in a piece.
    private func cursors(_ piece: String?) throws -> [String?] {
        try (piece ?? "").split(separator: "\n").filter { $0.hasPrefix("data: ") }.map { line in
            try JSONValue(parsing: String(line.dropFirst(6))).object?["cursor"]?.string
        }
    }

    private func push(_ device: WireDevice, _ id: String) async throws {
        _ = try await device.push(
            [["collection": "tasks", "id": .string(id), "base": 0, "at": "000000000001-0000-d", "set": ["n": 1]]],
            key: id)
    }

    @Test func aStreamBeginsWithThePresentCursorAndIsNotHeldBack() async throws {
        let answer = await answer(anna)
        #expect(answer.header("Content-Type") == "text/event-stream")
        #expect(answer.header("X-Accel-Buffering") == "no")
        let first = await piece(try #require(answer.stream))
        #expect(first?.hasPrefix("retry: 2000\n\nevent: changes\nid: ") == true)
        #expect(try cursors(first) == [try await anna.pull()["cursor"].string])
    }

    @Test func aCommitOfAnyDeviceIsSentWithTheCursorAfterIt() async throws {
        let stream = try await open(anna)
        _ = await piece(stream)
        for device in [phone, anna] {
            let next = Task { await piece(stream) }
            try await push(device, device.id)
            #expect(try cursors(await next.value) == [try await anna.pull()["cursor"].string])
        }
        let path = AuthenticatedRoute.replaceRecord(space: anna.space, collection: "tasks", id: "rest").path
        _ = try await anna.call("PUT", path, body: ["fields": [:]], headers: ["If-None-Match": "*"])
        #expect(try cursors(await piece(stream)) == [try await anna.pull()["cursor"].string])
    }

    @Test func aSlowReaderReceivesTheNewestCursorOnce() async throws {
        let stream = try await open(anna)
        _ = await piece(stream)
        for number in 1...50 { try await push(phone, "r\(number)") }
        #expect(try cursors(await piece(stream)) == [try await anna.pull()["cursor"].string])
        let next = Task { await piece(stream) }
        try await eventually("it waits") { server.clock.sleeping == 1 }
        server.clock.advance(by: EventService.heartbeatInterval)
        #expect(await next.value == ":\n\n")
    }

    @Test func aSilentStreamShowsThatItIsAlive() async throws {
        let stream = try await open(anna)
        _ = await piece(stream)
        for _ in 1...3 {
            let next = Task { await piece(stream) }
            try await eventually("it waits") { server.clock.sleeping == 1 }
            server.clock.advance(by: .seconds(20))
            #expect(await next.value == ":\n\n")
        }
    }

    @Test func aReturningReaderIsNotifiedOnlyIfItMissedSomething() async throws {
        let first = await piece(try await open(anna))
        let id = first?.split(separator: "\n").first { $0.hasPrefix("id: ") }.map { String($0.dropFirst(4)) }
        #expect(await piece(try await open(anna, lastEventID: id)) == "retry: 2000\n\n")
        try await push(phone, "a")
        #expect(try cursors(await piece(try await open(anna, lastEventID: id))).count == 1)
        #expect(try cursors(await piece(try await open(anna, lastEventID: "made up"))).count == 1)
    }

    @Test func anotherAccountReceivesNothing() async throws {
        var ben = WireDevice(id: "ben", server)
        try await ben.register("ben")
        let stream = try await open(ben)
        _ = await piece(stream)
        let next = Task { await piece(stream) }
        try await eventually("it waits") { server.clock.sleeping == 1 }
        try await push(anna, "a")
        server.clock.advance(by: .seconds(20))
        #expect(await next.value == ":\n\n")
    }

    private static let ends: [@Sendable (_ anna: WireDevice, _ phone: WireDevice) async throws -> Void] = [
        { anna, _ in _ = try await anna.call("DELETE", "/v1/devices/phone") },
        { _, phone in _ = try await phone.call("DELETE", "/v1/sessions/current") },
        { anna, _ in
            let change: JSONValue = ["currentPassword": "correct horse", "newPassword": "battery staple"]
            _ = try await anna.call("PUT", "/v1/account/password", body: change)
        },
        { anna, _ in _ = try await anna.call("POST", "/v1/account/deletion", body: ["password": "correct horse"]) },
        { _, phone in
            var again = phone
            try await again.logIn()
        },
        { _, phone in
            let stolen = phone.refreshToken
            var phone = phone
            _ = try await phone.refresh()
            _ = try await phone.pull()
            _ = try await phone.refresh(stolen)
        },
    ]

    @Test(arguments: ends.indices)
    func aStreamEndsAtOnceWithItsSession(_ index: Int) async throws {
        let stream = try await open(phone)
        _ = await piece(stream)
        let next = Task { await piece(stream) }
        try await eventually("it waits") { server.clock.sleeping == 1 }
        try await Self.ends[index](anna, phone)
        #expect(await next.value == nil)
    }

    @Test func aStreamOutlivesItsAccessToken() async throws {
        let stream = try await open(anna)
        _ = await piece(stream)
        let next = Task { await piece(stream) }
        try await eventually("it waits") { server.clock.sleeping == 1 }
        server.clock.advance(by: .seconds(3_600))
        #expect(try await anna.pull()["code"] == "token-expired")
        #expect(await next.value == ":\n\n")
        server.clock.advance(by: .seconds(91 * 86_400))
        let last = Task { await piece(stream) }
        try await eventually("it waits") { server.clock.sleeping == 1 }
        server.clock.advance(by: .seconds(20))
        #expect(await last.value == nil)
    }

    @Test func anAccountHasALimitedNumberOfStreamsAndAReleasedOneMakesRoom() async throws {
        var streams: [BodyStream] = []
        for _ in 1...32 { streams.append(try await open(anna)) }
        let refused = await answer(phone)
        #expect(refused.status == 403)
        let problem = try JSONValue(parsing: refused.body).object
        #expect(problem?["code"] == "quota-exceeded")
        #expect(problem?["quota"] == "streams")
        #expect(problem?["limit"] == 32)
        #expect(server.server.events.hub.count == 32)
        streams.removeLast()
        #expect(await answer(phone).status == 200)
    }

    @Test func whenAllStreamsAreInUseTheAddressWithTheMostGivesOneUp() throws {
        let hub = EventHub(streams: 4)
        let crowd = try (1...4).map { try hub.listen(account: "a\($0)", address: "192.0.2.1", limit: 32) }
        let first = try hub.listen(account: "b", address: "192.0.2.2", limit: 32)
        #expect(crowd.map(\.wakeup.isOver) == [false, false, false, true])
        let second = try hub.listen(account: "b", address: "192.0.2.2", limit: 32)
        #expect(crowd.map(\.wakeup.isOver) == [false, false, true, true])
        // Both addresses have two now.
        #expect(throws: Problem.tooManyStreamsInAll(limit: 4)) {
            try hub.listen(account: "b", address: "192.0.2.2", limit: 32)
        }
        #expect(throws: Problem.tooManyStreamsInAll(limit: 4)) {
            try hub.listen(account: "a1", address: "192.0.2.1", limit: 32)
        }
        #expect(![first, second].contains { $0.wakeup.isOver })
        #expect(hub.count == 4)
    }

    @Test func theHubKeepsTheNewestVersionOfAFollowedSpace() throws {
        let hub = EventHub(streams: 4)
        hub.changed("s", version: 3)
        #expect(hub.committedVersions(of: ["s"]) == [:])
        let stream = try hub.listen(account: "a", address: "192.0.2.1", limit: 32)
        #expect(hub.follow(["s", "t"], account: "a"))
        #expect(hub.committedVersions(of: ["s", "t"]) == [:])
        hub.changed("s", version: 5)
        hub.changed("s", version: 4)
        #expect(hub.committedVersions(of: ["s", "t"]) == ["s": 5])
        #expect(!stream.wakeup.isOver)
    }

    @Test func manyStreamsAreAllNotified() async throws {
        let hub = EventHub(streams: 100)
        let streams = try (1...100).map { _ in try hub.listen(account: "a", address: "192.0.2.1", limit: 100) }
        _ = hub.follow(["s"], account: "a")
        hub.changed("s", version: 1)
        for stream in streams { #expect(await stream.wakeup.next() == .commit) }
    }

    @Test func aStreamThatGaveWayLeavesNothingBehind() throws {
        let hub = EventHub(streams: 2)
        var crowd = try (1...2).map { try hub.listen(account: "a\($0)", address: "192.0.2.1", limit: 32) }
        let other = try hub.listen(account: "b", address: "192.0.2.2", limit: 32)
        #expect(hub.count == 2)
        crowd.removeLast()
        #expect(hub.count == 2)
        crowd.removeLast()
        #expect(hub.count == 1 && !other.wakeup.isOver)
    }

    @Test func aReaderThatDisconnectsLeavesNothingBehind() async throws {
        let reader = Task {
            let stream = try await open(anna)
            _ = await piece(stream)
            return await piece(stream)
        }
        try await eventually("it waits") { server.clock.sleeping == 1 }
        reader.cancel()
        #expect(try await reader.value == nil)
        #expect(server.server.events.hub.count == 0)
        // The task of the heartbeats is cancelled, and ends by itself.
        try await eventually("nothing waits") { server.clock.sleeping == 0 }
    }

    @Test func aStreamNeedsAToken() async throws {
        #expect(await answer(WireDevice(server)).status == 401)
    }
}
