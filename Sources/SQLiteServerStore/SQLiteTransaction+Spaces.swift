internal import Foundation
internal import GRDB
internal import Records
internal import ServerCore
internal import SyncAPI

extension SQLiteTransaction {
    func space(_ id: String) throws -> SpaceRow? {
        try first(
            "SELECT version, tombstone_floor, digest, records, bytes FROM spaces WHERE id = ?", [id]
        ) { row in
            guard let digest = SpaceDigest(row[2] as String) else { throw DamagedDatabase(what: "a space's digest") }
            return SpaceRow(
                id: id, version: row[0], tombstoneFloor: row[1], digest: digest, records: row[3], bytes: row[4])
        }
    }

    func lockSpace(_ id: String) throws -> SpaceRow? {
        // SQLite has one writer, so that the transaction holds every row already.
        try space(id)
    }

    func insertSpace(id: String) throws {
        try run(
            "INSERT INTO spaces (id, version, tombstone_floor, digest, records, bytes) VALUES (?, 0, 0, ?, 0, 0)",
            [id, SpaceDigest().description])
    }

    func update(_ space: SpaceRow) throws {
        try run(
            "UPDATE spaces SET version = ?, tombstone_floor = ?, digest = ?, records = ? WHERE id = ?",
            [space.version, space.tombstoneFloor, space.digest.description, space.records, space.id])
    }

    func clear(space id: String, limit: RemovalLimit) throws -> Bool {
        var limit = limit
        for table in ["revisions", "records"] {
            let isOver = try delete(
                from: table, bytes: ServerSchema.bytes(table), where: "space = \(Self.number)", [id], limit: &limit)
            if !isOver { return false }
        }
        try run("DELETE FROM spaces WHERE id = ?", [id])
        return true
    }

    func abandonedSpaces(limit: Int) throws -> [String] {
        try all(
            "SELECT id FROM spaces WHERE NOT EXISTS (SELECT 1 FROM members WHERE space = number) LIMIT ?", [limit]
        ) { $0[0] }
    }

    func role(of account: String, in space: String) throws -> Role? {
        try first(
            "SELECT role FROM members WHERE account = ? AND space = (SELECT number FROM spaces WHERE id = ?)",
            [account, space]
        ) { row in try Role(stored: row[0]) }
    }

    func memberships(of account: String) throws -> [Membership] {
        try all(
            "SELECT id, role FROM members JOIN spaces ON number = space WHERE account = ? ORDER BY id", [account]
        ) { row in Membership(space: row[0], role: try Role(stored: row[1])) }
    }

    func setRole(_ role: Role, of account: String, in space: String) throws {
        try run(
            """
            INSERT INTO members (account, space, role) SELECT ?, number, ? FROM spaces WHERE id = ?
            ON CONFLICT (account, space) DO UPDATE SET role = excluded.role
            """,
            [account, role.rawValue, space])
    }
}

extension Role {
    fileprivate init(stored text: String) throws {
        guard let role = Role(rawValue: text) else { throw DamagedDatabase(what: "a member's role") }
        self = role
    }
}

extension [UInt8] {
    /// The bytes in the form for SQLite.
    var databaseBytes: Data { Data(self) }
}
