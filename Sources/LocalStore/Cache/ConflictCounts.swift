internal import GRDB
package import Records

/// The numbers of conflicts in records of the types that the program declares. SQLite counts them without loading their
/// values, which may be long.
package struct ConflictCounts: CacheFacet {
    let cache: Cache
}

extension ConflictCounts {
    /// The time for which a resolved conflict keeps its values, in seconds: a server's default retention of tombstones.
    package static let resolvedConflictRetention = Replica.tombstoneRetention

    /// Returns the number of open conflicts.
    package func openCount() throws -> Int {
        try count("fields ->> '$.settled' IS NULL", [space])
    }

    /// Returns the records with an open conflict.
    package func recordsWithOpen() throws -> Set<RecordKey> {
        let sql = """
            SELECT DISTINCT fields ->> '$.collection', fields ->> '$.record' FROM records
            WHERE \(conflicts) AND fields ->> '$.settled' IS NULL AND fields ->> '$.record' IS NOT NULL
            """
        let rows = try Row.fetchAll(db.cachedStatement(sql: sql), arguments: [space])
        return Set(rows.map { RecordKey(collection: $0[0], id: $0[1]) })
    }

    /// Returns the number of conflicts with an edit of this device that another device has resolved since
    /// `noteResolvedShown`.
    package func conflictsResolvedElsewhere() throws -> Int {
        try conflictsResolvedElsewhere(since: shownResolved())
    }

    /// Returns the number of those conflicts that no earlier call has returned.
    package func countNewlyResolvedElsewhere() throws -> Int {
        let reported = try meta(.reportedResolved) ?? 0
        let count = try conflictsResolvedElsewhere(since: max(reported, shownResolved()))
        if count > 0, let newest = try newestResolved() {
            try setMeta(.reportedResolved, newest)
        }
        return count
    }

    private func conflictsResolvedElsewhere(since version: Int64) throws -> Int {
        // A clock has 18 characters of time and counter, then the device; SQLite counts characters from 1.
        guard let mine = try meta(.device) else { return 0 }
        return try count(
            """
            fields ->> '$.settled' IS NOT NULL AND version > ? AND substr(clock ->> '$.settled', 19) <> ?
                AND ? IN (substr(fields ->> '$.earlier.clock', 19), substr(fields ->> '$.later.clock', 19))
            """, [space, version, mine, mine])
    }

    /// Stores that the resolved conflicts were shown; returns false if that was stored already.
    package func noteResolvedShown() throws -> Bool {
        guard let newest = try newestResolved(), try newest > shownResolved() else { return false }
        try setMeta(.shownResolved, newest)
        return true
    }

    private func newestResolved() throws -> Int64? {
        try Int64.fetchOne(
            db,
            sql: "SELECT max(version) FROM records WHERE \(conflicts) AND fields ->> '$.settled' IS NOT NULL",
            arguments: [space])
    }

    /// Deletes the conflicts that were resolved more than `resolvedConflictRetention` before the last purge of
    /// tombstones, for all devices; returns whether there were any.
    ///
    /// Both times are the server's, so a device with a wrong clock doesn't delete conflicts early. The time of the last
    /// purge is about that of the last sync and is stored, so the newest time of the server need not be searched for in
    /// all records.
    package func forgetOldConflicts() throws -> Bool {
        // A read-only home can still be read, so this is no error.
        if refusal != nil { return false }
        guard let lastPurge = try meta(.purged) else { return false }
        let floor = Timestamp(seconds: lastPurge - Self.resolvedConflictRetention).description
        let ids = try String.fetchAll(
            db,
            sql: """
                SELECT id FROM records
                WHERE \(conflicts) AND fields ->> '$.settled' IS NOT NULL AND modified_at <> '' AND modified_at < ?2
                    AND number NOT IN (SELECT record FROM outbox)
                """, arguments: [space, floor])
        for key in ids.map(ConflictRecord.key) {
            // Not `journal.change`: this is no command of the user, so `undo` must not revive the conflicts.
            try cache.change(key) { try $0?.deleted(at: cache.tick(after: $0?.record), types: types) }
        }
        return !ids.isEmpty
    }

    private var conflicts: String {
        """
        space = ?1 AND collection = 'conflicts' AND deleted = 0
            AND fields ->> '$.collection' IN (\(SQLList.literals(types.collections)))
        """
    }

    private func shownResolved() throws -> Int64 { try meta(.shownResolved) ?? 0 }

    private func count(_ condition: String, _ arguments: StatementArguments) throws -> Int {
        let sql = "SELECT count(*) FROM records WHERE \(conflicts) AND " + condition
        return try Int.fetchOne(db.cachedStatement(sql: sql), arguments: arguments) ?? 0
    }
}
