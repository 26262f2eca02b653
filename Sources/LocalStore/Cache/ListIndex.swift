internal import Foundation
internal import GRDB
package import Records

/// The index of the list without a filter, so that a list reads only the records that it shows. It also finds the records
/// that refer to others.
///
/// Records that were changed are noted by triggers, and `update` indexes them.
package struct ListIndex: CacheFacet {
    let cache: Cache
}

extension Cache {
    /// The index of the list without a filter.
    package var listIndex: ListIndex { ListIndex(cache: self) }
}

extension ListIndex {
    /// The number of records that one call of `update` indexes, so that other processes can write in between.
    package static let batch = 2_000

    /// Returns whether the index contains the present places of all records.
    package func isUpToDate(_ places: ListPlaces) throws -> Bool {
        guard try isValid(places) else { return false }
        return try Bool.fetchOne(db.cachedStatement(sql: "SELECT NOT EXISTS (SELECT 1 FROM list_stale)")) ?? false
    }

    /// Returns whether the indexed places are those of these types and this time zone.
    package func isValid(_ places: ListPlaces) throws -> Bool { try meta(.listPlaces) == places.signature }

    /// Indexes records that were changed since the last call, at most `batch`.
    ///
    /// - Returns: Whether the index is up to date then.
    package func update(_ places: ListPlaces) throws -> Bool {
        if try !isValid(places) {
            try execute("INSERT OR IGNORE INTO list_stale SELECT number FROM records WHERE deleted = 0")
            try setMeta(.listPlaces, places.signature)
        }
        let stale = try db.cachedStatement(
            sql: """
                SELECT s.record, r.collection, r.id, r.fields, r.deleted
                FROM list_stale s LEFT JOIN records r ON r.number = s.record LIMIT ?
                """)
        var places = places
        let (listed, table) = (Set(types.listed), cache.recordTable)
        let rows = try Row.fetchAll(stale, arguments: [Self.batch])
        for row in rows {
            let record: Int64 = row[0]
            let collection: String? = row[1]
            if let collection, listed.contains(collection), row[4] == false {
                let place = places.place(
                    of: QueryRow(collection: collection, id: row[2], fields: try table.fields(row[3])))
                let key: Data? = place.key.map { Data($0) }
                try execute(
                    "INSERT OR REPLACE INTO list_places (record, key, hidden, linked) VALUES (?, ?, ?, ?)",
                    [record, key, place.hiddenUntil, place.isLinked])
            } else {
                try execute("DELETE FROM list_places WHERE record = ?", [record])
            }
            try execute("DELETE FROM list_stale WHERE record = ?", [record])
        }
        return rows.count < Self.batch
    }

    /// The records that the list shows, if the index is up to date.
    private static let shown = "key IS NOT NULL AND (hidden IS NULL OR hidden <= ?)"

    /// Returns the number of records in the list.
    package func count(_ places: ListPlaces) throws -> Int {
        let statement = try db.cachedStatement(sql: "SELECT count(*) FROM list_places WHERE \(Self.shown)")
        return try Int.fetchOne(statement, arguments: [places.now]) ?? 0
    }

    /// Returns the first records of the list, in its order.
    package func keys(_ places: ListPlaces, limit: Int) throws -> [RecordKey] {
        // CROSS JOIN makes SQLite read the index in its order and stop at the limit
        // (sqlite.org/optoverview.html, "Manual Control Of Query Plans Using CROSS JOIN").
        let statement = try db.cachedStatement(
            sql: """
                SELECT r.collection, r.id FROM list_places p CROSS JOIN records r ON r.number = p.record
                WHERE \(Self.shown) AND r.space = ? ORDER BY p.key, p.record LIMIT ?
                """)
        return try Row.fetchAll(statement, arguments: [places.now, space, limit]).map {
            RecordKey(collection: $0[0], id: $0[1])
        }
    }
}
