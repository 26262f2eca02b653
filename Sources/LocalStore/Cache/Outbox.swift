internal import GRDB
package import Records

/// A batch in flight: what was sent and may have been acted on.
package struct Batch: Sendable, Equatable {
    /// The idempotency key: a UUID.
    package var key: String
    /// The cursor that was sent with it, if any.
    package var since: String?
    /// The request's body, byte for byte.
    package var body: String

    package init(key: String, since: String?, body: String) {
        self.key = key
        self.since = since
        self.body = body
    }
}

/// What is unsent, in numbers.
package struct Unsent: Sendable, Equatable {
    /// Records with unsent edits, the refused ones among them.
    package var records: Int
    /// Records that the server refused.
    package var rejected: Int
}

/// The edits that the server has not acknowledged, and the batch in flight.
package struct Outbox: CacheFacet {
    let cache: Cache
}

extension Outbox {
    /// Records with unsent edits that may be sent: not refused, none of them in flight.
    package func sendable(limit: Int) throws -> [CachedRecord] {
        try cache.pending(where: "o.rejection IS NULL AND o.sent IS NULL", limit: limit)
    }

    /// Records that the server refused, and why.
    package func refused(limit: Int) throws -> [CachedRecord] {
        try cache.pending(where: "o.rejection IS NOT NULL", limit: limit)
    }

    /// What is unsent, in numbers.
    package func unsent() throws -> Unsent {
        let row = try Row.fetchOne(
            db,
            sql: """
                SELECT count(*) AS records, count(rejection) AS rejected
                FROM outbox JOIN records ON number = record WHERE space = ?
                """, arguments: [space])
        return Unsent(records: row?["records"] ?? 0, rejected: row?["rejected"] ?? 0)
    }

    /// The batch in flight, if there is one.
    package func batch() throws -> Batch? {
        let statement = try db.cachedStatement(sql: "SELECT key, since, body FROM batches WHERE space = ?")
        return try Row.fetchOne(statement, arguments: [space]).map {
            Batch(key: $0["key"], since: $0["since"], body: $0["body"])
        }
    }

    /// Stores a batch before it is sent, and marks its records as sent with what they hold now.
    package func launch(_ batch: Batch, of keys: [RecordKey]) throws {
        try execute("INSERT INTO batches VALUES (?, ?, ?, ?)", [space, batch.key, batch.since, batch.body])
        for key in keys {
            try execute(
                """
                UPDATE outbox SET sent = edits WHERE record =
                    (SELECT number FROM records WHERE space = ? AND collection = ? AND id = ?)
                """, [space, key.collection, key.id])
        }
    }

    /// Forgets the batch in flight, after its final answer. Records still marked go back to the outbox.
    package func land() throws {
        try execute("DELETE FROM batches WHERE space = ?", [space])
        try execute(
            """
            UPDATE outbox SET sent = NULL
            WHERE sent IS NOT NULL AND (SELECT space FROM records WHERE number = record) = ?
            """, [space])
    }

    /// Names the newest unsent edit of those that may be sent, by its moment, which no two edits of a home share. Nil:
    /// there is none.
    package func newestUnsentEdit() throws -> String? {
        try String.fetchOne(db.cachedStatement(sql: "SELECT max(at) FROM outbox WHERE rejection IS NULL"))
    }

    /// Removes a record that turned out to be what the server has.
    package func settle(_ key: RecordKey) throws {
        guard let cached = try cache.cached(key) else { return }
        try cache.store(cached.mirror.map { CachedRecord(record: $0) }, for: key)
    }

    /// Holds a record back until it is edited again.
    package func refuse(_ key: RecordKey, _ rejection: Rejection) throws {
        guard var cached = try cache.cached(key) else { return }
        cached.pending?.rejection = rejection
        try cache.store(cached, for: key)
    }
}
