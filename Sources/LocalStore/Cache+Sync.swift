internal import GRDB
public import Records

/// Where a space stands towards its server.
public struct SpaceState: Sendable, Equatable {
    /// The space's id on the server; nil until somebody signs in.
    public var remote: String?
    /// How far the changes of the server were taken in; nil before the first answer.
    public var cursor: String?
    /// The digest over what is held as seen from the server.
    public var digest: SpaceDigest
    /// A full read under way, in the engine's words; nil when there is none.
    public var reading: JSONValue?
}

/// A batch in flight: what was sent and may have been acted on.
public struct Batch: Sendable, Equatable {
    /// The idempotency key: a UUID.
    public var key: String
    /// The cursor that was sent with it, if any.
    public var since: String?
    /// The request's body, byte for byte.
    public var body: String

    public init(key: String, since: String?, body: String) {
        self.key = key
        self.since = since
        self.body = body
    }
}

/// What is unsent, in numbers.
public struct Unsent: Sendable, Equatable {
    /// Records with unsent edits, the refused ones among them.
    public var records: Int
    /// Records that the server refused.
    public var rejected: Int
}

// MARK: - The space

extension Cache {
    /// Where a space stands.
    public func state(space: Int64 = Cache.personal) throws -> SpaceState {
        guard
            let row = try Row.fetchOne(
                db.cachedStatement(sql: "SELECT remote, cursor, digest, reading FROM spaces WHERE number = ?"),
                arguments: [space]),
            let digest = SpaceDigest(row["digest"])
        else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a space's row is missing") }
        let reading: String? = row["reading"]
        return SpaceState(
            remote: row["remote"], cursor: row["cursor"], digest: digest,
            reading: reading.flatMap { try? JSONValue(parsing: $0) })
    }

    /// Moves the cursor, and says whether a full read goes on.
    public func setCursor(_ cursor: String?, reading: JSONValue?, space: Int64 = Cache.personal) throws {
        try execute("UPDATE spaces SET cursor = ?, reading = ? WHERE number = ?", [cursor, reading?.text, space])
    }

    func updateDigest(space: Int64, _ body: (inout SpaceDigest) throws -> Void) throws {
        let before = try state(space: space).digest
        var digest = before
        try body(&digest)
        if digest != before {
            try execute("UPDATE spaces SET digest = ? WHERE number = ?", [digest.description, space])
        }
    }
}

// MARK: - Outbox and batch

extension Cache {
    /// Records with unsent edits that may be sent: not refused, none of them in flight.
    public func sendable(limit: Int, space: Int64 = Cache.personal) throws -> [CachedRecord] {
        try pending(where: "o.rejection IS NULL AND o.sent IS NULL", space: space, limit: limit)
    }

    /// Records that the server refused, and why.
    public func refused(limit: Int, space: Int64 = Cache.personal) throws -> [CachedRecord] {
        try pending(where: "o.rejection IS NOT NULL", space: space, limit: limit)
    }

    /// What is unsent, in numbers.
    public func unsent(space: Int64 = Cache.personal) throws -> Unsent {
        let row = try Row.fetchOne(
            db,
            sql: """
                SELECT count(*) AS records, count(rejection) AS rejected
                FROM outbox JOIN records ON number = record WHERE space = ?
                """, arguments: [space])
        return Unsent(records: row?["records"] ?? 0, rejected: row?["rejected"] ?? 0)
    }

    /// The batch in flight, if there is one.
    public func batch(space: Int64 = Cache.personal) throws -> Batch? {
        let statement = try db.cachedStatement(sql: "SELECT key, since, body FROM batches WHERE space = ?")
        return try Row.fetchOne(statement, arguments: [space]).map {
            Batch(key: $0["key"], since: $0["since"], body: $0["body"])
        }
    }

    /// Stores a batch before it is sent, and marks its records as sent with what they hold now.
    public func launch(_ batch: Batch, of keys: [RecordKey], space: Int64 = Cache.personal) throws {
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
    public func land(space: Int64 = Cache.personal) throws {
        try execute("DELETE FROM batches WHERE space = ?", [space])
        try execute(
            """
            UPDATE outbox SET sent = NULL
            WHERE sent IS NOT NULL AND (SELECT space FROM records WHERE number = record) = ?
            """, [space])
    }

    /// When this home last synced, and what stopped it last, in the engine's words.
    public func syncNote() throws -> JSONValue? {
        try meta("sync").flatMap { try? JSONValue(parsing: $0) }
    }

    /// Keeps the note for `syncNote`.
    public func setSyncNote(_ note: JSONValue) throws { try setMeta("sync", note.text) }
}
