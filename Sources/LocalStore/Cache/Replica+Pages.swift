internal import GRDB
package import Records
package import struct Records.Record

/// The error for received records that can't be stored, since their JSON has another form. The transaction must be
/// rolled back.
package struct MalformedRecords: Error, Sendable, Equatable {
    /// What is wrong, for the diagnostic.
    package let reason: String
}

/// The result of applying a page.
package struct AppliedPage: Sendable, Equatable {
    /// The number of records that were stored.
    package var pulled: Int
    /// The number of stored records that had been deleted on this device and are live again.
    package var revived: Int
    /// The received records that have unsent edits here. They were not stored and must be merged.
    package var pending: [Record]
    /// The number of stored records of a derived type, such as conflicts.
    package var derived = 0
}

// The JSON isn't parsed here: SQLite's own functions split a page, so a record without unsent edits is never decoded on
// its way into the cache.
extension Replica {
    /// Stores the records of a page that have no unsent edits here. The others are returned as `pending` and must be
    /// merged one by one.
    ///
    /// - Parameters:
    ///   - body: The records as a JSON array.
    ///   - marking: Whether to mark all records of the page as seen by a full read.
    /// - Throws: `MalformedRecords`; then the transaction must be rolled back.
    package func applyClean(
        records body: String, marking: Bool = false
    ) throws -> AppliedPage {
        try refusingMalformed {
            // Usually there are no unsent edits; then the page is parsed once less.
            let hasPending = try exists("SELECT 1 FROM outbox LIMIT 1", [])
            let unclean = hasPending ? try uncleanRecords(of: body) : []
            var (pulled, revived, derived) = (0, 0, 0)
            let before = cache.log == nil ? [:] : try held(of: body)
            try updateDigest { digest in
                // Before the upsert, which overwrites the versions that the digest must lose. In an empty cache nothing
                // is replaced.
                if try exists("SELECT 1 FROM records WHERE space = ? LIMIT 1", [space]) {
                    try forEach(Self.replaced, [body, space, cache.device()]) { record, row in
                        if record.isLive { digest.remove(record) }
                        if row["revived"] { revived += 1 }
                    }
                }
                try forEach(unclean.isEmpty ? Self.upsertAll : Self.upsertClean, [space, body]) { record, _ in
                    pulled += 1
                    if cache.types[record.key.collection].isDerived { derived += 1 }
                    if record.isLive { digest.add(record) }
                    if let log = cache.log {
                        log.note(record.key, from: before[record.key], to: try stored(record.key))
                    }
                }
            }
            if marking { try execute(Self.markSeen, [body, space]) }
            return AppliedPage(pulled: pulled, revived: revived, pending: unclean, derived: derived)
        }
    }

    /// CROSS JOIN keeps SQLite from reversing the join, which would parse the page again for each stored record.
    private static let onPage = """
        FROM json_each(?1) AS page
        CROSS JOIN records r ON r.collection = page.value ->> 'collection' AND r.id = page.value ->> 'id' AND r.space = ?2

        """

    private static let markSeen = "INSERT OR IGNORE INTO seen SELECT r.number " + onPage

    /// Selects the clean records that a page replaces, and whether each is a tombstone of this device that is revived.
    private static let replaced = """
        SELECT r.collection, r.id, r.version, r.deleted,
            CASE WHEN r.deleted AND r.modified_by = ?3 THEN coalesce(NOT page.value ->> 'deleted', 0) ELSE 0 END AS revived
        \(onPage) WHERE NOT EXISTS (SELECT 1 FROM outbox WHERE record = r.number)
        """

    /// The condition is necessary: without a WHERE, SQLite parses ON CONFLICT as part of a join
    /// (sqlite.org/lang_upsert.html, "Parsing Ambiguity").
    private static let upsertAll = upsert(where: "true")

    private static let upsertClean = upsert(
        where: """
            NOT EXISTS (
                SELECT 1 FROM records r JOIN outbox ON record = r.number
                WHERE r.space = ?1 AND r.collection = page.value ->> 'collection' AND r.id = page.value ->> 'id')
            """)

    /// Returns the statement that stores the records of a page. A record of the wrong shape gives a NULL, which the
    /// table refuses. A tombstone keeps the fields that were stored before.
    private static func upsert(where condition: String) -> String {
        """
        INSERT INTO records (space, collection, id, version, deleted, modified_at, modified_by, fields, clock)
        SELECT ?1, value ->> 'collection', value ->> 'id', iif(\(isWellFormed), value ->> 'version', NULL),
            value ->> 'deleted', value ->> 'modifiedAt', value ->> 'modifiedBy',
            iif(json_type(value, '$.fields') = 'object', value -> 'fields', iif(value ->> 'deleted', '{}', NULL)),
            iif(json_type(value, '$.clock') = 'object', value -> 'clock', NULL)
        FROM json_each(?2) AS page WHERE \(condition)
        ON CONFLICT (space, collection, id) DO UPDATE SET version = excluded.version, deleted = excluded.deleted,
            modified_at = excluded.modified_at, modified_by = excluded.modified_by,
            fields = iif(excluded.deleted, fields, excluded.fields), clock = excluded.clock
        RETURNING collection, id, version, deleted
        """
    }

    /// Checks types, since a STRICT table still converts the text '42' to a number, and the forms of names
    /// (`RecordKey`) and clocks (`HLC`), since a record that can't be read later would be a dead end. A clock has 18
    /// characters and a device id of at most 64.
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

