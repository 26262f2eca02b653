internal import Records
public import ServerCore
internal import SyncAPI

/// A check of a `ServerStore`. Every implementation must pass all of them.
///
/// The checks don't depend on a test framework: they throw if the store fails.
public struct ServerStoreConformance: Sendable, CustomStringConvertible {
    /// The required behaviour, as a sentence.
    public let description: String
    /// Checks a store, which must be empty.
    public let run: @Sendable (any ServerStore) async throws -> Void

    init(_ description: String, _ run: @escaping @Sendable (any ServerStore) async throws -> Void) {
        self.description = description
        self.run = run
    }

    /// All checks.
    public static let checks: [ServerStoreConformance] =
        accounts + admission + records + transactions + epochs + retention + moves

    /// Whether the check moves data, so that the store has to be opened for it (`StoreUse.moveTarget`).
    public var movesData: Bool { Self.moves.contains { $0.description == description } }

    /// The error of a store that fails a check.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// Throws a `Failure` unless the values are equal.
    static func expect<Value: Equatable>(_ value: Value, is expected: Value, _ what: String) throws {
        if value != expected { throw Failure(description: "\(what): \(value), not \(expected)") }
    }
}

// MARK: - Samples

extension ServerStoreConformance {
    static func account(_ name: String) -> StoredAccount {
        StoredAccount(
            id: "account-\(name)", username: name, passwordHash: "hash", personalSpace: "space-\(name)", createdAt: 1)
    }

    static func session(_ id: String, of name: String, device: String, createdAt: Int64 = 1) -> StoredSession {
        StoredSession(
            id: id, account: "account-\(name)", device: device, deviceName: "a device", createdAt: createdAt,
            lastSeenAt: createdAt)
    }

    static func token(
        _ byte: UInt8, _ session: String, generation: Int64 = 0, pair: Int64 = 0, expiresAt: Int64 = 10
    ) -> StoredToken {
        StoredToken(
            hash: Array(repeating: byte, count: 32), session: session, kind: .access, generation: generation,
            pair: pair, expiresAt: expiresAt)
    }

    static func record(
        _ id: String, version: Int64, deleted: Bool = false, collection: String = "tasks", fields: String = "{}"
    ) -> RawRecord {
        RawRecord(
            key: RecordKey(collection: collection, id: id), version: version, deleted: deleted,
            modifiedAt: "2026-11-21T05:22:00.123Z", modifiedBy: "dev", fields: deleted ? "" : fields, clock: "{}")
    }

    static func digest(_ id: String, version: Int64) -> SpaceDigest {
        var digest = SpaceDigest()
        digest.add(collection: "tasks", id: id, version: version)
        return digest
    }

    static func versions(_ range: ChangeRange, in space: String, _ tx: any StoreReading) throws -> [Int64] {
        var versions: [Int64] = []
        try tx.visitChanges(range, in: space) { record in
            versions.append(record.version)
            return true
        }
        return versions
    }
}

extension ServerStoreConformance {
    private struct Refusal: Error {}

    static let transactions: [ServerStoreConformance] = [
        ServerStoreConformance("of a transaction that throws, nothing is left") { store in
            do {
                try await store.write { tx in
                    try tx.insertSpace(id: "s")
                    throw Refusal()
                }
                throw Failure(description: "the error was swallowed")
            } catch is Refusal {}
            let space = try await store.read { tx in try tx.space("s") }
            try expect(space, is: nil, "the space")
        },
        // A store may commit concurrent transactions together; an error must undo only its own.
        ServerStoreConformance("of many transactions at once, those that fail take no other with them") { store in
            let done = await withTaskGroup(of: Bool.self, returning: Int.self) { group in
                for number in 0..<64 {
                    group.addTask {
                        do {
                            try await store.write { tx in
                                try tx.insertSpace(id: "s\(number)")
                                if number % 4 == 0 { throw Refusal() }
                            }
                            return true
                        } catch {
                            return false
                        }
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            try expect(done, is: 48, "how many succeeded")
            try await store.read { tx in
                for number in 0..<64 {
                    try expect(try tx.space("s\(number)") != nil, is: number % 4 != 0, "space \(number)")
                }
            }
        },
        ServerStoreConformance("the epoch stays") { store in
            let first = try await store.read { tx in try tx.epoch() }
            let second = try await store.write { tx in try tx.epoch() }
            try expect(second, is: first, "the epoch")
            try expect(RecordKey.isIdentifier(first), is: true, "its form")
        },
        // A reader that has passed a version never asks for lower ones, so none may be committed later.
        ServerStoreConformance("writers in parallel give no gap to a reader that follows the versions") { store in
            let (writers, writes) = (16, 25)
            try await store.write { tx in try tx.insertSpace(id: "s") }
            let seen = try await withThrowingTaskGroup(of: Void.self, returning: [Int64].self) { group in
                for writer in 0..<writers {
                    group.addTask {
                        for number in 0..<writes { try await add("r\(writer)-\(number)", to: store) }
                    }
                }
                var seen: [Int64] = []
                while seen.count < writers * writes {
                    let position = seen.last ?? 0
                    seen += try await store.read { tx in
                        try versions(ChangeRange(after: position, tombstonesAfter: position), in: "s", tx)
                    }
                    await Task.yield()
                }
                try await group.waitForAll()
                return seen
            }
            try expect(seen, is: Array(1...Int64(writers * writes)), "the versions in the order they were met")
        },
    ]

    private static func add(_ id: String, to store: any ServerStore) async throws {
        try await store.write { tx in
            // Locked before the version is read, so that two writers never assign the same one.
            guard var space = try tx.lockSpace("s") else { throw Failure(description: "the space is gone") }
            space.version += 1
            try tx.put([record(id, version: space.version)], in: "s")
            try tx.update(space)
        }
    }
}

extension ServerStoreConformance {
    private static let raised: Int64 = 1 << 32

    static let epochs: [ServerStoreConformance] = [
        ServerStoreConformance("a restore begins an epoch and leaves no version to be handed out twice") { store in
            try await store.write { tx in
                try tx.insertSpace(id: "s")
                try tx.insertSpace(id: "far")
                // Lower and higher than the version for the time of the restore, see `RestoredVersion`.
                try tx.update(SpaceRow(id: "s", version: 7, tombstoneFloor: 3))
                try tx.update(SpaceRow(id: "far", version: 1 << 51))
                try tx.put([record("a", version: 7)], in: "s")
                try tx.markRestored(epoch: "second", now: 1_795_000_000_123)
            }
            try await store.read { tx in
                try expect(try tx.epoch(), is: "second", "the epoch")
                // The version is the seconds since 1970 times 2^20; the bytes are the record's fields and clock, `{}`
                // each.
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
