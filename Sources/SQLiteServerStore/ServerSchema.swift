internal import Foundation
internal import GRDB
internal import Records
internal import ServerCore

/// The tables and their migrations. A released migration is never edited.
enum ServerSchema {
    /// Returns the migrations.
    ///
    /// - Parameter epoch: A random id for a database that is created now.
    static func migrator(epoch: String) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1: accounts, sessions, spaces, records, outcomes") { db in
            try db.execute(sql: accounts)
            try db.execute(sql: spaces)
            try db.execute(sql: "INSERT INTO meta (name, value) VALUES ('epoch', ?)", arguments: [epoch])
        }
        migrator.registerMigration("2: restores") { db in try db.execute(sql: restores) }
        migrator.registerMigration("3: revisions, old tombstones") { db in try db.execute(sql: revisions) }
        migrator.registerMigration("4: usage counts what is stored") { db in try db.execute(sql: usage) }
        migrator.registerMigration("5: withdrawn tokens, age of outcomes") { db in try db.execute(sql: withdrawals) }
        migrator.registerMigration("6: ended sessions") { db in try db.execute(sql: endings) }
        migrator.registerMigration("7: results of outcomes") { db in try db.execute(sql: results) }
        migrator.registerMigration("8: digests of collections") { db in
            try db.execute(sql: digests)
            try computeDigests(in: db)
        }
        migrator.registerMigration("9: pairs of tokens") { db in try db.execute(sql: pairs) }
        migrator.registerMigration("invitations") { db in try db.execute(sql: invites) }
        migrator.registerMigration("attempts, proofs of devices") { db in try db.execute(sql: attempts) }
        migrator.registerMigration("administration") { db in try db.execute(sql: administration) }
        migrator.registerMigration("importance of attempts") { db in try db.execute(sql: importance) }
        migrator.registerMigration("events of the owner's commands") { db in try db.execute(sql: audits) }
        return migrator
    }

    /// Returns whether there is a file with the tables of a server. It is opened for reading only, so it isn't changed.
    static func hasTables(in path: String, _ configuration: Configuration) throws -> Bool {
        guard FileManager.default.fileExists(atPath: path) else { return false }
        var configuration = configuration
        configuration.readonly = true
        let database = try DatabaseQueue(path: path, configuration: configuration)
        let applied = try database.read(migrator(epoch: "").appliedIdentifiers)
        try database.close()
        return !applied.isEmpty
    }

    /// Events of the owner's commands, until a server has logged them; the fields are a JSON object of strings.
    private static let audits = """
        CREATE TABLE audits (
          sequence INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, event TEXT NOT NULL, fields TEXT NOT NULL
        );
        """

    /// Columns for disabled accounts and for limits of accounts (NULL: the server's), for app passwords (sessions with a
    /// scope), and one-time codes, of which only the SHA-256 is stored.
    private static let administration = """
        ALTER TABLE accounts ADD COLUMN disabled_at INTEGER;
        ALTER TABLE accounts ADD COLUMN quota_records INTEGER;
        ALTER TABLE accounts ADD COLUMN quota_bytes INTEGER;
        ALTER TABLE accounts ADD COLUMN quota_devices INTEGER;
        ALTER TABLE accounts ADD COLUMN quota_streams INTEGER;
        ALTER TABLE sessions ADD COLUMN scope TEXT;
        ALTER TABLE sessions ADD COLUMN expires_at INTEGER;
        CREATE TABLE resets (
          account TEXT PRIMARY KEY REFERENCES accounts ON DELETE CASCADE, code_hash BLOB NOT NULL,
          expires_at INTEGER NOT NULL
        ) WITHOUT ROWID;
        """

    /// The importance of counted attempts with the index by which the least important ones are removed, and their number,
    /// which triggers maintain, so that no attempt counts rows.
    private static let importance = """
        ALTER TABLE attempts ADD COLUMN importance INTEGER NOT NULL DEFAULT 0;
        DROP INDEX attempts_by_count;
        CREATE INDEX attempts_by_importance ON attempts (importance, blocked_until, name);
        CREATE INDEX attempts_by_age ON attempts (last_at, name);
        CREATE TABLE attempt_total (id INTEGER PRIMARY KEY CHECK (id = 1), count INTEGER NOT NULL);
        INSERT INTO attempt_total SELECT 1, count(*) FROM attempts;
        CREATE TRIGGER attempt_added AFTER INSERT ON attempts
          BEGIN UPDATE attempt_total SET count = count + 1 WHERE id = 1; END;
        CREATE TRIGGER attempt_removed AFTER DELETE ON attempts
          BEGIN UPDATE attempt_total SET count = count - 1 WHERE id = 1; END;
        """

    /// Computes the digests of the collections of all spaces.
    private static func computeDigests(in db: Database) throws {
        var counted: [(space: Int64, collection: String, digest: SpaceDigest)] = []
        // In the order of the index, so that the records of a collection follow one another.
        let rows = try Row.fetchCursor(
            db, sql: "SELECT space, collection, id, version FROM records WHERE deleted = 0 ORDER BY space, collection")
        while let row = try rows.next() {
            let (space, collection): (Int64, String) = (row[0], row[1])
            if counted.last?.space != space || counted.last?.collection != collection {
                counted.append((space, collection, SpaceDigest()))
            }
            counted[counted.count - 1].digest.add(collection: collection, id: row[2], version: row[3])
        }
        for (space, collection, digest) in counted {
            try db.execute(
                sql: "INSERT INTO digests (space, collection, digest) VALUES (?, ?, ?)",
                arguments: [space, collection, digest.description])
        }
    }

    /// Accounts, sessions and tokens. Moments are in milliseconds since 1970; hashes are SHA-256.
    private static let accounts = """
        CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE accounts (
          id TEXT PRIMARY KEY, username TEXT NOT NULL UNIQUE, password_hash TEXT NOT NULL,
          personal_space TEXT NOT NULL, created_at INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE sessions (
          id TEXT PRIMARY KEY, account TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE,
          device TEXT NOT NULL, device_name TEXT NOT NULL, created_at INTEGER NOT NULL,
          last_seen_at INTEGER NOT NULL, generation INTEGER NOT NULL, generation_used INTEGER NOT NULL,
          UNIQUE (account, device)
        ) WITHOUT ROWID;
        CREATE TABLE tokens (
          hash BLOB PRIMARY KEY, session TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
          kind TEXT NOT NULL, generation INTEGER NOT NULL, expires_at INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX tokens_of_session ON tokens (session, generation);
        """

    /// Spaces, records and outcomes. Within the database a number identifies a space, which keeps the indexes of its
    /// records small.
    private static let spaces = """
        CREATE TABLE spaces (
          number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, version INTEGER NOT NULL,
          tombstone_floor INTEGER NOT NULL, digest TEXT NOT NULL, records INTEGER NOT NULL, bytes INTEGER NOT NULL
        );
        CREATE TABLE members (
          account TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE,
          space INTEGER NOT NULL REFERENCES spaces ON DELETE CASCADE,
          role TEXT NOT NULL, PRIMARY KEY (account, space)
        ) WITHOUT ROWID;
        CREATE INDEX members_of_space ON members (space);
        CREATE TABLE records (
          space INTEGER NOT NULL REFERENCES spaces ON DELETE CASCADE,
          collection TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL, deleted INTEGER NOT NULL,
          modified_at TEXT NOT NULL, modified_by TEXT NOT NULL, clock TEXT NOT NULL, fields TEXT NOT NULL,
          UNIQUE (space, collection, id), UNIQUE (space, version)
        );
        CREATE TABLE outcomes (
          sequence INTEGER PRIMARY KEY AUTOINCREMENT,
          account TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE,
          device TEXT NOT NULL, key TEXT NOT NULL, request_hash BLOB NOT NULL, results TEXT NOT NULL,
          first_version INTEGER, last_version INTEGER, UNIQUE (account, device, key)
        );
        """

    /// The epochs that restores have ended, in their order, with the version to which each space was reset.
    private static let restores = """
        CREATE TABLE restores (
          sequence INTEGER PRIMARY KEY AUTOINCREMENT, epoch TEXT NOT NULL UNIQUE, restored_at INTEGER NOT NULL
        );
        CREATE TABLE marks (
          space INTEGER NOT NULL REFERENCES spaces ON DELETE CASCADE,
          restore INTEGER NOT NULL REFERENCES restores ON DELETE CASCADE,
          version INTEGER NOT NULL, PRIMARY KEY (space, restore)
        ) WITHOUT ROWID;
        CREATE INDEX marks_of_restore ON marks (restore);
        """

    /// Earlier states of records, and an index of tombstones by age, for their removal.
    private static let revisions = """
        CREATE TABLE revisions (
          space INTEGER NOT NULL REFERENCES spaces ON DELETE CASCADE,
          collection TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL, deleted INTEGER NOT NULL,
          modified_at TEXT NOT NULL, modified_by TEXT NOT NULL, clock TEXT NOT NULL, fields TEXT NOT NULL,
          UNIQUE (space, collection, id, version)
        );
        CREATE INDEX tombstones ON records (modified_at) WHERE deleted = 1;
        CREATE INDEX sessions_by_use ON sessions (last_seen_at);
        """

    /// Triggers maintain `spaces.bytes` and `accounts.outcome_bytes`, whichever statement changes a row.
    ///
    /// Records that the former version accepted, but that are larger than any device can receive, lose the clocks of
    /// names that aren't fields of theirs and, if that doesn't suffice, all but `*`. The limit is that of the release
    /// with this migration, 2 MiB: a released migration isn't edited.
    private static let usage = """
        UPDATE records SET clock = \(clocksOfFields)
        WHERE \(bytes("records")) > 2097152;
        UPDATE records SET clock = \(clockOfAll) WHERE \(bytes("records")) > 2097152;
        UPDATE revisions SET clock = \(clocksOfFields)
        WHERE \(bytes("revisions")) > 2097152;
        UPDATE revisions SET clock = \(clockOfAll) WHERE \(bytes("revisions")) > 2097152;

        UPDATE spaces SET bytes =
          (SELECT coalesce(sum(\(bytes("records"))), 0) FROM records WHERE space = number)
          + (SELECT coalesce(sum(\(bytes("revisions"))), 0) FROM revisions WHERE space = number);
        ALTER TABLE accounts ADD COLUMN outcome_bytes INTEGER NOT NULL DEFAULT 0;
        UPDATE accounts SET outcome_bytes =
          (SELECT coalesce(sum(\(outcomeBytes)), 0) FROM outcomes WHERE account = accounts.id);

        CREATE TRIGGER record_added AFTER INSERT ON records
          BEGIN UPDATE spaces SET bytes = bytes + \(bytes("new")) WHERE number = new.space; END;
        CREATE TRIGGER record_replaced AFTER UPDATE OF fields, clock ON records
          BEGIN UPDATE spaces SET bytes = bytes + \(bytes("new")) - \(bytes("old")) WHERE number = new.space; END;
        CREATE TRIGGER record_removed AFTER DELETE ON records
          BEGIN UPDATE spaces SET bytes = bytes - \(bytes("old")) WHERE number = old.space; END;
        CREATE TRIGGER revision_added AFTER INSERT ON revisions
          BEGIN UPDATE spaces SET bytes = bytes + \(bytes("new")) WHERE number = new.space; END;
        CREATE TRIGGER revision_removed AFTER DELETE ON revisions
          BEGIN UPDATE spaces SET bytes = bytes - \(bytes("old")) WHERE number = old.space; END;
        CREATE TRIGGER outcome_added AFTER INSERT ON outcomes
          BEGIN UPDATE accounts SET outcome_bytes = outcome_bytes + length(CAST(new.results AS BLOB)) WHERE id = new.account; END;
        CREATE TRIGGER outcome_removed AFTER DELETE ON outcomes
          BEGIN UPDATE accounts SET outcome_bytes = outcome_bytes - length(CAST(old.results AS BLOB)) WHERE id = old.account; END;
        """

    /// Returns the expression for the bytes of a row's fields and clocks. `length` of a text counts characters and ends
    /// at a NUL, hence the cast.
    static func bytes(_ row: String) -> String {
        "(length(CAST(\(row).fields AS BLOB)) + length(CAST(\(row).clock AS BLOB)))"
    }

    /// The expression for the bytes of an outcome's results before migration 7.
    private static let outcomeBytes = "length(CAST(results AS BLOB))"

    /// The expression for a row's clock of `*` alone.
    private static let clockOfAll = """
        (SELECT json_group_object(moment.key, moment.value) FROM json_each(clock) AS moment WHERE moment.key = '*')
        """

    /// The expression for a row's clocks of its fields and `*`.
    private static let clocksOfFields = """
        (SELECT json_group_object(moment.key, moment.value) FROM json_each(clock) AS moment
         WHERE moment.key = '*' OR (deleted = 0 AND moment.key IN (SELECT field.key FROM json_each(fields) AS field)))
        """

    /// Columns for tokens whose pair was replaced unused, and for the time at which an outcome was stored. The index
    /// over that time and the device lets the removal read the index only.
    private static let withdrawals = """
        ALTER TABLE tokens ADD COLUMN withdrawn INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE outcomes ADD COLUMN stored_at INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX outcomes_by_age ON outcomes (stored_at, account, device);
        """

    /// A mark of sessions that have ended, so that their tokens can be removed in steps. The index over the expiry of
    /// tokens, of which a session may have very many, is for each refresh.
    private static let endings = """
        ALTER TABLE sessions ADD COLUMN ended INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX ended_sessions ON sessions (id) WHERE ended = 1;
        CREATE INDEX tokens_by_expiry ON tokens (session, kind, expires_at);
        """

    /// The number of a token's pair within its generation. Pairs that were replaced before are withdrawn already, so it
    /// doesn't matter that they have the number of the pair that is in use.
    private static let pairs = "ALTER TABLE tokens ADD COLUMN pair INTEGER NOT NULL DEFAULT 0"

    /// A row for each result of an outcome, with its status. Before, an outcome had the JSON of its results as lines of
    /// one text. The outcome stores what its results count in usage: 24 bytes for each, and its texts.
    private static let results = """
        CREATE TABLE outcome_results (
          outcome INTEGER NOT NULL REFERENCES outcomes ON DELETE CASCADE, place INTEGER NOT NULL,
          status TEXT NOT NULL CHECK (status IN ('applied', 'conflict', 'rejected')),
          version INTEGER, clock TEXT, problem TEXT, PRIMARY KEY (outcome, place)
        ) WITHOUT ROWID;
        INSERT INTO outcome_results
          SELECT sequence, line.key, line.value ->> 'status', line.value ->> 'version', line.value -> 'clock',
            line.value -> 'problem'
          FROM outcomes, json_each('[' || replace(results, char(10), ',') || ']') AS line;
        UPDATE outcomes SET stored_at = coalesce((
            SELECT CAST(strftime('%s', line.value ->> 'modifiedAt') AS INTEGER) * 1000
              + CAST(substr(line.value ->> 'modifiedAt', 21, 3) AS INTEGER)
            FROM json_each('[' || replace(results, char(10), ',') || ']') AS line
            WHERE line.value ->> 'status' = 'applied' LIMIT 1), stored_at);
        DROP TRIGGER outcome_added;
        DROP TRIGGER outcome_removed;
        ALTER TABLE outcomes DROP COLUMN results;
        ALTER TABLE outcomes ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
        UPDATE outcomes SET bytes = coalesce((
            SELECT sum(24 + coalesce(length(CAST(clock AS BLOB)), 0) + coalesce(length(CAST(problem AS BLOB)), 0))
            FROM outcome_results WHERE outcome = sequence), 0);
        UPDATE accounts SET outcome_bytes =
          (SELECT coalesce(sum(bytes), 0) FROM outcomes WHERE account = accounts.id);
        CREATE TRIGGER outcome_added AFTER INSERT ON outcomes
          BEGIN UPDATE accounts SET outcome_bytes = outcome_bytes + new.bytes WHERE id = new.account; END;
        CREATE TRIGGER outcome_removed AFTER DELETE ON outcomes
          BEGIN UPDATE accounts SET outcome_bytes = outcome_bytes - old.bytes WHERE id = old.account; END;
        """

    /// Invitations. Only the SHA-256 of a code is stored.
    private static let invites = """
        CREATE TABLE invites (
          id TEXT PRIMARY KEY, code_hash BLOB NOT NULL UNIQUE, note TEXT NOT NULL, uses INTEGER NOT NULL,
          used INTEGER NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
        ) WITHOUT ROWID;
        """

    /// The counted attempts of the throttle, with an index by which the least important ones are removed, and the secrets
    /// by which devices prove an earlier session, as SHA-256.
    private static let attempts = """
        CREATE TABLE attempts (
          name TEXT PRIMARY KEY, count INTEGER NOT NULL, last_at INTEGER NOT NULL, blocked_until INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX attempts_by_count ON attempts (count, blocked_until, name);
        CREATE TABLE device_proofs (
          account TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE, device TEXT NOT NULL, hash BLOB NOT NULL,
          made_at INTEGER NOT NULL, PRIMARY KEY (account, device)
        ) WITHOUT ROWID;
        """

    /// The digest of each collection, and an index of the changes of a collection by version, for clients that receive
    /// only some collections.
    private static let digests = """
        CREATE TABLE digests (
          space INTEGER NOT NULL REFERENCES spaces ON DELETE CASCADE,
          collection TEXT NOT NULL, digest TEXT NOT NULL, UNIQUE (space, collection)
        );
        CREATE INDEX changes_of_collection ON records (space, collection, version);
        """
}
