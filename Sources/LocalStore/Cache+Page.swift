internal import GRDB
public import Records
public import struct Records.Record

/// An answer that violates the protocol; nothing of it was applied.
public struct MalformedAnswer: Error, Sendable, Equatable {
    /// What is wrong with it, for the diagnostic.
    public let reason: String
    /// Says what is wrong with an answer.
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
    /// The version of the last record; nil if there is none, or it has no version.
    public var lastVersion: Int64?
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
            let statement = try db.cachedStatement(
                sql: """
                    SELECT body ->> '$.cursor' AS cursor, coalesce(body ->> '$.more', 0) AS more,
                        body ->> '$.digest' AS digest, body ->> '$.resync' AS resync, body -> '$.results' AS results,
                        coalesce(json_type(body, '$.records'), '') AS records,
                        iif(json_type(body, '$.records[#-1].version') = 'integer',
                            body ->> '$.records[#-1].version', NULL) AS lastVersion
                    FROM (SELECT ? AS body) WHERE coalesce(json_type(body, '$.more'), 'null') IN ('true', 'false', 'null')
                        AND coalesce(json_type(body, '$.cursor'), 'null') IN ('text', 'null')
                        AND coalesce(json_type(body, '$.digest'), 'null') IN ('text', 'null')
                        AND coalesce(json_type(body, '$.resync'), 'null') IN ('text', 'null')
                    """)
            guard let row = try Row.fetchOne(statement, arguments: [body]) else {
                throw MalformedAnswer("a member is of the wrong type")
            }
            // A number that does not fit in 64 bits is not a version.
            let lastVersion = Int64.fromDatabaseValue(row["lastVersion"])
            var envelope = Envelope(
                cursor: row["cursor"], more: row["more"], lastVersion: lastVersion, resync: row["resync"])
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

    /// Stores the records of a page that have no unsent edits here directly in the cache; the others are `pending` and
    /// must be merged one by one.
    ///
    /// - Parameter marking: whether to note all of the page as seen by a full read.
    /// - Returns: how many were stored; how many of them had been deleted on this device and are live again; and the
    ///   others.
    /// - Throws: `MalformedAnswer`; the transaction must then be undone.
    public func applyClean(page body: String, marking: Bool = false, space: Int64 = Cache.personal)
        throws -> (taken: Int, revived: Int, pending: [Record])
    {
        try refusingMalformed {
            let hasPending = try exists("SELECT 1 FROM outbox LIMIT 1", [])
            let unclean = hasPending ? try uncleanRecords(of: body, space: space) : []
            var (taken, revived) = (0, 0)
            let before = log == nil ? [:] : try held(of: body, space: space)
            try updateDigest(space: space) { digest in
                if try exists("SELECT 1 FROM records WHERE space = ? LIMIT 1", [space]) {
                    try forEach(Self.replaced, [body, space, device()]) { record, row in
                        if record.isLive { digest.remove(record) }
                        if row["revived"] { revived += 1 }
                    }
                }
                try forEach(unclean.isEmpty ? Self.upsertAll : Self.upsertClean, [space, body]) { record, _ in
                    taken += 1
                    if record.isLive { digest.add(record) }
                    if let log { log.note(record.key, from: before[record.key], to: try stored(record.key, space)) }
                }
            }
            if marking { try execute(Self.markSeen, [body, space]) }
            return (taken, revived, unclean)
        }
    }

    /// CROSS JOIN keeps SQLite from turning it round, which would parse the page anew for each record that is stored.
    private static let onPage = """
        FROM json_each(?1, '$.records') AS page
        CROSS JOIN records r ON r.collection = page.value ->> 'collection' AND r.id = page.value ->> 'id' AND r.space = ?2

        """

    private static let markSeen = "INSERT OR IGNORE INTO seen SELECT r.number " + onPage

    /// The clean records that a page replaces, and whether each is a tombstone of this device that is revived.
    private static let replaced = """
        SELECT r.collection, r.id, r.version, r.deleted,
            CASE WHEN r.deleted AND r.modified_by = ?3 THEN coalesce(NOT page.value ->> 'deleted', 0) ELSE 0 END AS revived
        \(onPage) WHERE NOT EXISTS (SELECT 1 FROM outbox WHERE record = r.number)
        """

