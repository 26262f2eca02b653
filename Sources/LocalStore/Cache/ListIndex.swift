internal import Foundation
internal import GRDB
package import Records

/// The index of the list without a filter, so that a list reads only the records that it shows. It also finds the records
/// that refer to others.
///
/// Triggers record the changed rows in `list_stale`; `update` indexes them.
package struct ListIndex: CacheFacet {
    let cache: Cache
}

extension Cache {
    /// The index of the list without a filter.
    package var listIndex: ListIndex { ListIndex(cache: self) }
}

extension ListIndex {
    /// Returns whether the index contains the current places of all records.
    package func isUpToDate(_ places: ListPlaces) throws -> Bool {
        guard try isValid(places) else { return false }
        return try Bool.fetchOne(db.cachedStatement(sql: "SELECT NOT EXISTS (SELECT 1 FROM list_stale)")) ?? false
    }

    /// Returns whether more than `RecordIndex.fewRecords` changed records are not indexed yet.
    package func isFarBehind() throws -> Bool {
        let statement = try db.cachedStatement(sql: "SELECT 1 FROM list_stale LIMIT 1 OFFSET ?")
        return try Row.fetchOne(statement, arguments: [RecordIndex.fewRecords]) != nil
    }

    /// Returns whether the index was computed by these rules. Changed records may still be in `list_stale`.
    package func isValid(_ places: ListPlaces) throws -> Bool { try meta(.listPlaces) == places.signature }

    /// Makes all records be indexed again by these rules, unless the index was computed by them.
    package func begin(_ places: ListPlaces) throws {
        if try isValid(places) { return }
        // Before the first rules, the triggers have recorded all of them.
        if try meta(.listPlaces) != nil {
            try execute("INSERT OR IGNORE INTO list_stale SELECT number FROM records WHERE deleted = 0")
        }
        try setMeta(.listPlaces, places.signature)
    }

    /// Indexes changed records, at most `RecordIndex.batch`.
    ///
    /// - Returns: Whether all changed records are now indexed, or another process has begun to index by other rules.
    package func update(_ places: ListPlaces) throws -> Bool {
        guard try isValid(places) else { return true }
        let stale = try db.cachedStatement(
            sql: """
                SELECT s.record, r.collection, r.id, r.fields, r.deleted, r.space
                FROM list_stale s LEFT JOIN records r ON r.number = s.record LIMIT ?
                """)
        var places = places
        let (listed, table) = (Set(types.listed), cache.recordTable)
        let rows = try Row.fetchAll(stale, arguments: [RecordIndex.batch])
        for row in rows {
            let record: Int64 = row[0]
            let collection: String? = row[1]
            if let collection, listed.contains(collection), row[4] == false {
                let place = places.place(
                    of: QueryRow(collection: collection, id: row[2], fields: try table.fields(row[3])))
                let key: Data? = place.key.map { Data($0) }
                try execute(
                    "INSERT OR REPLACE INTO list_places (record, space, key, hidden, linked) VALUES (?, ?, ?, ?, ?)",
                    [record, row[5] as Int64, key, place.hiddenUntil, place.links.rawValue])
            } else {
                try execute("DELETE FROM list_places WHERE record = ?", [record])
            }
            try execute("DELETE FROM list_stale WHERE record = ?", [record])
        }
        return rows.count < RecordIndex.batch
    }

    /// A condition of SQL: the list shows the record at a time.
    private static let shown = "p.space = ? AND p.key IS NOT NULL AND (p.hidden IS NULL OR p.hidden <= ?)"

    /// Returns the number of records in the list.
    package func count(_ places: ListPlaces) throws -> Int {
        let statement = try db.cachedStatement(sql: "SELECT count(*) FROM list_places p WHERE \(Self.shown)")
        return try Int.fetchOne(statement, arguments: [space, places.now]) ?? 0
    }

    /// Returns the first records of the list, in its order.
    package func keys(_ places: ListPlaces, limit: Int) throws -> [RecordKey] {
        // CROSS JOIN makes SQLite read the index in its order and stop at the limit
        // (sqlite.org/optoverview.html, "Manual Control Of Query Plans Using CROSS JOIN").
        let statement = try db.cachedStatement(
            sql: """
                SELECT r.collection, r.id FROM list_places p CROSS JOIN records r ON r.number = p.record
                WHERE \(Self.shown) ORDER BY p.key, p.record LIMIT ?
                """)
        return try Row.fetchAll(statement, arguments: [space, places.now, limit]).map(Self.key)
    }

    /// Returns the records of the list that have one of these ids, in its order.
    package func keys(_ places: ListPlaces, among ids: Set<String>) throws -> [RecordKey] {
        // CROSS JOIN makes SQLite begin with the ids; otherwise it reads the whole index in its order.
        let statement = try db.cachedStatement(
            sql: """
                SELECT r.collection, r.id FROM json_each(?) i CROSS JOIN records r ON r.id = i.value
                    CROSS JOIN list_places p ON p.record = r.number
                WHERE \(Self.shown) ORDER BY p.key, p.record
                """)
        let list = JSONValue.array(ids.map { .string($0) }).text
        return try Row.fetchAll(statement, arguments: [list, space, places.now]).map(Self.key)
    }

    private static func key(_ row: Row) -> RecordKey { RecordKey(collection: row[0], id: row[1]) }
}
