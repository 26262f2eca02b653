internal import GRDB
internal import Records
internal import ServerCore

extension SQLiteTransaction {
    func hasAudits() throws -> Bool { try first("SELECT 1 FROM audits LIMIT 1", []) { _ in true } ?? false }

    func insert(_ audit: StoredAudit, limit: Int) throws {
        let fields = JSONObject(audit.fields.map { ($0.key, JSONValue.string($0.value)) })
        try run(
            "INSERT INTO audits (at, event, fields) VALUES (?, ?, ?)",
            [audit.at, audit.event, JSONValue.object(fields).text])
        // The numbers have no gaps but those of failed transactions, so at most `limit` are left.
        try run("DELETE FROM audits WHERE sequence <= ?", [db.lastInsertedRowID - Int64(limit)])
    }

    func removeOldestAudits(limit: Int) throws -> [StoredAudit] {
        let rows = try all("SELECT sequence, at, event, fields FROM audits ORDER BY sequence LIMIT ?", [limit]) { row in
            (sequence: row[0] as Int64, audit: try Self.audit(at: row[1], event: row[2], fields: row[3]))
        }
        guard let last = rows.last else { return [] }
        try run("DELETE FROM audits WHERE sequence <= ?", [last.sequence])
        return rows.map(\.audit)
    }

    private static func audit(at moment: Int64, event: String, fields: String) throws -> StoredAudit {
        let members = try JSONValue(parsing: Array(fields.utf8)).object ?? [:]
        let names = members.sortedNames
        let texts = names.map { name in (name, members[name]?.string ?? "") }
        return StoredAudit(event: event, at: moment, fields: Dictionary(uniqueKeysWithValues: texts))
    }
}
