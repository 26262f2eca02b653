import Foundation
import Records
import ServerCore
import TestSupport
import Testing

@testable import SQLiteServerStore

@Suite struct LineageTests {
    @Test("Databases of one epoch need no addition")
    func oneEpoch() {
        let backup = Lineage(epochs: ["first": ["s": 5]])
        #expect(backup.additions(from: Lineage(epochs: ["first": ["s": 9]])) == [:])
    }

    @Test("The epochs since a backup share with it what the first of them shares, and no more than there is")
    func since() {
        let backup = Lineage(epochs: ["first": ["s": 5, "both": 3, "gone": 1]])
        let present = Lineage(epochs: [
            "first": ["s": 4, "both": 8], "second": ["s": 100, "both": 2, "new": 7], "third": ["s": 200, "new": 9],
        ])
        #expect(
            backup.additions(from: present) == ["second": ["s": 4, "both": 2], "third": ["s": 4]])
    }

    @Test("A backup that is newer than the database that it replaces is ahead, and loses nothing")
    func newer() {
        let backup = Lineage(epochs: ["first": ["s": 4], "second": ["s": 100], "third": ["s": 200]])
        let present = Lineage(epochs: ["first": ["s": 4], "second": ["s": 90]])
        #expect(backup.additions(from: present) == [:])
    }

    @Test("An unrelated database shares nothing")
    func stranger() {
        let backup = Lineage(epochs: ["first": ["s": 5]])
        #expect(backup.additions(from: Lineage(epochs: ["other": ["s": 9]])) == ["other": [:]])
    }

    @Test("A backup restored twice still reports to devices what they share with the epoch in between")
    func restoredTwice() async throws {
        try await withTemporaryDirectory { directory in
            let (data, file) = (directory.appending(path: "data"), directory.appending(path: "backup"))
            func change(to version: Int64) async throws {
                let store = try SQLiteServerStore(directory: data, epoch: "first")
                try await store.write { tx in
                    if try tx.space("s") == nil { try tx.insertSpace(id: "s") }
                    try tx.update(SpaceRow(id: "s", version: version))
                }
                try store.close()
            }
            try await change(to: 5)
            _ = try SQLiteServerStore.backup(directory: data, to: file)
            try await change(to: 9)
            for epoch in ["second", "third", "fourth"] {
                _ = try SQLiteServerStore.restore(file, to: data, epoch: epoch, now: 1_795_262_400_000)
            }
            let store = try SQLiteServerStore(directory: data)
            let shared = try await store.read { tx in
                try ["first", "second", "third", "fourth"].map { try tx.shared(since: $0, in: "s") }
            }
            #expect(shared == [5, 5, 5, nil])
        }
    }
}
