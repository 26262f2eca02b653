import Records
import ServerCore
import SyncAPI
import Testing
import TestSupport

/// `GET …/revisions` (SyncAPI.docc/Protocol.md, "Plain REST").
@Suite struct RevisionTests {
    /// A device on a server that keeps this many revisions.
    private func device(keeping revisions: Int = 20) async throws -> WireDevice {
        var configuration = ServerConfiguration.forTests
        configuration.retention.revisions = revisions
        var device = WireDevice(try InProcessServer(configuration: configuration))
        try await device.register()
        return device
    }

    private func push(_ device: WireDevice, base: Int64, _ action: JSONObject) async throws {
        var mutation: JSONObject = [
            "collection": "tasks", "id": "a", "base": .integer(base), "at": "000000000001-0000-laptop",
        ]
        for (name, value) in action { mutation[name] = value }
        let answer = try await device.push(
            [.object(mutation)], since: try await device.pull()["cursor"].string, key: "k\(base)")
        #expect(answer["results"].array?.first?.object?["status"] == "applied")
    }

    private func revisions(_ device: WireDevice, _ query: String = "") async throws -> WireDevice.Answer {
        let path = AuthenticatedRoute.revisions(space: device.space, collection: "tasks", id: "a").path
        return try await device.call("GET", path + query)
    }

    private func versions(_ answer: WireDevice.Answer) -> [Int64] {
        answer["revisions"].array?.compactMap { $0.object?["version"]?.integer } ?? []
    }

    @Test func aRecordsStatesAreListedFromTheNewestToTheOldestAsOnTheWire() async throws {
        let device = try await device()
        try await push(device, base: 0, ["set": ["title": "one"]])
        try await push(device, base: 1, ["set": ["title": "two"]])
        try await push(device, base: 2, ["delete": true])
        let answer = try await revisions(device)
        #expect(answer.status == 200)
        #expect(answer["more"] == false)
        #expect(versions(answer) == [3, 2, 1])
        let states = answer["revisions"].array?.compactMap(\.object) ?? []
        #expect(states[0]["deleted"] == true)
        #expect(states[0]["fields"] == nil)
        #expect(states[2]["fields"] == ["title": "one"])
        #expect(states[2]["modifiedBy"] == "dev-1")
        #expect(states[2]["clock"] == ["*": "000000000001-0000-laptop"])
    }

    @Test func onlyTheLastAreKept() async throws {
        let device = try await device(keeping: 3)
        for base in 0..<6 { try await push(device, base: Int64(base), ["set": ["n": .integer(Int64(base))]]) }
        let answer = try await revisions(device)
        #expect(versions(answer) == [6, 5, 4])
        #expect(answer["kept"] == 3)
    }

    @Test(arguments: [0, 1])
    func aServerWithoutRevisionsReturnsThePresentState(_ kept: Int) async throws {
        let device = try await device(keeping: kept)
        for base in 0..<3 { try await push(device, base: Int64(base), ["set": ["n": .integer(Int64(base))]]) }
        #expect(versions(try await revisions(device)) == [3])
    }

    @Test func aWriteByPlainRESTKeepsTheReplacedState() async throws {
        let device = try await device()
        let path = AuthenticatedRoute.replaceRecord(space: device.space, collection: "tasks", id: "a").path
        _ = try await device.call("PUT", path, body: ["fields": ["n": 1]], headers: ["If-None-Match": "*"])
        _ = try await device.call("PUT", path, body: ["fields": ["n": 2]], headers: ["If-Match": "\"1\""])
        #expect(versions(try await revisions(device)) == [2, 1])
    }

    @Test func revisionsBeyondOneAnswerAreRequestedByVersion() async throws {
        let device = try await device()
        let text = JSONValue.string(String(repeating: "x", count: 1_000_000))
        for base in 0..<6 {
            try await push(device, base: Int64(base), ["set": ["t": text, "n": .integer(Int64(base))]])
        }
        let first = try await revisions(device)
        #expect(first["more"] == true)
        #expect(versions(first) == [6, 5, 4, 3, 2])
        let rest = try await revisions(device, "?before=2")
        #expect(rest["more"] == false)
        #expect(versions(rest) == [1])
        #expect(versions(try await revisions(device, "?limit=2")) == [6, 5])
        #expect(try await revisions(device, "?before=x").status == 400)
    }

    @Test func anUnknownRecordAndAnotherAccountsSpaceHaveNone() async throws {
        let server = try InProcessServer()
        var (anna, ben) = (WireDevice(server), WireDevice(id: "other", server))
        try await anna.register()
        try await ben.register("ben")
        #expect(try await revisions(anna).status == 404)
        try await push(anna, base: 0, ["set": ["n": 1]])
        ben.space = anna.space
        #expect(try await revisions(ben).status == 404)
        #expect(try await revisions(anna).status == 200)
    }
}
