internal import GRDB

extension SQLiteServerStore {
    public func faults() async throws -> [String] {
        try await database.read { db in
            // Reports "ok" alone, or up to 100 faults.
            let structure = try String.fetchAll(db, sql: "PRAGMA integrity_check").filter { $0 != "ok" }
            let references = try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").map { row in
                "a row of \(row[0] as String? ?? "?") refers to a missing row of \(row[2] as String? ?? "?")"
            }
            return structure + references + (try Self.miscounts(db))
        }
    }

    /// Returns a description of each number of bytes that differs from what is stored.
    private static func miscounts(_ db: Database) throws -> [String] {
        let spaces = try String.fetchAll(
            db,
            sql: """
                SELECT id FROM spaces WHERE bytes <>
                  (SELECT coalesce(sum(\(ServerSchema.bytes("records"))), 0) FROM records WHERE space = number)
                  + (SELECT coalesce(sum(\(ServerSchema.bytes("revisions"))), 0) FROM revisions WHERE space = number)
                """)
        let accounts = try String.fetchAll(
            db,
            sql: """
                SELECT username FROM accounts WHERE outcome_bytes <>
                  (SELECT coalesce(sum(bytes), 0) FROM outcomes WHERE account = accounts.id)
                """)
        return spaces.map { "the bytes of the space \($0) differ from its records" }
            + accounts.map { "\($0): the bytes of its last results differ from them" }
    }
}
