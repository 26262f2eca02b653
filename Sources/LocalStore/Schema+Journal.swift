extension Schema {
    /// The person's last commands, and what each changed.
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

    /// Who gave a command, where it was not the person at this device.
    static let journalActor = "ALTER TABLE journal ADD COLUMN actor TEXT;"

    /// What the account's devices are called, as far as this home has heard; kept when a device signs out.
    static let deviceNames = "CREATE TABLE devices (id TEXT PRIMARY KEY, name TEXT NOT NULL) STRICT, WITHOUT ROWID;"
}
