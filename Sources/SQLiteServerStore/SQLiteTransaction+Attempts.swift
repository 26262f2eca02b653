internal import Foundation
internal import GRDB
internal import SQLiteRows
internal import ServerCore

extension SQLiteTransaction {
    func attempts(of name: String) throws -> StoredAttempts? {
        try first(AttemptStatement.read.sql, [name]) { row in
            StoredAttempts(
                count: row[0], last: row[1], blockedUntil: row[2],
                // A number of a later version is at least as important as those that are known.
                importance: StoredAttempts.Importance(rawValue: row[3]) ?? .delayedWholeAccount)
        }
    }

    func put(_ attempts: StoredAttempts, of name: String) throws {
        try run(
            AttemptStatement.put.sql,
            [name, attempts.count, attempts.last, attempts.blockedUntil, attempts.importance.rawValue])
    }

    func deleteAttempts(of name: String) throws { try run(AttemptStatement.delete.sql, [name]) }

    func deleteAttempts(lastBefore moment: Int64) throws { try run(AttemptStatement.forget.sql, [moment, -1]) }

    func trimAttempts(to bound: Int, surplus: Int, forgottenBefore moment: Int64) throws {
        let count = try attemptCount()
        guard count > bound + surplus else { return }
        try run(AttemptStatement.forget.sql, [moment, count - bound])
        let left = try attemptCount() - bound
        if left > 0 { try run(AttemptStatement.trim.sql, [left]) }
    }

    private func attemptCount() throws -> Int { try first(AttemptStatement.count.sql, []) { $0[0] as Int } ?? 0 }
}

/// The statements for counted attempts. Anyone may cause them without a password, so each uses an index: its cost doesn't
/// depend on the number of rows, except for the rows that it removes.
enum AttemptStatement: CaseIterable {
    case read, put, delete, forget, count, trim

    var sql: String {
        switch self {
        case .read: "SELECT count, last_at, blocked_until, importance FROM attempts WHERE name = ?"
        // Not `INSERT OR REPLACE`, which would count the row again.
        case .put:
            """
            INSERT INTO attempts (name, count, last_at, blocked_until, importance) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (name) DO UPDATE SET count = excluded.count, last_at = excluded.last_at,
              blocked_until = excluded.blocked_until, importance = excluded.importance
            """
        case .delete: "DELETE FROM attempts WHERE name = ?"
        case .forget:
            "DELETE FROM attempts WHERE name IN (SELECT name FROM attempts WHERE last_at < ? ORDER BY last_at LIMIT ?)"
        case .count: "SELECT count FROM attempt_total WHERE id = 1"
        case .trim:
            """
            DELETE FROM attempts WHERE name IN (
              SELECT name FROM attempts ORDER BY importance, blocked_until, name LIMIT ?)
            """
        }
    }
}

extension SQLiteTransaction {
    func deviceProof(account: String, device: String) throws -> [UInt8]? {
        try first("SELECT hash FROM device_proofs WHERE account = ? AND device = ?", [account, device]) { row in
            Array(row[0] as Data)
        }
    }

    func putDeviceProof(_ hash: [UInt8], account: String, device: String, now: Int64, limit: Int) throws {
        try run(
            "INSERT OR REPLACE INTO device_proofs (account, device, hash, made_at) VALUES (?, ?, ?, ?)",
            [account, device, hash.databaseBytes, now])
        try run(
            """
            DELETE FROM device_proofs WHERE account = ? AND device IN (
              SELECT device FROM device_proofs WHERE account = ? ORDER BY made_at DESC, device LIMIT -1 OFFSET ?)
            """, [account, account, limit])
    }

    func deleteDeviceProof(account: String, device: String) throws {
        try run("DELETE FROM device_proofs WHERE account = ? AND device = ?", [account, device])
    }

    func deleteDeviceProofs(account: String, except device: String?) throws {
        try run("DELETE FROM device_proofs WHERE account = ? AND device IS NOT ?", [account, device])
    }
}
