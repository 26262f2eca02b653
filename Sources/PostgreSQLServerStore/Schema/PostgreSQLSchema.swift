internal import Records

/// The tables and their migrations. A released migration is never edited.
///
/// The columns are those of `SQLiteServerStore`. Texts are compared by their bytes (`COLLATE "C"`), as in SQLite. JSON is
/// stored as text, since `jsonb` would change numbers and refuse `\u0000`; JSON texts never contain the character U+0000
/// itself, which no text in PostgreSQL can.
enum PostgreSQLSchema {
    /// A migration with its name, which is stored once it was applied.
    struct Migration: Sendable {
        let name: String
        let sql: String
    }

    static let migrations = [
        Migration(
            name: "1: accounts, spaces, records, outcomes",
            sql: [accounts, spaces, records, outcomes, admission, restores, counters].joined(separator: "\n")),
        Migration(name: "2: the index of collections' changes", sql: changesOfCollection),
    ]

    /// Returns the expression for the bytes of a row's fields and clocks.
    static func bytes(_ row: String) -> String { "octet_length(\(row).fields) + octet_length(\(row).clock)" }

    private static let text = #"text COLLATE "C""#

    /// Accounts, sessions and tokens. Moments are in milliseconds since 1970; hashes are SHA-256. Rows that each push
    /// changes have free space in their pages, so that the indexes don't change.
    private static let accounts = """
        CREATE TABLE accounts (
          id \(text) PRIMARY KEY, username \(text) NOT NULL UNIQUE, password_hash \(text) NOT NULL,
          personal_space \(text) NOT NULL, created_at bigint NOT NULL, outcome_bytes bigint NOT NULL DEFAULT 0,
          disabled_at bigint, quota_records bigint, quota_bytes bigint, quota_devices bigint, quota_streams bigint
        ) WITH (fillfactor = 60);
        CREATE TABLE sessions (
          id \(text) PRIMARY KEY, account \(text) NOT NULL REFERENCES accounts ON DELETE CASCADE, device \(text) NOT NULL,
          device_name \(text) NOT NULL, created_at bigint NOT NULL, last_seen_at bigint NOT NULL,
          generation bigint NOT NULL, generation_used boolean NOT NULL, scope \(text), expires_at bigint,
          ended boolean NOT NULL DEFAULT false, UNIQUE (account, device)
        ) WITH (fillfactor = 80);
        CREATE INDEX sessions_by_use ON sessions (last_seen_at);
        CREATE INDEX ended_sessions ON sessions (id) WHERE ended;
        CREATE TABLE tokens (
          hash bytea PRIMARY KEY, session \(text) NOT NULL REFERENCES sessions ON DELETE CASCADE, kind \(text) NOT NULL,
          generation bigint NOT NULL, pair bigint NOT NULL, expires_at bigint NOT NULL, withdrawn boolean NOT NULL
        );
        CREATE INDEX tokens_of_session ON tokens (session, generation);
        CREATE INDEX tokens_by_expiry ON tokens (session, kind, expires_at);
        """

    /// Spaces and their members. A number identifies a space, which keeps the indexes of its records small.
    private static let spaces = """
        CREATE TABLE spaces (
          number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id \(text) NOT NULL UNIQUE, version bigint NOT NULL,
          tombstone_floor bigint NOT NULL, digest \(text) NOT NULL, records bigint NOT NULL, bytes bigint NOT NULL
        ) WITH (fillfactor = 40);
        CREATE TABLE members (
          account \(text) NOT NULL REFERENCES accounts ON DELETE CASCADE,
          space bigint NOT NULL REFERENCES spaces ON DELETE CASCADE, role \(text) NOT NULL, PRIMARY KEY (account, space)
        );
        CREATE INDEX members_of_space ON members (space);
        CREATE TABLE digests (
          space bigint NOT NULL REFERENCES spaces ON DELETE CASCADE, collection \(text) NOT NULL, digest \(text) NOT NULL,
          PRIMARY KEY (space, collection)
        ) WITH (fillfactor = 60);
        """

    private static let states = """
        space bigint NOT NULL REFERENCES spaces ON DELETE CASCADE, collection \(text) NOT NULL, id \(text) NOT NULL,
          version bigint NOT NULL, deleted boolean NOT NULL, modified_at \(text) NOT NULL, modified_by \(text) NOT NULL,
          clock \(text) NOT NULL, fields \(text) NOT NULL
        """

    /// Records with the indexes for changes by version, and their earlier states.
    private static let records = """
        CREATE TABLE records (\(states), PRIMARY KEY (space, collection, id), UNIQUE (space, version));
        CREATE INDEX changes_of_collection ON records (space, collection, version);
        CREATE INDEX tombstones ON records (modified_at) WHERE deleted;
        CREATE TABLE revisions (\(states), PRIMARY KEY (space, collection, id, version));
        """

    /// The index of the changes of a collection has an expression, so that it can't be used for a record's key.
    ///
    /// In a table without statistics, PostgreSQL expects as few rows for a space and a collection as for a key, and used this
    /// index in place of the primary key. A connection keeps such a plan: each look-up of a record then read the whole
    /// collection.
    private static let changesOfCollection = """
        DROP INDEX changes_of_collection;
        CREATE INDEX changes_of_collection ON records (space, (collection || ''), version);
        """

