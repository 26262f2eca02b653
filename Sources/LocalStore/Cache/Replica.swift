internal import GRDB
package import Records

/// The sync state of a space.
package struct SpaceState: Sendable, Equatable {
    /// The space's id on the server; nil until an account signs in.
    package var remote: String?
    /// The cursor up to which the server's changes were applied; nil before the first answer.
    package var cursor: String?
    /// The digest of the records on the server, as far as this cache knows them.
    package var digest: SpaceDigest
    /// The full read under way, as JSON of the engine; nil: there is none.
    package var reading: JSONValue?
    /// The cursor before the full read under way, until its first page is stored; nil if nothing was received before.
    package var formerCursor: String?
    /// The collections that are received.
    package var collections = CollectionSet.all

    /// Whether nothing of the space was received yet.
    package var isUnread: Bool { cursor == nil && reading == nil }

    /// Returns whether all records of a collection were received; then a record that isn't stored was deleted.
    package func hasReceivedAll(of collection: String) -> Bool {
        cursor != nil && reading == nil && collections.contains(collection)
    }
}

/// The state of the server's space, as far as this cache has received it.
package struct Replica: CacheFacet {
    let cache: Cache
}

extension Replica {
    /// Returns the sync state of the space.
    package func state() throws -> SpaceState {
        guard
            let row = try Row.fetchOne(
                db.cachedStatement(
                    sql:
                        "SELECT remote, cursor, digest, reading, former_cursor, collections FROM spaces WHERE number = ?"
                ),
                arguments: [space]),
            let digest = SpaceDigest(row["digest"])
        else { throw Self.damaged }
        let reading: String? = row["reading"]
        // An unreadable full read counts as none: `doctor` finds and repairs it. A home of an earlier version has no
        // collections stored and receives all of them (SyncEngine.docc/0002).
        return SpaceState(
            remote: row["remote"], cursor: row["cursor"], digest: digest,
            reading: reading.flatMap { try? JSONValue(parsing: $0) }, formerCursor: row["former_cursor"],
            collections: (row["collections"] as String?).flatMap(CollectionSet.init(text:)) ?? .all)
    }

    /// Sets the collections of a space of which nothing was received yet: the given ones and those of the stored
    /// records.
    package func setFirstCollections(_ collections: CollectionSet) throws {
        try setCollections(collections.union(try heldCollections() ?? collections))
    }

    /// Returns the collections of the stored records; nil: there are no records.
    private func heldCollections() throws -> CollectionSet? {
        // Searches the index once for each collection. DISTINCT would read the index entries of all records.
        let names = try String.fetchAll(
            db,
            sql: """
                WITH RECURSIVE held (name) AS (
                    SELECT min(collection) FROM records WHERE space = ?1
                    UNION ALL
                    SELECT (SELECT min(collection) FROM records WHERE space = ?1 AND collection > name)
                    FROM held WHERE name IS NOT NULL
                )
                SELECT name FROM held WHERE name IS NOT NULL
                """, arguments: [space])
        return names.isEmpty ? nil : CollectionSet(names)
    }

    private func setCollections(_ collections: CollectionSet) throws {
        try execute("UPDATE spaces SET collections = ? WHERE number = ?", [collections.text, space])
    }

    /// Stores the cursor and whether a full read continues.
    package func setCursor(_ cursor: String?, reading: JSONValue?) throws {
        // The former cursor is needed only until the first page of a full read is stored.
        try execute(
            "UPDATE spaces SET cursor = ?, reading = ?, former_cursor = NULL WHERE number = ?",
            [cursor, reading?.text, space])
    }

    private static let damaged = DatabaseError(
        resultCode: .SQLITE_CORRUPT, message: "the row of a space is missing, or its digest is invalid")

    func updateDigest(_ body: (inout SpaceDigest) throws -> Void) throws {
        let statement = try db.cachedStatement(sql: "SELECT digest FROM spaces WHERE number = ?")
        guard let text = try String.fetchOne(statement, arguments: [space]), let before = SpaceDigest(text) else {
            throw Self.damaged
        }
        var digest = before
        try body(&digest)
        if digest != before {
            try execute("UPDATE spaces SET digest = ? WHERE number = ?", [digest.description, space])
        }
    }

    /// Returns what happened to the former cache if this one is new and not yet filled from the server; nil: this one
    /// has everything that the home has received.
    package func rebuilt() throws -> String? { try state().remote == nil ? nil : meta(.rebuilt) }

    /// Returns the keys of the records that are live on the server, as far as this cache knows: those that the digest
    /// counts.
    package func keysSeenLive() throws -> [RecordKey] {
        try Row.fetchAll(db, sql: Replica.seenLive, arguments: [space]).map {
            RecordKey(collection: $0["collection"], id: $0["id"])
        }
    }

    /// The time for which tombstones are kept, in seconds: 90 days, a server's default (SyncAPI.docc/Protocol.md,
    /// "Data").
    package static let tombstoneRetention: Int64 = 90 * 86_400
    /// The most tombstones that one purge removes.
    package static let purgeLimit = 1_000

