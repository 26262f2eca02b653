internal import GRDB
internal import Records

/// The tables, indexes and triggers of a cache that a damaged or foreign write has removed, and that can be created again:
/// all but the records and what is unsent (`essential`), without which a file is put aside.
struct MissingTables {
    /// The tables that can't be created again without losing records or edits.
    static let essential: Set = ["meta", "spaces", "records", "mirrors", "outbox", "batches"]

    /// The other tables, indexes and triggers of the present version, in the order of their creation.
    static let others = [
        "records_by_id", "seen", "former", "listings", "search_stale", "search_inserted", "search_updated",
        "search_deleted", "journal", "journal_changes", "devices", "search", "search_data", "search_idx",
        "search_content", "search_docsize", "search_config", "oversized", "list_places", "list_places_by_key",
        "list_places_linked", "list_stale", "list_inserted", "list_updated", "outbox_by_at", "outbox_sent",
        "tombstones",
    ]

    /// The missing ones, in the order of their creation.
    let names: [String]

    init(_ cache: Cache) throws {
        let present = try Self.names(in: cache)
        names = Self.others.filter { !present.contains($0) }
    }

    /// Returns the names of all tables, indexes and triggers, but for the indexes that SQLite creates itself.
    static func names(in cache: Cache) throws -> Set<String> {
        try String.fetchSet(cache.db, sql: "SELECT name FROM sqlite_schema WHERE sql IS NOT NULL")
    }

    /// Creates the missing ones. Both indexes are computed again, since their triggers may have been missing.
    func create(in cache: Cache) throws {
        if names.contains("search") {
            // SQLite couldn't create the index next to tables of the former one.
            for name in Self.others where name.hasPrefix("search_") && !names.contains(name) {
                guard try String.fetchOne(cache.db, sql: Self.kind, arguments: [name]) == "table" else { continue }
                if name != "search_stale" { try cache.execute("DROP TABLE \(name.quotedDatabaseIdentifier)") }
            }
        }
        let template = try DatabaseQueue()
        try Schema.migrator.migrate(template)
        for name in Self.others {
            // Creating the index of words creates tables of its own.
            if try Self.names(in: cache).contains(name) { continue }
            let sql = try template.read { db in
                try String.fetchOne(db, sql: "SELECT sql FROM sqlite_schema WHERE name = ?", arguments: [name])
            }
            if let sql { try cache.db.execute(sql: sql) }
        }
        // The changes of entries that are gone.
        if names.contains("journal") { try cache.execute("DELETE FROM journal_changes") }
        // The version of the format and the structure of an empty index, without which SQLite doesn't open the index, not
        // even to remove it.
        for (name, columns) in [("search_config", "k, v"), ("search_data", "id, block")] where names.contains(name) {
            for row in try template.read({ try Row.fetchAll($0, sql: "SELECT \(columns) FROM \(name)") }) {
                try cache.db.execute(
                    sql: "INSERT OR IGNORE INTO \(name) VALUES (?, ?)",
                    arguments: StatementArguments(row.databaseValues))
            }
        }
        try cache.integrity.repair([.wrongSearchIndex, .wrongListIndex])
        try cache.settings.add(
            notice:
                "Parts of the cache were missing (\(names.joined(separator: ", "))) and were created again. No record "
                + "is missing.")
    }

    private static let kind = "SELECT type FROM sqlite_schema WHERE name = ?"
}
