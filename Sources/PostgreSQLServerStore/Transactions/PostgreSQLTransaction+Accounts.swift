internal import ServerCore
internal import SyncAPI

extension PostgreSQLTransaction {
    func account(id: String) throws -> StoredAccount? {
        if let caller = announcement.caller, caller.account.id == id { return caller.account }
        return try first("SELECT \(StoredAccount.columns) FROM accounts WHERE id = $1", [.text(id)], StoredAccount.init)
    }

    func account(username: String) throws -> StoredAccount? {
        try first(
            "SELECT \(StoredAccount.columns) FROM accounts WHERE username = $1", [.text(username)], StoredAccount.init)
    }

    func hasAccounts() throws -> Bool { try first("SELECT 1 FROM accounts LIMIT 1") { _ in true } ?? false }

    func insert(_ account: StoredAccount) throws -> Bool {
        try changes(
            // A name in use is an expected outcome, which must not abort the transaction.
            """
            INSERT INTO accounts (\(StoredAccount.columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            ON CONFLICT (username) DO NOTHING
            """,
            [
                .text(account.id), .text(account.username), .text(account.passwordHash), .text(account.personalSpace),
                .int(account.createdAt), SQLValue(account.disabledAt), SQLValue(account.quota.records),
                SQLValue(account.quota.bytes), SQLValue(account.quota.devices), SQLValue(account.quota.streams),
            ]) == 1
    }

    func setPasswordHash(_ hash: String, account: String) throws {
        try run("UPDATE accounts SET password_hash = $1 WHERE id = $2", [.text(hash), .text(account)])
    }

    func accounts(after username: String, limit: Int) throws -> [StoredAccount] {
        try all(
            "SELECT \(StoredAccount.columns) FROM accounts WHERE username > $1 ORDER BY username LIMIT $2",
            [.text(username), .int(Int64(limit))], StoredAccount.init)
    }

    func setDisabled(_ moment: Int64?, account: String) throws {
        try run("UPDATE accounts SET disabled_at = $1 WHERE id = $2", [SQLValue(moment), .text(account)])
    }

    func setQuota(_ quota: AccountQuota, account: String) throws {
        try run(
            """
            UPDATE accounts SET quota_records = $1, quota_bytes = $2, quota_devices = $3, quota_streams = $4
            WHERE id = $5
            """,
            [
                SQLValue(quota.records), SQLValue(quota.bytes), SQLValue(quota.devices), SQLValue(quota.streams),
                .text(account),
            ])
    }

    func reset(account: String) throws -> StoredReset? {
        try first("SELECT code_hash, expires_at FROM resets WHERE account = $1", [.text(account)]) { row in
            StoredReset(account: account, codeHash: row.bytes(0), expiresAt: row.int(1))
        }
    }

    func put(_ reset: StoredReset) throws {
        try run(
            """
            INSERT INTO resets (account, code_hash, expires_at) VALUES ($1, $2, $3)
            ON CONFLICT (account) DO UPDATE SET code_hash = excluded.code_hash, expires_at = excluded.expires_at
            """, [.text(reset.account), .bytes(reset.codeHash), .int(reset.expiresAt)])
    }

    func deleteReset(account: String) throws { try run("DELETE FROM resets WHERE account = $1", [.text(account)]) }

