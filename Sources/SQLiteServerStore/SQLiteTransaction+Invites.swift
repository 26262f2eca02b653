internal import Foundation
internal import GRDB
internal import SQLiteRows
internal import ServerCore

extension SQLiteTransaction {
    func hasAccounts() throws -> Bool { try first("SELECT 1 FROM accounts LIMIT 1", []) { _ in true } ?? false }

    func invite(codeHash: [UInt8]) throws -> StoredInvite? {
        try first(
            "SELECT \(StoredInvite.columns) FROM invites WHERE code_hash = ?", [codeHash.databaseBytes],
            StoredInvite.init)
    }

    func invites() throws -> [StoredInvite] {
        try all("SELECT \(StoredInvite.columns) FROM invites ORDER BY created_at, id", [], StoredInvite.init)
    }

    func insert(_ invite: StoredInvite) throws {
        try run(
            "INSERT INTO invites (\(StoredInvite.columns)) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                invite.id, invite.codeHash.databaseBytes, invite.note, invite.uses, invite.used, invite.createdAt,
                invite.expiresAt,
            ])
    }

    func countUse(ofInvite id: String) throws { try run("UPDATE invites SET used = used + 1 WHERE id = ?", [id]) }

    func deleteInvite(id: String) throws -> Bool {
        try run("DELETE FROM invites WHERE id = ?", [id])
        return db.changesCount == 1
    }

    func deleteInvites(expiredBefore moment: Int64) throws {
        try run("DELETE FROM invites WHERE expires_at < ?", [moment])
    }
}

extension StoredInvite {
    fileprivate static let columns = "id, code_hash, note, uses, used, created_at, expires_at"

    fileprivate init(_ row: ColumnRow) {
        self.init(
            id: row[0], codeHash: Array(row[1] as Data), note: row[2], uses: row[3], used: row[4], createdAt: row[5],
            expiresAt: row[6])
    }
}
