-- A database as the first two migrations made it, with rows in each table. It is written once and never changed, so that a change of
-- a migration is noticed. It lacks PostgreSQL's own history, without which a server would mark it as restored: that is added.
CREATE TABLE migrations (name text COLLATE "C" PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());
INSERT INTO migrations (name) VALUES ('1: accounts, spaces, records, outcomes'), ('2: the index of collections'' changes');
CREATE TABLE meta (name text COLLATE "C" PRIMARY KEY, value text COLLATE "C" NOT NULL);
INSERT INTO meta (name, value) VALUES ('epoch', 'epoch'), ('channel', 'news_1bb1a1f0_5e4e_4c0a_9a54_7d2d6f3f8a11');
INSERT INTO meta (name, value) SELECT 'fence', system_identifier::text || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
  FROM pg_control_system();
CREATE TABLE accounts (
  id text COLLATE "C" PRIMARY KEY, username text COLLATE "C" NOT NULL UNIQUE, password_hash text COLLATE "C" NOT NULL,
  personal_space text COLLATE "C" NOT NULL, created_at bigint NOT NULL, outcome_bytes bigint NOT NULL DEFAULT 0,
  disabled_at bigint, quota_records bigint, quota_bytes bigint, quota_devices bigint, quota_streams bigint
) WITH (fillfactor = 60);
CREATE TABLE sessions (
  id text COLLATE "C" PRIMARY KEY, account text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE, device text COLLATE "C" NOT NULL,
  device_name text COLLATE "C" NOT NULL, created_at bigint NOT NULL, last_seen_at bigint NOT NULL,
  generation bigint NOT NULL, generation_used boolean NOT NULL, scope text COLLATE "C", expires_at bigint,
  ended boolean NOT NULL DEFAULT false, UNIQUE (account, device)
) WITH (fillfactor = 80);
CREATE INDEX sessions_by_use ON sessions (last_seen_at);
CREATE INDEX ended_sessions ON sessions (id) WHERE ended;
CREATE TABLE tokens (
  hash bytea PRIMARY KEY, session text COLLATE "C" NOT NULL REFERENCES sessions ON DELETE CASCADE, kind text COLLATE "C" NOT NULL,
  generation bigint NOT NULL, pair bigint NOT NULL, expires_at bigint NOT NULL, withdrawn boolean NOT NULL
);
CREATE INDEX tokens_of_session ON tokens (session, generation);
CREATE INDEX tokens_by_expiry ON tokens (session, kind, expires_at);
CREATE TABLE spaces (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text COLLATE "C" NOT NULL UNIQUE, version bigint NOT NULL,
  tombstone_floor bigint NOT NULL, digest text COLLATE "C" NOT NULL, records bigint NOT NULL, bytes bigint NOT NULL
) WITH (fillfactor = 40);
CREATE TABLE members (
  account text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
  space bigint NOT NULL REFERENCES spaces ON DELETE CASCADE, role text COLLATE "C" NOT NULL, PRIMARY KEY (account, space)
);
CREATE INDEX members_of_space ON members (space);
CREATE TABLE digests (
  space bigint NOT NULL REFERENCES spaces ON DELETE CASCADE, collection text COLLATE "C" NOT NULL, digest text COLLATE "C" NOT NULL,
  PRIMARY KEY (space, collection)
) WITH (fillfactor = 60);
CREATE TABLE records (space bigint NOT NULL REFERENCES spaces ON DELETE CASCADE, collection text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL,
  version bigint NOT NULL, deleted boolean NOT NULL, modified_at text COLLATE "C" NOT NULL, modified_by text COLLATE "C" NOT NULL,
  clock text COLLATE "C" NOT NULL, fields text COLLATE "C" NOT NULL, PRIMARY KEY (space, collection, id), UNIQUE (space, version));
CREATE INDEX changes_of_collection ON records (space, (collection || ''), version);
CREATE INDEX tombstones ON records (modified_at) WHERE deleted;
CREATE TABLE revisions (space bigint NOT NULL REFERENCES spaces ON DELETE CASCADE, collection text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL,
  version bigint NOT NULL, deleted boolean NOT NULL, modified_at text COLLATE "C" NOT NULL, modified_by text COLLATE "C" NOT NULL,
  clock text COLLATE "C" NOT NULL, fields text COLLATE "C" NOT NULL, PRIMARY KEY (space, collection, id, version));