    /// Removes tombstones that the server acknowledged longer ago than the retention time and that have no unsent
    /// edits. Does nothing within an hour of the last purge, by the server's clock, or during a full read.
    ///
    /// - Parameter serverTime: The server's clock, in milliseconds since 1970; this device's own may be wrong.
    /// - Returns: The number of removed tombstones.
    package func purgeTombstones(at serverTime: UInt64) throws -> Int {
        let now = Int64(serverTime / 1_000)
        let last = try meta(.purged) ?? 0
        // If the last purge is in the future, the server's clock was wrong: without this case, no purge would follow
        // for long.
        guard last > now || now - last >= 3_600, try state().reading == nil else { return 0 }
        let floor = Timestamp(seconds: now - Self.tombstoneRetention).description
        try execute(
            """
            DELETE FROM records WHERE number IN (
                SELECT number FROM records WHERE deleted = 1 AND space = ? AND modified_at < ?
                    AND version > 0 AND number NOT IN (SELECT record FROM outbox) LIMIT ?)
            """, [space, floor, Self.purgeLimit])
        let purged = db.changesCount
        // At the limit, more may be left for the next sync.
        if purged < Self.purgeLimit { try setMeta(.purged, now) }
        return purged
    }
}

// MARK: - Reading the whole space

// The records that a full read has seen are stored, so that the read continues after a crash.
extension Replica {
    /// Begins to read all records of the collections that the home receives, or begins it again. The home also receives
    /// the collections of the stored records from now on: otherwise the read would treat these records as deleted.
    ///
    /// - Parameters:
    ///   - reading: The full read, as JSON of the engine.
    ///   - afterRestore: Whether the stored states of the server are of a former epoch now.
    ///   - collections: Further collections to receive.
    package func beginFullRead(
        _ reading: JSONValue, afterRestore: Bool, adding collections: CollectionSet? = nil
    ) throws {
        let added = [collections, try heldCollections()].compactMap(\.self)
        try setCollections(added.reduce(try state().collections) { $0.union($1) })
        try execute("DELETE FROM seen WHERE \(Self.ofSpace)", [space])
        if afterRestore {
            try execute("INSERT OR IGNORE INTO former SELECT number FROM records WHERE space = ?", [space])
        }
        // A full read that begins again before its first page has no cursor, and keeps the former one.
        try execute(
            "UPDATE spaces SET former_cursor = coalesce(cursor, former_cursor), cursor = NULL, reading = ? WHERE number = ?",
            [reading.text, space])
        try setMeta(.mustReadAgain, nil)
    }

    /// Requests a full read, which begins once the batch in flight is answered and the server has confirmed the cursor.
    /// A read without that confirmation would treat records that a restored server has lost as deleted.
    package func setReadAgain() throws { try setMeta(.mustReadAgain, true) }

    /// Returns whether a full read is requested and has not begun yet.
    package func mustReadAgain() throws -> Bool { try meta(.mustReadAgain) ?? false }

    /// Marks a record as seen by the full read under way; its stored state is of the present epoch now.
    package func markSeen(_ key: RecordKey) throws {
        let number = "SELECT number FROM records WHERE space = ? AND collection = ? AND id = ?"
        try execute("INSERT OR IGNORE INTO seen \(number)", [space, key.collection, key.id])
        try execute("DELETE FROM former WHERE record = (\(number))", [space, key.collection, key.id])
    }

    /// Returns whether the stored state of the server is of an epoch before the restore that is being read.
    package func isFormer(_ key: RecordKey) throws -> Bool {
        let statement = try db.cachedStatement(
            sql: """
                SELECT count(*) FROM former
                WHERE record = (SELECT number FROM records WHERE space = ? AND collection = ? AND id = ?)
                """)
        return try Int.fetchOne(statement, arguments: [space, key.collection, key.id]) == 1
    }

    /// Returns the records that the full read under way has not seen.
    package func unseen() throws -> [CachedRecord] {
        let keys = try Row.fetchAll(
            db,
            sql: """
                SELECT collection, id FROM records r
                WHERE space = ? AND NOT EXISTS (SELECT 1 FROM seen WHERE record = r.number)
                """, arguments: [space])
        return try keys.compactMap { try cache.cached(RecordKey(collection: $0["collection"], id: $0["id"])) }
    }

    /// Removes the marks of a full read at its end, and computes the digest again, which ends any error in it.
    package func endFullRead() throws {
        try execute("DELETE FROM seen WHERE \(Self.ofSpace)", [space])
        try execute("DELETE FROM former WHERE \(Self.ofSpace)", [space])
        try setMeta(.rebuilt, nil)
        let counted = try countedDigest()
        try updateDigest { $0 = counted }
    }

    /// Computes the digest of the records on the server from the stored states, record by record.
    package func countedDigest() throws -> SpaceDigest {
        let statement = try db.cachedStatement(sql: Self.seenLive)
        let rows = try Row.fetchCursor(statement, arguments: [space])
        var digest = SpaceDigest()
        while let row = try rows.next() {
            digest.add(collection: row["collection"], id: row["id"], version: row["version"])
        }
        return digest
    }

    /// Selects the records that the digest counts, with their versions on the server. With unsent edits, these are in
    /// the mirror; without a mirror, the server doesn't know the record.
    ///
    /// The table is read in its order, since almost all records are selected: with an index, each record would be read at
    /// a random place. The records of other spaces are read, too, which is slower only if most records are theirs.
    static let seenLive = """
        SELECT collection, id, iif(o.record IS NULL, r.version, m.version) AS version
        FROM records r NOT INDEXED
            LEFT JOIN outbox o ON o.record = r.number LEFT JOIN mirrors m ON m.record = r.number
        WHERE space = ? AND iif(o.record IS NULL, r.deleted, coalesce(m.deleted, 1)) = 0
        """

    /// A condition on the rows of `seen` and `former`. Each row looks up its record, so empty tables cost nothing; `IN`
    /// with the numbers of the space would read all its records.
    private static let ofSpace = "EXISTS (SELECT 1 FROM records WHERE number = record AND space = ?)"
}
