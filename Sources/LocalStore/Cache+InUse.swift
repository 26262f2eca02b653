internal import GRDB

// MARK: - Values in use

extension Cache {
    /// The texts that stand in a field of live records and begin so, those used most first; of a list each of its texts.
    ///
    /// - Parameter path: The field, in SQLite's JSON paths: `$.tags`.
    public func textsInUse(
        at path: String, beginning: String, limit: Int, space: Int64 = Cache.personal
    ) throws -> [String] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT value FROM records, json_each(records.fields, ?)
                WHERE space = ? AND deleted = 0 AND json_each.type = 'text' AND substr(value, 1, length(?)) = ?
                GROUP BY value ORDER BY count(*) DESC, value LIMIT ?
                """)
        return try String.fetchAll(statement, arguments: [path, space, beginning, beginning, limit])
    }
}
