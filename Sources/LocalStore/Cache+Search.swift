internal import GRDB
public import Records

extension Cache {
    /// How much a word weighs in the title, in the tags and the project, in the rest.
    private static let weights = "8.0, 4.0, 1.0"

    /// The records in which every word occurs (as a prefix, without regard to case and accents), best first. Several words in
    /// one text must follow each other.
    ///
    /// Records changed since the last search are indexed first, so this is a write.
    public func search(_ words: [String], limit: Int, space: Int64 = Cache.personal) throws -> [RecordKey] {
        try index()
        // A string in FTS5's grammar; U+0000 would end it.
        let terms = words.map { "\"" + $0.replacing("\"", with: "\"\"").replacing("\u{0}", with: " ") + "\"*" }
        if terms.isEmpty { return [] }
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT r.collection, r.id FROM search JOIN records r ON r.number = search.rowid
                WHERE search MATCH ? AND r.space = ? AND \(Self.isShown)
                ORDER BY bm25(search, \(Self.weights)), r.id LIMIT ?
                """, arguments: [terms.joined(separator: " "), space, limit])
        return rows.map { RecordKey(collection: $0["collection"], id: $0["id"]) }
    }

    private func index() throws {
        try execute("DELETE FROM search WHERE rowid IN (SELECT record FROM search_stale)")
        try execute(
            """
            INSERT INTO search (rowid, title, labels, body)
            SELECT number, fields ->> '$.title',
                (SELECT group_concat(value, char(10)) FROM json_tree(fields) WHERE type = 'text' AND \(Self.isLabel)),
                (SELECT group_concat(value, char(10)) FROM json_tree(fields)
                    WHERE type = 'text' AND fullkey <> '$.title' AND NOT \(Self.isLabel) AND NOT \(Self.isNoProse))
            FROM records WHERE deleted = 0 AND number IN (SELECT record FROM search_stale)
            """)
        try execute("DELETE FROM search_stale")
    }

    private static let isLabel = "(fullkey = '$.project' OR path = '$.tags')"

    /// What nobody would look for by its words: moments, a status, an import's marks.
    private static let isNoProse = """
        (fullkey IN ('$.status', '$.priority') OR path = '$.\(Record.importMarkField)'
            OR value GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:*Z')
        """
}
