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

    /// Indexes what changed since the last search. Sets and paths are labels; choices, moments and what the program
    /// remembers are not indexed, because people don't search for their words.
    private func index() throws {
        let labels = types.catalog.fields.filter(\.isLabel)
        let isLabel = "(fullkey IN (\(Self.marks(labels.count))) OR path IN (\(Self.marks(labels.count))))"
        let paths = labels.map { Self.path(of: $0.name) }
        let unsearched = types.catalog.fields.filter { !$0.isSearched }.map { Self.path(of: $0.name) }
        let isUnsearched = """
            (fullkey IN (\(Self.marks(unsearched.count))) OR path IN (\(Self.marks(unsearched.count)))
                OR value GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:*Z')
            """
        try execute("DELETE FROM search WHERE rowid IN (SELECT record FROM search_stale)")
        try execute(
            """
            INSERT INTO search (rowid, title, labels, body)
            SELECT number, fields ->> '$.title',
                (SELECT group_concat(value, char(10)) FROM json_tree(fields) WHERE type = 'text' AND \(isLabel)),
                (SELECT group_concat(value, char(10)) FROM json_tree(fields)
                    WHERE type = 'text' AND fullkey <> '$.title' AND NOT \(isLabel) AND NOT \(isUnsearched))
            FROM records WHERE deleted = 0 AND number IN (SELECT record FROM search_stale)
            """, paths + paths + paths + paths + unsearched + unsearched)
        try execute("DELETE FROM search_stale")
    }

    /// The path of a field as `json_tree` names it (sqlite.org/json1.html, "Path arguments").
    private static func path(of field: String) -> String {
        let isPlain =
            field.first.map { $0.isASCII && $0.isLetter } ?? false
            && field.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return isPlain ? "$." + field : "$.\"\(field)\""
    }
}