    func totals() throws -> StoredTotals {
        let totals = try first(
            """
            SELECT (SELECT count(*) FROM accounts), (SELECT count(*) FROM accounts WHERE disabled_at IS NOT NULL),
              (SELECT count(*) FROM sessions WHERE NOT ended AND scope IS NULL),
              (SELECT count(*) FROM sessions WHERE NOT ended AND scope IS NOT NULL),
              (SELECT count(*) FROM spaces), (SELECT coalesce(sum(records), 0)::bigint FROM spaces),
              (SELECT coalesce(sum(bytes), 0)::bigint FROM spaces)
                + (SELECT coalesce(sum(outcome_bytes), 0)::bigint FROM accounts)
            """
        ) { row in
            StoredTotals(
                accounts: row.int(0), disabledAccounts: row.int(1), devices: row.int(2), appPasswords: row.int(3),
                spaces: row.int(4), records: row.int(5), bytes: row.int(6))
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
                (SELECT count(*) FROM sessions WHERE account = accounts.id AND NOT ended AND
                  CASE WHEN scope IS NULL THEN created_at > $4 AND last_seen_at > $5 ELSE expires_at > $6 END
                ) AS devices,
                coalesce(quota_records, $1) AS most_records, coalesce(quota_bytes, $2) AS most_bytes,
                coalesce(quota_devices, $3) AS most_devices
              FROM accounts JOIN spaces ON spaces.id = personal_space) AS used
            """,
            // As `SessionRules.lives`.
            [
                .int(rules.records), .int(rules.bytes), .int(rules.devices), .int(now - sessions.session),
                .int(now - sessions.refresh), .int(now),
            ]
        ) { row in
            let near: [QuotaResource: Int64] = [.records: row.int(0), .bytes: row.int(1), .devices: row.int(2)]
            return QuotaUse(near: QuotaValues { near[$0] ?? 0 }, exceeding: row.int(3))
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
            try delete(from: "outcomes", bytes: "bytes", where: "account = $1", [.text(id)], limit: &limit)
            && delete(
                from: "tokens", bytes: "0", where: "session IN (SELECT id FROM sessions WHERE account = $1)",
                [.text(id)], limit: &limit)
            && delete(from: "sessions", bytes: "0", where: "account = $1 AND ended", [.text(id)], limit: &limit)
        if isEmpty { try run("DELETE FROM accounts WHERE id = $1", [.text(id)]) }
        return isEmpty
    }
}

extension PostgreSQLTransaction {
    func token(hash: [UInt8]) throws -> StoredToken? {
        if let token = announcement.caller?.token, token.hash == hash { return token }
        if announcement.missingToken == hash { return nil }
        return try first(
            """
            SELECT \(StoredToken.columns) FROM tokens JOIN sessions ON sessions.id = session AND NOT ended WHERE hash = $1
            """, [.bytes(hash)]
        ) { try StoredToken(hash: hash, $0) }
    }

    func tokenCount(session: String, generation: Int64) throws -> Int {
        let count = try first(
            "SELECT count(*) FROM tokens WHERE session = $1 AND generation = $2", [.text(session), .int(generation)]
        ) { $0.int(0) }
        return Int(count ?? 0)
    }

    func tokenCount(session: String) throws -> Int {
        let count = try first("SELECT count(*) FROM tokens WHERE session = $1", [.text(session)]) { $0.int(0) }
        return Int(count ?? 0)
    }

    func oldestGeneration(session: String) throws -> Int64? {
        try first("SELECT generation FROM tokens WHERE session = $1 ORDER BY generation LIMIT 1", [.text(session)]) {
            $0.int(0)
        }
    }

    func hasEndedSessions(account: String) throws -> Bool {
        let found = try first("SELECT 1 FROM sessions WHERE account = $1 AND ended LIMIT 1", [.text(account)]) { _ in
            true
        }
        return found ?? false
    }

    func session(id: String) throws -> StoredSession? {
        if let caller = announcement.caller, caller.session.id == id { return caller.session }
        return try first(
            "SELECT \(StoredSession.columns) FROM sessions WHERE id = $1 AND NOT ended", [.text(id)], StoredSession.init
        )
    }

    func session(account: String, device: String) throws -> StoredSession? {
        try first(
            "SELECT \(StoredSession.columns) FROM sessions WHERE account = $1 AND device = $2 AND NOT ended",
            [.text(account), .text(device)], StoredSession.init)
    }

    func sessions(account: String) throws -> [StoredSession] {
        try all(
            "SELECT \(StoredSession.columns) FROM sessions WHERE account = $1 AND NOT ended ORDER BY created_at, id",
            [.text(account)], StoredSession.init)
    }

    func put(_ session: StoredSession) throws {
        try run(
            """
            INSERT INTO sessions (\(StoredSession.columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            ON CONFLICT (id) DO UPDATE SET device_name = excluded.device_name, last_seen_at = excluded.last_seen_at,
              generation = excluded.generation, generation_used = excluded.generation_used
            WHERE NOT sessions.ended
            """,
            [
                .text(session.id), .text(session.account), .text(session.device), .text(session.deviceName),
                .int(session.createdAt), .int(session.lastSeenAt), .int(session.generation),
                .bool(session.generationUsed), SQLValue(session.appPassword?.scope.rawValue),
                SQLValue(session.appPassword?.expiresAt),
            ])
    }

    func deleteSession(id: String) throws {
        // The row stays until `deleteSessions` has removed its tokens in steps. A new value of `device`, which is
        // unique in the account, lets the device sign in again at once.
        try run(
            "UPDATE sessions SET ended = true, device = id, device_name = '' WHERE id = $1 AND NOT ended", [.text(id)])
    }

    func insert(_ token: StoredToken) throws {
        try run(
            """
            INSERT INTO tokens (hash, session, kind, generation, pair, expires_at, withdrawn)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            """,
            [
                .bytes(token.hash), .text(token.session), .text(token.kind.rawValue), .int(token.generation),
                .int(token.pair), .int(token.expiresAt), .bool(token.isWithdrawn),
            ])
    }

    func withdrawTokens(session: String, generation: Int64, except pair: Int64) throws {
        try run(
            "UPDATE tokens SET withdrawn = true WHERE session = $1 AND generation = $2 AND pair <> $3 AND NOT withdrawn",
            [.text(session), .int(generation), .int(pair)])
    }

    func deleteTokens(
        session: String, kind: StoredToken.Kind, expiredBefore moment: Int64, limit: inout RemovalLimit
    ) throws {
        _ = try delete(
            from: "tokens", bytes: "0", where: "session = $1 AND kind = $2 AND expires_at < $3",
            [.text(session), .text(kind.rawValue), .int(moment)], limit: &limit)
    }

    func deleteTokens(session: String, generations: Range<Int64>, limit: inout RemovalLimit) throws {
        _ = try delete(
            from: "tokens", bytes: "0", where: "session = $1 AND generation >= $2 AND generation < $3",
            [.text(session), .int(generations.lowerBound), .int(generations.upperBound)], limit: &limit)
    }

    func deleteEndedSessions(account: String, limit: inout RemovalLimit) throws {
        let isBare = try delete(
            from: "tokens", bytes: "0",
            where: "session IN (SELECT id FROM sessions WHERE account = $1 AND ended)", [.text(account)], limit: &limit)
        guard isBare else { return }
        _ = try delete(from: "sessions", bytes: "0", where: "account = $1 AND ended", [.text(account)], limit: &limit)
    }

    func deleteSessions(
        lastSeenBefore seen: Int64, createdBefore created: Int64, expiredBefore expired: Int64, limit: RemovalLimit
    ) throws -> Bool {
        var limit = limit
        // At most as many as rows may be removed: each session is a row.
        let sessions = try all(
            """
            SELECT id FROM sessions WHERE ended OR (expires_at IS NULL AND (last_seen_at < $1 OR created_at < $2))
              OR expires_at < $3 LIMIT $4
            """, [.int(seen), .int(created), .int(expired), .int(Int64(limit.rows))]
        ) { $0.text(0) }
        for session in sessions {
            guard
                try delete(from: "tokens", bytes: "0", where: "session = $1", [.text(session)], limit: &limit),
                limit.count(0)
            else { return false }
            try run("DELETE FROM sessions WHERE id = $1", [.text(session)])
        }
        return sessions.isEmpty
    }
}

extension StoredAccount {
    static let columns = """
        id, username, password_hash, personal_space, created_at, disabled_at, quota_records, quota_bytes, quota_devices,
        quota_streams
        """

    /// Creates an account from a row of `columns`.
    init(_ row: SQLRow) {
        self.init(
            id: row.text(0), username: row.text(1), passwordHash: row.text(2), personalSpace: row.text(3),
            createdAt: row.int(4), disabledAt: row.optionalInt(5),
            quota: AccountQuota(
                records: row.optionalInt(6), bytes: row.optionalInt(7), devices: row.optionalInt(8),
                streams: row.optionalInt(9)))
    }
}

extension StoredToken {
    /// The columns after the hash, with the name of their table, since sessions have columns of the same names.
    static let columns =
        "tokens.session, tokens.kind, tokens.generation, tokens.pair, tokens.expires_at, tokens.withdrawn"

    /// Creates a token from a row of `columns`.
    init(hash: [UInt8], _ row: SQLRow) throws {
        guard let kind = Kind(rawValue: row.text(1)) else { throw DamagedStore(what: "a token's kind") }
        self.init(
            hash: hash, session: row.text(0), kind: kind, generation: row.int(2), pair: row.int(3),
            expiresAt: row.int(4), isWithdrawn: row.bool(5))
    }
}

extension StoredSession {
    static let columns = """
        id, account, device, device_name, created_at, last_seen_at, generation, generation_used, scope, expires_at
        """

    /// Creates a session from a row of `columns`.
    init(_ row: SQLRow) throws {
        self.init(
            id: row.text(0), account: row.text(1), device: row.text(2), deviceName: row.text(3), createdAt: row.int(4),
            lastSeenAt: row.int(5), generation: row.int(6), generationUsed: row.bool(7),
            appPassword: try Self.appPassword(row.optionalText(8), row.optionalInt(9)))
    }

    private static func appPassword(_ scope: String?, _ expiresAt: Int64?) throws -> AppPassword? {
        guard let scope else { return nil }
        guard let scope = AccessScope(rawValue: scope), let expiresAt else {
            throw DamagedStore(what: "an app password")
        }
        return AppPassword(scope: scope, expiresAt: expiresAt)
    }
}
