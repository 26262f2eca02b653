internal import GRDB
package import Records

/// The sync state of a space.
package struct SpaceState: Sendable, Equatable {
    /// The space's id on the server; nil until an account signs in.
    package var remote: String?
    /// How far the changes of the server were taken in; nil before the first answer.
    package var cursor: String?
    /// The digest over what is held as seen from the server.
    package var digest: SpaceDigest
    /// A full read under way, in the engine's words; nil when there is none.
    package var reading: JSONValue?
    /// The cursor before the full read under way, until its first page is stored; nil if nothing was received before.
    package var formerCursor: String?
    /// The collections that are received.
    package var collections = CollectionSet.all

    /// Whether nothing of the space was received yet.
    package var isUnread: Bool { cursor == nil && reading == nil }

    /// Whether all records of a collection were received: one that isn't held is deleted then.
    package func hasReceivedAll(of collection: String) -> Bool {
        cursor != nil && reading == nil && collections.contains(collection)
    }
}

/// The state of the server's space, as far as this cache has received it.
package struct Replica: CacheFacet {
    let cache: Cache
}

extension Replica {
    /// The sync state of a space.
    package func state() throws -> SpaceState {
        guard
            let row = try Row.fetchOne(
                db.cachedStatement(
                    sql:
                        "SELECT remote, cursor, digest, reading, former_cursor, collections FROM spaces WHERE number = ?"
                ),
                arguments: [space]),
            let digest = SpaceDigest(row["digest"])
        else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a space's row is missing") }
        let reading: String? = row["reading"]
        return SpaceState(
            remote: row["remote"], cursor: row["cursor"], digest: digest,
            reading: reading.flatMap { try? JSONValue(parsing: $0) }, formerCursor: row["former_cursor"],
            collections: (row["collections"] as String?).flatMap(CollectionSet.init(text:)) ?? .all)
    }

    /// Sets the collections of a space of which nothing was received yet: these, and those of the records that are held.
    package func setFirstCollections(_ collections: CollectionSet) throws {
        try setCollections(collections.union(try heldCollections() ?? collections))
    }

    /// The collections of the records that are held; nil: none is.
    private func heldCollections() throws -> CollectionSet? {
        let names = try String.fetchAll(
            db, sql: "SELECT DISTINCT collection FROM records WHERE space = ?", arguments: [space])
        return names.isEmpty ? nil : CollectionSet(names)
    }

    private func setCollections(_ collections: CollectionSet) throws {
        try execute("UPDATE spaces SET collections = ? WHERE number = ?", [collections.text, space])
    }

    /// Moves the cursor, and stores whether a full read continues.
    package func setCursor(_ cursor: String?, reading: JSONValue?) throws {
        try execute(
            "UPDATE spaces SET cursor = ?, reading = ?, former_cursor = NULL WHERE number = ?",
            [cursor, reading?.text, space])
    }

    func updateDigest(_ body: (inout SpaceDigest) throws -> Void) throws {
        let before = try state().digest
        var digest = before
        try body(&digest)
        if digest != before {
            try execute("UPDATE spaces SET digest = ? WHERE number = ?", [digest.description, space])
        }
    }

    /// What became of the cache that was here before, if this one is new and hasn't yet been filled from the server; nil:
    /// it holds all that this home has seen.
    package func rebuilt() throws -> String? { try state().remote == nil ? nil : meta(.rebuilt) }

    /// The records that are held as live on the server: those that the digest counts.
    package func keysSeenLive() throws -> [RecordKey] {
        try Row.fetchAll(db, sql: Replica.seenLive, arguments: [space]).map {
            RecordKey(collection: $0["collection"], id: $0["id"])
        }
    }

    /// How long a tombstone stays, in seconds: 90 days, as on the server (SyncAPI.docc/Protocol.md, "Data").
    package static let tombstoneRetention: Int64 = 90 * 86_400
    /// Tombstones that one purge removes at most.
    package static let purgeLimit = 1_000

    /// Removes tombstones that the server acknowledged longer ago than the retention and that have no unsent edits,
    /// once an hour of the server's at most; none while everything is being read.
    ///
    /// - Parameter serverTime: the server's clock, milliseconds since 1970: this device's own may be wrong.
    /// - Returns: how many went.
    package func purgeTombstones(at serverTime: UInt64) throws -> Int {
        let now = Int64(serverTime / 1_000)
        let last = try meta(.purged) ?? 0
        guard last > now || now - last >= 3_600, try state().reading == nil else { return 0 }
        let floor = Timestamp(seconds: now - Self.tombstoneRetention).description
        try execute(
            """
            DELETE FROM records WHERE number IN (
                SELECT number FROM records WHERE deleted = 1 AND space = ? AND modified_at < ?
                    AND version > 0 AND number NOT IN (SELECT record FROM outbox) LIMIT ?)
            """, [space, floor, Self.purgeLimit])
        let purged = db.changesCount
        // What is left goes with the next sync.
        if purged < Self.purgeLimit { try setMeta(.purged, now) }
        return purged
    }
}

