internal import Records
internal import ServerCore
internal import SyncAPI

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

    /// Stores versions of record `a`; this number of former states is kept. Version 3 is a tombstone.
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
                var seen: [RawRecord] = []
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
            @Sendable func tombstone(_ id: String, _ version: Int64, _ day: String) -> RawRecord {
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
                // A record that was changed since its tombstone was found must not be removed.
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
            let outcome = StoredOutcome(
                requestHash: [1], results: [.rejected(problem: "é"), .conflict], versions: nil, storedAt: 1)
            try await store.write { tx in
                _ = try tx.insert(account("anna"))
                try expect(try tx.outcomeBytes(account: "account-anna"), is: 0, "of none")
                try tx.insert(outcome, for: OutcomeKey(account: "account-anna", device: "d", key: "k"))
                // The rows of the outcome and its two results, and the two bytes of "é".
                let bytes = Int64(StoredOutcome.rowBytes + 2 * StoredResult.rowBytes + 2)
                try expect(try tx.outcomeBytes(account: "account-anna"), is: bytes, "of one")
                for number in 1...100 {
                    try tx.insert(outcome, for: OutcomeKey(account: "account-anna", device: "d", key: "k\(number)"))
                }
                var kept: Int64 = 0
                for number in 1...100 {
                    let key = OutcomeKey(account: "account-anna", device: "d", key: "k\(number)")
                    if try tx.outcome(of: key) != nil { kept += bytes }
                }
                try expect(kept, is: bytes * Int64(StoredOutcome.kept), "how many are kept")
                try expect(try tx.outcomeBytes(account: "account-anna"), is: kept, "of those that are kept")
            }
        },
        ServerStoreConformance("a deleted space takes its revisions along") { store in
            try await store.write { tx in
                try tx.insertSpace(id: "s")
                try change(1...3, limit: 10, tx)
                try expect(try tx.clear(space: "s", limit: RemovalLimit(rows: 100)), is: true, "its removal")
                try tx.insertSpace(id: "s")
                try expect(try revisions(tx), is: [], "of a new space")
            }
        },
        ServerStoreConformance("a space is removed in steps, and one without members is found") { store in
            try await store.write { tx in
                _ = try tx.insert(account("anna"))
                for id in ["s", "t"] {
                    try tx.insertSpace(id: id)
                    try tx.setRole(.owner, of: "account-anna", in: id)
                }
                try change(1...3, limit: 10, tx)
                try expect(try tx.abandonedSpaces(limit: 10), is: [], "with members")
                // Three rows: two revisions and the record.
                try expect(try tx.clear(space: "s", limit: RemovalLimit(rows: 2)), is: false, "the first step")
                try expect(try tx.space("s") != nil, is: true, "that the space is still there")
                try expect(try tx.clear(space: "s", limit: RemovalLimit(rows: 2)), is: true, "the second step")
                // Removing a space that is gone is not an error, since a removal in steps may be repeated.
                try expect(try tx.clear(space: "s", limit: RemovalLimit(rows: 2)), is: true, "a space that is gone")
                try expect(try tx.space("s"), is: nil, "the space")
                try expect(try tx.clear(account: "account-anna", limit: RemovalLimit()), is: true, "the removal")
                try expect(try tx.abandonedSpaces(limit: 10), is: ["t"], "without members")
            }
        },
        ServerStoreConformance("a transaction that removes is bounded by bytes, but for the last row") { store in
            let text = String(repeating: "x", count: 100)
            try await store.write { tx in
                _ = try tx.insert(account("anna"))
                try tx.insertSpace(id: "s")
                let records = (1...5).map { record("r\($0)", version: Int64($0), fields: text) }
                try tx.put(records, in: "s")
                // Each record has one revision, so the space has ten rows of the same size.
                for record in records { try tx.keepRevisions(of: [record.key], in: "s", limit: 9) }
                for number in 1...5 {
                    try tx.insert(
                        StoredOutcome(
                            requestHash: [1], results: [.rejected(problem: text)], versions: nil, storedAt: 1),
                        for: OutcomeKey(account: "account-anna", device: "d", key: "k\(number)"))
                }
            }
            let row = Int64(record("r1", version: 1, fields: text).bytes)
            try await store.write { tx in
                // One byte more than a row: a step may remove a second row after the first.
                let limit = RemovalLimit(rows: 100, bytes: Int(row) + 1)
                var left = [10 * row]
                while try !tx.clear(space: "s", limit: limit) { left.append(try tx.space("s")?.bytes ?? 0) }
                try expect(left, is: [10, 8, 6, 4, 2].map { $0 * row }, "what is left of the space after each step")
                var outcomes = [try tx.outcomeBytes(account: "account-anna")]
                let outcome = StoredOutcome.rowBytes + StoredResult.rowBytes + 100
                while try !tx.clear(account: "account-anna", limit: RemovalLimit(rows: 100, bytes: outcome + 1)) {
                    outcomes.append(try tx.outcomeBytes(account: "account-anna"))
                }
                try expect(
                    outcomes, is: [5, 3, 1].map { $0 * Int64(outcome) }, "what is left of the outcomes after each step")
                try expect(try tx.account(username: "anna"), is: nil, "the account")
            }
        },
        ServerStoreConformance("revisions of a tombstone are removed in steps, bounded by bytes") { store in
            try await store.write { tx in
                try tx.insertSpace(id: "s")
                try change(1...6, limit: 10, tx)
                let bytes = try tx.space("s")?.bytes ?? 0
                var limit = RemovalLimit(rows: 2)
                try expect(try tx.removeRevisions(of: key, in: "s", limit: &limit), is: false, "the first step")
                try expect(try revisions(tx).count, is: 4, "how many states are left")
                try expect(limit.rows, is: 0, "the rows that may still be removed")
                // The last row may exceed the limit, or a large one could never be removed.
                limit = RemovalLimit(bytes: 1)
                try expect(try tx.removeRevisions(of: key, in: "s", limit: &limit), is: false, "the second step")
                try expect(try revisions(tx).count, is: 3, "how many states are left then")
                limit = RemovalLimit()
                try expect(try tx.removeRevisions(of: key, in: "s", limit: &limit), is: true, "the rest")
                try expect(try revisions(tx).count, is: 1, "the present state")
                try expect(try tx.space("s")?.bytes ?? 0 < bytes, is: true, "that the bytes are counted")
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
                try expect(
                    try tx.deleteSessions(
                        lastSeenBefore: 20, createdBefore: 5, expiredBefore: 0, limit: RemovalLimit(rows: 1)),
                    is: false, "first")
                try expect(
                    try tx.deleteSessions(
                        lastSeenBefore: 20, createdBefore: 5, expiredBefore: 0, limit: RemovalLimit()), is: false,
                    "then")
                try expect(
                    try tx.deleteSessions(
                        lastSeenBefore: 20, createdBefore: 5, expiredBefore: 0, limit: RemovalLimit()), is: true,
                    "at last")
                try expect(try tx.sessions(account: "account-anna").map(\.id), is: ["used"], "what is left")
            }
        },
        ServerStoreConformance("an app password goes when it has expired, and not when it is old or unused") { store in
            try await store.write { tx in
                _ = try tx.insert(account("anna"))
                for (id, expiresAt) in [("expired", 5), ("valid", 50)] as [(String, Int64)] {
                    var session = session(id, of: "anna", device: id)
                    session.appPassword = .init(scope: .readOnly, expiresAt: expiresAt)
                    try tx.put(session)
                }
                try expect(
                    try tx.session(id: "valid")?.appPassword, is: .init(scope: .readOnly, expiresAt: 50), "as stored")
                while try !tx.deleteSessions(
                    lastSeenBefore: 40, createdBefore: 40, expiredBefore: 10, limit: RemovalLimit())
                {}
                try expect(try tx.sessions(account: "account-anna").map(\.id), is: ["valid"], "what is left")
            }
        },
        ServerStoreConformance("an ended session isn't found, and what is stored of it is removed in steps") { store in
            try await store.write { tx in
                _ = try tx.insert(account("anna"))
                try tx.put(session("ended", of: "anna", device: "d"))
                for number in 1...3 as ClosedRange<UInt8> { try tx.insert(token(number, "ended")) }
                try tx.deleteSession(id: "ended")
                try expect(try tx.session(id: "ended"), is: nil, "by id")
                try expect(try tx.session(account: "account-anna", device: "d"), is: nil, "by device")
                try expect(try tx.sessions(account: "account-anna"), is: [], "of the account")
                try tx.put(session("next", of: "anna", device: "d"))
                // Four rows: the session and its three tokens.
                let isGone = try (1...4).map { _ in
                    try tx.deleteSessions(
                        lastSeenBefore: 0, createdBefore: 0, expiredBefore: 0, limit: RemovalLimit(rows: 2))
                }
                try expect(isGone, is: [false, false, true, true], "four removals of two rows each")
                try expect(try tx.sessions(account: "account-anna").map(\.id), is: ["next"], "what is left")
            }
        },
        ServerStoreConformance("what is left of ended sessions of an account goes, so many rows at a time") { store in
            try await store.write { tx in
                for name in ["anna", "ben"] {
                    _ = try tx.insert(account(name))
                    for id in ["ended", "live"] { try tx.put(session("\(name)-\(id)", of: name, device: id)) }
                }
                for number in 1...3 as ClosedRange<UInt8> { try tx.insert(token(number, "anna-ended")) }
                try tx.insert(token(4, "anna-live"))
                for name in ["anna", "ben"] { try tx.deleteSession(id: "\(name)-ended") }
                try expect(try tx.hasEndedSessions(account: "account-anna"), is: true, "before the removal")
                // Four rows: the session and its three tokens.
                let left = try (1...3).map { _ in
                    var limit = RemovalLimit(rows: 2)
                    try tx.deleteEndedSessions(account: "account-anna", limit: &limit)
                    return limit.rows
                }
                try expect(left, is: [0, 0, 2], "the rows that may still be removed")
                try expect(try tx.hasEndedSessions(account: "account-anna"), is: false, "after the removal")
                try expect(try tx.sessions(account: "account-anna").map(\.id), is: ["anna-live"], "the live session")
                try expect(try tx.token(hash: token(4, "anna-live").hash) != nil, is: true, "its token")
                var limit = RemovalLimit()
                try tx.deleteEndedSessions(account: "account-ben", limit: &limit)
                try expect(limit.rows, is: RemovalLimit().rows - 1, "another account's ended session")
            }
        },
        ServerStoreConformance("old outcomes of devices without a session go, so many at a time") { store in
            @Sendable func key(_ device: String, _ name: String = "k", of account: String = "anna") -> OutcomeKey {
                OutcomeKey(account: "account-\(account)", device: device, key: name)
            }
            let kept = [key("gone", of: "ben"), key("signed-in"), key("fresh")]
            let old = [key("gone"), key("gone", "l"), key("gone", "m")]
            try await store.write { tx in
                for name in ["anna", "ben"] { _ = try tx.insert(account(name)) }
                try tx.put(session("s", of: "anna", device: "signed-in"))
                try tx.put(session("t", of: "ben", device: "gone"))
                for key in kept + old {
                    let storedAt: Int64 = key.device == "fresh" ? 20 : 10
                    try tx.insert(
                        StoredOutcome(requestHash: [1], results: [], versions: nil, storedAt: storedAt), for: key)
                }
                let first = try tx.deleteOutcomesWithoutSession(storedBefore: 20, limit: RemovalLimit(rows: 2))
                try expect(first, is: false, "the first old ones")
                let rest = try tx.deleteOutcomesWithoutSession(storedBefore: 20, limit: RemovalLimit(rows: 5))
                try expect(rest, is: true, "the rest")
                try expect(try kept.map { try tx.outcome(of: $0) != nil }, is: [true, true, true], "what is left")
            }
        },
    ]
}