    private func uncleanRecords(of body: String) throws -> [Record] {
        let sql = "SELECT page.value " + Self.onPage + "WHERE EXISTS (SELECT 1 FROM outbox WHERE record = r.number)"
        return try String.fetchAll(db.cachedStatement(sql: sql), arguments: [body, space]).map { text in
            guard let record = try Record(json: JSONValue(parsing: text)) else {
                throw MalformedRecords(reason: "a record is of the wrong shape")
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

    /// Returns the stored state of the records of a page, before it is applied.
    private func held(of body: String) throws -> [RecordKey: Record] {
        let rows = try Row.fetchCursor(db.cachedStatement(sql: "SELECT r.* " + Self.onPage), arguments: [body, space])
        var held: [RecordKey: Record] = [:]
        while let row = try rows.next() {
            let record = try cache.recordTable.record(row)
            held[record.key] = record
        }
        return held
    }

    private func stored(_ key: RecordKey) throws -> Record? { try cache.cached(key)?.record }

    private func exists(_ sql: String, _ arguments: StatementArguments) throws -> Bool {
        try Row.fetchOne(db.cachedStatement(sql: sql), arguments: arguments) != nil
    }

    private func refusingMalformed<Result>(_ body: () throws -> Result) throws -> Result {
        // SQLite reports malformed JSON as SQLITE_ERROR, and a NULL from `upsert` as SQLITE_CONSTRAINT.
        do { return try body() } catch let error as DatabaseError
            where error.resultCode == .SQLITE_ERROR || error.resultCode == .SQLITE_CONSTRAINT
        {
            throw MalformedRecords(reason: error.message ?? "SQLite refused it")
        } catch let error as JSONError {
            throw MalformedRecords(reason: error.description)
        }
    }
}

/// A record on the server that is too large to be received, as far as it is known.
package struct OversizedRecord: Sendable, Equatable {
    /// The key of the record.
    package var key: RecordKey
    /// The version of its last change.
    package var version: Int64
    /// Whether it is a tombstone.
    package var deleted: Bool
    /// The time at which the server accepted the change: RFC 3339 in UTC with milliseconds.
    package var modifiedAt: String
    /// The id of the device that made the change.
    package var modifiedBy: String
    /// The size of the record on the wire, in bytes.
    package var bytes: Int

    /// Creates a description of an oversized record.
    package init(key: RecordKey, version: Int64, deleted: Bool, modifiedAt: String, modifiedBy: String, bytes: Int) {
        self.key = key
        self.version = version
        self.deleted = deleted
        self.modifiedAt = modifiedAt
        self.modifiedBy = modifiedBy
        self.bytes = bytes
    }
}

// A record that can't be received is still counted: the cache stores the server's version with the contents that it had
// before, so that the digest stays comparable and a later state of the record merges on top of the last state received.
extension Replica {
    /// Stores that the server has a state of a record that can't be received. The cached contents of the record stay;
    /// its unsent edits are held back, since they can't be merged.
    ///
    /// - Parameter marking: Whether a full read is under way, in which the record counts as seen.
    package func noteOversized(_ oversized: OversizedRecord, marking: Bool) throws {
        try cache.change(oversized.key) { held in
            var next = held ?? CachedRecord(record: Record(key: oversized.key))
            if next.pending == nil {
                next.record.become(oversized)
            } else {
                next.mirror = (next.mirror ?? Record(key: oversized.key)).becoming(oversized)
                next.pending?.sent = nil
            }
            return next
        }
        try execute(
            """
            INSERT OR REPLACE INTO oversized (record, version, bytes)
            SELECT number, ?, ? FROM records WHERE space = ? AND collection = ? AND id = ?
            """, [oversized.version, oversized.bytes, space, oversized.key.collection, oversized.key.id])
        if marking { try markSeen(oversized.key) }
        try holdBackOversized()
    }

    /// Returns the records of which the server has a state that can't be received, with the bytes of that state.
    package func oversized() throws -> [(record: Record, bytes: Int)] {
        let rows = try Row.fetchAll(
            db.cachedStatement(sql: "SELECT r.*, o.bytes \(Self.presentOversized) AND space = ? ORDER BY number"),
            arguments: [space])
        return try rows.map { (try cache.recordTable.record($0), $0["bytes"]) }
    }

    /// Holds back the unsent edits of records that can't be received: the server would answer with the oversized
    /// record.
    package func holdBackOversized() throws {
        try execute(
            """
            UPDATE outbox SET rejection = 'too-large',
              reason = 'On the server the record is larger than this device can receive. Your edits stay on this device.'
            WHERE rejection IS NULL AND record IN (SELECT number \(Self.presentOversized))
            """)
    }

    /// A row of `oversized` is obsolete once another version of its record was received. CROSS JOIN, since SQLite would
    /// read all records of the space in order to sort them.
    private static let presentOversized = """
        FROM oversized o CROSS JOIN records r ON r.number = o.record LEFT JOIN mirrors m ON m.record = r.number
        WHERE o.version = coalesce(m.version, r.version)
        """
}

extension Record {
    fileprivate mutating func become(_ oversized: OversizedRecord) { self = becoming(oversized) }

    fileprivate func becoming(_ oversized: OversizedRecord) -> Record {
        var next = self
        next.version = oversized.version
        next.deleted = oversized.deleted
        next.modifiedAt = oversized.modifiedAt
        next.modifiedBy = oversized.modifiedBy
        return next
    }
}
