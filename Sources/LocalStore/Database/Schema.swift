internal import GRDB

/// The tables of the cache, and the migrations between their versions.
enum Schema {
    static var migrator: DatabaseMigrator {
        // Each cache stores the names of its migrations: one that was released is never changed, renamed or moved.
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { try $0.execute(sql: version1) }
        migrator.registerMigration("journal") { try $0.execute(sql: journal) }
        migrator.registerMigration("device names") { try $0.execute(sql: deviceNames) }
        migrator.registerMigration("search by columns") { try $0.execute(sql: searchByColumns) }
        migrator.registerMigration("oversized") { try $0.execute(sql: oversized) }
        migrator.registerMigration("journal actor") { try $0.execute(sql: journalActor) }
        migrator.registerMigration("collections") { try $0.execute(sql: collections) }
        migrator.registerMigration("former cursor") { try $0.execute(sql: formerCursor) }
        migrator.registerMigration("list places") { try $0.execute(sql: listPlaces) }
        migrator.registerMigration("outbox indexes") { try $0.execute(sql: outboxIndexes) }
        // An index can't break a reference, and GRDB's deferred check of all references would read all tables.
        migrator.registerMigration("tombstones", foreignKeyChecks: .immediate) { try $0.execute(sql: tombstones) }
        return migrator
    }

    /// The records of which the server has a state that is too large to be received, with the version and size of that
    /// state.
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

extension Schema {
    /// The last commands of the user, and what each changed.
    static let journal = """
        -- `at`: milliseconds since 1970. `bytes`: the size of its changes.
        CREATE TABLE journal (
            number INTEGER PRIMARY KEY,
            command TEXT NOT NULL,
            at INTEGER NOT NULL,
            undone INTEGER NOT NULL DEFAULT 0,
            bytes INTEGER NOT NULL DEFAULT 0
        ) STRICT;

        -- `before`, `after`: the changed fields; all of them where the record was made or deleted.
        CREATE TABLE journal_changes (
            number INTEGER PRIMARY KEY,
            entry INTEGER NOT NULL REFERENCES journal ON DELETE CASCADE,
            space INTEGER NOT NULL,
            collection TEXT NOT NULL,
            id TEXT NOT NULL,
            was_live INTEGER NOT NULL,
            is_live INTEGER NOT NULL,
            before TEXT NOT NULL,
            after TEXT NOT NULL,
            UNIQUE (entry, space, collection, id)
        ) STRICT;
        """

    /// Who gave a command; null: the user of this device.
    static let journalActor = "ALTER TABLE journal ADD COLUMN actor TEXT;"

    /// The collections of a space that are received, separated by commas; null: all.
    static let collections = "ALTER TABLE spaces ADD COLUMN collections TEXT;"

    /// The cursor before the full read under way, until its first page is stored.
    static let formerCursor = "ALTER TABLE spaces ADD COLUMN former_cursor TEXT;"

    /// The names of the account's devices, as far as this home has received them; kept when a device signs out.
    static let deviceNames = "CREATE TABLE devices (id TEXT PRIMARY KEY, name TEXT NOT NULL) STRICT, WITHOUT ROWID;"
}

extension Schema {
    /// The table of the full-text index, which can be built again from the records. Marks (M) are parts of words, as in
    /// Devanagari; symbols (So) are words, so that an emoji can be found.
    static let searchTable = """
        CREATE VIRTUAL TABLE search USING fts5(
            title, labels, body, tokenize = "unicode61 remove_diacritics 2 categories 'L* M* N* Co So'")
        """

    /// Replaces the index of two columns by one of three, in which a tag weighs more than a word of the body. The next
    /// search fills it.
    static let searchByColumns = """
        DROP TABLE search;
        \(searchTable);
        DELETE FROM search_stale;
        INSERT INTO search_stale SELECT number FROM records WHERE deleted = 0;
        """
}

extension Schema {
    /// The places of records in the list without a filter. The next list fills it.
    static let listPlaces = """
        -- `key`: sorts in the order of the list; null: the list never contains the record. `hidden`: the record is hidden
        -- until this time, in seconds since 1970. `linked`: where the record refers to others (`ListPlaces.Links`).
        CREATE TABLE list_places (
            record INTEGER PRIMARY KEY REFERENCES records ON DELETE CASCADE,
            space INTEGER NOT NULL,
            key BLOB,
            hidden INTEGER,
            linked INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX list_places_by_key ON list_places (space, key, record, hidden) WHERE key IS NOT NULL;
        CREATE INDEX list_places_linked ON list_places (record) WHERE linked;

        -- The records whose place must be computed again.
        CREATE TABLE list_stale (record INTEGER PRIMARY KEY) STRICT;
        CREATE TRIGGER list_inserted AFTER INSERT ON records
            BEGIN INSERT INTO list_stale SELECT new.number WHERE new.number NOT IN list_stale; END;
        CREATE TRIGGER list_updated AFTER UPDATE OF fields, deleted ON records
            BEGIN INSERT INTO list_stale SELECT new.number WHERE new.number NOT IN list_stale; END;
        INSERT INTO list_stale SELECT number FROM records WHERE deleted = 0;
        """
}

extension Schema {
    /// Indexes with which neither a command nor an answer of the server reads all unsent edits.
    static let outboxIndexes = """
        CREATE INDEX outbox_by_at ON outbox (at) WHERE rejection IS NULL;
        CREATE INDEX outbox_sent ON outbox (record) WHERE sent IS NOT NULL;
        """

    /// An index of tombstones by age, for their removal. It has no live records, so storing these doesn't change it.
    private static let tombstones = "CREATE INDEX tombstones ON records (space, modified_at) WHERE deleted = 1;"
}
