PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO grdb_migrations VALUES('1');
INSERT INTO grdb_migrations VALUES('journal');
INSERT INTO grdb_migrations VALUES('device names');
INSERT INTO grdb_migrations VALUES('search by columns');
INSERT INTO grdb_migrations VALUES('oversized');
INSERT INTO grdb_migrations VALUES('journal actor');
INSERT INTO grdb_migrations VALUES('collections');
INSERT INTO grdb_migrations VALUES('former cursor');
INSERT INTO grdb_migrations VALUES('list places');
INSERT INTO grdb_migrations VALUES('outbox indexes');
INSERT INTO grdb_migrations VALUES('tombstones');
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE spaces (
    number INTEGER PRIMARY KEY,
    remote TEXT UNIQUE,
    cursor TEXT,
    digest TEXT NOT NULL,
    reading TEXT
, collections TEXT, former_cursor TEXT) STRICT;
INSERT INTO spaces VALUES(1,NULL,NULL,'1be5c74cd7d68d8364100742b1201175',NULL,NULL,NULL);
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
INSERT INTO records VALUES(1,1,'tasks','milk',0,0,'2025-11-21T05:22:00.123Z','here','{"title":"Milk"}','{"*":"000000000005-0000-here"}');
INSERT INTO records VALUES(2,1,'tasks','bread',3,0,'2025-11-21T05:22:00.123Z','there','{"title":"Bread"}','{"*":"000000000005-0000-here"}');
CREATE TABLE mirrors (
    record INTEGER PRIMARY KEY REFERENCES records ON DELETE CASCADE,
    version INTEGER NOT NULL,
    deleted INTEGER NOT NULL,
    modified_at TEXT NOT NULL,
    modified_by TEXT NOT NULL,
    fields TEXT NOT NULL,
    clock TEXT NOT NULL
) STRICT;
CREATE TABLE outbox (
    record INTEGER PRIMARY KEY REFERENCES records ON DELETE CASCADE,
    at TEXT NOT NULL,
    edits INTEGER NOT NULL,
    sent INTEGER,
    rejection TEXT,
    reason TEXT
) STRICT;
INSERT INTO outbox VALUES(1,'000000000005-0000-here',1,NULL,NULL,NULL);
CREATE TABLE batches (
    space INTEGER PRIMARY KEY REFERENCES spaces,
    key TEXT NOT NULL,
    since TEXT,
    body TEXT NOT NULL
) STRICT;
CREATE TABLE seen (record INTEGER PRIMARY KEY REFERENCES records ON DELETE CASCADE) STRICT;
CREATE TABLE former (record INTEGER PRIMARY KEY REFERENCES records ON DELETE CASCADE) STRICT;
CREATE TABLE listings (number INTEGER PRIMARY KEY, terminal TEXT NOT NULL UNIQUE, ids TEXT NOT NULL) STRICT;
CREATE TABLE search_stale (record INTEGER PRIMARY KEY) STRICT;
INSERT INTO search_stale VALUES(1);
INSERT INTO search_stale VALUES(2);
CREATE TABLE journal (
    number INTEGER PRIMARY KEY,
    command TEXT NOT NULL,
    at INTEGER NOT NULL,
    undone INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0
, actor TEXT) STRICT;
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
CREATE TABLE devices (id TEXT PRIMARY KEY, name TEXT NOT NULL) STRICT, WITHOUT ROWID;
PRAGMA writable_schema=ON;
INSERT INTO sqlite_schema(type,name,tbl_name,rootpage,sql)VALUES('table','search','search',0,'CREATE VIRTUAL TABLE search USING fts5(
    title, labels, body, tokenize = "unicode61 remove_diacritics 2 categories ''L* M* N* Co So''")');
CREATE TABLE IF NOT EXISTS 'search_data'(id INTEGER PRIMARY KEY, block BLOB);
INSERT INTO search_data VALUES(1,X'');
INSERT INTO search_data VALUES(10,X'00000000000000');
CREATE TABLE IF NOT EXISTS 'search_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS 'search_content'(id INTEGER PRIMARY KEY, c0, c1, c2);
CREATE TABLE IF NOT EXISTS 'search_docsize'(id INTEGER PRIMARY KEY, sz BLOB);
CREATE TABLE IF NOT EXISTS 'search_config'(k PRIMARY KEY, v) WITHOUT ROWID;
INSERT INTO search_config VALUES('version',4);
CREATE TABLE oversized (
    record INTEGER PRIMARY KEY REFERENCES records ON DELETE CASCADE,
    version INTEGER NOT NULL,
    bytes INTEGER NOT NULL
) STRICT;
CREATE TABLE list_places (
    record INTEGER PRIMARY KEY REFERENCES records ON DELETE CASCADE,
    space INTEGER NOT NULL,
    key BLOB,
    hidden INTEGER,
    linked INTEGER NOT NULL
) STRICT;
CREATE TABLE list_stale (record INTEGER PRIMARY KEY) STRICT;
INSERT INTO list_stale VALUES(1);
INSERT INTO list_stale VALUES(2);
CREATE INDEX records_by_id ON records (id);
CREATE TRIGGER search_inserted AFTER INSERT ON records
    BEGIN INSERT INTO search_stale SELECT new.number WHERE new.number NOT IN search_stale; END;
CREATE TRIGGER search_updated AFTER UPDATE OF fields, deleted ON records
    BEGIN INSERT INTO search_stale SELECT new.number WHERE new.number NOT IN search_stale; END;
CREATE TRIGGER search_deleted AFTER DELETE ON records
    BEGIN INSERT INTO search_stale SELECT old.number WHERE old.number NOT IN search_stale; END;
CREATE INDEX list_places_by_key ON list_places (space, key, record, hidden) WHERE key IS NOT NULL;
CREATE INDEX list_places_linked ON list_places (record) WHERE linked;
CREATE TRIGGER list_inserted AFTER INSERT ON records
    BEGIN INSERT INTO list_stale SELECT new.number WHERE new.number NOT IN list_stale; END;
CREATE TRIGGER list_updated AFTER UPDATE OF fields, deleted ON records
    BEGIN INSERT INTO list_stale SELECT new.number WHERE new.number NOT IN list_stale; END;
CREATE INDEX outbox_by_at ON outbox (at) WHERE rejection IS NULL;
CREATE INDEX outbox_sent ON outbox (record) WHERE sent IS NOT NULL;
CREATE INDEX tombstones ON records (space, modified_at) WHERE deleted = 1;
PRAGMA writable_schema=OFF;
COMMIT;
