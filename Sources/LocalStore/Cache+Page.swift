internal import GRDB
public import Records
public import struct Records.Record

/// An answer that isn't what PROTOCOL.md promises; nothing of it was taken.
public struct MalformedAnswer: Error, Sendable, Equatable {
    /// What is wrong with it, for the diagnostic.
    public let reason: String
    public init(_ reason: String) { self.reason = reason }
}

/// What stands around the records of an answer of `…/changes`.
public struct Envelope: Sendable, Equatable {
    /// Where the next pull begins; nil when the answer carries no records (`resync`).
    public var cursor: String?
    /// Whether another page waits.
    public var more: Bool
    /// The space's digest at `cursor`; only on the last page.
    public var digest: SpaceDigest?
    /// Why the changes of others are missing: `cursor-expired` or `epoch-changed`.
    public var resync: String?
    /// What became of the mutations, in their order; nil for a pull.
    public var results: [JSONValue]?
}

// JSON goes past, not through: SQLite's own functions take a page apart, so that a record without unsent edits is never
// decoded on its way into the cache.
extension Cache {
    /// Reads what stands around the records of an answer.
    ///
    /// - Throws: `MalformedAnswer`.
    public func envelope(of body: String) throws -> Envelope {
        try refusingMalformed {
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT body ->> '$.cursor' AS cursor, body ->> '$.more' AS more, body ->> '$.digest' AS digest,
                        body ->> '$.resync' AS resync, body -> '$.results' AS results,
                        json_type(body, '$.records') AS records
                    FROM (SELECT ? AS body)
                    """, arguments: [body])
            guard let row else { throw MalformedAnswer("no row") }
            var envelope = Envelope(cursor: row["cursor"], more: row["more"] ?? false, resync: row["resync"])
            if let digest: String = row["digest"] {
                guard let parsed = SpaceDigest(digest) else { throw MalformedAnswer("the digest isn't 32 hex digits") }
                envelope.digest = parsed
            }
            if let results: String = row["results"] {
                guard let elements = try? JSONValue(parsing: results).array else { throw MalformedAnswer("no results") }
                envelope.results = elements
            }
            if envelope.resync == nil {
                guard envelope.cursor != nil, row["records"] == "array" else {
                    throw MalformedAnswer("cursor or records are missing")
                }
            }
            return envelope
        }
    }

    /// Takes the records of a page that have no unsent edits here straight into the cache; the others are `pending` and
    /// must be merged one by one.
    ///
    /// - Parameter marking: whether to note all of the page as seen by a full read.
    /// - Throws: `MalformedAnswer`; the transaction must then be undone.
    public func takeClean(page body: String, marking: Bool = false, space: Int64 = Cache.personal)
        throws -> (taken: Int, pending: [Record])
    {
        try refusingMalformed {
            let hasPending = try exists("SELECT 1 FROM outbox LIMIT 1", [])
            let unclean = hasPending ? try uncleanRecords(of: body, space: space) : []
            var taken = 0
            try updateDigest(space: space) { digest in
                if try exists("SELECT 1 FROM records WHERE space = ? LIMIT 1", [space]) {
                    try forEach(Self.replaced, [body, space]) { digest.remove($0) }
                }
                try forEach(unclean.isEmpty ? Self.upsertAll : Self.upsertClean, [space, body]) { record in
                    taken += 1
                    if record.isLive { digest.add(record) }
                }
            }
            if marking { try execute(Self.markSeen, [body, space]) }
            return (taken, unclean)
        }
    }

    private static let onPage = """
        FROM json_each(?, '$.records') AS page
        JOIN records r ON r.collection = page.value ->> 'collection' AND r.id = page.value ->> 'id' AND r.space = ?

        """

    private static let markSeen = "INSERT OR IGNORE INTO seen SELECT r.number " + onPage

    /// The live, clean records that a page replaces.
    private static let replaced =
        "SELECT r.collection, r.id, r.version, r.deleted " + onPage
        + "WHERE r.deleted = 0 AND NOT EXISTS (SELECT 1 FROM outbox WHERE record = r.number)"

    private static let upsertAll = upsert(where: "true")

    private static let upsertClean = upsert(
        where: """
            NOT EXISTS (
                SELECT 1 FROM records r JOIN outbox ON record = r.number
                WHERE r.space = ?1 AND r.collection = page.value ->> 'collection' AND r.id = page.value ->> 'id')
            """)

    /// A record without an object in `fields` or `clock` gives NULL and is refused by the table. Of a tombstone, the
    /// fields that were there stay.
    private static func upsert(where condition: String) -> String {
        """
        INSERT INTO records (space, collection, id, version, deleted, modified_at, modified_by, fields, clock)
        SELECT ?1, value ->> 'collection', value ->> 'id', value ->> 'version', value ->> 'deleted',
            value ->> 'modifiedAt', value ->> 'modifiedBy',
            iif(json_type(value, '$.fields') = 'object', value -> 'fields', iif(value ->> 'deleted', '{}', NULL)),
            iif(json_type(value, '$.clock') = 'object', value -> 'clock', NULL)
        FROM json_each(?2, '$.records') AS page WHERE \(condition)
        ON CONFLICT (space, collection, id) DO UPDATE SET version = excluded.version, deleted = excluded.deleted,
            modified_at = excluded.modified_at, modified_by = excluded.modified_by,
            fields = iif(excluded.deleted, fields, excluded.fields), clock = excluded.clock
        RETURNING collection, id, version, deleted
        """
    }

    private func uncleanRecords(of body: String, space: Int64) throws -> [Record] {
        let sql = "SELECT page.value " + Self.onPage + "WHERE EXISTS (SELECT 1 FROM outbox WHERE record = r.number)"
        return try String.fetchAll(db.cachedStatement(sql: sql), arguments: [body, space]).map { text in
            guard let record = try Record(json: JSONValue(parsing: text)) else {
                throw MalformedAnswer("a record is of the wrong shape")
            }
            return record
        }
    }

    private func forEach(_ sql: String, _ arguments: StatementArguments, _ body: (Record) -> Void) throws {
        let rows = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: arguments)
        while let row = try rows.next() {
            body(Record(key: RecordKey(collection: row[0], id: row[1]), version: row[2], deleted: row[3]))
        }
    }

    private func exists(_ sql: String, _ arguments: StatementArguments) throws -> Bool {
        try Row.fetchOne(db.cachedStatement(sql: sql), arguments: arguments) != nil
    }

    private func refusingMalformed<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as DatabaseError
            where error.resultCode == .SQLITE_ERROR || error.resultCode == .SQLITE_CONSTRAINT
        {
            throw MalformedAnswer(error.message ?? "SQLite refused it")
        } catch let error as JSONError {
            throw MalformedAnswer(error.description)
        }
    }
}

// MARK: - Full reads

extension Cache {
    /// Notes records as seen by the full read under way.
    public func markSeen(_ key: RecordKey, space: Int64 = Cache.personal) throws {
        try execute(
            "INSERT OR IGNORE INTO seen SELECT number FROM records WHERE space = ? AND collection = ? AND id = ?",
            [space, key.collection, key.id])
    }

    /// The records that a server was known to have and that the full read didn't meet.
    public func unseen(space: Int64 = Cache.personal) throws -> [CachedRecord] {
        let keys = try Row.fetchAll(
            db,
            sql: """
                SELECT collection, id FROM records r
                WHERE space = ? AND NOT EXISTS (SELECT 1 FROM seen WHERE record = r.number)
                """, arguments: [space])
        return try keys.compactMap { try cached(RecordKey(collection: $0["collection"], id: $0["id"]), space: space) }
    }

    /// Forgets what full reads have seen.
    public func clearSeen() throws { try execute("DELETE FROM seen") }
}
