import Foundation
import GRDB
import Records
import ServerCore
import SyncAPI
import TestSupport
import Testing

@testable import SQLiteServerStore

/// Digests and changes of some of a space's collections.
@Suite struct CollectionDigestTests {
    @Test func aMigratedDatabaseHasTheDigestsOfItsLiveRecords() async throws {
        try await withTemporaryDirectory { directory in
            let file = StoreFiles().database(in: directory).path
            let database = try DatabaseQueue(path: file, configuration: SQLiteServerStore.configuration)
            try ServerSchema.migrator(epoch: "e").migrate(database, upTo: "7: results of outcomes")
            try await database.write { db in
                for (number, id) in [(1, "s"), (2, "t")] {
                    try db.execute(
                        sql: "INSERT INTO spaces VALUES (?, ?, 4, 0, ?, 0, 0)",
                        arguments: [number, id, SpaceDigest().description])
                }
                for (space, collection, id, version, deleted) in [
                    (1, "tasks", "a", 1, 0), (1, "notes", "a", 2, 0), (1, "tasks", "b", 3, 0), (1, "tasks", "c", 4, 1),
                    (2, "tasks", "a", 4, 0),
                ] {
                    try db.execute(
                        sql: "INSERT INTO records VALUES (?, ?, ?, ?, ?, '', '', '{}', '{}')",
                        arguments: [space, collection, id, version, deleted])
                }
            }
            try database.close()

            var tasks = SpaceDigest()
            tasks.add(collection: "tasks", id: "a", version: 1)
            tasks.add(collection: "tasks", id: "b", version: 3)
            var all = tasks
            all.add(collection: "notes", id: "a", version: 2)
            var other = SpaceDigest()
            other.add(collection: "tasks", id: "a", version: 4)
            let store = try SQLiteServerStore(directory: directory)
            let digests = try await store.read { tx in
                [
                    try tx.digest(of: ["tasks"], in: "s"), try tx.digest(of: ["notes", "tasks"], in: "s"),
                    try tx.digest(of: ["tasks"], in: "t"), try tx.digest(of: ["notes"], in: "t"),
                ]
            }
            #expect(digests == [tasks, all, other, SpaceDigest()])
            try store.close()
        }
    }

    @Test func recordsOfOtherCollectionsAreNotRead() async throws {
        let (few, many) = (try await steps(besides: 10), try await steps(besides: 1_000))
        #expect(few > 0 && many <= few + 10, "\(few), \(many)")
    }

    /// The SQLite steps needed to read one book in a space with `count` tasks.
    private func steps(besides count: Int) async throws -> Int {
        @Sendable func record(_ collection: String, version: Int) -> RawRecord {
            RawRecord(
                key: RecordKey(collection: collection, id: "r\(version)"), version: Int64(version), deleted: false,
                modifiedAt: "", modifiedBy: "", fields: "{}", clock: "{}")
        }
        let store = try SQLiteServerStore()
        try await store.write { tx in
            try tx.insertSpace(id: "s")
            try tx.put(
                (1...count).map { record("tasks", version: $0) } + [record("books", version: count + 1)], in: "s")
        }
        let range = ChangeRange(after: 0, tombstonesAfter: 0, collections: CollectionSet(["books", "notes"]))
        let before = try store.writerSteps()
        let found = try await store.write { tx in
            var found: [RecordKey] = []
            try tx.visitChanges(range, in: "s") { record in
                found.append(record.key)
                return true
            }
            return found
        }
        #expect(found == [RecordKey(collection: "books", id: "r\(count + 1)")])
        return try store.writerSteps() - before
    }

    @Test func aSpaceIsRemovedWithTheDigestsOfItsCollections() async throws {
        let store = try SQLiteServerStore()
        let digests = Dictionary(
            uniqueKeysWithValues: (1...300).map { number in
                var digest = SpaceDigest()
                digest.add(collection: "c\(number)", id: "a", version: 1)
                return ("c\(number)", digest)
            })
        try await store.write { tx in
            try tx.insertSpace(id: "s")
            try tx.addToDigests(digests, in: "s")
        }
        var steps = 0
        while try await store.write({ try !$0.clear(space: "s", limit: RemovalLimit(rows: 100)) }) { steps += 1 }
        #expect(steps >= 2, "in steps, not at once")
        #expect(try await store.read { try $0.space("s") } == nil)
    }
}
