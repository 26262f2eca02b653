internal import GRDB
internal import Records

extension Cache {
    /// How long a tombstone stays, in seconds: 90 days, as on the server (SyncAPI.docc/Protocol.md, "Data").
    public static let tombstoneRetention: Int64 = 90 * 86_400
    /// Tombstones that one purge removes at most.
    public static let purgeLimit = 1_000

    /// Removes tombstones that the server acknowledged longer ago than the retention and that have no unsent edits,
    /// once an hour of the server's at most; none while everything is being read.
    ///
    /// - Parameter serverTime: the server's clock, milliseconds since 1970: this device's own may be wrong.
    /// - Returns: how many went.
    public func purgeTombstones(at serverTime: UInt64, space: Int64 = Cache.personal) throws -> Int {
        let now = Int64(serverTime / 1_000)
        let last = try meta("purged").flatMap(Int64.init) ?? 0
        guard last > now || now - last >= 3_600, try state(space: space).reading == nil else { return 0 }
        let floor = Timestamp(seconds: now - Self.tombstoneRetention).description
        try execute(
            """
            DELETE FROM records WHERE number IN (
                SELECT number FROM records WHERE deleted = 1 AND space = ? AND modified_at < ?
                    AND version > 0 AND number NOT IN (SELECT record FROM outbox) LIMIT ?)
            """, [space, floor, Self.purgeLimit])
        let purged = db.changesCount
        // What is left goes with the next sync.
        if purged < Self.purgeLimit { try setMeta("purged", String(now)) }
        return purged
    }
}
