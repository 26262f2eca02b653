internal import GRDB
public import Records

// What a read of the whole space has met so far is kept with the space, so that it goes on after a crash.
extension Cache {
    /// Begins to read the whole space, or begins it again.
    ///
    /// - Parameters:
    ///   - reading: which read it is, in the engine's words.
    ///   - afterRestore: whether all that is held as seen from the server is of a former epoch now.
    public func beginFullRead(_ reading: JSONValue, afterRestore: Bool, space: Int64 = Cache.personal) throws {
        try execute("DELETE FROM seen WHERE \(Self.ofSpace)", [space])
        if afterRestore {
            try execute("INSERT OR IGNORE INTO former SELECT number FROM records WHERE space = ?", [space])
        }
        try setCursor(nil, reading: reading, space: space)
        try setMeta("read again", nil)
    }

    /// Has the whole space read again, once what is in flight has landed and the server has said that it still knows the
    /// cursor: a read that began without asking would take what a restored server has lost for deleted.
    public func setReadAgain() throws { try setMeta("read again", "yes") }

    /// Whether the whole space is to be read again; over when that begins.
    public func mustReadAgain() throws -> Bool { try meta("read again") != nil }

    /// Notes a record as met by the full read under way; what is held of it is of the present epoch now.
    public func markSeen(_ key: RecordKey, space: Int64 = Cache.personal) throws {
        let number = "SELECT number FROM records WHERE space = ? AND collection = ? AND id = ?"
        try execute("INSERT OR IGNORE INTO seen \(number)", [space, key.collection, key.id])
        try execute("DELETE FROM former WHERE record = (\(number))", [space, key.collection, key.id])
    }

    /// Whether what is held of a record as seen from the server is of an epoch before the restore that is being read.
    public func isFormer(_ key: RecordKey, space: Int64 = Cache.personal) throws -> Bool {
        let statement = try db.cachedStatement(
            sql: """
                SELECT count(*) FROM former
                WHERE record = (SELECT number FROM records WHERE space = ? AND collection = ? AND id = ?)
                """)
        return try Int.fetchOne(statement, arguments: [space, key.collection, key.id]) == 1
    }

    /// The records that the full read under way hasn't met.
    public func unseen(space: Int64 = Cache.personal) throws -> [CachedRecord] {
        let keys = try Row.fetchAll(
            db,
            sql: """
                SELECT collection, id FROM records r
                WHERE space = ? AND NOT EXISTS (SELECT 1 FROM seen WHERE record = r.number)
                """, arguments: [space])
        return try keys.compactMap { try cached(RecordKey(collection: $0["collection"], id: $0["id"]), space: space) }
    }

    /// Forgets what the full read has met, at its end, and counts the digest anew: whatever made it wrong ends here.
    public func endFullRead(space: Int64 = Cache.personal) throws {
        try execute("DELETE FROM seen WHERE \(Self.ofSpace)", [space])
        try execute("DELETE FROM former WHERE \(Self.ofSpace)", [space])
        try setMeta("rebuilt", nil)
        let counted = try countedDigest(space: space)
        try updateDigest(space: space) { $0 = counted }
    }

    /// The digest of what is held as seen from the server, counted record by record.
    public func countedDigest(space: Int64 = Cache.personal) throws -> SpaceDigest {
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
