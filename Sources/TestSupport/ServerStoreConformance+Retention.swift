internal import Records
internal import ServerCore

extension ServerStoreConformance {
    private static let key = RecordKey(collection: "tasks", id: "a")

    private static func revisions(
        _ tx: any StoreReading, before version: Int64 = .max, in space: String = "s"
    ) throws -> [Int64] {
        var versions: [Int64] = []
        try tx.visitRevisions(of: key, in: space, before: version) { record in
            versions.append(record.version)
            return true
        }
        return versions
    }

    /// Puts versions of record `a`, keeping so many of those before.
    private static func change(_ versions: ClosedRange<Int64>, limit: Int, _ tx: any StoreWriting) throws {
        for version in versions {
            try tx.keepRevisions(of: [key], in: "s", limit: limit)
            try tx.put([record("a", version: version, deleted: version == 3)], in: "s")
        }
    }

    static let retention: [ServerStoreConformance] = [
        ServerStoreConformance("a record's revisions come from the newest to the oldest, the present one first") {
            store in
            try await store.write { tx in
                try tx.insertSpace(id: "s")
                try tx.insertSpace(id: "t")
                try tx.put([record("a", version: 9)], in: "t")
                try change(1...4, limit: 10, tx)
            }
            try await store.read { tx in
                try expect(try revisions(tx), is: [4, 3, 2, 1], "all")
                try expect(try revisions(tx, before: 3), is: [2, 1], "those before the third")
                try expect(try revisions(tx, in: "t"), is: [9], "of another space")
                var seen: [StoredRecord] = []
                try tx.visitRevisions(of: key, in: "s", before: 4) { record in
                    seen.append(record)
                    return false
                }
                try expect(seen, is: [record("a", version: 3, deleted: true)], "until the visitor has enough")
            }
        },
        ServerStoreConformance("of a record's revisions so many are kept, the newest") { store in
            try await store.write { tx in
                try tx.insertSpace(id: "s")
                try tx.put([record("b", version: 100)], in: "s")
                try change(1...9, limit: 3, tx)
                try expect(try revisions(tx), is: [9, 8, 7, 6], "what is left")
                try tx.keepRevisions(of: [RecordKey(collection: "tasks", id: "unknown")], in: "s", limit: 3)
            }
        },
        ServerStoreConformance("old tombstones are found, the oldest first, and go with their revisions") { store in
            @Sendable func tombstone(_ id: String, _ version: Int64, _ day: String) -> StoredRecord {
                var record = record(id, version: version, deleted: true)
                record.modifiedAt = "2026-11-\(day)T00:00:00.000Z"
                return record
            }
            let gone = StoredTombstone(space: "s", key: key, version: 3)
            try await store.write { tx in
                try tx.insertSpace(id: "s")
                try change(1...3, limit: 10, tx)
                try tx.put([tombstone("a", 3, "02"), tombstone("b", 4, "01"), tombstone("c", 5, "03")], in: "s")
                try tx.put([record("d", version: 6)], in: "s")
                let moment = "2026-11-03T00:00:00.000Z"
                let older = StoredTombstone(space: "s", key: RecordKey(collection: "tasks", id: "b"), version: 4)
                try expect(try tx.tombstones(before: moment, limit: 10), is: [older, gone], "those before")
                try expect(try tx.tombstones(before: moment, limit: 1), is: [older], "one of them")
                try tx.remove([gone], in: "s")
                try expect(try revisions(tx), is: [], "its revisions")
                try expect(try tx.tombstones(before: moment, limit: 10), is: [older], "the other one")
                try tx.put([tombstone("b", 7, "09")], in: "s")
                try tx.remove([older], in: "s")
                try expect(
                    try versions(ChangeRange(after: 0, tombstonesAfter: 0), in: "s", tx), is: [5, 6, 7], "what is left")
            }
        },
        ServerStoreConformance("a space's bytes are those of its records and revisions, tombstones included") { store in
            try await store.write { tx in
                try tx.insertSpace(id: "s")
                var record = record("a", version: 1, fields: #"{"t":"é\u0000"}"#)
                record.clock = #"{"*":"x"}"#
                try tx.put([record], in: "s")
                try expect(try tx.space("s")?.bytes, is: record.bytes, "one record")
                try tx.keepRevisions(of: [key], in: "s", limit: 2)
                var longer = record
                (longer.version, longer.fields) = (2, #"{"t":"longer"}"#)
                try tx.put([longer], in: "s")
                try expect(try tx.space("s")?.bytes, is: record.bytes + longer.bytes, "with its revision")
                var gone = longer
                (gone.version, gone.deleted, gone.fields) = (3, true, "")
                try tx.keepRevisions(of: [key], in: "s", limit: 1)
                try tx.put([gone], in: "s")
                try expect(try tx.space("s")?.bytes, is: longer.bytes + gone.bytes, "after the oldest revision went")
                try tx.remove([StoredTombstone(space: "s", key: key, version: 3)], in: "s")
                try expect(try tx.space("s")?.bytes, is: 0, "of nothing")
            }
        },
        ServerStoreConformance("the bytes of an account's outcomes are those that are kept") { store in
            let outcome = StoredOutcome(requestHash: [1], results: ["é", "{}"], versions: nil)
            try await store.write { tx in
                _ = try tx.insert(account("anna"))
                try expect(try tx.outcomeBytes(account: "account-anna"), is: 0, "of none")
                try tx.insert(outcome, for: OutcomeKey(account: "account-anna", device: "d", key: "k"))
                // "é", a line break, "{}"
                try expect(try tx.outcomeBytes(account: "account-anna"), is: 5, "of one")
                for number in 1...100 {
                    try tx.insert(outcome, for: OutcomeKey(account: "account-anna", device: "d", key: "k\(number)"))
                }
                var kept: Int64 = 0
                for number in 1...100 {
                    let key = OutcomeKey(account: "account-anna", device: "d", key: "k\(number)")
                    if try tx.outcome(of: key) != nil { kept += 5 }
                }
                try expect(try tx.outcomeBytes(account: "account-anna"), is: kept, "of those that are kept")
            }
        },
        ServerStoreConformance("a deleted space takes its revisions along") { store in
            try await store.write { tx in
                try tx.insertSpace(id: "s")
                try change(1...3, limit: 10, tx)
                try tx.deleteSpace(id: "s")
                try tx.insertSpace(id: "s")
                try expect(try revisions(tx), is: [], "of a new space")
            }
        },
        ServerStoreConformance("sessions that are old or long unused go, so many at a time") { store in
            try await store.write { tx in
                _ = try tx.insert(account("anna"))
                for (id, createdAt, lastSeenAt) in [("old", 1, 50), ("unused", 10, 10), ("used", 10, 50)]
                    as [(String, Int64, Int64)]
                {
                    var session = session(id, of: "anna", device: id, createdAt: createdAt)
                    session.lastSeenAt = lastSeenAt
                    try tx.put(session)
                }
                try expect(try tx.deleteSessions(lastSeenBefore: 20, createdBefore: 5, limit: 1), is: 1, "first")
                try expect(try tx.deleteSessions(lastSeenBefore: 20, createdBefore: 5, limit: 5), is: 1, "then")
                try expect(try tx.sessions(account: "account-anna").map(\.id), is: ["used"], "what is left")
            }
        },
    ]
}
