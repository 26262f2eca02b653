internal import Foundation
internal import GRDB
internal import SQLiteRows
internal import ServerCore
internal import SyncAPI

extension SQLiteTransaction {
    func account(id: String) throws -> StoredAccount? {
        try first("SELECT \(StoredAccount.columns) FROM accounts WHERE id = ?", [id], StoredAccount.init)
    }

    func account(username: String) throws -> StoredAccount? {
        try first("SELECT \(StoredAccount.columns) FROM accounts WHERE username = ?", [username], StoredAccount.init)
    }

    func insert(_ account: StoredAccount) throws -> Bool {
        try run(
            // A name in use is an expected outcome, which must not abort the transaction.
            """
            INSERT INTO accounts (\(StoredAccount.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (username) DO NOTHING
            """,
            [
                account.id, account.username, account.passwordHash, account.personalSpace, account.createdAt,
                account.disabledAt, account.quota.records, account.quota.bytes, account.quota.devices,
                account.quota.streams,
            ])
        return db.changesCount == 1
    }

    func setPasswordHash(_ hash: String, account: String) throws {
        try run("UPDATE accounts SET password_hash = ? WHERE id = ?", [hash, account])
    }

    func accounts(after username: String, limit: Int) throws -> [StoredAccount] {
        try all(
            "SELECT \(StoredAccount.columns) FROM accounts WHERE username > ? ORDER BY username LIMIT ?",
            [username, limit], StoredAccount.init)
    }

    func setDisabled(_ moment: Int64?, account: String) throws {
        try run("UPDATE accounts SET disabled_at = ? WHERE id = ?", [moment, account])
    }

    func setQuota(_ quota: AccountQuota, account: String) throws {
        try run(
            """
            UPDATE accounts SET quota_records = ?, quota_bytes = ?, quota_devices = ?, quota_streams = ? WHERE id = ?
            """,
            [quota.records, quota.bytes, quota.devices, quota.streams, account])
    }

    func reset(account: String) throws -> StoredReset? {
        try first("SELECT code_hash, expires_at FROM resets WHERE account = ?", [account]) { row in
            StoredReset(account: account, codeHash: Array(row[0] as Data), expiresAt: row[1])
        }
    }

    func put(_ reset: StoredReset) throws {
        try run(
            """
            INSERT INTO resets (account, code_hash, expires_at) VALUES (?, ?, ?)
            ON CONFLICT (account) DO UPDATE SET code_hash = excluded.code_hash, expires_at = excluded.expires_at
            """,
            [reset.account, reset.codeHash.databaseBytes, reset.expiresAt])
    }

    func deleteReset(account: String) throws {
        try run("DELETE FROM resets WHERE account = ?", [account])
    }

    func totals() throws -> StoredTotals {
        let totals = try first(
            """
            SELECT (SELECT count(*) FROM accounts), (SELECT count(*) FROM accounts WHERE disabled_at IS NOT NULL),
              (SELECT count(*) FROM sessions WHERE ended = 0 AND scope IS NULL),
              (SELECT count(*) FROM sessions WHERE ended = 0 AND scope IS NOT NULL),
              (SELECT count(*) FROM spaces), (SELECT coalesce(sum(records), 0) FROM spaces),
              (SELECT coalesce(sum(bytes), 0) FROM spaces) + (SELECT coalesce(sum(outcome_bytes), 0) FROM accounts)
            """, []
        ) { row in
            StoredTotals(
                accounts: row[0], disabledAccounts: row[1], devices: row[2], appPasswords: row[3], spaces: row[4],
                records: row[5], bytes: row[6])
        }
        return totals ?? StoredTotals()
    }