    private static let outcomes = """
        CREATE TABLE outcomes (
          sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
          account \(text) NOT NULL REFERENCES accounts ON DELETE CASCADE, device \(text) NOT NULL, key \(text) NOT NULL,
          request_hash bytea NOT NULL, first_version bigint, last_version bigint, stored_at bigint NOT NULL,
          bytes bigint NOT NULL, UNIQUE (account, device, key)
        );
        CREATE INDEX outcomes_of_device ON outcomes (account, device, sequence);
        CREATE INDEX outcomes_by_age ON outcomes (stored_at, account, device);
        CREATE TABLE outcome_results (
          outcome bigint NOT NULL REFERENCES outcomes ON DELETE CASCADE, place bigint NOT NULL,
          status \(text) NOT NULL CHECK (status IN ('applied', 'conflict', 'rejected')),
          version bigint, clock \(text), problem \(text), PRIMARY KEY (outcome, place)
        );
        """

    /// Invitations, one-time codes, the counted attempts of the throttle, and the secrets by which devices prove an earlier
    /// session. Codes and secrets are stored as SHA-256 only. Events of the owner's commands, until a server has logged them;
    /// their fields are a JSON object of strings.
    private static let admission = """
        CREATE TABLE invites (
          id \(text) PRIMARY KEY, code_hash bytea NOT NULL UNIQUE, note \(text) NOT NULL, uses bigint NOT NULL,
          used bigint NOT NULL, created_at bigint NOT NULL, expires_at bigint NOT NULL
        );
        CREATE TABLE resets (
          account \(text) PRIMARY KEY REFERENCES accounts ON DELETE CASCADE, code_hash bytea NOT NULL,
          expires_at bigint NOT NULL
        );
        CREATE TABLE attempts (
          name \(text) PRIMARY KEY, count bigint NOT NULL, last_at bigint NOT NULL, blocked_until bigint NOT NULL,
          importance bigint NOT NULL
        );
        CREATE INDEX attempts_by_importance ON attempts (importance, blocked_until, name);
        CREATE INDEX attempts_by_age ON attempts (last_at, name);
        CREATE TABLE device_proofs (
          account \(text) NOT NULL REFERENCES accounts ON DELETE CASCADE, device \(text) NOT NULL, hash bytea NOT NULL,
          made_at bigint NOT NULL, PRIMARY KEY (account, device)
        );
        CREATE TABLE audits (
          sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at bigint NOT NULL, event \(text) NOT NULL,
          fields \(text) NOT NULL
        );
        """

    /// The epochs that restores have ended, in their order, with the version to which each space was reset.
    private static let restores = """
        CREATE TABLE restores (
          sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, epoch \(text) NOT NULL UNIQUE,
          restored_at bigint NOT NULL
        );
        CREATE TABLE marks (
          space bigint NOT NULL REFERENCES spaces ON DELETE CASCADE,
          restore bigint NOT NULL REFERENCES restores ON DELETE CASCADE, version bigint NOT NULL,
          PRIMARY KEY (space, restore)
        );
        CREATE INDEX marks_of_restore ON marks (restore);
        """

    /// Triggers maintain `spaces.bytes` and `accounts.outcome_bytes`, whichever statement changes rows: once for each
    /// statement, however many rows it changes.
    private static let counters = (["records", "revisions"].map { spaceCounter(of: $0) } + [outcomeCounter])
        .joined(separator: "\n")

    private static let outcomeCounter = """
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
        """

    private static func spaceCounter(of table: String) -> String {
        func change(_ rows: String) -> String {
            """
            UPDATE spaces SET bytes = spaces.bytes + counted.change FROM (
                SELECT space, sum(change)::bigint AS change FROM (\(rows)) AS rows GROUP BY space) AS counted
              WHERE number = counted.space AND counted.change <> 0;
            """
        }
        let (added, removed) = (
            "SELECT space, \(bytes("added")) AS change FROM added",
            "SELECT space, -(\(bytes("removed"))) AS change FROM removed"
        )
        return """
            CREATE FUNCTION count_\(table)() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
              IF TG_OP = 'INSERT' THEN \(change(added))
              ELSIF TG_OP = 'UPDATE' THEN \(change("\(added) UNION ALL \(removed)"))
              ELSE \(change(removed))
              END IF;
              RETURN NULL;
            END $$;
            CREATE TRIGGER added AFTER INSERT ON \(table) REFERENCING NEW TABLE AS added
              FOR EACH STATEMENT EXECUTE FUNCTION count_\(table)();
            CREATE TRIGGER changed AFTER UPDATE ON \(table) REFERENCING NEW TABLE AS added OLD TABLE AS removed
              FOR EACH STATEMENT EXECUTE FUNCTION count_\(table)();
            CREATE TRIGGER removed AFTER DELETE ON \(table) REFERENCING OLD TABLE AS removed
              FOR EACH STATEMENT EXECUTE FUNCTION count_\(table)();
            """
    }
}
