internal import GRDB
internal import Records

/// The conflicts in numbers, and how long they are kept: those of records whose types the program declares. SQLite counts them,
/// since their values may be long.
package struct ConflictCounts: CacheFacet {
    let cache: Cache
}

extension ConflictCounts {
    /// How many days a settled conflict keeps its values: as long as a server keeps tombstones, by default.
    package static let settledConflictDays = 90

    /// How many conflicts are open.
    package func openConflicts() throws -> Int {
        try count("fields ->> '$.settled' IS NULL", [space])
    }

    /// How many conflicts with an edit of this device another one has settled since `sawSettledConflicts`.
    package func conflictsSettledElsewhere() throws -> Int {
        try conflictsSettledElsewhere(since: seenSettled())
    }

    /// How many of them no call of this has returned yet.
    package func removeConflictsResolvedElsewhere() throws -> Int {
        let reported = try meta(.reportedResolved) ?? 0
        let count = try conflictsSettledElsewhere(since: max(reported, seenSettled()))
        if count > 0, let newest = try newestSettled() {
            try setMeta(.reportedResolved, newest)
        }
        return count
    }

    private func conflictsSettledElsewhere(since version: Int64) throws -> Int {
        // A clock is 18 characters of time and count, then the device.
        guard let mine = try meta(.device) else { return 0 }
        return try count(
            """
            fields ->> '$.settled' IS NOT NULL AND version > ? AND substr(clock ->> '$.settled', 19) <> ?
                AND ? IN (substr(fields ->> '$.earlier.clock', 19), substr(fields ->> '$.later.clock', 19))
            """, [space, version, mine, mine])
    }

    /// Notes that the settled conflicts were shown.
    package func sawSettledConflicts() throws {
        guard let newest = try newestSettled(), try newest > seenSettled() else { return }
        try setMeta(.shownResolved, newest)
    }

    private func newestSettled() throws -> Int64? {
        try Int64.fetchOne(
            db,
            sql: "SELECT max(version) FROM records WHERE \(conflicts) AND fields ->> '$.settled' IS NOT NULL",
            arguments: [space])
    }

    /// Deletes the conflicts that were settled long ago, for all devices.
    ///
    /// Their age is measured by the server's clock alone, between that change and the newest one that is known here: a
    /// device with a wrong clock doesn't delete conflicts early.
    package func forgetOldConflicts() throws {
        // A home that can't be written is still read.
        if refusal != nil { return }
        let ids = try String.fetchAll(
            db,
            sql: """
                SELECT id FROM records
                WHERE \(conflicts) AND fields ->> '$.settled' IS NOT NULL AND modified_at <> ''
                    AND number NOT IN (SELECT record FROM outbox) AND julianday(modified_at) <
                        (SELECT julianday(max(modified_at)) FROM records WHERE space = ?1) - ?2
                """, arguments: [space, Self.settledConflictDays])
        for key in ids.map(ConflictRecord.key) {
            // Housekeeping is no command of the person: `undo` doesn't know it.
            try cache.change(key) { try $0?.deleted(at: cache.tick(after: $0?.record), types: types) }
        }
    }

    private var conflicts: String {
        """
        space = ?1 AND collection = 'conflicts' AND deleted = 0
            AND fields ->> '$.collection' IN (\(Cache.literals(types.collections)))
        """
    }

    private func seenSettled() throws -> Int64 { try meta(.shownResolved) ?? 0 }

    private func count(_ condition: String, _ arguments: StatementArguments) throws -> Int {
        let sql = "SELECT count(*) FROM records WHERE \(conflicts) AND " + condition
        return try Int.fetchOne(db.cachedStatement(sql: sql), arguments: arguments) ?? 0
    }
}