    func quotaUse(_ rules: QuotaRules, sessions: SessionRules, now: Int64) throws -> QuotaUse {
        func isNear(_ name: String) -> String { "count(*) FILTER (WHERE \(name) >= most_\(name) - most_\(name) / 10)" }
        let use = try first(
            """
            SELECT \(isNear("records")), \(isNear("bytes")), \(isNear("devices")), count(*) FILTER (WHERE
              records > most_records OR bytes > most_bytes OR devices > most_devices)
            FROM (SELECT records, bytes + outcome_bytes AS bytes,
                (SELECT count(*) FROM sessions WHERE account = accounts.id AND ended = 0
                  AND iif(scope IS NULL, created_at > ? AND last_seen_at > ?, expires_at > ?)) AS devices,
                coalesce(quota_records, ?) AS most_records, coalesce(quota_bytes, ?) AS most_bytes,
                coalesce(quota_devices, ?) AS most_devices
              FROM accounts JOIN spaces ON spaces.id = personal_space)
            """,
            // As `SessionRules.lives`.
            [now - sessions.session, now - sessions.refresh, now, rules.records, rules.bytes, rules.devices]
        ) { row in
            let near: [QuotaResource: Int64] = [.records: row[0], .bytes: row[1], .devices: row[2]]
            return QuotaUse(near: QuotaValues { near[$0] ?? 0 }, exceeding: row[3])
        }
        return use ?? QuotaUse(near: QuotaValues { _ in 0 }, exceeding: 0)
    }

    func defaultQuota() throws -> QuotaRules? { try meta("quota").map { try QuotaRules(text: $0) } }

    func setDefaultQuota(_ rules: QuotaRules) throws { try setMeta("quota", rules.text) }

    func clear(account id: String, limit: RemovalLimit) throws -> Bool {
        var limit = limit
        // Removed in steps, since a session may have very many tokens. What the cascade of the account removes is
        // little: live sessions and memberships.
        let isEmpty =
            try delete(
                from: "outcomes", key: "sequence", bytes: "bytes", where: "account = ?", [id], limit: &limit
            )
            && delete(
                from: "tokens", key: "hash", bytes: "0",
                where: "session IN (SELECT id FROM sessions WHERE account = ?)", [id], limit: &limit)
            && delete(
                from: "sessions", key: "id", bytes: "0", where: "account = ? AND ended = 1", [id], limit: &limit)
        if isEmpty { try run("DELETE FROM accounts WHERE id = ?", [id]) }
        return isEmpty
    }
}

extension SQLiteTransaction {
    func token(hash: [UInt8]) throws -> StoredToken? {
        try first(
            """
            SELECT session, kind, generation, pair, expires_at, withdrawn FROM tokens
            WHERE hash = ? AND EXISTS (SELECT 1 FROM sessions WHERE id = session AND ended = 0)
            """, [hash.databaseBytes]
        ) { row in
            guard let kind = StoredToken.Kind(rawValue: row[1]) else { throw DamagedDatabase(what: "a token's kind") }
            return StoredToken(
                hash: hash, session: row[0], kind: kind, generation: row[2], pair: row[3], expiresAt: row[4],
                isWithdrawn: row[5])
        }
    }

    func tokenCount(session: String, generation: Int64) throws -> Int {
        try first("SELECT count(*) FROM tokens WHERE session = ? AND generation = ?", [session, generation]) { $0[0] }
            ?? 0
    }

    func tokenCount(session: String) throws -> Int {
        try first("SELECT count(*) FROM tokens WHERE session = ?", [session]) { $0[0] } ?? 0
    }

    func oldestGeneration(session: String) throws -> Int64? {
        try first("SELECT generation FROM tokens WHERE session = ? ORDER BY generation LIMIT 1", [session]) { $0[0] }
    }

    func hasEndedSessions(account: String) throws -> Bool {
        try first("SELECT 1 FROM sessions WHERE account = ? AND ended = 1 LIMIT 1", [account]) { _ in true } ?? false
    }

    func session(id: String) throws -> StoredSession? {
        try first("SELECT \(StoredSession.columns) FROM sessions WHERE id = ? AND ended = 0", [id], StoredSession.init)
    }

    func session(account: String, device: String) throws -> StoredSession? {
        try first(
            "SELECT \(StoredSession.columns) FROM sessions WHERE account = ? AND device = ? AND ended = 0",
            [account, device],
            StoredSession.init)
    }

