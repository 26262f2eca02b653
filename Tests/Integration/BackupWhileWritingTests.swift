import Foundation
import Records
import SQLiteServerStore
import Testing
import TestSupport

/// A backup is the state of one moment, whatever is written meanwhile.
@Suite struct BackupWhileWritingTests {
    @Test func aBackupOfABusyServerHoldsWholeRequestsAndMatchesItsDigest() async throws {
        try await withTemporaryDirectory { directory in
            let (data, file) = (directory.appending(path: "data"), directory.appending(path: "backup"))
            let store = try SQLiteServerStore(directory: data)
            var anna = WireDevice(try InProcessServer(store: store))
            try await anna.register()
            let writers = Task { [anna] in
                for number in 0..<200 where !Task.isCancelled { try await Self.pushPair(number, anna) }
            }
            for _ in 1...5 { _ = try SQLiteServerStore.backup(directory: data, to: file, replacing: true) }
            writers.cancel()
            try await writers.value
            try await Self.check(file, in: directory.appending(path: "restored"), as: anna)
        }
    }

    /// Two records in one request.
    private static func pushPair(_ number: Int, _ device: WireDevice) async throws {
        let mutations = ["a", "b"].map { letter -> JSONValue in
            [
                "collection": "tasks", "id": .string("\(letter)\(number)"), "base": 0, "at": "000000000001-0000-d",
                "set": ["n": 1],
            ]
        }
        _ = try await device.push(mutations, key: "k\(number)")
    }

    private static func check(_ file: URL, in directory: URL, as device: WireDevice) async throws {
        _ = try SQLiteServerStore.restore(file, to: directory, now: 0)
        var restored = WireDevice(try InProcessServer(store: SQLiteServerStore(directory: directory)))
        (restored.accessToken, restored.space) = (device.accessToken, device.space)
        let page = try await restored.pull(limit: 5_000)
        var digest = SpaceDigest()
        var pairs: [Substring: Int] = [:]
        for record in page["records"].array ?? [] {
            guard let id = record.object?["id"]?.string, let version = record.object?["version"]?.integer else {
                continue
            }
            digest.add(collection: "tasks", id: id, version: version)
            pairs[id.dropFirst(), default: 0] += 1
        }
        #expect(page["digest"] == .string(digest.description))
        #expect(pairs.values.allSatisfy { $0 == 2 })
    }
}
