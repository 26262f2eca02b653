PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO grdb_migrations VALUES('1: accounts, sessions, spaces, records, outcomes');
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES('epoch','epoch');
CREATE TABLE accounts (
  id TEXT PRIMARY KEY, username TEXT NOT NULL UNIQUE, password_hash TEXT NOT NULL,
  personal_space TEXT NOT NULL, created_at INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO accounts VALUES('ada-id','ada','hash','space',1);
CREATE TABLE sessions (
  id TEXT PRIMARY KEY, account TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE,
  device TEXT NOT NULL, device_name TEXT NOT NULL, created_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL, generation INTEGER NOT NULL, generation_used INTEGER NOT NULL,
  UNIQUE (account, device)
) WITHOUT ROWID;
INSERT INTO sessions VALUES('session','ada-id','laptop','Ada''s laptop',1,2,0,1);
CREATE TABLE tokens (
  hash BLOB PRIMARY KEY, session TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
  kind TEXT NOT NULL, generation INTEGER NOT NULL, expires_at INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO tokens VALUES(X'abababababababababababababababababababababababababababababababab','session','access',0,4102444800000);
CREATE TABLE spaces (
  number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, version INTEGER NOT NULL,
  tombstone_floor INTEGER NOT NULL, digest TEXT NOT NULL, records INTEGER NOT NULL, bytes INTEGER NOT NULL
);
INSERT INTO spaces VALUES(1,'space',3,0,'ad6c5362634d99ed0dd7c4bbb8c8ad2f',2,34);
CREATE TABLE members (
  account TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE,
  space INTEGER NOT NULL REFERENCES spaces ON DELETE CASCADE,
  role TEXT NOT NULL, PRIMARY KEY (account, space)
) WITHOUT ROWID;
INSERT INTO members VALUES('ada-id',1,'owner');
CREATE TABLE records (
  space INTEGER NOT NULL REFERENCES spaces ON DELETE CASCADE,
  collection TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL, deleted INTEGER NOT NULL,
  modified_at TEXT NOT NULL, modified_by TEXT NOT NULL, clock TEXT NOT NULL, fields TEXT NOT NULL,
  UNIQUE (space, collection, id), UNIQUE (space, version)
);
INSERT INTO records VALUES(1,'tasks','milk',1,0,'2025-11-21T05:22:00.123Z','laptop','{"*":"000000000005-0000-d"}','{"title":"Milk"}');
INSERT INTO records VALUES(1,'tasks','gone',2,1,'2025-11-21T05:22:01.123Z','laptop','{"*":"000000000005-0000-d"}','{}');
INSERT INTO records VALUES(1,'tasks','bread',3,0,'2025-11-21T05:22:02.123Z','laptop','{"*":"000000000005-0000-d"}','{"title":"Bread"}');
CREATE TABLE outcomes (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  account TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE,
  device TEXT NOT NULL, key TEXT NOT NULL, request_hash BLOB NOT NULL, results TEXT NOT NULL,
  first_version INTEGER, last_version INTEGER, UNIQUE (account, device, key)
);
INSERT INTO outcomes VALUES(1,'ada-id','laptop','key',X'01','{"clock":{"*":"000000000005-0000-d"},"modifiedAt":"2025-11-21T05:22:00.123Z","status":"applied","version":1}',1,1);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('outcomes',1);
CREATE INDEX tokens_of_session ON tokens (session, generation);
CREATE INDEX members_of_space ON members (space);
COMMIT;
