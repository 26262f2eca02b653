internal import GRDB
public import Records
public import struct Records.Record

/// What is known of a record of the server that is too large to be received.
public struct OversizedRecord: Sendable, Equatable {
    /// Which record.
    public var key: RecordKey
    /// The number of its last change.
    public var version: Int64
    /// Whether it is a tombstone.
    public var deleted: Bool
    /// When the server accepted the change: RFC 3339 in UTC with milliseconds.
    public var modifiedAt: String
    /// The device that made the change.
    public var modifiedBy: String
    /// How large the record is on the wire.
    public var bytes: Int

    /// Creates a description of an oversized record.
    public init(key: RecordKey, version: Int64, deleted: Bool, modifiedAt: String, modifiedBy: String, bytes: Int) {
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
    /// Notes that the server has a state of a record that can't be received. The cached contents of the record stay;
    /// its unsent edits are held back, since they can't be merged.
    ///
    /// - Parameter marking: whether a full read is under way, for which the record counts as seen.
    public func noteOversized(_ oversized: OversizedRecord, marking: Bool) throws {
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

    /// The records that the server has in a state that can't be received, with the bytes of that state.
    public func oversized() throws -> [(record: Record, bytes: Int)] {
        let rows = try Row.fetchAll(
            db.cachedStatement(sql: "SELECT r.*, o.bytes \(Self.presentOversized) AND space = ? ORDER BY number"),
            arguments: [space])
        return try rows.map { (try cache.record($0), $0["bytes"]) }
    }

    /// Holds back the unsent edits of records that can't be received: the server would answer with the oversized
    /// record.
    public func holdBackOversized() throws {
        try execute(
            """
            UPDATE outbox SET rejection = 'too-large',
              reason = 'On the server the record is larger than this device can receive. Your edits stay on this device.'
            WHERE rejection IS NULL AND record IN (SELECT number \(Self.presentOversized))
            """)
    }

    /// A note is obsolete once another version of the record was received.
    private static let presentOversized = """
        FROM oversized o JOIN records r ON r.number = o.record LEFT JOIN mirrors m ON m.record = r.number
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