CREATE TABLE outcomes (
  sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE, device text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL,
  request_hash bytea NOT NULL, first_version bigint, last_version bigint, stored_at bigint NOT NULL,
  bytes bigint NOT NULL, UNIQUE (account, device, key)
);
CREATE INDEX outcomes_of_device ON outcomes (account, device, sequence);
CREATE INDEX outcomes_by_age ON outcomes (stored_at, account, device);
CREATE TABLE outcome_results (
  outcome bigint NOT NULL REFERENCES outcomes ON DELETE CASCADE, place bigint NOT NULL,
  status text COLLATE "C" NOT NULL CHECK (status IN ('applied', 'conflict', 'rejected')),
  version bigint, clock text COLLATE "C", problem text COLLATE "C", PRIMARY KEY (outcome, place)
);
CREATE TABLE invites (
  id text COLLATE "C" PRIMARY KEY, code_hash bytea NOT NULL UNIQUE, note text COLLATE "C" NOT NULL, uses bigint NOT NULL,
  used bigint NOT NULL, created_at bigint NOT NULL, expires_at bigint NOT NULL
);
CREATE TABLE resets (
  account text COLLATE "C" PRIMARY KEY REFERENCES accounts ON DELETE CASCADE, code_hash bytea NOT NULL,
  expires_at bigint NOT NULL
);
CREATE TABLE attempts (
  name text COLLATE "C" PRIMARY KEY, count bigint NOT NULL, last_at bigint NOT NULL, blocked_until bigint NOT NULL,
  importance bigint NOT NULL
);
CREATE INDEX attempts_by_importance ON attempts (importance, blocked_until, name);
CREATE INDEX attempts_by_age ON attempts (last_at, name);
CREATE TABLE device_proofs (
  account text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE, device text COLLATE "C" NOT NULL, hash bytea NOT NULL,
  made_at bigint NOT NULL, PRIMARY KEY (account, device)
);
CREATE TABLE audits (
  sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at bigint NOT NULL, event text COLLATE "C" NOT NULL,
  fields text COLLATE "C" NOT NULL
);
CREATE TABLE restores (
  sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, epoch text COLLATE "C" NOT NULL UNIQUE,
  restored_at bigint NOT NULL
);
CREATE TABLE marks (
  space bigint NOT NULL REFERENCES spaces ON DELETE CASCADE,
  restore bigint NOT NULL REFERENCES restores ON DELETE CASCADE, version bigint NOT NULL,
  PRIMARY KEY (space, restore)
);
CREATE INDEX marks_of_restore ON marks (restore);
CREATE FUNCTION count_records() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN UPDATE spaces SET bytes = spaces.bytes + counted.change FROM (
    SELECT space, sum(change)::bigint AS change FROM (SELECT space, octet_length(added.fields) + octet_length(added.clock) AS change FROM added) AS rows GROUP BY space) AS counted
  WHERE number = counted.space AND counted.change <> 0;
  ELSIF TG_OP = 'UPDATE' THEN UPDATE spaces SET bytes = spaces.bytes + counted.change FROM (
    SELECT space, sum(change)::bigint AS change FROM (SELECT space, octet_length(added.fields) + octet_length(added.clock) AS change FROM added UNION ALL SELECT space, -(octet_length(removed.fields) + octet_length(removed.clock)) AS change FROM removed) AS rows GROUP BY space) AS counted
  WHERE number = counted.space AND counted.change <> 0;
  ELSE UPDATE spaces SET bytes = spaces.bytes + counted.change FROM (
    SELECT space, sum(change)::bigint AS change FROM (SELECT space, -(octet_length(removed.fields) + octet_length(removed.clock)) AS change FROM removed) AS rows GROUP BY space) AS counted
  WHERE number = counted.space AND counted.change <> 0;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER added AFTER INSERT ON records REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_records();
CREATE TRIGGER changed AFTER UPDATE ON records REFERENCING NEW TABLE AS added OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_records();
CREATE TRIGGER removed AFTER DELETE ON records REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_records();
CREATE FUNCTION count_revisions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN UPDATE spaces SET bytes = spaces.bytes + counted.change FROM (
    SELECT space, sum(change)::bigint AS change FROM (SELECT space, octet_length(added.fields) + octet_length(added.clock) AS change FROM added) AS rows GROUP BY space) AS counted
  WHERE number = counted.space AND counted.change <> 0;
  ELSIF TG_OP = 'UPDATE' THEN UPDATE spaces SET bytes = spaces.bytes + counted.change FROM (
    SELECT space, sum(change)::bigint AS change FROM (SELECT space, octet_length(added.fields) + octet_length(added.clock) AS change FROM added UNION ALL SELECT space, -(octet_length(removed.fields) + octet_length(removed.clock)) AS change FROM removed) AS rows GROUP BY space) AS counted
  WHERE number = counted.space AND counted.change <> 0;
  ELSE UPDATE spaces SET bytes = spaces.bytes + counted.change FROM (
    SELECT space, sum(change)::bigint AS change FROM (SELECT space, -(octet_length(removed.fields) + octet_length(removed.clock)) AS change FROM removed) AS rows GROUP BY space) AS counted
  WHERE number = counted.space AND counted.change <> 0;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER added AFTER INSERT ON revisions REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_revisions();
