package import Records

/// A condition that the database checks, so that other records are neither read nor parsed. It may hold for more records
/// than are meant: the caller checks the parsed fields.
package enum RowCondition: Sendable {
    /// The fields contain this text, such as the id of a record to which they refer.
    case mentioning(String)
    /// One of these fields has a value.
    case having(fields: [String])
    /// The labels, such as tags and projects, contain a word of each list. A word has only ASCII letters and digits, `-`,
    /// `_` and `.`, and case is ignored. Records that were changed since the last search are all returned.
    case labelled([[String]])
    /// The record refers to others there, and its fields contain this text if one is given. The index of the list must be
    /// valid.
    case linked(in: ListPlaces.Links, mentioning: String? = nil)
    /// The id is one of these.
    case ids([String])

    /// Whether the records are found by an index other than the row numbers.
    var usesIndex: Bool {
        switch self {
        case .ids: true
        case .mentioning, .having, .labelled, .linked: false
        }
    }

    /// The condition as SQL, which continues a WHERE clause, and its arguments.
    var sql: (String, [String]) {
        switch self {
        case .mentioning(let text): return ("AND instr(fields, ?)", [text])
        case .having(let fields):
            // A name could be written with escapes (RFC 8259, section 7).
            let tests = fields.map { _ in "instr(fields, ?)" } + ["instr(fields, '\\u')"]
            return ("AND (\(tests.joined(separator: " OR ")))", fields.map { "\"\($0)\"" })
        case .labelled(let lists):
            let indexed = """
                AND number IN (
                    SELECT rowid FROM search WHERE search MATCH ? UNION ALL SELECT record FROM search_stale)
                """
            let queries = lists.map { words in
                "labels : (" + words.map { "\"\($0)\"" }.joined(separator: " OR ") + ")"
            }
            return (queries.map { _ in indexed }.joined(separator: " "), queries)
        case .linked(let places, let text):
            // `linked` alone, too: so the index of such records is used.
            let numbers = """
                SELECT record FROM list_places WHERE linked AND linked & \(places.rawValue) UNION ALL SELECT record FROM list_stale
                """
            let mention = text == nil ? "" : " AND instr(fields, ?)"
            return ("AND number IN (\(numbers))" + mention, text.map { [$0] } ?? [])
        case .ids(let ids):
            return (
                "AND id IN (SELECT value FROM json_each(?))", [JSONValue.array(ids.map { .string($0) }).text]
            )
        }
    }
}
