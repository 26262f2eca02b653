internal import ServerCore

extension PostgreSQLTransaction {
    func outcome(of key: OutcomeKey) throws -> StoredOutcome? {
        let found = try first(
            """
            SELECT sequence, request_hash, first_version, last_version, stored_at FROM outcomes
            WHERE account = $1 AND device = $2 AND key = $3
            """, [.text(key.account), .text(key.device), .text(key.key)]
        ) { row in
            let versions = row.optionalInt(2).flatMap { first in
                row.optionalInt(3).flatMap { first <= $0 ? first...$0 : nil }
            }
            let outcome = StoredOutcome(
                requestHash: row.bytes(1), results: [], versions: versions, storedAt: row.int(4))
            return (sequence: row.int(0), outcome: outcome)
        }
        guard let (sequence, stored) = found else { return nil }
        var outcome = stored
        outcome.results = try all(
            "SELECT status, version, clock, problem FROM outcome_results WHERE outcome = $1 ORDER BY place",
            [.int(sequence)]
        ) { try StoredResult($0) }
        return outcome
    }

    func outcomeBytes(account: String) throws -> Int64 {
        if let caller = announcement.caller, caller.account.id == account, let bytes = caller.outcomeBytes {
            return bytes
        }
        return try first("SELECT outcome_bytes FROM accounts WHERE id = $1", [.text(account)]) { $0.int(0) } ?? 0
    }

    func insert(_ outcome: StoredOutcome, for key: OutcomeKey) throws {
        let results = outcome.results
        try run(
            """
            WITH added AS (
              INSERT INTO outcomes (account, device, key, request_hash, first_version, last_version, stored_at, bytes)
              VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING sequence)
            INSERT INTO outcome_results (outcome, place, status, version, clock, problem)
            SELECT sequence, place - 1, status, version, clock, problem FROM added,
              unnest($9::text[], $10::bigint[], $11::text[], $12::text[]) WITH ORDINALITY
                AS result (status, version, clock, problem, place)
            """,
            [
                .text(key.account), .text(key.device), .text(key.key), .bytes(outcome.requestHash),
                SQLValue(outcome.versions?.lowerBound), SQLValue(outcome.versions?.upperBound), .int(outcome.storedAt),
                .int(outcome.bytes), .texts(results.map(\.status)), .array(.int, results.map { SQLValue($0.version) }),
                .array(.text, results.map { SQLValue($0.clock) }), .array(.text, results.map { SQLValue($0.problem) }),
            ])
        try run(
            """
            DELETE FROM outcomes WHERE account = $1 AND device = $2 AND sequence <= (
              SELECT sequence FROM outcomes WHERE account = $1 AND device = $2
              ORDER BY sequence DESC LIMIT 1 OFFSET \(StoredOutcome.kept))
            """, [.text(key.account), .text(key.device)])
    }

    func deleteOutcomesWithoutSession(storedBefore moment: Int64, limit: RemovalLimit) throws -> Bool {
        var limit = limit
        return try delete(
            from: "outcomes", bytes: "bytes",
            where: """
                stored_at < $1 AND NOT EXISTS (
                  SELECT 1 FROM sessions WHERE sessions.account = outcomes.account AND sessions.device = outcomes.device)
                """, [.int(moment)], limit: &limit)
    }
}

extension StoredResult {
    /// Creates a result from its columns: status, version, clock, problem.
    fileprivate init(_ row: SQLRow) throws {
        switch row.text(0) {
        case "applied":
            guard let version = row.optionalInt(1), let clock = row.optionalText(2) else { throw Self.damaged }
            self = .applied(version: version, clock: clock)
        case "conflict": self = .conflict
        case "rejected":
            guard let problem = row.optionalText(3) else { throw Self.damaged }
            self = .rejected(problem: problem)
        default: throw Self.damaged
        }
    }

    private static let damaged = DamagedStore(what: "the result of a mutation")

    fileprivate var status: String {
        switch self {
        case .applied: "applied"
        case .conflict: "conflict"
        case .rejected: "rejected"
        }
    }

    fileprivate var version: Int64? {
        if case .applied(let version, _) = self { version } else { nil }
    }

    fileprivate var clock: String? {
        if case .applied(_, let clock) = self { clock } else { nil }
    }

    fileprivate var problem: String? {
        if case .rejected(let problem) = self { problem } else { nil }
    }
}
