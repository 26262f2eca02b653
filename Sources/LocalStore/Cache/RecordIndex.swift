internal import GRDB
package import Records

/// The lookup of records by the beginning of an id, by words and by the numbers of lists.
package struct RecordIndex: CacheFacet {
    let cache: Cache
}

// MARK: - References

extension RecordIndex {
    /// A condition of SQL: the record is of a type that the program declares and lists.
    private var isShown: String { "collection IN (\(SQLList.literals(types.listed)))" }

    /// Returns the live records whose id begins with `prefix`, at most `limit`. A record with exactly that id is
    /// returned alone.
    package func keys(prefix: String, limit: Int = 5) throws -> [RecordKey] {
        let exact = try keys("id = ?", [prefix, space, limit])
        if !exact.isEmpty || prefix.isEmpty { return exact }
        // A range can use the index of ids, LIKE can't. Ids are ASCII; U+007F sorts after all their characters.
        return try keys("id >= ? AND id < ?", [prefix, prefix + "\u{7F}", space, limit])
    }

    private func keys(_ condition: String, _ arguments: StatementArguments) throws -> [RecordKey] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT collection, id FROM records WHERE \(condition) AND space = ? AND deleted = 0
                    AND \(isShown) ORDER BY id LIMIT ?
                """)
        return try Row.fetchAll(statement, arguments: arguments).map {
            RecordKey(collection: $0["collection"], id: $0["id"])
        }
    }

    /// Returns the live records whose title contains a text, at most `limit`; the case of ASCII letters is ignored.
    /// Unlike `search`, it reads all titles and writes nothing.
    package func keys(
        titleContaining text: String, limit: Int
    ) throws -> [RecordKey] {
        // The backslash comes first: otherwise the backslashes before % and _ would be escaped again.
        let pattern = ["\\", "%", "_"].reduce(text) { $0.replacing($1, with: "\\" + $1) }
        // Reads the table in its order. With an index in the order of ids, the search could end at the limit; but usually
        // there are fewer matches, and then all titles would be read at random places.
        let statement = try db.cachedStatement(
            sql: """
                SELECT collection, id FROM records NOT INDEXED
                WHERE space = ? AND deleted = 0 AND \(isShown) AND fields ->> '$.title' LIKE ? ESCAPE '\\'
                ORDER BY id LIMIT ?
                """)
        return try Row.fetchAll(statement, arguments: [space, "%" + pattern + "%", limit]).map {
            RecordKey(collection: $0["collection"], id: $0["id"])
        }
    }
}

// MARK: - Listings

extension RecordIndex {
    /// The number of terminals whose lists are kept.
    package static let keptListings = 100

    /// Stores the list that a terminal shows; its first record has number 1.
    package func remember(_ keys: [RecordKey], terminal: String) throws {
        let ids = JSONValue.array(keys.map { .array([.string($0.collection), .string($0.id)]) })
        // REPLACE inserts the row with the highest number, so the numbers are in the order in which lists were shown.
        try execute("INSERT OR REPLACE INTO listings (terminal, ids) VALUES (?, ?)", [terminal, ids.text])
        try execute(
            "DELETE FROM listings WHERE number NOT IN (SELECT number FROM listings ORDER BY number DESC LIMIT ?)",
            [Self.keptListings])
    }

    /// Returns the list that was shown last on a terminal.
    package func listing(terminal: String) throws -> [RecordKey] {
        let statement = try db.cachedStatement(sql: "SELECT ids FROM listings WHERE terminal = ?")
        // An unreadable list counts as none: the next list that is shown replaces it.
        guard let text = try String.fetchOne(statement, arguments: [terminal]),
            let rows = try? JSONValue(parsing: text).array
        else { return [] }
        return rows.compactMap { row in
            guard let pair = row.array, pair.count == 2, let collection = pair[0].string, let id = pair[1].string else {
                return nil
            }
            return RecordKey(collection: collection, id: id)
        }
    }
}

// MARK: - Deleted records

extension RecordIndex {
    /// Returns the deleted records whose id begins with `prefix`, at most `limit`. A record with exactly that id is
    /// returned alone.
    package func deletedKeys(prefix: String, limit: Int = 5) throws -> [RecordKey] {
        if prefix.isEmpty { return [] }
        let statement = try db.cachedStatement(
            sql: """
                SELECT collection, id FROM records WHERE id >= ? AND id < ? AND space = ? AND deleted = 1
                    AND \(isShown) ORDER BY id LIMIT ?
                """)
        // See `keys(prefix:limit:)`.
        let keys = try Row.fetchAll(statement, arguments: [prefix, prefix + "\u{7F}", space, limit]).map {
            RecordKey(collection: $0["collection"], id: $0["id"])
        }
        return keys.first { $0.id == prefix }.map { [$0] } ?? keys
    }
}

// MARK: - Values in use

extension RecordIndex {
    /// Returns the texts in a field of live records that begin with `beginning`, the most frequent first; of a list,
    /// each of its texts.
    ///
    /// - Parameter field: The name of the field.
    package func textsInUse(in field: String, beginning: String, limit: Int) throws -> [String] {
        // json_each yields a row for each element of a list, and one row for any other value. substr and not LIKE,
        // which has wildcards.
        let statement = try db.cachedStatement(
            sql: """
                SELECT value FROM records, json_each(records.fields, ?)
                WHERE space = ? AND deleted = 0 AND \(isShown) AND json_each.type = 'text' AND substr(value, 1, length(?)) = ?
                GROUP BY value ORDER BY count(*) DESC, value LIMIT ?
                """)
        return try String.fetchAll(statement, arguments: [Self.path(of: field), space, beginning, beginning, limit])
    }
}

// MARK: - Words

extension RecordIndex {
    /// The weights of a word in the columns `title`, `labels` and `body` (sqlite.org/fts5.html, "The bm25() function").
    private static let weights = "8.0, 4.0, 1.0"

    /// Returns the records in which every word occurs, best first. Words are prefixes, and case and accents are
    /// ignored. Several words in one text must follow each other.
    ///
    /// It writes: records that were changed since they were last indexed are indexed first. If there may be many, call
    /// `update` first, in transactions of its own.
    package func search(_ words: [String], limit: Int) throws -> [RecordKey] {
        try index()
        // Quoted strings, so that operators of FTS5's grammar in them have no effect. U+0000 would end the query.
        let terms = words.map { "\"" + $0.replacing("\"", with: "\"\"").replacing("\u{0}", with: " ") + "\"*" }
        if terms.isEmpty { return [] }
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT r.collection, r.id FROM search JOIN records r ON r.number = search.rowid
                WHERE search MATCH ? AND r.space = ? AND \(isShown)
                ORDER BY bm25(search, \(Self.weights)), r.id LIMIT ?
                """, arguments: [terms.joined(separator: " "), space, limit])
        return rows.map { RecordKey(collection: $0["collection"], id: $0["id"]) }
    }

    /// The largest number of records that one call of `update` indexes, so that other processes can write in between.
    package static let batch = 1_000
    /// The time between two batches in which other processes can write: longer than the longest pause of one that waits
    /// for the database (`BusyDatabase`).
    package static let pause = Duration.milliseconds(30)
    /// The largest number of changed records that a search indexes without delay for other processes.
    static let fewRecords = 200

    /// Returns whether more than `fewRecords` changed records are not indexed yet.
    package func isFarBehind() throws -> Bool {
        let statement = try db.cachedStatement(sql: "SELECT 1 FROM search_stale LIMIT 1 OFFSET ?")
        return try Row.fetchOne(statement, arguments: [Self.fewRecords]) != nil
    }

    /// Indexes the words of changed records, at most `batch`.
    ///
    /// - Returns: Whether all changed records are now indexed.
    package func update() throws -> Bool {
        let last = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT record FROM search_stale ORDER BY record LIMIT 1 OFFSET ?"),
            arguments: [Self.batch - 1])
        try index(upTo: last ?? .max)
        return last == nil
    }

    /// Indexes the changed records with numbers up to `last`.
    private func index(upTo last: Int64 = .max) throws {
        try execute("DELETE FROM search WHERE rowid IN (SELECT record FROM search_stale WHERE record <= ?)", [last])
        let words = words
        try execute(
            """
            INSERT INTO search (rowid, title, labels, body)
            \(words.sql) WHERE deleted = 0 AND number IN (SELECT record FROM search_stale WHERE record <= ?)
            """, words.arguments + [last as (any DatabaseValueConvertible)?])
        try execute("DELETE FROM search_stale WHERE record <= ?", [last])
    }

    /// The query of the numbers and the indexed texts `title`, `labels` and `body` of records. Sets and paths are labels.
    /// Choices, moments and what the program records are not indexed, since users don't search for their words.
    var words: (sql: String, arguments: [(any DatabaseValueConvertible)?]) {
        let labels = types.catalog.fields.filter(\.isLabel).map(\.name)
        let notInBody = types.catalog.fields.filter { !$0.isSearched }.map(\.name) + ["title"] + labels
        // The texts of a value. Only arrays and objects are read with json_tree, which is slower than json_each. The
        // pattern is that of moments (RFC 3339 in UTC), which may also be in fields that the program doesn't declare.
        let texts = """
            group_concat(
                CASE f.type WHEN 'text' THEN f.value
                ELSE (SELECT group_concat(atom, char(10)) FROM json_tree(f.value)
                    WHERE type = 'text' AND NOT (atom GLOB \(Self.moment))) END, char(10))
            """
        let sql = """
            SELECT number, fields ->> '$.title' AS title,
                (SELECT \(texts) FROM json_each(fields) f
                    WHERE f.type IN ('text', 'array', 'object') AND key IN (\(SQLList.placeholders(labels.count))))
                    AS labels,
                (SELECT \(texts) FROM json_each(fields) f
                    WHERE f.type IN ('text', 'array', 'object') AND key NOT IN (\(SQLList.placeholders(notInBody.count)))
                        AND NOT (f.type = 'text' AND f.value GLOB \(Self.moment))) AS body
            FROM records
            """
        return (sql, labels + notInBody)
    }

    private static let moment = "'[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:*Z'"

    /// Returns the path of a field as `json_tree` names it (sqlite.org/json1.html, "Path arguments").
    private static func path(of field: String) -> String {
        let isPlain =
            field.first.map { $0.isASCII && $0.isLetter } ?? false
            && field.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return isPlain ? "$." + field : "$.\"\(field)\""
    }
}
