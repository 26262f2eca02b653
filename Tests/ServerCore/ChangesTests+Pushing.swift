import Records
import SQLiteServerStore
import SyncAPI
import Testing
import TestSupport

@testable import ServerCore

// Results of mutations, and permissions to send them.
extension ChangesTests {
    @Test func resultsHaveTheOrderOfTheMutations() async throws {
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

    @Test func theAnswerHasTheChangesOfOthersWithoutThoseOfTheRequest() async throws {
        let since = try await phone.pull()["cursor"].string
        _ = try await anna.push([set("a")], key: "k1")
        let answer = try await phone.push([set("b")], since: since, key: "k2")
        #expect(ids(answer) == ["a"])
        #expect(answer["digest"] == digest(("a", 1), ("b", 2)))
        #expect(ids(try await phone.pull(since: answer["cursor"].string)).isEmpty)
    }

    @Test func withoutSinceTheAnswerHasOnlyTheResults() async throws {
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

    @Test func theServerReturnsTheClocksThatItApplied() async throws {
        server.clock.advance(by: .seconds(1))
        let future = HLC(milliseconds: UInt64(server.clock.now) + 61_000, device: "laptop")
        var mutation = set("a").object ?? [:]
        mutation["at"] = .string(future.description)
        let answer = try await anna.push([.object(mutation)], key: "k")
        let clock = answer["results"].array?.first?.object?["clock"]?.object?["*"]?.string.flatMap { HLC($0) }
        #expect(clock?.milliseconds == UInt64(server.clock.now))
    }

    @Test func concurrentWritersLeaveNoGapForAReaderThatFollowsTheCursor() async throws {
        let (writers, pushes) = (8, 20)
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

    @Test func anotherAccountsSpaceIsNotFound() async throws {
        var ben = WireDevice(id: "laptop", server)
        try await ben.register("ben")
        ben.space = anna.space
        #expect(try await ben.pull().status == 404)
        #expect(try await ben.push([set("a")], key: "k").status == 404)
        #expect(ids(try await anna.pull()).isEmpty)
    }

    @Test func aReaderMayReadButNotWrite() async throws {
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