// MARK: - Reading the whole space

// What has been read so far is stored, so that the read goes on after a crash.
extension Replica {
    /// Begins to read all records of the collections that the home receives, or begins it again. The collections of the
    /// records that are held are received from now on: otherwise the read would take their records for deleted.
    ///
    /// - Parameters:
    ///   - reading: which read it is, in the engine's words.
    ///   - afterRestore: whether all that is held as seen from the server is of a former epoch now.
    ///   - collections: received from now on, too.
    package func beginFullRead(
        _ reading: JSONValue, afterRestore: Bool, adding collections: CollectionSet? = nil
    ) throws {
        let added = [collections, try heldCollections()].compactMap(\.self)
        try setCollections(added.reduce(try state().collections) { $0.union($1) })
        try execute("DELETE FROM seen WHERE \(Self.ofSpace)", [space])
        if afterRestore {
            try execute("INSERT OR IGNORE INTO former SELECT number FROM records WHERE space = ?", [space])
        }
        try execute(
            "UPDATE spaces SET former_cursor = coalesce(cursor, former_cursor), cursor = NULL, reading = ? WHERE number = ?",
            [reading.text, space])
        try setMeta(.mustReadAgain, nil)
    }

    /// Has the whole space read again, once what is in flight has landed and the server has said that it still knows the
    /// cursor: a read that began without asking would take what a restored server has lost for deleted.
    package func setReadAgain() throws { try setMeta(.mustReadAgain, true) }

    /// Whether the whole space is to be read again; over when that begins.
    package func mustReadAgain() throws -> Bool { try meta(.mustReadAgain) ?? false }

    /// Notes a record as met by the full read under way; what is held of it is of the present epoch now.
    package func markSeen(_ key: RecordKey) throws {
        let number = "SELECT number FROM records WHERE space = ? AND collection = ? AND id = ?"
        try execute("INSERT OR IGNORE INTO seen \(number)", [space, key.collection, key.id])
        try execute("DELETE FROM former WHERE record = (\(number))", [space, key.collection, key.id])
    }

    /// Whether what is held of a record as seen from the server is of an epoch before the restore that is being read.
    package func isFormer(_ key: RecordKey) throws -> Bool {
        let statement = try db.cachedStatement(
            sql: """
                SELECT count(*) FROM former
                WHERE record = (SELECT number FROM records WHERE space = ? AND collection = ? AND id = ?)
                """)
        return try Int.fetchOne(statement, arguments: [space, key.collection, key.id]) == 1
    }

    /// The records that the full read under way hasn't met.
    package func unseen() throws -> [CachedRecord] {
        let keys = try Row.fetchAll(
            db,
            sql: """
                SELECT collection, id FROM records r
                WHERE space = ? AND NOT EXISTS (SELECT 1 FROM seen WHERE record = r.number)
                """, arguments: [space])
        return try keys.compactMap { try cache.cached(RecordKey(collection: $0["collection"], id: $0["id"])) }
    }

    /// Clears the list of records that the full read has seen, at its end, and computes the digest again, which ends
    /// any error in it.
    package func endFullRead() throws {
        try execute("DELETE FROM seen WHERE \(Self.ofSpace)", [space])
        try execute("DELETE FROM former WHERE \(Self.ofSpace)", [space])
        try setMeta(.rebuilt, nil)
        let counted = try countedDigest()
        try updateDigest { $0 = counted }
    }

    /// The digest of what is held as seen from the server, counted record by record.
    package func countedDigest() throws -> SpaceDigest {
        let statement = try db.cachedStatement(sql: Self.seenLive)
        let rows = try Row.fetchCursor(statement, arguments: [space])
        var digest = SpaceDigest()
        while let row = try rows.next() {
            digest.add(collection: row["collection"], id: row["id"], version: row["version"])
        }
        return digest
    }

    /// The records that count in the digest, with the versions that do.
    static let seenLive = """
        SELECT collection, id, iif(o.record IS NULL, r.version, m.version) AS version
        FROM records r LEFT JOIN outbox o ON o.record = r.number LEFT JOIN mirrors m ON m.record = r.number
        WHERE space = ? AND iif(o.record IS NULL, r.deleted, coalesce(m.deleted, 1)) = 0
        """

    private static let ofSpace = "record IN (SELECT number FROM records WHERE space = ?)"
}