    func sessions(account: String) throws -> [StoredSession] {
        try all(
            "SELECT \(StoredSession.columns) FROM sessions WHERE account = ? AND ended = 0 ORDER BY created_at, id",
            [account],
            StoredSession.init)
    }

    func put(_ session: StoredSession) throws {
        try run(
            """
            INSERT INTO sessions (\(StoredSession.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET device_name = excluded.device_name, last_seen_at = excluded.last_seen_at,
              generation = excluded.generation, generation_used = excluded.generation_used
            WHERE ended = 0
            """,
            [
                session.id, session.account, session.device, session.deviceName, session.createdAt,
                session.lastSeenAt, session.generation, session.generationUsed, session.appPassword?.scope.rawValue,
                session.appPassword?.expiresAt,
            ])
    }

    func deleteSession(id: String) throws {
        // The row stays until `deleteSessions` has removed its tokens in steps. A new value of `device`, which is
        // unique in the account, lets the device sign in again at once.
        try run("UPDATE sessions SET ended = 1, device = id, device_name = '' WHERE id = ? AND ended = 0", [id])
    }

    func insert(_ token: StoredToken) throws {
        try run(
            """
            INSERT INTO tokens (hash, session, kind, generation, pair, expires_at, withdrawn)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [
                token.hash.databaseBytes, token.session, token.kind.rawValue, token.generation, token.pair,
                token.expiresAt, token.isWithdrawn,
            ])
    }

    func withdrawTokens(session: String, generation: Int64, except pair: Int64) throws {
        try run(
            "UPDATE tokens SET withdrawn = 1 WHERE session = ? AND generation = ? AND pair <> ? AND withdrawn = 0",
            [session, generation, pair])
    }

    func deleteTokens(
        session: String, kind: StoredToken.Kind, expiredBefore moment: Int64, limit: inout RemovalLimit
    ) throws {
        _ = try delete(
            from: "tokens", key: "hash", bytes: "0", where: "session = ? AND kind = ? AND expires_at < ?",
            [session, kind.rawValue, moment], limit: &limit)
    }

    func deleteTokens(session: String, generations: Range<Int64>, limit: inout RemovalLimit) throws {
        _ = try delete(
            from: "tokens", key: "hash", bytes: "0", where: "session = ? AND generation >= ? AND generation < ?",
            [session, generations.lowerBound, generations.upperBound], limit: &limit)
    }

    func deleteEndedSessions(account: String, limit: inout RemovalLimit) throws {
        let isBare = try delete(
            from: "tokens", key: "hash", bytes: "0",
            where: "session IN (SELECT id FROM sessions WHERE account = ? AND ended = 1)", [account], limit: &limit)
        guard isBare else { return }
        _ = try delete(
            from: "sessions", key: "id", bytes: "0", where: "account = ? AND ended = 1", [account], limit: &limit)
    }
}

extension StoredAccount {
    fileprivate static let columns = """
        id, username, password_hash, personal_space, created_at, disabled_at, quota_records, quota_bytes, quota_devices,
        quota_streams
        """

    fileprivate init(_ row: ColumnRow) {
        self.init(
            id: row[0], username: row[1], passwordHash: row[2], personalSpace: row[3], createdAt: row[4],
            disabledAt: row[5],
            quota: AccountQuota(records: row[6], bytes: row[7], devices: row[8], streams: row[9]))
    }
}

extension StoredSession {
    fileprivate static let columns = """
        id, account, device, device_name, created_at, last_seen_at, generation, generation_used, scope, expires_at
        """

    fileprivate init(_ row: ColumnRow) throws {
        self.init(
            id: row[0], account: row[1], device: row[2], deviceName: row[3], createdAt: row[4], lastSeenAt: row[5],
            generation: row[6], generationUsed: row[7], appPassword: try Self.appPassword(row[8], row[9]))
    }

    private static func appPassword(_ scope: String?, _ expiresAt: Int64?) throws -> AppPassword? {
        guard let scope else { return nil }
        guard let scope = AccessScope(rawValue: scope), let expiresAt else {
            throw DamagedDatabase(what: "an app password")
        }
        return AppPassword(scope: scope, expiresAt: expiresAt)
    }
}
