internal import Foundation
internal import GRDB
internal import ServerCore

extension SQLiteTransaction {
    func attempts(of name: String) throws -> StoredAttempts? {
        try first("SELECT count, last_at, blocked_until FROM attempts WHERE name = ?", [name]) { row in
            StoredAttempts(count: row[0], last: row[1], blockedUntil: row[2])
        }
    }

    func put(_ attempts: StoredAttempts, of name: String) throws {
        try run(
            "INSERT OR REPLACE INTO attempts (name, count, last_at, blocked_until) VALUES (?, ?, ?, ?)",
            [name, attempts.count, attempts.last, attempts.blockedUntil])
    }

    func deleteAttempts(of name: String) throws { try run("DELETE FROM attempts WHERE name = ?", [name]) }

    func deleteAttempts(lastBefore moment: Int64) throws {
        try run("DELETE FROM attempts WHERE last_at < ?", [moment])
    }

    func trimAttempts(to bound: Int) throws {
        let count = try first("SELECT count(*) FROM attempts", []) { $0[0] as Int } ?? 0
        guard count > bound else { return }
        try run(
            "DELETE FROM attempts WHERE name IN (SELECT name FROM attempts ORDER BY count, blocked_until, name LIMIT ?)",
            [count - bound])
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
}
