internal import GRDB
package import Records

/// A batch in flight: it was sent, and the server may have applied it.
package struct Batch: Sendable, Equatable {
    /// The idempotency key: a UUID.
    package var key: String
    /// The cursor that was sent with it; nil: none.
    package var since: String?
    /// The request's body. It must be repeated byte for byte: the server refuses a known key with another body (422).
    package var body: String

    package init(key: String, since: String?, body: String) {
        self.key = key
        self.since = since
        self.body = body
    }
}

/// The numbers of records with unsent edits.
public struct UnsentCounts: Sendable, Equatable {
    /// The number of records with unsent edits, refused ones included.
    public let records: Int
    /// The number of records that the server refused.
    public let refused: Int
}

/// The edits that the server has not acknowledged, and the batch in flight.
package struct Outbox: CacheFacet {
    let cache: Cache
}

extension Outbox {
    /// Returns records with unsent edits that may be sent: neither refused nor in flight.
    package func sendable(limit: Int) throws -> [CachedRecord] {
        try cache.recordTable.pending(where: "o.rejection IS NULL AND o.sent IS NULL", limit: limit)
    }

    /// Returns the deletions among the sendable records, without those of records that the server doesn't have.
    package func sendableDeletions(limit: Int) throws -> [CachedRecord] {
        try cache.recordTable.pending(
            where: "o.rejection IS NULL AND o.sent IS NULL AND r.deleted AND NOT ifnull(m.deleted, 1)", limit: limit)
    }

    /// Returns records that the server refused, with the reasons.
    package func refused(limit: Int) throws -> [CachedRecord] {
        try cache.recordTable.pending(where: "o.rejection IS NOT NULL", limit: limit)
    }

    /// Returns the numbers of unsent records.
    package func unsent() throws -> UnsentCounts {
        // Reading the records takes long if there are many, and is needed only if there are several spaces.
        let row = try Row.fetchOne(
            db,
            sql: """
                SELECT count(*) AS records, count(rejection) AS rejected FROM outbox
                WHERE (SELECT count(*) FROM spaces) = 1 OR record IN (SELECT number FROM records WHERE space = ?)
                """, arguments: [space])
        return UnsentCounts(records: row?["records"] ?? 0, refused: row?["rejected"] ?? 0)
    }

    /// Returns the batch in flight; nil: there is none.
    package func batch() throws -> Batch? {
        let statement = try db.cachedStatement(sql: "SELECT key, since, body FROM batches WHERE space = ?")
        return try Row.fetchOne(statement, arguments: [space]).map {
            Batch(key: $0["key"], since: $0["since"], body: $0["body"])
        }
    }

    /// Stores a batch before it is sent, and marks the present edits of its records as sent.
    package func beginSending(_ batch: Batch, of keys: [RecordKey]) throws {
        try execute("INSERT INTO batches VALUES (?, ?, ?, ?)", [space, batch.key, batch.since, batch.body])
        for key in keys {
            // An edit made from now on raises `edits` above `sent`, which shows that the batch doesn't contain it.
            try execute(
                """
                UPDATE outbox SET sent = edits WHERE record =
                    (SELECT number FROM records WHERE space = ? AND collection = ? AND id = ?)
                """, [space, key.collection, key.id])
        }
    }

    /// Removes the batch in flight after its final answer. Records that are still marked return to the outbox.
    package func endSending() throws {
        try execute("DELETE FROM batches WHERE space = ?", [space])
        try execute(
            """
            UPDATE outbox SET sent = NULL
            WHERE sent IS NOT NULL AND (SELECT space FROM records WHERE number = record) = ?
            """, [space])
    }

    /// Returns the clock of the newest unsent edit that may be sent; nil: there is none. It identifies the edit, since
    /// no two edits of a home share a clock.
    package func newestUnsentEdit() throws -> String? {
        // Clocks sort as text.
        try String.fetchOne(db.cachedStatement(sql: "SELECT max(at) FROM outbox WHERE rejection IS NULL"))
    }

    /// Removes a record that has nothing left to send from the outbox: its mirror becomes the record.
    package func removeUnchanged(_ key: RecordKey) throws {
        guard let cached = try cache.cached(key) else { return }
        try cache.store(cached.mirror.map { CachedRecord(record: $0) }, for: key)
    }

    /// Stores why the server refused a record, which isn't sent again until it is edited.
    package func refuse(_ key: RecordKey, _ rejection: Rejection) throws {
        guard var cached = try cache.cached(key) else { return }
        cached.pending?.rejection = rejection
        try cache.store(cached, for: key)
    }
}
