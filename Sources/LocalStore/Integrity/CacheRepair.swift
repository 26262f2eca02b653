internal import GRDB
internal import Records
internal import struct Records.Record

// Repairs what a cache can repair without the server. If it is unknown whether an edit was sent, it counts as unsent:
// sent twice, it merges with itself; never sent, it would be lost.
extension CacheIntegrity {
    /// Repairs faults of these kinds in this transaction; those that need a new file are left.
    func repair(_ kinds: Set<CacheFault.Kind>) throws {
        // In the order of the cases, since a repair relies on those before it.
        for kind in CacheFault.Kind.allCases where kinds.contains(kind) { try repair(kind) }
        // A repair may have changed the records.
        try execute(
            "UPDATE spaces SET digest = ? WHERE number = ?", [try cache.replica.countedDigest().description, space])
    }

    private func repair(_ kind: CacheFault.Kind) throws {
        switch kind {
        // Needs a new file, see `LocalStore.rebuild`.
        case .unreadablePages: break
        case .brokenIndex: try execute("REINDEX")
        case .brokenSpace: try repairSpace()
        case .danglingReferences: try dropDangling()
        case .unreadableRecords: for number in try unreadable().records { try repairRecord(number) }
        case .unreadableMirrors:
            for number in try unreadable().mirrors { try execute("DELETE FROM mirrors WHERE record = ?", [number]) }
        case .unreadableEntries:
            for number in try unreadable().entries {
                try execute("UPDATE outbox SET at = ? WHERE record = ?", [try cache.tick().description, number])
            }
        case .strayMirrors: try sendAgain("SELECT record FROM mirrors WHERE record NOT IN (SELECT record FROM outbox)")
        case .lostEntries:
            try sendAgain("SELECT number FROM records WHERE version = 0 AND number NOT IN (SELECT record FROM outbox)")
        case .impossibleCounts:
            // One more than was sent, so that all of it is sent again.
            try execute("UPDATE outbox SET edits = max(coalesce(sent, 0), 0) + 1 WHERE edits < 1 OR sent > edits")
        // What the server has applied of the batch merges with itself.
        case .brokenBatch: try cache.outbox.endSending()
        case .strayReadMarks:
            try execute("DELETE FROM seen")
            try execute("DELETE FROM former")
        // Computed again at the end in any case.
        case .wrongDigest: break
        case .wrongSearchIndex: try rebuildSearch()
        case .wrongListIndex:
            try execute("DELETE FROM list_places")
            try execute("INSERT OR IGNORE INTO list_stale SELECT number FROM records WHERE deleted = 0")
        }
    }

    private func repairSpace() throws {
        try execute("INSERT OR IGNORE INTO spaces (number, digest) VALUES (?, ?)", [space, SpaceDigest().description])
        // Without cursor and state, the next sync reads everything again.
        try execute(
            "UPDATE spaces SET cursor = NULL, reading = NULL WHERE number = ? AND NOT json_valid(reading)", [space])
    }

    private func dropDangling() throws {
        for row in try Row.fetchAll(db, sql: "PRAGMA foreign_key_check") {
            let (table, number): (String, Int64?) = (row["table"], row["rowid"])
            // A record refers only to its space, which `repairSpace` has restored before.
            guard let number, table != "records" else { continue }
            try db.execute(literal: "DELETE FROM \(sql: table.quotedDatabaseIdentifier) WHERE rowid = \(number)")
        }
    }

    /// Repairs a record that can't be read: keeps its unsent fields if they are readable, else restores the server's
    /// last known state, else removes the record, since the server sends it again.
    private func repairRecord(_ number: Int64) throws {
        let row = try Row.fetchOne(
            db,
            sql:
                "SELECT fields, record IS NOT NULL AS pending FROM records LEFT JOIN outbox ON record = number WHERE number = ?",
            arguments: [number])
        guard let row else { return }
        let fields: String = row["fields"]
        if row["pending"], let parsed = try? JSONValue(parsing: fields), parsed.object != nil {
            // Its clocks may be unreadable, so the fields count as edited now.
            let clock = FieldClocks(all: try cache.tick()).json.text
            try execute(
                "UPDATE records SET clock = ?, version = max(version, 0), deleted = deleted <> 0 WHERE number = ?",
                [clock, number])
        } else {
            try restoreFromMirror(number)
        }
        // For example, its name is invalid.
        if try unreadable().records.contains(number) { try execute("DELETE FROM records WHERE number = ?", [number]) }
    }

    private func restoreFromMirror(_ number: Int64) throws {
        try execute(
            """
            UPDATE records SET version = m.version, deleted = m.deleted, modified_at = m.modified_at,
                modified_by = m.modified_by, fields = m.fields, clock = m.clock
            FROM mirrors m WHERE m.record = number AND number = ? AND m.version > 0
            """, [number])
        try execute("DELETE FROM outbox WHERE record = ?", [number])
        try execute("DELETE FROM mirrors WHERE record = ?", [number])
    }

    /// Adds records to the outbox again, with the clock of their last edit.
    ///
    /// - Parameter numbers: A query of their row numbers.
    private func sendAgain(_ numbers: String) throws {
        for number in try Int64.fetchAll(db, sql: numbers) {
            let text = try String.fetchOne(db, sql: "SELECT clock FROM records WHERE number = ?", arguments: [number])
            // An unreadable clock is replaced by the present time.
            let clock = text.flatMap { try? JSONValue(parsing: $0) }.flatMap(FieldClocks.init(json:))
            let at = try clock?.latest ?? cache.tick()
            try execute("INSERT INTO outbox (record, at, edits) VALUES (?, ?, 1)", [number, at.description])
            let key = try Row.fetchOne(
                db, sql: "SELECT collection, id FROM records WHERE number = ?", arguments: [number])
            guard let key else { continue }
            // A record that equals its mirror has nothing to send.
            try cache.change(RecordKey(collection: key[0], id: key[1])) { $0?.tidied() }
        }
    }

    private func rebuildSearch() throws {
        try execute("DROP TABLE search")
        try db.execute(sql: Schema.searchTable)
        try execute("DELETE FROM search_stale")
        try execute("INSERT INTO search_stale SELECT number FROM records WHERE deleted = 0")
    }
}
