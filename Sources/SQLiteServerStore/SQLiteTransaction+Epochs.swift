internal import GRDB
internal import ServerCore

extension SQLiteTransaction {
    func epoch() throws -> String {
        guard let epoch = try first("SELECT value FROM meta WHERE name = 'epoch'", [], { $0[0] as String }) else {
            throw DamagedDatabase(what: "it has no epoch")
        }
        return epoch
    }

    func shared(since epoch: String, in space: String) throws -> Int64? {
        try first(
            """
            SELECT coalesce(version, 0) FROM restores
            LEFT JOIN marks ON restore = sequence AND space = (SELECT number FROM spaces WHERE id = ?)
            WHERE epoch = ?
            """,
            [space, epoch]
        ) { row in row[0] as Int64 }
    }

    /// What the database knows of its past.
    func lineage() throws -> Lineage {
        var epochs: [String: [String: Int64]] = [:]
        for epoch in try all("SELECT epoch FROM restores", [], { $0[0] as String }) { epochs[epoch] = [:] }
        let marks = try all(
            """
            SELECT epoch, id, marks.version FROM marks
            JOIN restores ON restore = sequence JOIN spaces ON space = number
            """, []
        ) { row in (epoch: row[0] as String, space: row[1] as String, version: row[2] as Int64) }
        for mark in marks { epochs[mark.epoch]?[mark.space] = mark.version }
        let present = try all("SELECT id, version FROM spaces", []) { row in (row[0] as String, row[1] as Int64) }
        epochs[try epoch()] = Dictionary(uniqueKeysWithValues: present)
        return Lineage(epochs: epochs)
    }

    /// Remembers epochs that another database went through.
    func remember(_ epochs: [String: [String: Int64]], now: Int64) throws {
        for (epoch, versions) in epochs.sorted(by: { $0.key < $1.key }) {
            try run("INSERT INTO restores (epoch, restored_at) VALUES (?, ?)", [epoch, now])
            let restore = db.lastInsertedRowID
            for (space, version) in versions {
                try run(
                    "INSERT INTO marks (space, restore, version) SELECT number, ?, ? FROM spaces WHERE id = ?",
                    [restore, version, space])
            }
        }
    }

    func markRestored(epoch: String, now: Int64) throws {
        try run("INSERT INTO restores (epoch, restored_at) VALUES (?, ?)", [try self.epoch(), now])
        try run(
            "INSERT INTO marks (space, restore, version) SELECT number, ?, version FROM spaces", [db.lastInsertedRowID])
        try run(
            "UPDATE spaces SET version = max(version + ?, ?)", [RestoredVersion.step, RestoredVersion.least(now: now)])
        try run("UPDATE meta SET value = ? WHERE name = 'epoch'", [epoch])
    }
}
