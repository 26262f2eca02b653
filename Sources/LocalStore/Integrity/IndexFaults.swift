internal import Foundation
internal import GRDB
internal import Records

// The checks of the two indexes that can be computed from the records: words and places in the list. Changed records that
// the next search or list indexes aren't faults.
extension CacheIntegrity {
    /// Compares the index of words with the records.
    func searchFault() throws -> CacheFault? {
        // This command of FTS5 has the form of an INSERT and writes nothing (sqlite.org/fts5.html, "The
        // 'integrity-check' Command"). It compares the words of the index with its texts.
        do { try db.execute(sql: "INSERT INTO search (search) VALUES ('integrity-check')") } catch let error
            as DatabaseError
            where error.resultCode == .SQLITE_CORRUPT
        {
            return CacheFault(.wrongSearchIndex, detail: error.message)
        }
        let words = cache.index.words
        // Fields that aren't JSON are a fault of their own.
        let differing = """
            SELECT r.number FROM
                (\(words.sql) WHERE deleted = 0 AND number NOT IN search_stale AND json_valid(fields)) r
                JOIN search s ON s.rowid = r.number
            WHERE r.title IS NOT s.title OR r.labels IS NOT s.labels OR r.body IS NOT s.body
            """
        return try counted(
            .wrongSearchIndex,
            """
            (SELECT number FROM records WHERE deleted = 0 AND number NOT IN search_stale
                EXCEPT SELECT rowid FROM search
             UNION ALL
             SELECT * FROM (SELECT rowid FROM search EXCEPT SELECT number FROM records WHERE deleted = 0)
                WHERE rowid NOT IN search_stale
             UNION ALL
             \(differing))
            """, StatementArguments(words.arguments))
    }

    /// Compares the index of the list with the records.
    func listFault() throws -> CacheFault? {
        // With other types, the next list indexes all records.
        let types = ListPlaces.signature(of: types)
        guard let signature = try meta(.listPlaces) else { return try listRowsFault(differing: 0) }
        guard signature.hasSuffix(types) else { return nil }
        // The signature begins with the time zone in which the places were computed.
        let zone = TimeZone(identifier: String(signature.dropLast(types.count + 1)))
        return try listRowsFault(differing: zone.map { try differingPlaces(in: $0) } ?? 0)
    }

    private func listRowsFault(differing: Int) throws -> CacheFault? {
        let listed =
            "SELECT number FROM records WHERE deleted = 0 AND collection IN (\(SQLList.literals(types.listed)))"
        var fault = try counted(
            .wrongListIndex,
            """
            (SELECT * FROM (\(listed) EXCEPT SELECT record FROM list_places) WHERE number NOT IN list_stale
             UNION ALL
             SELECT * FROM (SELECT record FROM list_places EXCEPT \(listed)) WHERE record NOT IN list_stale)
            """)
        if differing > 0 { fault = CacheFault(.wrongListIndex, count: differing + (fault?.count ?? 0)) }
        return fault
    }

    /// Returns the number of records whose stored place isn't the one that their fields give.
    private func differingPlaces(in zone: TimeZone) throws -> Int {
        let dates = DateExpression.Context(now: Date(timeIntervalSince1970: 0), calendar: LocalTime.calendar(in: zone))
        var places = ListPlaces(types, dates: dates)
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT r.collection, r.id, r.fields, r.space, p.space, p.key, p.hidden, p.linked
                FROM list_places p JOIN records r ON r.number = p.record
                WHERE r.deleted = 0 AND p.record NOT IN list_stale
                    AND r.collection IN (\(SQLList.literals(types.listed)))
                """)
        var count = 0
        while let row = try rows.next() {
            // Fields that can't be read are a fault of their own.
            guard let fields = try? cache.recordTable.fields(row[2]) else { continue }
            let place = places.place(of: QueryRow(collection: row[0], id: row[1], fields: fields))
            let stored = ListPlaces.Place(
                key: (row[5] as Data?).map { Array($0) }, hiddenUntil: row[6], links: .init(rawValue: row[7]))
            if place != stored || row[3] as Int64 != row[4] as Int64 { count += 1 }
        }
        return count
    }
}
