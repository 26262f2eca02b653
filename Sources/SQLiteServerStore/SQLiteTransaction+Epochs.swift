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
            SELECT min(coalesce(version, 0)) FROM restores
            LEFT JOIN marks ON restore = sequence AND space = (SELECT number FROM spaces WHERE id = ?)
            WHERE sequence >= (SELECT sequence FROM restores WHERE epoch = ?)
            """,
            [space, epoch]
        ) { row in row[0] as Int64? } ?? nil
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
