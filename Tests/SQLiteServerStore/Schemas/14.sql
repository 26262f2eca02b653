PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO grdb_migrations VALUES('1: accounts, sessions, spaces, records, outcomes');
INSERT INTO grdb_migrations VALUES('2: restores');
INSERT INTO grdb_migrations VALUES('3: revisions, old tombstones');
INSERT INTO grdb_migrations VALUES('4: usage counts what is stored');
INSERT INTO grdb_migrations VALUES('5: withdrawn tokens, age of outcomes');
INSERT INTO grdb_migrations VALUES('6: ended sessions');
INSERT INTO grdb_migrations VALUES('7: results of outcomes');
INSERT INTO grdb_migrations VALUES('8: digests of collections');
INSERT INTO grdb_migrations VALUES('9: pairs of tokens');
INSERT INTO grdb_migrations VALUES('invitations');
INSERT INTO grdb_migrations VALUES('attempts, proofs of devices');
INSERT INTO grdb_migrations VALUES('administration');
INSERT INTO grdb_migrations VALUES('importance of attempts');
INSERT INTO grdb_migrations VALUES('events of the owner''s commands');
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES('epoch','epoch');
CREATE TABLE accounts (
  id TEXT PRIMARY KEY, username TEXT NOT NULL UNIQUE, password_hash TEXT NOT NULL,
  personal_space TEXT NOT NULL, created_at INTEGER NOT NULL
, outcome_bytes INTEGER NOT NULL DEFAULT 0, disabled_at INTEGER, quota_records INTEGER, quota_bytes INTEGER, quota_devices INTEGER, quota_streams INTEGER) WITHOUT ROWID;
INSERT INTO accounts VALUES('ada-id','ada','hash','space',1,51,NULL,NULL,NULL,NULL,NULL);
INSERT INTO accounts VALUES('ben-id','ben','hash','space-of-ben',1,0,5,10,NULL,NULL,NULL);
CREATE TABLE sessions (
  id TEXT PRIMARY KEY, account TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE,
  device TEXT NOT NULL, device_name TEXT NOT NULL, created_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL, generation INTEGER NOT NULL, generation_used INTEGER NOT NULL, ended INTEGER NOT NULL DEFAULT 0, scope TEXT, expires_at INTEGER,
  UNIQUE (account, device)
) WITHOUT ROWID;
INSERT INTO sessions VALUES('script','ada-id','script-id','a script',1,2,0,1,0,'read-only',4102444800000);
INSERT INTO sessions VALUES('session','ada-id','laptop','Ada''s laptop',1,2,0,1,0,NULL,NULL);
CREATE TABLE tokens (
  hash BLOB PRIMARY KEY, session TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
  kind TEXT NOT NULL, generation INTEGER NOT NULL, expires_at INTEGER NOT NULL
, withdrawn INTEGER NOT NULL DEFAULT 0, pair INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
INSERT INTO tokens VALUES(X'abababababababababababababababababababababababababababababababab','session','access',0,4102444800000,0,0);
INSERT INTO tokens VALUES(X'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd','script','access',0,4102444800000,0,0);
CREATE TABLE spaces (
  number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, version INTEGER NOT NULL,
  tombstone_floor INTEGER NOT NULL, digest TEXT NOT NULL, records INTEGER NOT NULL, bytes INTEGER NOT NULL
);
INSERT INTO spaces VALUES(1,'space',3,0,'ad6c5362634d99ed0dd7c4bbb8c8ad2f',2,134);
INSERT INTO spaces VALUES(2,'space-of-ben',0,0,'00000000000000000000000000000000',0,0);
CREATE TABLE members (
  account TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE,
  space INTEGER NOT NULL REFERENCES spaces ON DELETE CASCADE,
  role TEXT NOT NULL, PRIMARY KEY (account, space)
) WITHOUT ROWID;
INSERT INTO members VALUES('ada-id',1,'owner');
INSERT INTO members VALUES('ben-id',2,'owner');
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
  device TEXT NOT NULL, key TEXT NOT NULL, request_hash BLOB NOT NULL, first_version INTEGER, last_version INTEGER, stored_at INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL DEFAULT 0, UNIQUE (account, device, key)
);
INSERT INTO outcomes VALUES(1,'ada-id','laptop','key',X'01',1,1,1763702520123,51);
CREATE TABLE restores (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT, epoch TEXT NOT NULL UNIQUE, restored_at INTEGER NOT NULL
);
INSERT INTO restores VALUES(1,'before',1);
CREATE TABLE marks (
  space INTEGER NOT NULL REFERENCES spaces ON DELETE CASCADE,
  restore INTEGER NOT NULL REFERENCES restores ON DELETE CASCADE,
  version INTEGER NOT NULL, PRIMARY KEY (space, restore)
) WITHOUT ROWID;
INSERT INTO marks VALUES(1,1,1);
CREATE TABLE revisions (
  space INTEGER NOT NULL REFERENCES spaces ON DELETE CASCADE,
  collection TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL, deleted INTEGER NOT NULL,
  modified_at TEXT NOT NULL, modified_by TEXT NOT NULL, clock TEXT NOT NULL, fields TEXT NOT NULL,
  UNIQUE (space, collection, id, version)
);
INSERT INTO revisions VALUES(1,'tasks','gone',1,0,'2025-11-21T05:22:00.123Z','laptop','{}','{"title":"Gone"}');
CREATE TABLE outcome_results (
  outcome INTEGER NOT NULL REFERENCES outcomes ON DELETE CASCADE, place INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('applied', 'conflict', 'rejected')),
  version INTEGER, clock TEXT, problem TEXT, PRIMARY KEY (outcome, place)
) WITHOUT ROWID;
INSERT INTO outcome_results VALUES(1,0,'applied',1,'{"*":"000000000005-0000-d"}',NULL);
CREATE TABLE digests (
  space INTEGER NOT NULL REFERENCES spaces ON DELETE CASCADE,
  collection TEXT NOT NULL, digest TEXT NOT NULL, UNIQUE (space, collection)
);
INSERT INTO digests VALUES(1,'tasks','ad6c5362634d99ed0dd7c4bbb8c8ad2f');
CREATE TABLE invites (
  id TEXT PRIMARY KEY, code_hash BLOB NOT NULL UNIQUE, note TEXT NOT NULL, uses INTEGER NOT NULL,
  used INTEGER NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO invites VALUES('invite',X'02','the choir',3,1,1,4102444800000);
CREATE TABLE attempts (
  name TEXT PRIMARY KEY, count INTEGER NOT NULL, last_at INTEGER NOT NULL, blocked_until INTEGER NOT NULL
, importance INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
INSERT INTO attempts VALUES('attempt',5,1,2,0);
INSERT INTO attempts VALUES('delayed',21,1,2,1);
CREATE TABLE device_proofs (
  account TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE, device TEXT NOT NULL, hash BLOB NOT NULL,
  made_at INTEGER NOT NULL, PRIMARY KEY (account, device)
) WITHOUT ROWID;
INSERT INTO device_proofs VALUES('ada-id','laptop',X'03',1);
CREATE TABLE resets (
  account TEXT PRIMARY KEY REFERENCES accounts ON DELETE CASCADE, code_hash BLOB NOT NULL,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO resets VALUES('ada-id',X'04',4102444800000);
CREATE TABLE attempt_total (id INTEGER PRIMARY KEY CHECK (id = 1), count INTEGER NOT NULL);
INSERT INTO attempt_total VALUES(1,2);
CREATE TABLE audits (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, event TEXT NOT NULL, fields TEXT NOT NULL
);
INSERT INTO audits VALUES(1,5,'user-disabled','{"by":"root","user":"ben"}');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('outcomes',1);
INSERT INTO sqlite_sequence VALUES('restores',1);
INSERT INTO sqlite_sequence VALUES('audits',1);
CREATE INDEX tokens_of_session ON tokens (session, generation);
CREATE INDEX members_of_space ON members (space);
CREATE INDEX marks_of_restore ON marks (restore);
CREATE INDEX tombstones ON records (modified_at) WHERE deleted = 1;
CREATE INDEX sessions_by_use ON sessions (last_seen_at);
CREATE TRIGGER record_added AFTER INSERT ON records
  BEGIN UPDATE spaces SET bytes = bytes + (length(CAST(new.fields AS BLOB)) + length(CAST(new.clock AS BLOB))) WHERE number = new.space; END;
CREATE TRIGGER record_replaced AFTER UPDATE OF fields, clock ON records
  BEGIN UPDATE spaces SET bytes = bytes + (length(CAST(new.fields AS BLOB)) + length(CAST(new.clock AS BLOB))) - (length(CAST(old.fields AS BLOB)) + length(CAST(old.clock AS BLOB))) WHERE number = new.space; END;
CREATE TRIGGER record_removed AFTER DELETE ON records
  BEGIN UPDATE spaces SET bytes = bytes - (length(CAST(old.fields AS BLOB)) + length(CAST(old.clock AS BLOB))) WHERE number = old.space; END;
CREATE TRIGGER revision_added AFTER INSERT ON revisions
  BEGIN UPDATE spaces SET bytes = bytes + (length(CAST(new.fields AS BLOB)) + length(CAST(new.clock AS BLOB))) WHERE number = new.space; END;
CREATE TRIGGER revision_removed AFTER DELETE ON revisions
  BEGIN UPDATE spaces SET bytes = bytes - (length(CAST(old.fields AS BLOB)) + length(CAST(old.clock AS BLOB))) WHERE number = old.space; END;
CREATE INDEX outcomes_by_age ON outcomes (stored_at, account, device);
CREATE INDEX ended_sessions ON sessions (id) WHERE ended = 1;
CREATE INDEX tokens_by_expiry ON tokens (session, kind, expires_at);
CREATE TRIGGER outcome_added AFTER INSERT ON outcomes
  BEGIN UPDATE accounts SET outcome_bytes = outcome_bytes + new.bytes WHERE id = new.account; END;
CREATE TRIGGER outcome_removed AFTER DELETE ON outcomes
  BEGIN UPDATE accounts SET outcome_bytes = outcome_bytes - old.bytes WHERE id = old.account; END;
CREATE INDEX changes_of_collection ON records (space, collection, version);
CREATE INDEX attempts_by_importance ON attempts (importance, blocked_until, name);
CREATE INDEX attempts_by_age ON attempts (last_at, name);
CREATE TRIGGER attempt_added AFTER INSERT ON attempts
  BEGIN UPDATE attempt_total SET count = count + 1 WHERE id = 1; END;
CREATE TRIGGER attempt_removed AFTER DELETE ON attempts
  BEGIN UPDATE attempt_total SET count = count - 1 WHERE id = 1; END;
COMMIT;
