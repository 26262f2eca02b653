internal import Records
internal import ServerCore
internal import SyncAPI

extension ServerStoreConformance {
    static let records: [ServerStoreConformance] = [
        ServerStoreConformance("a space begins empty and keeps its row") { store in
            try await store.write { tx in
                try tx.insertSpace(id: "s")
                try expect(try tx.space("s"), is: SpaceRow(id: "s"), "a new space")
                var digest = SpaceDigest()
                digest.add(collection: "tasks", id: "a", version: 7)
                let state = SpaceRow(
                    // A restore raises versions beyond 32 bits.
                    id: "s", version: 1 << 40, tombstoneFloor: 3, digest: digest, records: 1, bytes: 2)
                try tx.update(state)
                var kept = state
                kept.bytes = 0
                try expect(try tx.lockSpace("s"), is: kept, "the row, but for its bytes, which are the store's")
                try expect(try tx.lockSpace("other"), is: nil, "an unknown space")
            }
        },
        ServerStoreConformance("records are replaced by key, apart in each space, and keep their texts") { store in
            // Texts are stored unchanged: escapes, and the trailing zero of a number, remain.
            let odd = record("a", version: 1, fields: #"{"t":"é e\u0301 \u0000 😀","n":1.50}"#)
            try await store.write { tx in
                try tx.insertSpace(id: "s")
                try tx.insertSpace(id: "t")
                try tx.put([odd, record("b", version: 2)], in: "s")
                try tx.put([record("a", version: 1)], in: "t")
                try tx.put([record("b", version: 3, deleted: true)], in: "s")
            }
            try await store.read { tx in
                let keys = ["a", "b", "c"].map { RecordKey(collection: "tasks", id: $0) }
                let found = try tx.records(keys, in: "s")
                try expect(
                    found, is: [keys[0]: odd, keys[1]: record("b", version: 3, deleted: true)], "what is found")
                try expect(try tx.records(keys, in: "t").count, is: 1, "in the other space")
                try expect(try keys.map { try tx.version(of: $0, in: "s") }, is: [1, 3, nil], "the versions")
            }
        },
        ServerStoreConformance("versions that were announced are those of the moment at which they are read") { store in
            let keys = ["a", "b", "c"].map { RecordKey(collection: "tasks", id: $0) }
            try await store.write { tx in
                for id in ["s", "t"] { try tx.insertSpace(id: id) }
                try tx.put([record("a", version: 1), record("b", version: 2, deleted: true)], in: "s")
                try tx.willReadVersions(of: keys, in: "s")
                try expect(try keys.map { try tx.version(of: $0, in: "s") }, is: [1, 2, nil], "the versions")
                try expect(try keys.map { try tx.version(of: $0, in: "t") }, is: [nil, nil, nil], "of another space")
                try tx.put([record("c", version: 3), record("a", version: 4)], in: "s")
                try expect(try keys.map { try tx.version(of: $0, in: "s") }, is: [4, 2, 3], "after a change")
                try tx.willReadVersions(of: keys, in: "s")
                try tx.remove([StoredTombstone(space: "s", key: keys[1], version: 2)], in: "s")
                try expect(try keys.map { try tx.version(of: $0, in: "s") }, is: [4, nil, 3], "after a removal")
            }
        },
        ServerStoreConformance("records that were announced are those of the moment at which they are read") { store in
            let keys = ["a", "b", "c", "d"].map { RecordKey(collection: "tasks", id: $0) }
            // Larger than what a store holds of announced records.
            let large = record("d", version: 4, fields: #"{"t":"\#(String(repeating: "x", count: 2 << 20))"}"#)
            let small = [record("a", version: 1, fields: #"{"t":"A"}"#), record("b", version: 2, deleted: true)]
            try await store.write { tx in
                for id in ["s", "t"] { try tx.insertSpace(id: id) }
                try tx.put(small + [large], in: "s")
                try tx.willReadRecords(of: keys, in: "s")
                try expect(try keys.map { try tx.version(of: $0, in: "s") }, is: [1, 2, nil, 4], "the versions")
                for (key, expected) in zip(keys, small + [nil, large]) {
                    try expect(try tx.records([key], in: "s")[key], is: expected, "each record")
                    try expect(try tx.records([key], in: "t")[key], is: nil, "of another space")
                }
                try expect(try tx.records(keys, in: "s").count, is: 3, "all")
                let changed = record("a", version: 5)
                try tx.put([changed], in: "s")
                try expect(try tx.records([keys[0]], in: "s"), is: [keys[0]: changed], "after a change")
            }
        },
        ServerStoreConformance("a role and a record that were announced are read as without that") { store in
            let keys = ["a", "b", "c"].map { RecordKey(collection: "tasks", id: $0) }
            let (live, gone) = (record("a", version: 1, fields: #"{"t":"A"}"#), record("b", version: 2, deleted: true))
            try await store.write { tx in
                _ = try tx.insert(account("anna"))
                for id in ["s", "t"] { try tx.insertSpace(id: id) }
                try tx.setRole(.reader, of: "account-anna", in: "s")
                try tx.put([live, gone], in: "s")
                try tx.update(SpaceRow(id: "s", version: 2, records: 1))
            }
            // In a transaction each, as a request does.
            for (key, expected) in zip(keys, [live, gone, nil]) {
                try await store.lookUp { tx in
                    try tx.willReadRecord(key, in: "s", by: "account-anna")
                    try expect(try tx.role(of: "account-anna", in: "s"), is: .reader, "the role")
                    try expect(try tx.records([key], in: "s")[key], is: expected, "the record \(key.id)")
                    try expect(try tx.space("s")?.version, is: 2, "the version of the space")
                }
            }
            for space in ["t", "unknown"] {
                try await store.lookUp { tx in
                    try tx.willReadRecord(keys[0], in: space, by: "account-anna")
                    try expect(try tx.role(of: "account-anna", in: space), is: nil, "the role in \(space)")
                    try expect(try tx.records([keys[0]], in: space), is: [:], "the records of \(space)")
                    try expect(try tx.space(space)?.version, is: space == "t" ? 0 : nil, "the version of \(space)")
                }
            }
            try await store.lookUp { tx in
                // More than was announced.
                try tx.willReadRecord(keys[0], in: "s", by: "account-anna")
                try expect(try tx.records([keys[0]], in: "t"), is: [:], "the record of another space")
                try expect(try tx.role(of: "account-anna", in: "t"), is: nil, "the role in another space")
                try expect(try tx.role(of: "account-ben", in: "s"), is: nil, "the role of another account")
                try expect(try tx.records(keys, in: "s"), is: [keys[0]: live, keys[1]: gone], "all records")
            }
        },
        ServerStoreConformance("a space that was announced is read as without that, also after changes") { store in
            try await store.write { tx in
                _ = try tx.insert(account("anna"))
                for id in ["s", "t"] { try tx.insertSpace(id: id) }
                try tx.setRole(.reader, of: "account-anna", in: "s")
                let epoch = try tx.epoch()
                let roles: [(space: String, role: Role?)] = [("s", .reader), ("t", nil), ("unknown", nil)]
                for (space, role) in roles {
                    try tx.willReadSpace(space, by: "account-anna")
                    try expect(try tx.role(of: "account-anna", in: space), is: role, "the role in \(space)")
                    try expect(try tx.space(space)?.version, is: space == "unknown" ? nil : 0, "the space \(space)")
                    try expect(try tx.epoch(), is: epoch, "the epoch")
                }
                try tx.willReadSpace("s", by: "account-anna")
                try expect(try tx.role(of: "account-ben", in: "s"), is: nil, "the role of another account")
                try expect(try tx.space("t")?.id, is: "t", "another space")
                try tx.update(SpaceRow(id: "s", version: 7))
                try tx.setRole(.editor, of: "account-anna", in: "s")
                try expect(try tx.space("s")?.version, is: 7, "the changed space")
                try expect(try tx.role(of: "account-anna", in: "s"), is: .editor, "the changed role")
                try tx.willReadSpace("s", by: "account-anna")
                try tx.markRestored(epoch: "another", now: 1)
                try expect(try tx.epoch(), is: "another", "the changed epoch")
                try expect(try tx.space("s")?.version ?? 0 > 7, is: true, "the raised version")
            }
        },
        ServerStoreConformance("what was announced of a change is read as without that, also after changes") { store in
            let keys = ["a", "b"].map { RecordKey(collection: "tasks", id: $0) }
            let outcome = StoredOutcome(requestHash: [1], results: [], versions: nil, storedAt: 1)
            try await store.write { tx in
                _ = try tx.insert(account("anna"))
                for id in ["s", "t"] { try tx.insertSpace(id: id) }
                try tx.setRole(.editor, of: "account-anna", in: "s")
                try tx.put(session("x", of: "anna", device: "d"))
                try tx.put([record("a", version: 1)], in: "s")
                try tx.update(SpaceRow(id: "s", version: 1, records: 1))
                try tx.addToDigests(["tasks": digest("a", version: 1)], in: "s")
            }
            try await store.write { tx in
                try tx.willChange(keys, in: "s", session: "x")
                try expect(try tx.session(id: "x")?.device, is: "d", "the session's device")
                try expect(try tx.account(id: "account-anna")?.username, is: "anna", "the account's name")
                try expect(try tx.role(of: "account-anna", in: "s"), is: .editor, "the role")
                try expect(try tx.role(of: "account-anna", in: "t"), is: nil, "the role in another space")
                try expect(try tx.lockSpace("s"), is: try tx.space("s"), "the space")
                try expect(try tx.lockSpace("t")?.version, is: 0, "another space")
                try expect(try tx.outcomeBytes(account: "account-anna"), is: 0, "the bytes of outcomes")
                try expect(try keys.map { try tx.version(of: $0, in: "s") }, is: [1, nil], "the versions")
                try expect(try keys.map { try tx.version(of: $0, in: "t") }, is: [nil, nil], "those of another space")
                try tx.put([record("a", version: 2), record("b", version: 3)], in: "s")
                try tx.update(SpaceRow(id: "s", version: 3, records: 2))
                try tx.insert(outcome, for: OutcomeKey(account: "account-anna", device: "d", key: "k"))
                try expect(try keys.map { try tx.version(of: $0, in: "s") }, is: [2, 3], "the changed versions")
                try expect(try tx.lockSpace("s")?.version, is: 3, "the changed space")
                try expect(try tx.outcomeBytes(account: "account-anna"), is: outcome.bytes, "the changed bytes")
                for key in keys { try tx.addToDigests(["tasks": digest(key.id, version: 9)], in: "s") }
            }
            try await store.write { tx in
                var sum = digest("a", version: 1)
                for key in keys { sum.add(digest(key.id, version: 9)) }
                try expect(try tx.digest(of: ["tasks"], in: "s"), is: sum, "the digest")
                try tx.willChange(keys, in: "unknown", session: "none")
                try expect(try tx.session(id: "none")?.id, is: nil, "an unknown session")
                try expect(try tx.lockSpace("unknown"), is: nil, "an unknown space")
                try expect(try tx.version(of: keys[0], in: "unknown"), is: nil, "a version there")
            }
        },
        ServerStoreConformance("changes come in order of version, without what is left out") { store in
            try await store.write { tx in
                try tx.insertSpace(id: "s")
                try tx.put((1...6).map { record("r\($0)", version: $0, deleted: $0 == 2 || $0 == 5) }, in: "s")
                // A change moves the record to the end; version 1 must not be found any more.
                try tx.put([record("r1", version: 7)], in: "s")
            }
            try await store.read { tx in
                try expect(
                    try versions(ChangeRange(after: 0, tombstonesAfter: 0), in: "s", tx), is: [2, 3, 4, 5, 6, 7], "all")
                // Version 5 is a tombstone, and only tombstones after 5 are requested.
                try expect(
                    try versions(ChangeRange(after: 2, tombstonesAfter: 5), in: "s", tx), is: [3, 4, 6, 7],
                    "without old tombstones")
                let others = ChangeRange(after: 2, tombstonesAfter: 2, excluding: 4...6)
                try expect(try versions(others, in: "s", tx), is: [3, 7], "without the reader's own")
                var seen: [Int64] = []
                try tx.visitChanges(ChangeRange(after: 0, tombstonesAfter: 0), in: "s") { record in
                    seen.append(record.version)
                    return seen.count < 2
                }
                try expect(seen, is: [2, 3], "until the visitor has enough")
            }
        },
        ServerStoreConformance("changes of several collections come in order of version") { store in
            try await store.write { tx in
                try tx.insertSpace(id: "s")
                try tx.insertSpace(id: "t")
                try tx.put(
                    [
                        record("a", version: 1), record("a", version: 2, collection: "notes"),
                        record("a", version: 3, collection: "books"), record("b", version: 4, deleted: true),
                        record("c", version: 5), record("b", version: 6, collection: "notes"),
                    ], in: "s")
                try tx.put([record("z", version: 1)], in: "t")
            }
            try await store.read { tx in
                func named(_ text: String, after: Int64 = 0, tombstonesAfter: Int64 = 0) throws -> [Int64] {
                    try versions(
                        ChangeRange(
                            after: after, tombstonesAfter: tombstonesAfter,
                            collections: CollectionSet(text.split(separator: ",").map(String.init))), in: "s", tx)
                }
                try expect(try named("notes,tasks"), is: [1, 2, 4, 5, 6], "two collections")
                try expect(
                    try named("notes,tasks", after: 1, tombstonesAfter: 9), is: [2, 5, 6],
                    "later versions, without tombstones")
                try expect(try named("books"), is: [3], "one collection")
                try expect(try named("unknown"), is: [], "a collection without records")
                // The maximum must work, too: queries of a store may have a limit of arguments.
                let many = (1...CollectionSet.maximum).map { "c\($0)" }
                try expect(try named(many.joined(separator: ",")), is: [], "as many as can be named")
                let others = ChangeRange(
                    after: 0, tombstonesAfter: 0, excluding: 2...5, collections: CollectionSet(["notes", "tasks"]))
                try expect(try versions(others, in: "s", tx), is: [1, 6], "without the reader's own")
            }
        },
        ServerStoreConformance("the digest of several collections is the sum of theirs, separately for each space") {
            store in
            @Sendable func digest(_ collection: String, _ version: Int64) -> SpaceDigest {
                var digest = SpaceDigest()
                digest.add(collection: collection, id: "a", version: version)
                return digest
            }
            var removal = SpaceDigest()
            removal.remove(collection: "notes", id: "a", version: 2)
            // The record of `notes` is added and removed, so the digest of the collection is empty at the end.
            let changes = [
                ["tasks": digest("tasks", 1), "notes": digest("notes", 2)],
                ["tasks": digest("tasks", 3), "notes": removal],
            ]
            try await store.write { tx in
                for space in ["s", "t"] { try tx.insertSpace(id: space) }
                for change in changes { try tx.addToDigests(change, in: "s") }
            }
            try await store.read { tx in
                var tasks = digest("tasks", 1)
                tasks.add(digest("tasks", 3))
                try expect(try tx.digest(of: ["tasks"], in: "s"), is: tasks, "one collection")
                try expect(try tx.digest(of: ["notes"], in: "s"), is: SpaceDigest(), "a collection that is empty again")
                try expect(try tx.digest(of: ["notes", "books", "tasks"], in: "s"), is: tasks, "several collections")
                try expect(try tx.digest(of: ["tasks"], in: "t"), is: SpaceDigest(), "in the other space")
            }
        },
        ServerStoreConformance("live records of a collection come in order of id") { store in
            try await store.write { tx in
                try tx.insertSpace(id: "s")
                try tx.put(
                    [
                        record("c", version: 1), record("a", version: 2), record("b", version: 3, deleted: true),
                        record("d", version: 4), record("d", version: 5, collection: "notes"),
                    ], in: "s")
            }
            try await store.read { tx in
                var ids: [String] = []
                try tx.visitLive(collection: "tasks", in: "s", after: "a") { record in
                    ids.append(record.key.id)
                    return true
                }
                try expect(ids, is: ["c", "d"], "after a")
            }
        },
        ServerStoreConformance("a deleted space takes its records along") { store in
            try await store.write { tx in
                try tx.insertSpace(id: "s")
                try tx.put([record("a", version: 1)], in: "s")
                try expect(try tx.clear(space: "s", limit: RemovalLimit(rows: 100)), is: true, "its removal")
                try tx.insertSpace(id: "s")
                try expect(
                    try versions(ChangeRange(after: 0, tombstonesAfter: 0), in: "s", tx), is: [], "of a new space")
            }
        },
        ServerStoreConformance("of each device the last 16 outcomes are kept, at least") { store in
            let outcome = StoredOutcome(
                requestHash: [1, 2],
                results: [.applied(version: 3, clock: #"{"é":"1"}"#), .conflict, .rejected(problem: #"{"code":"é"}"#)],
                versions: 3...5, storedAt: 7)
            @Sendable func key(_ number: Int, _ device: String = "d") -> OutcomeKey {
                OutcomeKey(account: "account-anna", device: device, key: "k\(number)")
            }
            try await store.write { tx in
                _ = try tx.insert(account("anna"))
                // The outcome of another device, which those of this one must not displace.
                try tx.insert(
                    StoredOutcome(requestHash: [], results: [], versions: nil, storedAt: 7), for: key(1, "other"))
            }
            // More than `StoredOutcome.kept`, so that the first ones are removed.
            for number in 1...60 {
                try await store.write { tx in try tx.insert(outcome, for: key(number)) }
            }
            try await store.read { tx in
                for number in 45...60 { try expect(try tx.outcome(of: key(number)), is: outcome, "outcome \(number)") }
                try expect(try tx.outcome(of: key(1, "other"))?.versions, is: nil, "versions of one that wrote nothing")
                try expect(try tx.outcome(of: key(1, "other"))?.results, is: [], "another device's")
                try expect(try tx.outcome(of: key(1)), is: nil, "a very old one")
            }
        },
    ]
}
