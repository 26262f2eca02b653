internal import ServerCore

extension PostgreSQLTransaction {
    func invite(codeHash: [UInt8]) throws -> StoredInvite? {
        try first(
            "SELECT \(StoredInvite.columns) FROM invites WHERE code_hash = $1", [.bytes(codeHash)], StoredInvite.init)
    }

    func invites() throws -> [StoredInvite] {
        try all("SELECT \(StoredInvite.columns) FROM invites ORDER BY created_at, id", [], StoredInvite.init)
    }

    func insert(_ invite: StoredInvite) throws {
        try run(
            "INSERT INTO invites (\(StoredInvite.columns)) VALUES ($1, $2, $3, $4, $5, $6, $7)",
            [
                .text(invite.id), .bytes(invite.codeHash), .text(invite.note), .int(invite.uses), .int(invite.used),
                .int(invite.createdAt), .int(invite.expiresAt),
            ])
    }

    func countUse(ofInvite id: String) throws {
        try run("UPDATE invites SET used = used + 1 WHERE id = $1", [.text(id)])
    }

    func deleteInvite(id: String) throws -> Bool {
        try changes("DELETE FROM invites WHERE id = $1", [.text(id)]) == 1
    }

    func deleteInvites(expiredBefore moment: Int64) throws {
        try run("DELETE FROM invites WHERE expires_at < $1", [.int(moment)])
    }
}

extension StoredInvite {
    fileprivate static let columns = "id, code_hash, note, uses, used, created_at, expires_at"

    fileprivate init(_ row: SQLRow) {
        self.init(
            id: row.text(0), codeHash: row.bytes(1), note: row.text(2), uses: row.int(3), used: row.int(4),
            createdAt: row.int(5), expiresAt: row.int(6))
    }
}

extension PostgreSQLTransaction {
    func attempts(of name: String) throws -> StoredAttempts? {
        try first("SELECT count, last_at, blocked_until, importance FROM attempts WHERE name = $1", [.text(name)]) {
            row in
            StoredAttempts(
                count: row.int(0), last: row.int(1), blockedUntil: row.int(2),
                // A number of a later version is at least as important as those that are known.
                importance: StoredAttempts.Importance(rawValue: row.int(3)) ?? .delayedWholeAccount)
        }
    }

    func put(_ attempts: StoredAttempts, of name: String) throws {
        try run(
            """
            INSERT INTO attempts (name, count, last_at, blocked_until, importance) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (name) DO UPDATE SET count = excluded.count, last_at = excluded.last_at,
              blocked_until = excluded.blocked_until, importance = excluded.importance
            """,
            [
                .text(name), .int(attempts.count), .int(attempts.last), .int(attempts.blockedUntil),
                .int(attempts.importance.rawValue),
            ])
    }

    func deleteAttempts(of name: String) throws { try run("DELETE FROM attempts WHERE name = $1", [.text(name)]) }

    func deleteAttempts(lastBefore moment: Int64) throws {
        try run("DELETE FROM attempts WHERE last_at < $1", [.int(moment)])
    }

    func trimAttempts(to bound: Int, surplus: Int, forgottenBefore moment: Int64) throws {
        // Counting reads all rows, which would be a conflict with each attempt that is counted meanwhile. So rows are
        // counted after one attempt of `surplus / 50` only, and not in a small table: a row has 52 bytes at least.
        let isDue = try first(
            "SELECT random() * $2::bigint < 50 AND pg_relation_size('attempts') > $1::bigint * 52",
            [.int(Int64(bound)), .int(Int64(surplus))]
        ) { $0.bool(0) }
        guard isDue ?? true else { return }
        let count = try attemptCount()
        guard count > bound + surplus else { return }
        try run(
            "DELETE FROM attempts WHERE name IN (SELECT name FROM attempts WHERE last_at < $1 ORDER BY last_at LIMIT $2)",
            [.int(moment), .int(Int64(count - bound))])
        let left = try attemptCount() - bound
        guard left > 0 else { return }
        try run(
            """
            DELETE FROM attempts WHERE name IN (
              SELECT name FROM attempts ORDER BY importance, blocked_until, name LIMIT $1)
            """, [.int(Int64(left))])
    }

    private func attemptCount() throws -> Int { Int(try first("SELECT count(*) FROM attempts") { $0.int(0) } ?? 0) }
}

extension PostgreSQLTransaction {
    func deviceProof(account: String, device: String) throws -> [UInt8]? {
        try first(
            "SELECT hash FROM device_proofs WHERE account = $1 AND device = $2", [.text(account), .text(device)]
        ) { $0.bytes(0) }
    }

    func putDeviceProof(_ hash: [UInt8], account: String, device: String, now: Int64, limit: Int) throws {
        try run(
            """
            INSERT INTO device_proofs (account, device, hash, made_at) VALUES ($1, $2, $3, $4)
            ON CONFLICT (account, device) DO UPDATE SET hash = excluded.hash, made_at = excluded.made_at
            """, [.text(account), .text(device), .bytes(hash), .int(now)])
        try run(
            """
            DELETE FROM device_proofs WHERE account = $1 AND device IN (
              SELECT device FROM device_proofs WHERE account = $1 ORDER BY made_at DESC, device OFFSET $2)
            """, [.text(account), .int(Int64(limit))])
    }

    func deleteDeviceProof(account: String, device: String) throws {
        try run("DELETE FROM device_proofs WHERE account = $1 AND device = $2", [.text(account), .text(device)])
    }

    func deleteDeviceProofs(account: String, except device: String?) throws {
        try run(
            "DELETE FROM device_proofs WHERE account = $1 AND device IS DISTINCT FROM $2",
            [.text(account), SQLValue(device)])
    }
}

extension PostgreSQLTransaction {
    func hasAudits() throws -> Bool { try first("SELECT 1 FROM audits LIMIT 1") { _ in true } ?? false }

    func insert(_ audit: StoredAudit, limit: Int) throws {
        let sequence = try first(
            "INSERT INTO audits (at, event, fields) VALUES ($1, $2, $3) RETURNING sequence",
            [.int(audit.at), .text(audit.event), .text(audit.fieldsText)]
        ) { $0.int(0) }
        // The numbers have no gaps but those of failed transactions, so at most `limit` are left.
        try run("DELETE FROM audits WHERE sequence <= $1", [.int((sequence ?? 0) - Int64(limit))])
    }

    func removeOldestAudits(limit: Int) throws -> [StoredAudit] {
        let rows = try all(
            "SELECT sequence, at, event, fields FROM audits ORDER BY sequence LIMIT $1", [.int(Int64(limit))]
        ) { row in
            (sequence: row.int(0), audit: try StoredAudit(event: row.text(2), at: row.int(1), fieldsText: row.text(3)))
        }
        guard let last = rows.last else { return [] }
        try run("DELETE FROM audits WHERE sequence <= $1", [.int(last.sequence)])
        return rows.map(\.audit)
    }
}
