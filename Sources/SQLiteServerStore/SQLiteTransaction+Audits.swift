internal import GRDB
internal import SQLiteRows
internal import ServerCore

extension SQLiteTransaction {
    func hasAudits() throws -> Bool { try first("SELECT 1 FROM audits LIMIT 1", []) { _ in true } ?? false }

    func insert(_ audit: StoredAudit, limit: Int) throws {
        try run(
            "INSERT INTO audits (at, event, fields) VALUES (?, ?, ?)",
            [audit.at, audit.event, audit.fieldsText])
        // The numbers have no gaps but those of failed transactions, so at most `limit` are left.
        try run("DELETE FROM audits WHERE sequence <= ?", [db.lastInsertedRowID - Int64(limit)])
    }

    func removeOldestAudits(limit: Int) throws -> [StoredAudit] {
        let rows = try all("SELECT sequence, at, event, fields FROM audits ORDER BY sequence LIMIT ?", [limit]) { row in
            (sequence: row[0] as Int64, audit: try StoredAudit(event: row[2], at: row[1], fieldsText: row[3]))
        }
        guard let last = rows.last else { return [] }
        try run("DELETE FROM audits WHERE sequence <= ?", [last.sequence])
        return rows.map(\.audit)
    }
}
