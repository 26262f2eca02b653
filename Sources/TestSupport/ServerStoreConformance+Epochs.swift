internal import Records
internal import ServerCore
internal import SyncAPI

extension ServerStoreConformance {
    private static let raised: Int64 = 1 << 32

    static let epochs: [ServerStoreConformance] = [
        ServerStoreConformance("a restore begins an epoch and leaves no version to be handed out twice") { store in
            try await store.write { tx in
                try tx.insertSpace(id: "s")
                try tx.insertSpace(id: "far")
                try tx.update(SpaceRow(id: "s", version: 7, tombstoneFloor: 3))
                try tx.update(SpaceRow(id: "far", version: 1 << 51))
                try tx.put([record("a", version: 7)], in: "s")
                try tx.markRestored(epoch: "second", now: 1_795_000_000_123)
            }
            try await store.read { tx in
                try expect(try tx.epoch(), is: "second", "the epoch")
                // The record's fields and clock, {} each.
                let state = SpaceRow(id: "s", version: 1_795_000_000 << 20, tombstoneFloor: 3, bytes: 4)
                try expect(try tx.space("s"), is: state, "a space below the seconds")
                try expect(try tx.space("far")?.version, is: 1 << 51 + raised, "a space beyond them")
                let key = RecordKey(collection: "tasks", id: "a")
                try expect(try tx.records([key], in: "s")[key]?.version, is: 7, "a record")
            }
        },
        ServerStoreConformance("what a space shares with an ended epoch is the lowest version since") { store in
            let first = try await store.write { tx in
                try tx.insertSpace(id: "s")
                try tx.update(SpaceRow(id: "s", version: 7))
                let first = try tx.epoch()
                try tx.markRestored(epoch: "second", now: 0)
                return first
            }
            try await store.write { tx in
                try tx.insertSpace(id: "later")
                try tx.update(SpaceRow(id: "later", version: 3))
                try tx.markRestored(epoch: "third", now: 0)
            }
            try await store.read { tx in
                try expect(try tx.shared(since: first, in: "s"), is: 7, "since the first")
                try expect(try tx.shared(since: "second", in: "s"), is: 7 + raised, "since the second")
                try expect(try tx.shared(since: "third", in: "s"), is: nil, "in the present one")
                try expect(try tx.shared(since: "unknown", in: "s"), is: nil, "in one of another database")
                try expect(try tx.shared(since: first, in: "later"), is: 0, "of a space made later, since the first")
                try expect(try tx.shared(since: "second", in: "later"), is: 3, "of it, since the second")
                try expect(try tx.shared(since: first, in: "none"), is: 0, "of no space")
            }
        },
        ServerStoreConformance("a deleted space leaves no marks to a new one of the same name") { store in
            try await store.write { tx in
                try tx.insertSpace(id: "s")
                try tx.update(SpaceRow(id: "s", version: 7))
                let first = try tx.epoch()
                try tx.markRestored(epoch: "second", now: 0)
                try expect(try tx.clear(space: "s", limit: RemovalLimit(rows: 100)), is: true, "its removal")
                try tx.insertSpace(id: "s")
                try expect(try tx.shared(since: first, in: "s"), is: 0, "of the new one")
            }
        },
    ]
}