CREATE TRIGGER changed AFTER UPDATE ON revisions REFERENCING NEW TABLE AS added OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_revisions();
CREATE TRIGGER removed AFTER DELETE ON revisions REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_revisions();
CREATE FUNCTION count_outcomes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE accounts SET outcome_bytes = outcome_bytes + sum FROM (
      SELECT account, sum(bytes)::bigint FROM added GROUP BY account) AS counted WHERE id = counted.account;
  ELSE
    UPDATE accounts SET outcome_bytes = outcome_bytes - sum FROM (
      SELECT account, sum(bytes)::bigint FROM removed GROUP BY account) AS counted WHERE id = counted.account;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER added AFTER INSERT ON outcomes REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_outcomes();
CREATE TRIGGER removed AFTER DELETE ON outcomes REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_outcomes();
INSERT INTO accounts (id, username, password_hash, personal_space, created_at, quota_records)
  VALUES ('ada-id', 'ada', 'hash', 'space', 1, 7), ('ben-id', 'ben', 'hash', 'other', 1, NULL);
UPDATE accounts SET disabled_at = 2 WHERE id = 'ben-id';
INSERT INTO sessions (id, account, device, device_name, created_at, last_seen_at, generation, generation_used, scope, expires_at)
  VALUES ('session', 'ada-id', 'laptop', 'Ada''s laptop', 1, 2, 0, true, NULL, NULL),
         ('report', 'ada-id', 'report', 'report', 1, 2, 0, false, 'read-only', 4102444800000);
INSERT INTO tokens (hash, session, kind, generation, pair, expires_at, withdrawn)
  VALUES ('\xabababababababababababababababababababababababababababababababab', 'session', 'access', 0, 0, 4102444800000, false);
INSERT INTO spaces (id, version, tombstone_floor, digest, records, bytes)
  VALUES ('space', 3, 0, 'ad6c5362634d99ed0dd7c4bbb8c8ad2f', 2, 0);
INSERT INTO members (account, space, role) VALUES ('ada-id', 1, 'owner');
INSERT INTO digests (space, collection, digest) VALUES (1, 'tasks', 'ad6c5362634d99ed0dd7c4bbb8c8ad2f');
INSERT INTO records (space, collection, id, version, deleted, modified_at, modified_by, clock, fields) VALUES
  (1, 'tasks', 'milk', 1, false, '2025-11-21T05:22:00.123Z', 'laptop', '{"*":"000000000005-0000-d"}', '{"title":"Milk"}'),
  (1, 'tasks', 'gone', 2, true, '2025-11-21T05:22:01.123Z', 'laptop', '{"*":"000000000005-0000-d"}', '{}'),
  (1, 'tasks', 'bread', 3, false, '2025-11-21T05:22:02.123Z', 'laptop', '{"*":"000000000005-0000-d"}', '{"title":"Bread"}');
INSERT INTO revisions (space, collection, id, version, deleted, modified_at, modified_by, clock, fields)
  VALUES (1, 'tasks', 'gone', 1, false, '2025-11-21T05:22:00.123Z', 'laptop', '{}', '{"title":"Gone"}');
INSERT INTO outcomes (account, device, key, request_hash, first_version, last_version, stored_at, bytes)
  VALUES ('ada-id', 'laptop', 'key', '\x01', 1, 1, 1, 100);
INSERT INTO outcome_results (outcome, place, status, version, clock, problem) VALUES
  (1, 0, 'applied', 1, '{"*":"000000000005-0000-d"}', NULL), (1, 1, 'conflict', NULL, NULL, NULL), (1, 2, 'rejected', NULL, NULL, '{}');
INSERT INTO invites (id, code_hash, note, uses, used, created_at, expires_at)
  VALUES ('invite', '\x02', 'the choir', 3, 1, 1, 4102444800000);
INSERT INTO resets (account, code_hash, expires_at) VALUES ('ada-id', '\x04', 4102444800000);
INSERT INTO attempts (name, count, last_at, blocked_until, importance) VALUES ('attempt', 5, 1, 2, 3);
INSERT INTO device_proofs (account, device, hash, made_at) VALUES ('ada-id', 'laptop', '\x03', 1);
INSERT INTO audits (at, event, fields) VALUES (1, 'restored', '{"by":"owner"}');
INSERT INTO restores (epoch, restored_at) VALUES ('before', 1);
INSERT INTO marks (space, restore, version) VALUES (1, 1, 1);
