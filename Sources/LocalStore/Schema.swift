internal import GRDB

/// The cache's tables, and how each version of them came from the one before.
enum Schema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { try $0.execute(sql: version1) }
        migrator.registerMigration("journal") { try $0.execute(sql: journal) }
        migrator.registerMigration("device names") { try $0.execute(sql: deviceNames) }
        migrator.registerMigration("search by columns") { try $0.execute(sql: searchByColumns) }
        migrator.registerMigration("oversized") { try $0.execute(sql: oversized) }
        migrator.registerMigration("journal actor") { try $0.execute(sql: journalActor) }
        return migrator
    }

    /// The records of which the server has a state that is too large to be received: that state's version and size.
    private static let oversized = """
        CREATE TABLE oversized (
            record INTEGER PRIMARY KEY REFERENCES records ON DELETE CASCADE,
            version INTEGER NOT NULL,
            bytes INTEGER NOT NULL
        ) STRICT;
        """

    private static let version1 = """
        CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

        -- `remote`: the space's id on the server, null until a person signs in. `reading`: a full read under way, as JSON.
        CREATE TABLE spaces (
            number INTEGER PRIMARY KEY,
            remote TEXT UNIQUE,
            cursor TEXT,
            digest TEXT NOT NULL,
            reading TEXT
        ) STRICT;

        -- What the person sees. Of a tombstone, `fields` keeps the last live state: the base of a revival.
        CREATE TABLE records (
            number INTEGER PRIMARY KEY,
            space INTEGER NOT NULL REFERENCES spaces,
            collection TEXT NOT NULL,
            id TEXT NOT NULL,
            version INTEGER NOT NULL,
            deleted INTEGER NOT NULL,
            modified_at TEXT NOT NULL,
            modified_by TEXT NOT NULL,
            fields TEXT NOT NULL,
            clock TEXT NOT NULL,
            UNIQUE (space, collection, id)
        ) STRICT;
        CREATE INDEX records_by_id ON records (id);

        -- The server's last state of the records that have unsent edits; all others are their own mirror.
        CREATE TABLE mirrors (
            record INTEGER PRIMARY KEY REFERENCES records ON DELETE CASCADE,
            version INTEGER NOT NULL,
            deleted INTEGER NOT NULL,
            modified_at TEXT NOT NULL,
            modified_by TEXT NOT NULL,
            fields TEXT NOT NULL,
            clock TEXT NOT NULL
        ) STRICT;

        -- Which records have unsent edits. `edits` counts them; `sent` is that count when the batch in flight was made.
        CREATE TABLE outbox (
            record INTEGER PRIMARY KEY REFERENCES records ON DELETE CASCADE,
            at TEXT NOT NULL,
            edits INTEGER NOT NULL,
            sent INTEGER,
            rejection TEXT,
            reason TEXT
        ) STRICT;

        -- The batch in flight: sent again, unchanged, until its final answer is stored.
        CREATE TABLE batches (
            space INTEGER PRIMARY KEY REFERENCES spaces,
            key TEXT NOT NULL,
            since TEXT,
            body TEXT NOT NULL
        ) STRICT;

        -- The records that a full read has met.
        CREATE TABLE seen (record INTEGER PRIMARY KEY REFERENCES records ON DELETE CASCADE) STRICT;

        -- The records of which the server's last state that was seen is of an epoch before its restore from a backup.
        CREATE TABLE former (record INTEGER PRIMARY KEY REFERENCES records ON DELETE CASCADE) STRICT;

        -- The last list shown on each terminal.
        CREATE TABLE listings (number INTEGER PRIMARY KEY, terminal TEXT NOT NULL UNIQUE, ids TEXT NOT NULL) STRICT;

        -- Full text; a record is indexed at the first search after its last change. Symbols (So) are words, so that an
        -- emoji can be found.
        -- (The conflict clause of an outer upsert would override an OR IGNORE in these triggers.)
        CREATE VIRTUAL TABLE search USING fts5(title, rest, tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co So'");
        CREATE TABLE search_stale (record INTEGER PRIMARY KEY) STRICT;
        CREATE TRIGGER search_inserted AFTER INSERT ON records
            BEGIN INSERT INTO search_stale SELECT new.number WHERE new.number NOT IN search_stale; END;
        CREATE TRIGGER search_updated AFTER UPDATE OF fields, deleted ON records
            BEGIN INSERT INTO search_stale SELECT new.number WHERE new.number NOT IN search_stale; END;
        CREATE TRIGGER search_deleted AFTER DELETE ON records
            BEGIN INSERT INTO search_stale SELECT old.number WHERE old.number NOT IN search_stale; END;

        INSERT INTO spaces (number, digest) VALUES (1, '00000000000000000000000000000000');
        """
}