    private static let upsertAll = upsert(where: "true")

    private static let upsertClean = upsert(
        where: """
            NOT EXISTS (
                SELECT 1 FROM records r JOIN outbox ON record = r.number
                WHERE r.space = ?1 AND r.collection = page.value ->> 'collection' AND r.id = page.value ->> 'id')
            """)

    /// A record of the wrong shape gives a NULL and is refused by the table. Of a tombstone, the fields that were there
    /// stay.
    private static func upsert(where condition: String) -> String {
        """
        INSERT INTO records (space, collection, id, version, deleted, modified_at, modified_by, fields, clock)
        SELECT ?1, value ->> 'collection', value ->> 'id', iif(\(isWellFormed), value ->> 'version', NULL),
            value ->> 'deleted', value ->> 'modifiedAt', value ->> 'modifiedBy',
            iif(json_type(value, '$.fields') = 'object', value -> 'fields', iif(value ->> 'deleted', '{}', NULL)),
            iif(json_type(value, '$.clock') = 'object', value -> 'clock', NULL)
        FROM json_each(?2, '$.records') AS page WHERE \(condition)
        ON CONFLICT (space, collection, id) DO UPDATE SET version = excluded.version, deleted = excluded.deleted,
            modified_at = excluded.modified_at, modified_by = excluded.modified_by,
            fields = iif(excluded.deleted, fields, excluded.fields), clock = excluded.clock
        RETURNING collection, id, version, deleted
        """
    }

    /// Types, since a STRICT table still takes the text '42' for a number; the forms of names (`RecordKey`) and of
    /// clocks (`HLC`), since a record that can't be read later would be a dead end.
    private static let isWellFormed = """
        json_type(value, '$.version') = 'integer' AND json_type(value, '$.deleted') IN ('true', 'false')
            AND json_type(value, '$.modifiedAt') = 'text' AND json_type(value, '$.modifiedBy') = 'text'
            AND json_type(value, '$.collection') = 'text' AND length(value ->> 'collection') <= 64
            AND value ->> 'collection' GLOB '[a-z]*' AND value ->> 'collection' NOT GLOB '*[^a-z0-9-]*'
            AND json_type(value, '$.id') = 'text' AND length(value ->> 'id') BETWEEN 1 AND 64
            AND value ->> 'id' NOT GLOB '*[^A-Za-z0-9_-]*'
            AND NOT EXISTS (
                SELECT 1 FROM json_each(page.value, '$.clock') AS moment
                WHERE moment.type <> 'text' OR moment.value NOT GLOB '\(hlc)' OR length(moment.value) > 82
                    OR moment.value GLOB '*[^A-Za-z0-9_-]*')
        """

    private static let hlc =
        String(repeating: "[0-9a-f]", count: 12) + "-" + String(repeating: "[0-9a-f]", count: 4) + "-?*"

    private func uncleanRecords(of body: String, space: Int64) throws -> [Record] {
        let sql = "SELECT page.value " + Self.onPage + "WHERE EXISTS (SELECT 1 FROM outbox WHERE record = r.number)"
        return try String.fetchAll(db.cachedStatement(sql: sql), arguments: [body, space]).map { text in
            guard let record = try Record(json: JSONValue(parsing: text)) else {
                throw MalformedAnswer("a record is of the wrong shape")
            }
            return record
        }
    }

    private func forEach(
        _ sql: String, _ arguments: StatementArguments, _ body: (Record, Row) throws -> Void
    ) throws {
        let rows = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: arguments)
        while let row = try rows.next() {
            try body(Record(key: RecordKey(collection: row[0], id: row[1]), version: row[2], deleted: row[3]), row)
        }
    }

    /// The records of a page as they are held before it is taken.
    private func held(of body: String, space: Int64) throws -> [RecordKey: Record] {
        let rows = try Row.fetchCursor(db.cachedStatement(sql: "SELECT r.* " + Self.onPage), arguments: [body, space])
        var held: [RecordKey: Record] = [:]
        while let row = try rows.next() {
            let record = try record(row)
            held[record.key] = record
        }
        return held
    }

    private func stored(_ key: RecordKey, _ space: Int64) throws -> Record? { try cached(key, space: space)?.record }

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
