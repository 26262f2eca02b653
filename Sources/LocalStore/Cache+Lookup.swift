internal import GRDB
public import Records

// MARK: - References

extension Cache {
    /// Whether a record is one that a person names and finds, and not one of the house's own.
    static let isShown =
        "collection NOT IN ('\(ConflictRecord.type.collection)', '\(SavedList.type.collection)')"

    /// The live records whose id begins with `prefix`, at most `limit`; one with that very id comes alone.
    public func keys(prefix: String, limit: Int = 5, space: Int64 = Cache.personal) throws -> [RecordKey] {
        let exact = try keys("id = ?", [prefix, space, limit])
        if !exact.isEmpty || prefix.isEmpty { return exact }
        // Ids are ASCII; U+007F sorts after all of them.
        return try keys("id >= ? AND id < ?", [prefix, prefix + "\u{7F}", space, limit])
    }

    private func keys(_ condition: String, _ arguments: StatementArguments) throws -> [RecordKey] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT collection, id FROM records WHERE \(condition) AND space = ? AND deleted = 0
                    AND \(Self.isShown) ORDER BY id LIMIT ?
                """)
        return try Row.fetchAll(statement, arguments: arguments).map {
            RecordKey(collection: $0["collection"], id: $0["id"])
        }
    }

    /// The shortest prefix of `id` that no other record shares: at least four characters, and never digits alone, which
    /// would read as a number of a list.
    public func shortPrefix(of id: String) throws -> String {
        let lower = try db.cachedStatement(sql: "SELECT max(id) FROM records WHERE id < ?")
        let upper = try db.cachedStatement(sql: "SELECT min(id) FROM records WHERE id > ?")
        let neighbours = try [lower, upper].compactMap { try String.fetchOne($0, arguments: [id]) }
        let shared = neighbours.map { zip($0.utf8, id.utf8).prefix { $0 == $1 }.count }.max() ?? 0
        var prefix = id.prefix(max(shared + 1, 4))
        while prefix.allSatisfy(\.isNumber), prefix.count < id.count { prefix = id.prefix(prefix.count + 1) }
        return String(prefix)
    }
}

// MARK: - Listings

extension Cache {
    /// How many terminals' lists are kept.
    public static let keptListings = 100

    /// Keeps the list that a terminal shows now; number 1 is the first.
    public func remember(_ keys: [RecordKey], terminal: String) throws {
        let ids = JSONValue.array(keys.map { .array([.string($0.collection), .string($0.id)]) })
        // A replaced row gets the highest number, so that the numbers tell which was shown last.
        try execute("INSERT OR REPLACE INTO listings (terminal, ids) VALUES (?, ?)", [terminal, ids.text])
        try execute(
            "DELETE FROM listings WHERE number NOT IN (SELECT number FROM listings ORDER BY number DESC LIMIT ?)",
            [Self.keptListings])
    }

    /// The list that was shown last on a terminal.
    public func listing(terminal: String) throws -> [RecordKey] {
        let statement = try db.cachedStatement(sql: "SELECT ids FROM listings WHERE terminal = ?")
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
